"""discuss: the discussions of a session, or one with its ratings and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.opening import read_session, reading
from orchestrator.cli.options import AsJson, InSession, exclude
from orchestrator.cli.output import money, note, print_json, say, table, verdict
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import one_line

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject


def discuss(
    round_key: Annotated[
        str | None, typer.Argument(metavar="ROUND", help="DISCUSS-002, D2 or 2; without it, all are listed.")
    ] = None,
    in_session: InSession = None,
    every: Annotated[
        bool, typer.Option("--all", "-a", help="What each perspective and agent is worth, over all sessions.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a discussion: its verdict, ratings, divergences, action items, and what its findings led to."""
    from orchestrator.views.discuss import discussion, measured_discussions
    from orchestrator.views.measured import in_words, of_project

    exclude(all=every, session=in_session is not None)
    if every:
        if round_key is not None:
            raise UsageError("--all is about every round", fix="leave ROUND out, or --all")
        with reading() as opened:
            _worth(opened.store.read(of_project), as_json)
        return
    if round_key is None:
        _list(read_session(in_session, lambda tx, row: measured_discussions(tx, row.id)), as_json)
        return
    found = read_session(in_session, lambda tx, row: discussion(tx, row.id, round_key))
    if as_json:
        print_json(found)
        return
    severity = f" {found['severity']}" if found["severity"] else ""
    say(f"{found['round']} after {found['task']}: {found['consensus']}{severity}, mean {found['mean']:.1f}")
    for each in found["ratings"]:
        reply = each["reply"] if isinstance(each["reply"], dict) else {}
        say(
            f"  {each['perspective']:<10} {each['rating']}/5  {each['agent']}  {one_line(_key_finding(reply), 200)}".rstrip()
        )
    for each in found["findings"]:
        marks = " ".join(filter(None, (each["kind"], each["severity"], each["perspective"])))
        say(f"  - {marks}: {one_line(each['text'])}")
    for each in found["measured"]:
        say(
            f"  {_EFFECTS[each['effect']]} {each['kind']} {each['perspective']}: {one_line(each['text'], 200)}"
        )
    say(f"Led to: {in_words(found['effects'])}")
    if found["record"]:
        say(f"Record: {found['record']}   (lifecycle open {found['record']})")


def _list(found: list[JsonObject], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    if not found:
        note("no discussion has taken place yet")
        return
    table(
        ("ROUND", "TASK", "VERDICT", "RATING", "FINDINGS", "LED TO A CHANGE", "RECORD"),
        [
            (
                each["round"],
                each["task"],
                each["consensus"],
                verdict(each),
                each["effects"]["findings"],
                _share(each["effects"]),
                each["record"] or "",
            )
            for each in found
        ],
    )


def _worth(found: list[JsonObject], as_json: bool) -> None:
    """Each perspective and agent: what its findings led to, and what it cost."""
    if as_json:
        print_json(found)
        return
    if not found:
        note("no discussion has taken place yet")
        return
    table(
        (
            "PERSPECTIVE",
            "AGENT",
            "ROUNDS",
            "FINDINGS",
            "LED TO A CHANGE",
            "CALLS",
            "TOKENS",
            "COST",
            "A CHANGE",
        ),
        [
            (
                each["perspective"],
                each["agent"],
                each["rounds"],
                each["findings"],
                _share(each),
                each["calls"],
                each["tokens_in"] + each["tokens_out"],
                money(each),
                "" if each["usd_per_change"] is None else f"${each['usd_per_change']:.2f}",
            )
            for each in found
        ],
    )


def _share(effects: JsonObject) -> str:
    """`3 of 5`, of the findings about something that has a later version."""
    known = effects["findings"] - effects["open"]
    return f"{effects['led_to_a_change']} of {known}" if known else "-"


_EFFECTS = {
    "changed": "[changed]",
    "answered": "[answered]",
    "neither": "[not taken up]",
    "open": "[no later version]",
}


def _key_finding(reply: JsonObject) -> str:
    for name in ("key_finding", "missing_requirements", "weaknesses", "strengths"):
        value = reply.get(name)
        if value:
            first = value[0] if isinstance(value, list) else value
            return str(first.get("text", first)) if isinstance(first, dict) else str(first)
    return ""


def register(app: typer.Typer) -> None:
    app.command()(discuss)

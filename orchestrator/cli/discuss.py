"""discuss: the discussions of a session, or one with its ratings and findings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.follow import wake_and_follow
from orchestrator.cli.opening import changing, read_session, reading
from orchestrator.cli.options import AsJson, Detach, InSession, exclude, names_in
from orchestrator.cli.output import alone, money, note, print_json, say, table, verdict
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import one_line

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject


def discuss(
    round_key: Annotated[
        str | None,
        typer.Argument(
            metavar="ROUND|FILE",
            help="DISCUSS-002, D2 or 2 shows a round, without it all are listed; a text file is discussed.",
        ),
    ] = None,
    in_session: InSession = None,
    every: Annotated[
        bool, typer.Option("--all", "-a", help="What each perspective and agent is worth, over all sessions.")
    ] = False,
    past: Annotated[
        bool,
        typer.Option("--history", help="Every rating: a row a perspective, a column a round and revision."),
    ] = False,
    perspectives: Annotated[
        str | None, typer.Option("--perspectives", metavar="A,B", help="FILE: from where it is discussed.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="FILE: whom every perspective asks first.")
    ] = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Show a discussion with what its findings led to, or hold one of a FILE."""
    if round_key is not None and is_file(round_key, given=bool(perspectives or agent or detach)):
        exclude(**{"all": every, "a file": True})
        exclude(**{"session": in_session is not None, "a file": True})
        raise typer.Exit(_hold(round_key, perspectives, agent, detach, as_json))
    from orchestrator.views.discuss import discussion, measured_discussions
    from orchestrator.views.measured import in_words, of_project

    exclude(all=every, session=in_session is not None)
    exclude(all=every, history=past)
    if past:
        from orchestrator.cli.history import show_history

        if round_key is not None:
            raise UsageError("--history is about every round", fix="leave ROUND out, or --history")
        show_history(in_session, as_json)
        return
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
    reached = f"{found['consensus']}{severity}{alone(found)}"
    say(f"{found['round']} after {found['task']}: {reached}, mean {found['mean']:.1f}")
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


def is_file(name: str, *, given: bool) -> bool:
    """Whether `name` is a file to discuss, and no round. `given`: options that only a file takes. Raises UsageError."""
    from orchestrator.domain.own_discussion import names_a_round

    there = os.path.lexists(Path(name).expanduser())
    if given or "/" in name or (there and not names_a_round(name)):
        return True
    if there:
        raise UsageError(
            f"{name} is a round and a file here",
            why="both can be meant",
            fix=f"`lifecycle discuss ./{name}` discusses the file; `lifecycle discuss {_whole(name)}` shows the round",
        )
    return not names_a_round(name) and Path(name).suffix.lower() in _TEXTS


def _whole(name: str) -> str:
    digits = name.upper().removeprefix("DISCUSS-").removeprefix("D").partition("-")[0]
    return f"DISCUSS-{int(digits):03d}"


def _hold(file: str, perspectives: str | None, agent: str | None, detach: bool, as_json: bool) -> int:
    from orchestrator.commands.discuss_file import DiscussRequest, begin, prepare
    from orchestrator.project import find_project

    asked = DiscussRequest(file, Path.cwd(), names_in(perspectives), agent)
    found = prepare(find_project(), asked)
    with changing(create=True, settings=found.prepared.settings) as opened:
        started = begin(found, opened.store)
        note(f"{started.session}: {found.prepared.planned.choice.why}")
        if detach and not as_json:
            say(started.session)
        return wake_and_follow(opened, started.session, 0, detach, as_json)


def _list(found: list[JsonObject], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    if not found:
        note("no discussion has a verdict yet; `lifecycle check` shows one that waits for you")
        return
    table(
        ("ROUND", "TASK", "VERDICT", "RATING", "FINDINGS", "LED TO A CHANGE", "RECORD"),
        [
            (
                each["round"],
                each["task"],
                f"{each['consensus']}{alone(each)}",
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


_TEXTS = (".md", ".markdown", ".txt", ".rst", ".adoc", ".json", ".yaml", ".yml", ".toml", ".html", ".csv")
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

"""discuss: the discussions of a session, or one with its ratings and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession
from orchestrator.cli.output import note, print_json, say, table, verdict
from orchestrator.domain.inert import one_line

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject


def discuss(
    round_key: Annotated[
        str | None, typer.Argument(metavar="ROUND", help="DISCUSS-002, D2 or 2; without it, all are listed.")
    ] = None,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """Show a discussion: its verdict, ratings, divergences and action items."""
    from orchestrator.views.discuss import discussion, discussions

    if round_key is None:
        _list(read_session(in_session, lambda tx, row: discussions(tx, row.id)), as_json)
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
        ("ROUND", "TASK", "VERDICT", "RATING", "RECORD"),
        [
            (each["round"], each["task"], each["consensus"], verdict(each), each["record"] or "")
            for each in found
        ],
    )


def _key_finding(reply: JsonObject) -> str:
    for name in ("key_finding", "missing_requirements", "weaknesses", "strengths"):
        value = reply.get(name)
        if value:
            first = value[0] if isinstance(value, list) else value
            return str(first.get("text", first)) if isinstance(first, dict) else str(first)
    return ""


def register(app: typer.Typer) -> None:
    app.command()(discuss)

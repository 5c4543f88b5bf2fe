"""list: the sessions of this project."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.opening import here, reading
from orchestrator.cli.options import AsJson, InSession, exclude
from orchestrator.cli.output import (
    duration,
    money,
    note,
    print_json,
    table,
)


def list_sessions(
    every: Annotated[bool, typer.Option("--all", "-a", help="Include archived sessions.")] = False,
    last: Annotated[int, typer.Option("--last", "-n", min=0, help="The newest N; 0 for all.")] = 100,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """List the sessions of this project."""
    from orchestrator.store.sessions import EVERY
    from orchestrator.views import lookup
    from orchestrator.views.check import listing, summary

    exclude(all=every, session=in_session is not None)
    if in_session is None and not here().database.exists():
        found = []  # a project without sessions has none to list: nothing is wrong with that
    else:
        with reading() as opened:
            if in_session is not None:
                found = [opened.store.read(lambda tx: summary(tx, lookup.session(tx, in_session)))]
            else:
                found = opened.store.read(lambda tx: listing(tx, archived=every, limit=last or EVERY))
    if in_session is None and len(found) == last:
        note(f"only the newest {last} are listed; `lifecycle list -n 0` lists all")
    if as_json:
        print_json(found)
        return
    if not found:
        note('there are no sessions here yet; start one with `lifecycle start "..."`')
        return
    table(
        ("SESSION", "MODE", "STATUS", "DONE", "TIME", "COST", "TITLE"),
        [
            (
                each["session"],
                each["mode"],
                f"{each['status']}: {each['pause_reason']}" if each["pause_reason"] else each["status"],
                f"{each['progress']['done']}/{each['progress']['total']}",
                duration(each["elapsed_seconds"]),
                money(each["cost"]),
                each["title"],
            )
            for each in found
        ],
    )


def register(app: typer.Typer) -> None:
    app.command("list")(list_sessions)

"""why: explain the state of a task."""

from __future__ import annotations

import typer

from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession, TaskArgument
from orchestrator.cli.output import (
    print_json,
    say,
)
from orchestrator.domain.inert import inert


def why(task: TaskArgument, in_session: InSession = None, as_json: AsJson = False) -> None:
    """Explain why a task is not running, or when and how it ended."""
    from orchestrator.views import lookup
    from orchestrator.views.why import why as explain

    found = read_session(in_session, lambda tx, row: explain(tx, row, lookup.task(tx, row, task)))
    if as_json:
        print_json(found)
        return
    more = "" if found["state"] == found["status"] else f": {found['state']}"
    say(f"{found['task']} is {found['status']}{more}")
    for line in found["because"]:
        say(f"  {inert(line)}")
    for command in found["commands"]:
        say(f"  > {command}")


def register(app: typer.Typer) -> None:
    app.command()(why)

"""check: the progress of a session."""

from __future__ import annotations

import typer

from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession, SessionArgument, one_session
from orchestrator.cli.output import (
    print_json,
)


def check(session: SessionArgument = None, in_session: InSession = None, as_json: AsJson = False) -> None:
    """Show the progress of a session: tasks, running work, what is waiting and what to do next."""
    from orchestrator.views.check import overview

    found = read_session(one_session(session, in_session), overview)
    if as_json:
        print_json(found)
        return
    from orchestrator.cli.drawing import draw

    draw(found)


def register(app: typer.Typer) -> None:
    app.command()(check)
    app.command("status", hidden=True)(check)

"""check: where a session stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession, SessionArgument, one_session
from orchestrator.cli.output import (
    print_json,
)

if TYPE_CHECKING:
    pass


def check(session: SessionArgument = None, in_session: InSession = None, as_json: AsJson = False) -> None:
    """Show where a session stands: its tasks, who works, what waits, what to do next."""
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

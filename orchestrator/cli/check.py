"""check: the progress of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import read_session, reading
from orchestrator.cli.options import AsJson, InSession, SessionArgument, one_session
from orchestrator.cli.output import print_json, say

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject
    from orchestrator.store.store import Tx

SHOWN = 5  # unfinished sessions that are drawn, one below the other; of more, one has to be named


def check(
    session: SessionArgument = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="TIME|MSG", help="As it was then: 2026-11-22T14:05:00Z, 14:05:00 or MSG-012."
        ),
    ] = None,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """Show the progress of a session: tasks, running work, what is waiting and what to do next.

    Without a name: of the unfinished session, or of each of up to five; where all have ended, of the newest.
    """
    if at is not None:
        _then(one_session(session, in_session), at, as_json)
        return
    from orchestrator.dispatch.dashboards import showing
    from orchestrator.views.check import overview
    from orchestrator.views.lookup import SeveralSessions
    from orchestrator.views.lookup import session as find

    def overviews(tx: Tx) -> list[JsonObject]:
        """Of the session, or of each that is unfinished where people read them: a program is given one."""
        try:
            return [overview(tx, find(tx, name, finished=True))]
        except SeveralSessions as error:
            if as_json or len(error.sessions) > SHOWN:
                raise
            return [overview(tx, row) for row in error.sessions]

    name = one_session(session, in_session)
    with reading() as opened:
        found = opened.store.read(overviews)
    for each in found:
        each["dashboard"] = showing(opened.project.root, each["session"])
    if as_json:
        print_json(found[0])
        return
    from orchestrator.cli.drawing import draw

    for number, each in enumerate(found):
        if number:
            say("")
        draw(each)


def _then(session: str | None, at: str, as_json: bool) -> None:
    """Print the session as it was at an earlier time or message."""
    from orchestrator.views.past import state_at

    found = read_session(session, lambda tx, row: state_at(tx, row, at))
    if as_json:
        print_json(found)
        return
    from orchestrator.cli.drawing import draw_then

    draw_then(found)


def register(app: typer.Typer) -> None:
    app.command()(check)
    app.command("status", hidden=True)(check)

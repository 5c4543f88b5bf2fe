"""rebase: a session's work onto the branch that is checked out."""

from __future__ import annotations

from orchestrator.cli.declaring import typer
from orchestrator.cli.follow import newest_messages
from orchestrator.cli.opening import changing, who
from orchestrator.cli.options import AsJson, Detach, InSession, Key, SessionArgument, one_session
from orchestrator.cli.rework import go_on


def rebase(
    session: SessionArgument = None,
    in_session: InSession = None,
    key: Key = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Have the team bring a session's work onto your current branch, test and review it again, and follow."""
    from orchestrator.commands.rebase import rebase as start_rebase

    name = one_session(session, in_session)
    with changing() as opened:
        before = newest_messages(opened, name)
        attempts = opened.settings.max_attempts
        done = start_rebase(
            opened.store, opened.project.root, name, who=who(), max_attempts=attempts, key=key
        )
        raise typer.Exit(go_on(opened, done, before, detach, as_json))


def register(app: typer.Typer) -> None:
    app.command()(rebase)

"""advise: ask the architect."""

from __future__ import annotations

from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.follow import newest_messages
from orchestrator.cli.opening import changing, who
from orchestrator.cli.options import AsJson, Detach, InSession, Key
from orchestrator.cli.rework import go_on


def advise(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="What you want to know.", show_default=False)
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="spec, plan, code, consult or feasibility; by default consult with a question, else the newest of these.",
        ),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="TASK", help="Give the advice when this task is done.")
    ] = None,
    in_session: InSession = None,
    key: Key = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Ask the architect about a session's specification, plan or code, and follow. Blocks nothing."""
    from orchestrator.commands import advise as command

    given = command.asked(question, mode, at)  # before anything is opened
    with changing() as opened:
        before = newest_messages(opened, in_session)
        done = command.advise(
            opened.store, in_session, given, who=who(), max_attempts=opened.settings.max_attempts, key=key
        )
        raise typer.Exit(go_on(opened, done, before, detach, as_json, until=done.made))


def register(app: typer.Typer) -> None:
    app.command()(advise)

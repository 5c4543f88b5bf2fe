"""repair: check the database and rebuild a session's files."""

from __future__ import annotations

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import changing, wake
from orchestrator.cli.options import AsJson, InSession, Key, SessionArgument, one_session
from orchestrator.cli.output import REPEATED, note, print_json, say
from orchestrator.domain.inert import inert
from orchestrator.domain.pauses import EXIT_FAILED


def repair(
    session: SessionArgument = None, in_session: InSession = None, key: Key = None, as_json: AsJson = False
) -> None:
    """Check and repair the database, and rebuild a session's files. Exit code 1 if errors remain."""
    from orchestrator.commands import repair as work

    with changing() as opened:
        found = work.repair(opened.store, one_session(session, in_session), key)
        wake(opened)
    if as_json:
        print_json(found)
    else:
        if found["repeated"]:
            note(REPEATED)
        for line in found["fixed"]:
            say(f"fixed: {inert(line)}")
        for line in found["faults"]:
            say(f"error: {inert(line)}")
        edited = f", {len(found['edited'])} edited by hand, and kept" if found["edited"] else ""
        say(f"{found['session']}: {found['files']} files match the database{edited}")
    if found["faults"]:
        raise typer.Exit(EXIT_FAILED)


def register(app: typer.Typer) -> None:
    app.command()(repair)

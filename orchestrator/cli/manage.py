"""pause, cancel, archive, delete, repair, export, import."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from orchestrator.cli.opening import Opened, changing, reading, wake, who
from orchestrator.cli.options import AsJson, InSession, SessionArgument, one_session
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import inert
from orchestrator.domain.states import EXIT_FAILED

Words = Annotated[str, typer.Option("--words", "-m", metavar="TEXT", help="Why, kept with the decision.")]
Named = Annotated[str, typer.Argument(metavar="SESSION", help="The session, or the first letters of its id.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def pause(
    session: SessionArgument = None, in_session: InSession = None, words: Words = "", as_json: AsJson = False
) -> None:
    """Make no new offers; what runs is finished. `resume` goes on."""
    from orchestrator.commands import manage
    from orchestrator.commands.rework import check_words

    with changing() as opened:
        name = one_session(session, in_session)
        done = manage.pause(opened.store, name, who=who(), words=check_words(words))
        wake(opened)
    _done(done.session, "paused", f"lifecycle resume {done.session}", as_json)


def cancel(
    session: SessionArgument = None, in_session: InSession = None, words: Words = "", as_json: AsJson = False
) -> None:
    """End a session for good and stop what runs."""
    from orchestrator.commands import manage
    from orchestrator.commands.rework import check_words

    with changing() as opened:
        name = one_session(session, in_session)
        done = manage.cancel(opened.store, name, who=who(), words=check_words(words))
        wake(opened, done.stopped)
    _done(done.session, "cancelled", f"lifecycle archive {done.session}", as_json)


def archive(
    session: Named,
    restore: Annotated[bool, typer.Option("--restore", help="Show it in `list` again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Hide an ended session from `list`."""
    from orchestrator.commands import manage

    with changing() as opened:
        done = manage.archive(opened.store, session, restore=restore)
        wake(opened)
    _done(done.session, "shown again" if restore else "archived", "lifecycle list --all", as_json)


def delete(session: Named, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete an ended session with its files; that it was deleted stays on record."""
    from orchestrator.commands import manage
    from orchestrator.views import find

    with changing() as opened:
        row = opened.store.read(lambda tx: find.session(tx, session))
        if not yes and row.status in manage.ENDED:
            if sys.stdin is None or not sys.stdin.isatty():
                raise UsageError(
                    "deleting cannot be undone", why="nobody is here to be asked", fix="add --yes"
                )
            typer.confirm(f"Delete {row.id} and its files for good?", abort=True, err=True)
        done = manage.delete(opened.store, row.id, who=who())
    _done(done.session, "deleted", "", as_json)


def repair(session: SessionArgument = None, in_session: InSession = None, as_json: AsJson = False) -> None:
    """Check the database, put right what can be, and rebuild a session's files. Exit code 1 when faults remain."""
    from orchestrator.commands import repair as work

    with changing() as opened:
        found = work.repair(opened.store, one_session(session, in_session))
        wake(opened)
    if as_json:
        print_json(found)
    else:
        for line in found["fixed"]:
            say(f"fixed: {inert(line)}")
        for line in found["faults"]:
            say(f"fault: {inert(line)}")
        edited = f", {len(found['edited'])} edited by hand and kept" if found["edited"] else ""
        say(f"{found['session']}: {found['files']} files are as the database has them{edited}")
    if found["faults"]:
        raise typer.Exit(EXIT_FAILED)


def export(
    session: SessionArgument = None,
    in_session: InSession = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to; else SESSION.lifecycle.zip here."),
    ] = None,
    bundle: Annotated[
        bool, typer.Option("--bundle", help="For a bug report: cleaned of secrets and names, with logs.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a session with its whole history and all contents into one file."""
    from orchestrator.commands import portable
    from orchestrator.views import find

    with reading() as opened:
        name = one_session(session, in_session)
        row = opened.store.read(lambda tx: find.session(tx, name, finished=True))
        target = output or Path(f"{row.id}.{'bundle' if bundle else 'lifecycle'}.zip")
        if target.exists() and not force:
            raise portable.exists(target)
        done = (
            _bundle(opened, row.id, target, force)
            if bundle
            else portable.export(opened.store, row.id, target, force=force)
        )
    if as_json:
        print_json(done)
        return
    say(str(target))
    note(f"{done['rows']} rows and {done['contents']} contents, {done['bytes']} bytes")
    if bundle:
        masked = ", ".join(f"{number} x {kind}" for kind, number in done["masked"].items())
        note(f"replaced: {masked or 'nothing'}. Read it before you give it away: it holds your documents.")


def _bundle(opened: Opened, session: str, target: Path, force: bool) -> dict[str, Any]:
    """The session with logs, settings and the words of `doctor`, all cleaned."""
    from orchestrator import __version__
    from orchestrator.commands import bundle
    from orchestrator.domain.errors import ConfigError
    from orchestrator.project import read_settings
    from orchestrator.views.agents import ask_agents
    from orchestrator.views.doctor import examine

    project = opened.project
    try:
        settings = read_settings(project).model_dump(mode="json")
    except ConfigError as error:  # a fault in it may be the very bug
        settings = {"faults": error.faults}
    cleaner = bundle.Cleaner.of(
        os.environ, project=project.root, homes=_homes(), users={who(), *map(_name_of, _homes())}
    )
    return bundle.export(
        opened.store,
        session,
        target,
        cleaner,
        logs=project.logs,
        settings=settings,
        doctor=[asdict(check) for check in examine(project, ask_agents)],
        program=__version__,
        force=force,
    )


def _homes() -> set[str]:
    """Our home folder, by every name it has."""
    named = {os.environ.get("HOME", ""), str(Path.home())}
    return {name for given in named if given for name in (given, str(Path(given).resolve()))} - {"/"}


def _name_of(home: str) -> str:
    return Path(home).name if Path(home).parent.name in ("home", "Users") else ""


def import_session(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `export` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Take in a session that `export` wrote; an unfinished one arrives paused."""
    from orchestrator.commands import portable

    package = portable.read(file)
    with changing(create=True) as opened:
        done = portable.take_in(opened.store, package, opened.project.root, who=who())
        wake(opened)
    _done(done["session"], f"imported, {done['status']}", f"lifecycle check {done['session']}", as_json)


def _done(session: str, what: str, then: str, as_json: bool) -> None:
    if as_json:
        print_json({"session": session, "done": what})
        return
    say(f"{session} is {what}" + (f"   ({then})" if then else ""))


def register(app: typer.Typer) -> None:
    commands: list[Any] = [pause, cancel, archive, delete, repair, export]
    for command in commands:
        app.command()(command)
    app.command("import")(import_session)

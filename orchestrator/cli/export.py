"""export, import: a session as one file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import OpenedForReading, changing, reading, wake_and_write, who
from orchestrator.cli.options import AsJson, InSession, SessionArgument, one_session
from orchestrator.cli.output import note, print_json, say, say_done
from orchestrator.domain.dataclass import asdict
from orchestrator.domain.inert import inert
from orchestrator.domain.json_types import JsonObject


def export(
    session: SessionArgument = None,
    in_session: InSession = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file; default SESSION.lifecycle.zip in this folder."
        ),
    ] = None,
    bundle: Annotated[
        bool, typer.Option("--bundle", help="For a bug report: with logs, without secrets and user names.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a session with its whole history and all contents to one file."""
    from orchestrator.commands import portable, portable_work
    from orchestrator.views import lookup

    with reading() as opened:
        name = one_session(session, in_session)
        row = opened.store.read(lambda tx: lookup.session(tx, name, finished=True))
        target = output or Path(f"{row.id}.{'bundle' if bundle else 'lifecycle'}.zip")
        if target.exists() and not force:
            raise portable.exists(target)
        done = (
            _bundle(opened, row.id, target, force)
            if bundle
            else portable.export(
                opened.store,
                row.id,
                target,
                force=force,
                extra=portable_work.members(opened.store, row.id, opened.project.root),
            )
        )
    if as_json:
        print_json(done)
        return
    say(str(target))
    note(f"{done['rows']} rows and {done['contents']} contents, {done['bytes']} bytes")
    if bundle:
        masked = ", ".join(f"{number} x {kind}" for kind, number in done["masked"].items())
        note(f"replaced: {masked or 'nothing'}. Read it before you share it: it contains your documents.")


def _bundle(opened: OpenedForReading, session: str, target: Path, force: bool) -> JsonObject:
    """The session with logs, settings and the output of `doctor`, all cleaned."""
    from orchestrator import __version__
    from orchestrator.commands import bundle
    from orchestrator.domain.errors import ConfigError
    from orchestrator.project import read_settings
    from orchestrator.views.agents import ask_agents
    from orchestrator.views.doctor import examine

    project = opened.project
    try:
        settings = asdict(read_settings(project))
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
    """The user's home folder under every name it has."""
    named = {os.environ.get("HOME", ""), str(Path.home())}
    return {name for given in named if given for name in (given, str(Path(given).resolve()))} - {"/"}


def _name_of(home: str) -> str:
    return Path(home).name if Path(home).parent.name in ("home", "Users") else ""


def import_session(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `export` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Import a session that `export` wrote; an unfinished one is paused."""
    from orchestrator.commands import portable

    package = portable.read(file)
    with changing(create=True) as opened:
        done = portable.take_in(opened.store, package, opened.project.root, who=who())
        if why := portable.bring_code(opened.store, package, opened.project.root):
            note(inert(why))
        wake_and_write(opened, done["session"])
    say_done(done["session"], f"imported, {done['status']}", f"lifecycle check {done['session']}", as_json)


def register(app: typer.Typer) -> None:
    app.command()(export)
    app.command("import")(import_session)

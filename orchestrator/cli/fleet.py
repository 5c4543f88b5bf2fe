"""fleet: operations across the cells of a fleet."""

from __future__ import annotations

import hashlib
import signal
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from orchestrator.cli.declaring import typer
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.errors import LifecycleError, UsageError

if TYPE_CHECKING:
    from orchestrator.fleet.definition import Fleet

FleetFile = Annotated[
    Path,
    typer.Option(
        "--fleet",
        metavar="FILE",
        envvar="LIFECYCLE_FLEET",
        help="What the fleet consists of; default fleet.toml.",
    ),
]
CellArgument = Annotated[str, typer.Argument(metavar="CELL", help="As fleet.toml calls it.")]
FILE = Path("fleet.toml")


def show(fleet: FleetFile = FILE, as_json: AsJson = False) -> None:
    """List the cells, and which sessions each has."""
    from orchestrator.fleet.cells import view

    found = view(_read(fleet))
    if as_json:
        print_json(found)
        return
    for each in found:
        held = each["sessions"]
        say(
            f"{each['cell']}: {each['state']}, {len(held)} sessions{', keeps the directory' if each['directory'] else ''}"
        )
        for one in held:
            moving = f", {one['moving']}" if one["moving"] else ""
            say(f"  {one['session']}: {one['status']}{moving}")


def place(
    request: Annotated[str, typer.Argument(metavar="TASK", help="What is wanted.")],
    mode: Annotated[str | None, typer.Option("--mode", metavar="MODE", help="As for `start`.")] = None,
    cell: Annotated[
        str | None,
        typer.Option("--cell", metavar="CELL", help="Default: the open one with the fewest sessions."),
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="The same key twice places one session.")
    ] = None,
    fleet: FleetFile = FILE,
    as_json: AsJson = False,
) -> None:
    """Start a session in one of the cells."""
    given = _read(fleet)
    if cell is not None:
        given.project(cell)
    key = key or uuid.uuid4().hex
    session, chosen = _carry_out(
        given,
        "Place",
        f"{given.queue}:place:{hashlib.sha256(key.encode()).hexdigest()[:32]}",
        request,
        mode,
        cell,
        key,
        once=True,
    )
    if as_json:
        print_json({"session": session, "cell": chosen})
        return
    say(f"{session} is in {chosen}")


def move(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Its whole id.")],
    to: Annotated[str, typer.Option("--to", metavar="CELL", help="Where it shall be.")],
    fleet: FleetFile = FILE,
    as_json: AsJson = False,
) -> None:
    """Move a session that is finished or paused to another cell."""
    from orchestrator.fleet.cells import where
    from orchestrator.fleet.moving import enter
    from orchestrator.fleet.workflows import move_id

    given = _read(fleet)
    given.project(to)
    found = where(given, session)
    if found.cell != to or found.moving:  # one that is under way is joined, and ended, wherever it leads
        to = _carry_out(given, "Move", move_id(given.queue, session, found.cell), session, found.cell, to)
    else:  # it has arrived; a command that was killed then may not have told the directory
        enter(given, session, to, found.epoch)
    if as_json:
        print_json({"session": session, "cell": to, "from": found.cell})
        return
    say(f"{session} is in {to}")


def drain(
    cell: CellArgument,
    over: Annotated[
        bool, typer.Option("--over", help="Open it again, and continue what was paused.")
    ] = False,
    fleet: FleetFile = FILE,
    as_json: AsJson = False,
) -> None:
    """Let nothing be at work in a cell, as for an upgrade: it takes no new session, and active ones are paused."""
    given = _read(fleet)
    given.project(cell)
    found = _carry_out(
        given, "Reopen" if over else "Drain", f"{given.queue}:{'reopen' if over else 'drain'}:{cell}", cell
    )
    if as_json:
        print_json({"cell": cell, "state": "open" if over else "drained", "continued": found or []})
        return
    say(
        f"{cell} is open; {len(found)} sessions go on"
        if over
        else f"{cell} is drained: nothing is at work there"
    )


def retire(cell: CellArgument, fleet: FleetFile = FILE, as_json: AsJson = False) -> None:
    """Empty a cell for good: each of its sessions moves to a cell that is open."""
    given = _read(fleet)
    given.project(cell)
    moved = _carry_out(given, "Retire", f"{given.queue}:retire:{cell}", cell)
    if as_json:
        print_json({"cell": cell, "state": "retired", "moved": moved})
        return
    say(f"{cell} is retired; {len(moved)} sessions were moved")


def work(fleet: FleetFile = FILE) -> None:
    """Carry out operations that others began, until SIGTERM."""
    given = _read(fleet)
    import asyncio

    from orchestrator.fleet.carrying_out import work as carry_on

    async def ended() -> None:
        told = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, told.set)
        note(f"carries out the operations of {given.file}")
        await told.wait()

    carry_on(given, ended)


def _read(file: Path) -> Fleet:
    """Raises UsageError, LifecycleError."""
    from orchestrator.config.extras import SERVER_INSTALL, TEMPORAL_INSTALL, has_postgres, has_temporal

    if not has_temporal():
        raise LifecycleError("Temporal's client is not installed", fix=TEMPORAL_INSTALL)
    if not has_postgres():
        raise LifecycleError("PostgreSQL's driver is not installed", fix=SERVER_INSTALL)
    from orchestrator.fleet.definition import read_fleet

    if not file.is_file():
        raise UsageError(f"there is no {file}", fix="name the file that describes the fleet with --fleet")
    return read_fleet(file.resolve())


def _carry_out(fleet: Fleet, workflow: str, id: str, *args: object, once: bool = False) -> Any:
    from orchestrator.fleet.carrying_out import carry_out

    return carry_out(fleet, workflow, id, *args, once=once)


def register(app: typer.Typer) -> None:
    fleet = typer.Typer(no_args_is_help=True, help="Operations across projects with databases of their own.")
    fleet.command("list")(show)
    for command in (place, move, drain, retire, work):
        fleet.command()(command)
    app.add_typer(fleet, name="fleet")

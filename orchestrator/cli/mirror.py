"""mirror: keeps a folder of yours as the documents of a project on another machine are, and sends your edits."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import flush, note, print_json, say
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.inert import inert

if TYPE_CHECKING:
    from orchestrator.mirror.following import Mirror


def mirror(
    url: Annotated[str, typer.Argument(metavar="URL", help="As `lifecycle server` prints it.")],
    token_file: Annotated[
        Path, typer.Option("--token-file", metavar="FILE", help="Holds what `lifecycle person add` printed.")
    ],
    folder: Annotated[
        Path, typer.Option("--folder", metavar="DIR", help="Where the documents are written; empty at first.")
    ],
    once: Annotated[bool, typer.Option("--once", help="Bring the folder up to date, then exit.")] = False,
    ca: Annotated[
        Path | None,
        typer.Option("--ca", metavar="FILE", help="Certificates (PEM) that the server's may be signed by."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Keep a folder as the documents of a project on another machine are, and send your edits; ends on SIGTERM."""
    if as_json and not once:
        raise UsageError(
            "--json needs --once", why="a mirror that follows has no end to report", fix="add --once"
        )
    from orchestrator.door.http_connections import Connections
    from orchestrator.door.token_file import read_token
    from orchestrator.mirror.following import Mirror
    from orchestrator.mirror.known import alone
    from orchestrator.mirror.told import Told

    root = folder.resolve()
    connections = Connections(url, read_token(token_file, "lifecycle person add"), certificates=ca)
    with alone(root):
        told = Told(say_at_once if not as_json else lambda _: None)
        found = Mirror(connections, root, told, waits=not once)
        try:
            _run(found, once=once)
        finally:
            found.close()
    if as_json:
        print_json({**told.as_json(), "exit_code": told.exit_code})
    if once:
        raise typer.Exit(told.exit_code)


def say_at_once(line: str) -> None:
    say(line)
    flush()


def _run(found: Mirror, *, once: bool) -> None:
    terms = found.begin()
    if once:
        found.once()
        return
    note(f"mirroring {inert(terms.project)}; Ctrl-C ends it")
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    found.follow(stopping, _away)


def _away(error: LifecycleError) -> None:
    note(f"{inert(error.what)}: {inert(error.why)}; it is asked again")


def register(app: typer.Typer) -> None:
    app.command()(mirror)

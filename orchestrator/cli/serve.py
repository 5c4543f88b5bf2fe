"""serve: the web dashboard, on this machine."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.output import flush, note, say
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.inert import one_line

if TYPE_CHECKING:
    from orchestrator.web.access import Access, Role

TOKEN = "LIFECYCLE_WEB_TOKEN"  # noqa: S105 - the name of the variable
SHORTEST = 16  # characters of a token that a person chose
PORT = 8470
PERSON_LIMIT = 100  # characters


def serve(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FOLDER ...]", help="Projects to serve; default the one here."),
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65_535, help=f"Default {PORT}; 0 for a free one.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Show only; take no command.")] = False,
    allow_host: Annotated[
        str | None,
        typer.Option("--allow-host", metavar="NAME", help="Also answer to the name of your TLS proxy."),
    ] = None,
    user_header: Annotated[
        str | None,
        typer.Option("--user-header", metavar="HEADER", help="With --allow-host: names the person."),
    ] = None,
    link: Annotated[
        bool,
        typer.Option(
            "--link", help="Print another link to the running server; a name after it says for whom."
        ),
    ] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="End every link and every browser's access, then stop.")
    ] = False,
) -> None:
    """Serve a web dashboard of these projects, on 127.0.0.1 only."""
    _need_library()
    from orchestrator.project import person
    from orchestrator.web.access import Access, state_folder

    state = state_folder(os.environ)
    access = Access(state)
    if revoke:
        access.revoke()
        say("every link and every browser's access has ended")
        return
    role: Role = "read" if read_only else "decide"
    if link:
        if len(folders or ()) > 1:
            raise UsageError("a link is for one person", fix="lifecycle serve --link NAME")
        who = one_line(str(folders[0]), PERSON_LIMIT) if folders else person()
        _print_link(access, port or _remembered(state), who, role)
        return
    if user_header is not None and allow_host is None:
        raise UsageError("--user-header needs --allow-host", why="only a proxy sets it", fix="name both")
    from orchestrator.web.feed import Feed
    from orchestrator.web.served import served
    from orchestrator.web.server import listen, run
    from orchestrator.web.site import Site

    bearer = os.environ.pop(TOKEN, None) or None  # what we start must not inherit it
    if bearer is not None and len(bearer) < SHORTEST:
        raise UsageError(f"{TOKEN} is too short", why=f"it needs {SHORTEST} characters", fix="leave it out")
    projects = served(folders or [], read_only=read_only)
    listening = listen(PORT if port is None else port)
    with listening:
        bound = int(listening.getsockname()[1])
        site = Site(
            projects,
            access,
            Feed(projects),
            bound,
            read_only=read_only,
            allowed_host=allow_host,
            user_header=user_header,
            bearer=bearer,
        )

        def ready() -> None:
            _remember(state, bound)
            _print_link(access, bound, person(), role)
            note("Ctrl-C ends it; the link lets one browser in, within ten minutes")

        with suppress(KeyboardInterrupt):  # which is how it is meant to end
            run(site, listening, ready)


def _print_link(access: Access, port: int, person: str, role: Role) -> None:
    from orchestrator.web.guard import LOOPBACK, NAME

    code = access.code(person, role)
    say(f"http://{NAME}:{port}/enter#{code}")
    say(f"http://{LOOPBACK}:{port}/enter#{code}   where the name above is not found")
    flush()


def _remember(state: Path, port: int) -> None:
    """Note where the newest server listens, for `--link`."""
    state.mkdir(parents=True, mode=0o700, exist_ok=True)
    beside = state / f"server.{os.getpid()}"
    with os.fdopen(
        os.open(beside, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600), "w"
    ) as file:
        json.dump({"port": port, "pid": os.getpid()}, file)
    beside.replace(state / "server.json")


def _remembered(state: Path) -> int:
    """Raises UsageError when no server was started yet."""
    try:
        return int(json.loads((state / "server.json").read_text())["port"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError("no server was started yet", why=str(error), fix="lifecycle serve") from error


def _need_library() -> None:
    from orchestrator.config.extras import WEB_INSTALL, has_web

    if not has_web():
        raise LifecycleError("the web dashboard is not installed", fix=WEB_INSTALL)


def register(app: typer.Typer) -> None:
    app.command()(serve)

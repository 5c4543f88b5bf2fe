"""serve: the web dashboard, on this machine."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.dashboard import need_web
from orchestrator.cli.declaring import typer
from orchestrator.cli.options import exclude
from orchestrator.cli.output import flush, note, say
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.inert import one_line

if TYPE_CHECKING:
    import socket

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
        bool,
        typer.Option(
            "--revoke",
            help="End every link and every browser's access; a name after it: only this person's. Then stop.",
        ),
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="End the servers that show this project.")] = False,
    detached: Annotated[
        bool, typer.Option("--detached", hidden=True, help="Started by another command.")
    ] = False,
    page: Annotated[str, typer.Option("--page", hidden=True, help="With --link: where it leads.")] = "",
) -> None:
    """Serve a web dashboard of these projects, on 127.0.0.1 only."""
    exclude(link=link, revoke=revoke, stop=stop)
    from orchestrator.dispatch.dashboards import state_folder

    state = state_folder(os.environ)
    if stop:
        _stop(state, folders or [])
        return
    need_web()
    from orchestrator.project import person
    from orchestrator.web.access import Access

    access = Access(state)
    if revoke:
        _revoke(access, folders or [])
        return
    role: Role = "read" if read_only else "decide"
    if link:
        who = _one_name(folders or [], "--link") or person()
        _print_link(access, port or _newest(state), who, role, page)
        return
    if user_header is not None and allow_host is None:
        raise UsageError("--user-header needs --allow-host", why="only a proxy sets it", fix="name both")
    from orchestrator.dispatch.dashboards import noted
    from orchestrator.web.feed import Feed
    from orchestrator.web.served import served
    from orchestrator.web.server import run
    from orchestrator.web.site import Site

    bearer = os.environ.pop(TOKEN, None) or None  # what we start must not inherit it
    if bearer is not None and len(bearer) < SHORTEST:
        raise UsageError(f"{TOKEN} is too short", why=f"it needs {SHORTEST} characters", fix="leave it out")
    projects = served(folders or [], read_only=read_only)
    listening = _listen(port, any_port=detached)
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
            if not detached:  # else whoever started it makes a link
                _print_link(access, bound, person(), role)
                note("Ctrl-C ends it; the link lets one browser in, within ten minutes")

        shown = {each.project.root.resolve(): each.slug for each in projects}
        with suppress(KeyboardInterrupt), noted(state, bound, shown, read_only=read_only):
            run(site, listening, ready)  # Ctrl-C is how it is meant to end


def _listen(port: int | None, *, any_port: bool) -> socket.socket:
    """A socket on this port, else on the usual one; `any_port`: on a free one where that is taken. Raises UsageError."""
    from orchestrator.web.server import listen

    if port is not None or not any_port:
        return listen(PORT if port is None else port)
    try:
        return listen(PORT)
    except UsageError:
        return listen(0)


def _one_name(given: list[Path], option: str) -> str | None:
    """The person that is named after an option. Raises UsageError for several."""
    if len(given) > 1:
        raise UsageError(f"{option} takes one name", fix=f"lifecycle serve {option} NAME")
    if given and str(given[0]) == ".":  # an empty word, as a path
        raise UsageError(f"the name behind {option} is empty", fix=f"lifecycle serve {option} NAME")
    return one_line(str(given[0]), PERSON_LIMIT) if given else None


def _revoke(access: Access, given: list[Path]) -> None:
    who = _one_name(given, "--revoke")
    access.revoke(who)
    say(
        "every link and every browser's access has ended"
        if who is None
        else f"every link and every browser's access of {who} has ended; `lifecycle serve --link {quote(who)}` gives another"
    )


def _stop(state: Path, folders: list[Path]) -> None:
    """End the servers of the projects. Raises LifecycleError for one that does not end."""
    from orchestrator.dispatch import dashboards
    from orchestrator.project import find_project

    roots = [find_project(folder).root for folder in folders or [Path.cwd()]]
    found = {each.pid: each for root in roots for each in dashboards.of_project(state, root)}
    for each in found.values():
        if not dashboards.stop(each):
            raise LifecycleError(
                f"the server on port {each.port} has not ended yet",
                why=f"pid {each.pid} is still answering",
                fix="repeat the command",
            )
        say(f"the server on port {each.port} has stopped")
    if not found:
        say("no server shows this project")


def _print_link(access: Access, port: int, person: str, role: Role, page: str = "") -> None:
    from orchestrator.dispatch.dashboards import NAME
    from orchestrator.web.guard import LOOPBACK

    code = access.code(person, role, page)
    say(f"http://{NAME}:{port}/enter#{code}")
    say(f"http://{LOOPBACK}:{port}/enter#{code}   where the name above is not found")
    flush()


def _newest(state: Path) -> int:
    """The port of the server that was started last. Raises UsageError when none runs."""
    from orchestrator.dispatch.dashboards import running

    found = running(state)
    if not found:
        raise UsageError("no server is running", why="a link leads to one", fix="lifecycle serve")
    return found[0].port


def register(app: typer.Typer) -> None:
    app.command()(serve)

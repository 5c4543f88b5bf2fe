"""mcp: the MCP server, for a user's agents, and for the agent of a run (started by the worker host)."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import project_of
from orchestrator.cli.options import ProjectOption
from orchestrator.cli.output import flush, is_live, note, say
from orchestrator.domain.errors import LifecycleError, UsageError

if TYPE_CHECKING:
    from orchestrator.mcp_server.scope import Scope

TOKEN = "LIFECYCLE_MCP_TOKEN"  # noqa: S105 - the name of the variable
SHORTEST = 16  # characters of a token that a person chose


def mcp(
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Serve only the agent of this run.")
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP on loopback instead of stdio.")] = False,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65_535, help="With --http; default a free one.")
    ] = None,
    door: Annotated[
        str | None,
        typer.Option("--door", metavar="URL", help="With --run, on a joined host: ask this server."),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option("--ca", metavar="FILE", help="With --door: who may sign the server's certificate."),
    ] = None,
    project: ProjectOption = None,
) -> None:
    """Serve the project to agents over the Model Context Protocol."""
    _check_door(door, run, ca, http=http)
    if port is not None and not http:
        raise UsageError("--port needs --http", why="stdio has no port", fix="lifecycle mcp --http --port N")
    _need_library()
    from orchestrator.mcp_server.scope import Person, worker
    from orchestrator.mcp_server.tool_context import ToolContext

    token = os.environ.pop(TOKEN, None) or None  # what we start must not inherit it
    home = project_of(project)
    if door is not None and run is not None:
        _serve_at_door(door, run, token, ca, home.root)
        return
    scope: Scope = Person() if run is None else worker(home, run, token)
    context = ToolContext(home, scope)
    if not http:
        from orchestrator.mcp_server.serve import build, serve_stdio

        if is_live(sys.stdin):
            note(
                "waiting for a client on standard input; Ctrl-C ends it (docs/mcp.md says how to add it to one)"
            )
        # A thread waits for input that may never come: Ctrl-C ends the process, which holds nothing between two calls.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        serve_stdio(build(context))
        return
    from orchestrator.mcp_server.over_http import serve_http

    if token is not None and len(token) < SHORTEST:
        raise UsageError(f"{TOKEN} is too short", why=f"it needs {SHORTEST} characters", fix="leave it out")
    bearer = token or secrets.token_urlsafe(32)

    def ready(address: str) -> None:
        say(address)
        if token is None:
            say(f"Authorization: Bearer {bearer}")
        flush()

    serve_http(context, bearer, port or 0, ready)


def _check_door(door: str | None, run: str | None, ca: Path | None, *, http: bool) -> None:
    """Raises UsageError."""
    if ca is not None and door is None:
        raise UsageError("--ca needs --door", why="nobody else is asked", fix="leave it out")
    if door is not None and (run is None or http):
        raise UsageError(
            "--door is for the agent of a run, over stdio",
            why="the server knows it by the token of its run",
            fix="the joined host starts it for its agents; leave --door out",
        )


def _serve_at_door(url: str, run: str, token: str | None, ca: Path | None, clone: Path) -> None:
    """Raises UsageError for an address or certificates that cannot be used."""
    from orchestrator.door.http_connections import Connections
    from orchestrator.mcp_server.over_door import server_at_door
    from orchestrator.mcp_server.scope import no_token
    from orchestrator.mcp_server.serve import serve_stdio

    if token is None:
        raise no_token()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    serve_stdio(server_at_door(Connections(url, f"{run}.{token}", certificates=ca), clone))


def _need_library() -> None:
    from orchestrator.config.extras import MCP_INSTALL, has_mcp

    if not has_mcp():
        raise LifecycleError("the MCP server is not installed", fix=MCP_INSTALL)


def register(app: typer.Typer) -> None:
    app.command()(mcp)

"""mcp: the MCP server, for a user's agents, and for the agent of a run (started by the worker host)."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from typing import TYPE_CHECKING, Annotated

import typer

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
    project: ProjectOption = None,
) -> None:
    """Serve the project to agents over the Model Context Protocol."""
    if port is not None and not http:
        raise UsageError("--port needs --http", why="stdio has no port", fix="lifecycle mcp --http --port N")
    _need_library()
    from orchestrator.mcp_server.scope import Person, worker
    from orchestrator.mcp_server.tool_context import ToolContext

    token = os.environ.pop(TOKEN, None) or None  # what we start must not inherit it
    home = project_of(project)
    scope: Scope = Person() if run is None else worker(home, run, token)
    context = ToolContext(home, scope)
    if not http:
        from orchestrator.mcp_server.serve import serve_stdio

        if is_live(sys.stdin):
            note(
                "waiting for a client on standard input; Ctrl-C ends it (docs/mcp.md says how to add it to one)"
            )
        # A thread waits for input that may never come: Ctrl-C ends the process, which holds nothing between two calls.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        serve_stdio(context)
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


def _need_library() -> None:
    from orchestrator.config.extras import MCP_INSTALL, has_mcp

    if not has_mcp():
        raise LifecycleError("the MCP server is not installed", fix=MCP_INSTALL)


def register(app: typer.Typer) -> None:
    app.command()(mcp)

"""The protocol over HTTP (streamable HTTP), on loopback alone and never without a token."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable, Iterable

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from orchestrator.domain.errors import UsageError
from orchestrator.mcp_server.serve import build
from orchestrator.mcp_server.tool_context import ToolContext

LOOPBACK = "127.0.0.1"
BODY_LIMIT = 2 * 1024 * 1024  # bytes of an HTTP request


def serve_http(context: ToolContext, token: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve until a signal; `on_ready` gets the address; port 0 takes a free one. Raises UsageError."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    with listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, port))
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be taken", why=error.strerror or str(error), fix="leave --port out"
            ) from error
        listening.listen(128)
        port = int(listening.getsockname()[1])
        hosts = [f"{name}:{port}" for name in (LOOPBACK, "localhost")]
        origins = [f"http://{host}" for host in hosts]
        app = build(context).streamable_http_app(
            json_response=True,
            stateless_http=True,  # no session that somebody could take over: each request shows the token
            max_request_body_size=BODY_LIMIT,
            transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
        )
        config = uvicorn.Config(
            Guarded(app, token, hosts, origins),
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
        )
        on_ready(f"http://{LOOPBACK}:{port}/mcp")
        uvicorn.Server(config).run(sockets=[listening])


class Guarded:
    """Admits a request that names this server as its host, comes from no other site, and carries the token.

    A page in the person's browser can send requests to loopback, and can give its own name our address (DNS rebinding):
    the first is told by its Origin, the second by its Host.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str], origins: Iterable[str]) -> None:
        self._app = app
        self._bearer = f"Bearer {token}".encode("utf-8", "surrogateescape")
        self._hosts = {host.encode() for host in hosts}
        self._origins = {origin.encode() for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        refused = self._refused(scope)
        if refused is None:
            return await self._app(scope, receive, send)
        headers = [(b"content-length", b"0")] + [(b"www-authenticate", b"Bearer")] * (refused == 401)
        await send({"type": "http.response.start", "status": refused, "headers": headers})
        return await send({"type": "http.response.body", "body": b""})

    def _refused(self, scope: Scope) -> int | None:
        """The status of the refusal."""
        given: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.lower(), []).append(value)
        if len(given.get(b"host", ())) != 1 or given[b"host"][0].lower() not in self._hosts:
            return 421
        if any(origin not in self._origins for origin in given.get(b"origin", ())):
            return 403
        shown = given.get(b"authorization", [])
        if len(shown) != 1 or not hmac.compare_digest(shown[0], self._bearer):
            return 401
        return None

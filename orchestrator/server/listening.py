"""Listens on an address, with TLS unless that is this machine's own, and serves until a signal."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UsageError
from orchestrator.server.application import build
from orchestrator.server.door_connection import HEAD_SECONDS, DoorConnection
from orchestrator.server.door_site import DoorSite

LOOPBACK = "127.0.0.1"
KEEP_ALIVE_SECONDS = 75  # longer than any host is silent between two renewals
GRACE_SECONDS = 5  # for requests under way when the server stops


@dataclass(frozen=True, slots=True)
class Certificate:
    """The server's certificate and its key, as PEM files."""

    certificate: Path
    key: Path


def certificate(cert: Path | None, key: Path | None, bind: str) -> Certificate | None:
    """The server's certificate; None where it listens for this machine alone. Raises UsageError."""
    if (cert is None) != (key is None):
        raise UsageError("--tls-cert and --tls-key belong together", fix="name both files, or neither")
    if cert is None or key is None:
        if not _address(bind).is_loopback:
            raise UsageError(
                f"{bind} can be reached from other machines, and there is no certificate",
                why="tokens and documents would be sent unencrypted",
                fix="name --tls-cert and --tls-key, or leave --bind out and put a TLS proxy in front",
            )
        return None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
    except (OSError, ValueError) as error:
        raise UsageError(
            "the certificate cannot be used", why=str(error), fix="name PEM files that fit"
        ) from error
    return Certificate(cert, key)


def _address(bind: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(bind)
    except ValueError as error:
        raise UsageError(
            f"{bind!r} is no address", why=str(error), fix="name one of this machine's, or 0.0.0.0 for all"
        ) from error


def listen(bind: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises UsageError."""
    address = _address(bind)
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    # The protocol by name: asyncio sends small answers at once only where it is, else each waits for an ACK, 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((bind, port))
        listening.listen(1024)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"port {port} of {bind} cannot be taken",
            why=error.strerror or str(error),
            fix="name another --port",
        ) from error
    return listening


def url_of(listening: socket.socket, tls: Certificate | None) -> str:
    """The address that hosts join; of a socket on all addresses, with this machine's name."""
    host, port = listening.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket.getfqdn()
    elif ":" in host:
        host = f"[{host}]"
    return f"{'http' if tls is None else 'https'}://{host}:{port}"


class DoorLoop(asyncio.SelectorEventLoop):
    """A loop on which a TLS handshake is given up as late as the head of a request: asyncio itself waits for 60 s."""

    async def create_server(self, *given: Any, ssl: Any = None, **options: Any) -> Any:
        if ssl is not None:
            options["ssl_handshake_timeout"] = HEAD_SECONDS
        return await super().create_server(*given, ssl=ssl, **options)


class DoorServer(uvicorn.Server):
    """Lets the hosts go that wait for news when it stops: they would keep it waiting."""

    def __init__(
        self, site: DoorSite, tls: Certificate | None = None, on_ready: Callable[[], None] = lambda: None
    ) -> None:
        config = uvicorn.Config(
            build(site),
            http=DoorConnection,
            loop=f"{__name__}:{DoorLoop.__name__}",
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ssl_certfile=None if tls is None else tls.certificate,
            ssl_keyfile=None if tls is None else tls.key,
        )
        super().__init__(config)
        self._site = site
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._site.board is not None:
            self._site.board.tell()
        if self._site.changes is not None:
            self._site.changes.end()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """To be asked to end is no failure: not as uvicorn does it, which ends by the signal itself."""
        self.should_exit, self.force_exit = True, self.should_exit

    def stop(self) -> None:
        self.should_exit = True

"""Connections to a server, one for each thread that asks."""

from __future__ import annotations

import http.client
import ssl
import threading
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from orchestrator import __version__
from orchestrator.domain import trace_ids
from orchestrator.domain.errors import ServerAway, UsageError
from orchestrator.door import wire
from orchestrator.door.work_desk import AgentsDoor

FIRST_TRY, LONGEST_TRY = 0.05, 2.0  # seconds between two tries
ANSWER_SECONDS = 30.0  # within which an answer must have come
LOOPBACK = ("127.0.0.1", "::1", "localhost")
SENT_TOGETHER = 128 * 1024  # bytes of a request; half of what the server reads at once
AGAIN = wire.AWAY  # statuses after which the same may be asked again


class _Together:
    """Sends the head of a request with its body, where that is small: what comes at once is answered the short way."""

    _unsent = b""

    def send(self, data: Any) -> None:
        if isinstance(data, bytes) and len(self._unsent) + len(data) <= SENT_TOGETHER:
            self._unsent += data
        else:
            self._flush()
            super().send(data)  # type: ignore[misc]

    def getresponse(self) -> http.client.HTTPResponse:
        self._flush()
        return cast(http.client.HTTPResponse, super().getresponse())  # type: ignore[misc]

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, b""
        if unsent:
            super().send(unsent)  # type: ignore[misc]


class _Plain(_Together, http.client.HTTPConnection):
    """Of this machine."""


class _Encrypted(_Together, http.client.HTTPSConnection):
    """Of any."""


class Connections:
    """One connection to the server for each thread that asks."""

    def __init__(self, url: str, token: str, *, certificates: Path | None = None) -> None:
        """`certificates`: of those who may sign the server's, where the system does not know them. Raises UsageError."""
        parts = urlsplit(url)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.path.strip("/")
            or parts.query
        ):
            raise UsageError(
                f"{url!r} is no address of a server",
                why="it has a scheme, a name and a port",
                fix="give it as `lifecycle server` prints it, such as https://build.example:8471",
            )
        if parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise UsageError(
                "the token would be sent unencrypted",
                why=f"{parts.hostname} is another machine and the address begins with http:",
                fix="give the server a certificate (`lifecycle server --tls-cert`), and name it as https:",
            )
        try:
            port = parts.port
            self._tls = None if parts.scheme == "http" else ssl.create_default_context(cafile=certificates)
        except (ValueError, OSError) as error:
            raise UsageError(
                f"{url} cannot be used", why=str(error), fix="check port and certificates"
            ) from error
        self.door = AgentsDoor(url, certificates and certificates.resolve())
        self._to = (parts.hostname, port)
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "User-Agent": f"{wire.PROGRAM}/{__version__}",
            wire.VERSION_HEADER: wire.VERSION,
        }
        self._mine = threading.local()

    def ask(
        self, name: str, body: bytes, seconds: float, *, longest: int | None = None, run: str | None = None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body of the answer, of at most `longest` bytes. `run`: for which it is asked.

        Raises ServerAway; then nobody knows whether it was done.
        """
        headers = (
            self._headers if run is None else {**self._headers, trace_ids.HEADER: trace_ids.traceparent(run)}
        )
        kept: http.client.HTTPConnection | None = getattr(self._mine, "connection", None)
        if kept is not None and kept.sock is not None:
            try:
                return self._ask_on(kept, name, body, headers, seconds, longest)
            except (ConnectionError, http.client.BadStatusLine):
                pass  # it was silent for longer than the server, or a proxy, keeps one: that is no outage
            except (OSError, http.client.HTTPException) as error:
                raise self._away(error) from error
        self._mine.connection = self._connect(seconds)
        try:
            return self._ask_on(self._mine.connection, name, body, headers, seconds, longest)
        except (OSError, http.client.HTTPException) as error:
            raise self._away(error) from error

    def close(self) -> None:
        """End the connection of this thread: what is asked next is asked on a new one."""
        kept: http.client.HTTPConnection | None = getattr(self._mine, "connection", None)
        if kept is not None:
            kept.close()

    def _ask_on(
        self,
        connection: http.client.HTTPConnection,
        name: str,
        body: bytes,
        headers: dict[str, str],
        seconds: float,
        longest: int | None,
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        try:
            if connection.sock is not None:
                connection.sock.settimeout(seconds)
            connection.request("POST", wire.PREFIX + name, body, headers)
            answer = connection.getresponse()
            found = answer.read(None if longest is None else longest + 1)
            if longest is not None and len(found) > longest:
                raise http.client.HTTPException(f"an answer of more than {longest} bytes")
            return answer.status, answer.headers, found
        except (OSError, http.client.HTTPException):
            connection.close()
            self._mine.connection = None
            raise

    def _away(self, error: Exception) -> ServerAway:
        why = str(error) or type(error).__name__
        return ServerAway(f"the server at {self._to[0]} cannot be reached", why=why)

    def _connect(self, seconds: float) -> http.client.HTTPConnection:
        host, port = self._to
        if self._tls is None:
            return _Plain(host, port, timeout=seconds)
        return _Encrypted(host, port, timeout=seconds, context=self._tls)

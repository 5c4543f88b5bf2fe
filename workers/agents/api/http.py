"""The HTTP client of one call to a model API: it knows the call's timeouts, and what went wrong on the way.

Three vendors' packages wrap a fault of the network each in its own way. So the fault is named here, where it happens,
and kept in `Wire.fault`; what the packages make of it no longer matters.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2

from orchestrator.domain.errors import AgentError, AgentRubbish, AgentTimedOut, AgentUnavailable
from workers.agents.api.target import Target
from workers.agents.protocol import Timeouts

CONNECT_SECONDS = 10.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ENVELOPE = 4  # a stream wraps each word in an event: so many bytes travel for one of an answer, at least


class Wire(httpx2.AsyncClient):
    """Follows no redirect: a prompt goes to the address that was configured and to no other."""

    def __init__(self, target: Target, timeouts: Timeouts) -> None:
        super().__init__(
            timeout=httpx2.Timeout(timeouts.turn or timeouts.total or 86_400.0, connect=CONNECT_SECONDS),
            headers={"accept-encoding": "identity"},  # so that the bytes counted are the bytes kept
            verify=certificates(),
            trust_env=urlsplit(target.url).hostname not in LOOPBACK,  # a proxy is for what is not here
        )
        self._target = target
        self._timeouts = timeouts
        self.fault: AgentError | None = None  # set: nothing more is read
        self.asked = 0  # requests of this turn: a library that asks again by itself might never stop

    async def send(self, request: httpx2.Request, *, stream: bool = False, **more: Any) -> httpx2.Response:
        self.asked += 1
        if self.asked > 1:
            self.fault = AgentRubbish(f"{self._target.agent}: the answer is none of this API's")
            raise httpx2.ReadError("asked again within one turn")
        request.extensions = {**request.extensions, "timeout": self.timeout.as_dict()}  # not a package's own
        began = time.monotonic()
        more["follow_redirects"] = False
        async with self._named("start", self._timeouts.start):
            response = await super().send(request, stream=True, **more)
        if 300 <= response.status_code < 400:
            await response.aclose()
            self.fault = AgentUnavailable(
                f"{self._target.agent}: {self._target.origin} points elsewhere, which is not followed",
                fix=f"set `agents.{self._target.agent}.base_url` to where the API is",
            )
            raise httpx2.RemoteProtocolError("redirected")
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Watched(self, response.stream, began)
        if not stream:
            try:
                await response.aread()
            except BaseException:
                await response.aclose()
                raise
        return response

    async def piece(
        self, pieces: AsyncIterator[bytes], size: int, limit: str, seconds: float | None
    ) -> bytes:
        """The next piece of an answer of which `size` bytes have come."""
        if self.fault is not None:
            raise httpx2.ReadError("nothing more is read")
        async with self._named(limit, seconds):
            piece = await anext(pieces)
        most = self._timeouts.output_bytes * ENVELOPE
        if size + len(piece) > most:
            self.fault = AgentRubbish(f"{self._target.agent} sent more than {most} bytes and was stopped")
            raise httpx2.ReadError("the answer is too long")
        return piece

    def left(self, began: float) -> float | None:
        """Seconds until the first byte has to be here."""
        start = self._timeouts.start
        return None if start is None else max(0.0, began + start - time.monotonic())

    @property
    def silence(self) -> float | None:
        return self._timeouts.silence

    @asynccontextmanager
    async def _named(self, limit: str, seconds: float | None) -> AsyncIterator[None]:
        """Wait at most so long, and note what goes wrong meanwhile."""
        agent, origin = self._target.agent, self._target.origin
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError as error:
            held = getattr(self._timeouts, limit)
            self.fault = AgentTimedOut(f"{agent} was stopped: {limit} limit of {held:g} s")
            raise httpx2.ReadTimeout(f"{limit} limit") from error
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError) as error:
            self.fault = AgentUnavailable(
                f"{agent}: nothing can be reached at {origin}",
                why=self._target.masked(str(error) or type(error).__name__),
                fix=f"start the server, or check `agents.{agent}.base_url` and the network",
            )
            raise
        except httpx2.TimeoutException:
            self.fault = AgentTimedOut(f"{agent} was stopped: turn limit of {self._timeouts.turn:g} s")
            raise
        except httpx2.TransportError as error:
            self.fault = AgentRubbish(
                f"{agent}: the answer broke off", why=self._target.masked(str(error) or type(error).__name__)
            )
            raise


@cache
def certificates() -> ssl.SSLContext:
    """Whom to trust, read once: it takes longer than the rest of a call."""
    return httpx2.create_ssl_context()


class _Watched(httpx2.AsyncByteStream):
    """A body that is read under the limits. No generator: one that is left half read would have to be closed."""

    def __init__(self, wire: Wire, stream: httpx2.AsyncByteStream, began: float) -> None:
        self._wire, self._stream, self._began = wire, stream, began
        self._pieces: AsyncIterator[bytes] | None = None
        self._size = 0

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._pieces is None:
            self._pieces = aiter(self._stream)
        first = self._size == 0
        limit, seconds = ("start", self._wire.left(self._began)) if first else ("silence", self._wire.silence)
        piece = await self._wire.piece(self._pieces, self._size, limit, seconds)
        self._size += len(piece)
        return piece

    async def aclose(self) -> None:
        await self._stream.aclose()

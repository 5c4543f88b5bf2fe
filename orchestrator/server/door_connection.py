"""One connection of a host: how long it may take to ask, and which way its requests go."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from orchestrator.server.door import Answered
from orchestrator.server.short_way import ShortWay, ordinary, written

HEAD_SECONDS = 10.0  # within which the head of a request has come


class DoorConnection(H11Protocol):
    """Closes connections on which a request is not begun, or its head not finished, in time: uvicorn's own limit is only
    for those that are silent after an answer. An ordinary request goes the short way; h11 never sees it."""

    _waiting: asyncio.TimerHandle | None = None
    _answering = False  # a request that went the short way
    _ends = False  # with the answer that is under way
    _held = b""  # what came meanwhile

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._short: ShortWay = self.config.app.state.short  # type: ignore[union-attr]
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._answering:
            self._held += data
            self.flow.pause_reading()
        elif not self._goes_short(data):
            self._go_long(data)

    def _goes_short(self, data: bytes) -> bool:
        if not self._is_between_requests() or (asked := ordinary(data)) is None:
            return False
        self._answering = self._short.begin(asked, self._answer)
        if self._answering:
            self._unset_keepalive_if_required()
            self._stop_waiting()
        return self._answering

    def _is_between_requests(self) -> bool:
        """Whether h11 waits for the first byte of a request, and the host takes in its answers."""
        is_idle = self.conn.our_state is h11.IDLE and self.conn.their_state is h11.IDLE
        return is_idle and not self.flow.write_paused and self.conn.trailing_data == (b"", False)

    def _go_long(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def _answer(self, answer: Answered) -> None:
        self._answering = False
        if self.transport.is_closing():
            return
        closing = [(b"connection", b"close")] if self._ends else []
        self.transport.write(written(answer, [*self.server_state.default_headers, *closing]))
        if self._ends:
            self.transport.close()
            return
        self.on_response_complete()
        if self._held:
            held, self._held = self._held, b""
            self.data_received(held)

    def shutdown(self) -> None:
        """Close it, once the answer under way has been sent."""
        if self._answering:
            self._ends = True
        else:
            super().shutdown()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

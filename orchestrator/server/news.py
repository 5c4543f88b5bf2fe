"""Hosts that wait for news: each request is parked until something was offered or revoked, at most half a minute.

The news are the wake-ups that every worker host of the machine gets: the server listens as one more of them. Where other
machines share the database, it watches for their offers too.
"""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable

from orchestrator import wakeup
from orchestrator.domain.identity import ProjectId
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import queries
from orchestrator.store.store import Store

LISTEN_SECONDS = 60.0  # between two looks whether the socket is still there


class OfferNews:
    """Rings for offers that other machines' coordinators have made, each once."""

    def __init__(self, store: Store, ring: Callable[[], None]) -> None:
        self._store = store
        self._ring = ring
        self._seen: set[tuple[int, int]] = set()

    def poll(self) -> None:
        """Raises StoreError."""
        found = set(self._store.read(queries.offers))
        is_new = bool(found - self._seen)
        self._seen = found
        if is_new:
            self._ring()


class NewsBoard:
    """Counts the news of a project. To be made and waited at within one event loop."""

    def __init__(self, project: ProjectId) -> None:
        self._loop = asyncio.get_running_loop()
        self._number = 1
        self._runs = 0  # the number of the last news that some run was revoked
        self._changed = asyncio.Event()
        self._ended = threading.Event()
        self._waker = wakeup.Waker(project, f"h-door-{uuid.uuid4().hex}", self._on_message)
        self._thread = threading.Thread(target=self._listen, name="news", daemon=True)
        self._thread.start()

    async def wait(self, seen: int, seconds: float) -> JsonObject:
        """Return when there are news that are not `seen`, or after so many seconds."""
        if seen == self._number:
            changed = self._changed
            try:
                async with asyncio.timeout(seconds):
                    await changed.wait()
            except TimeoutError:
                pass
        return {"seen": self._number, "is_new": seen != self._number, "runs": self._runs > seen}

    def _listen(self) -> None:
        while not self._ended.is_set():
            if self._waker.wait(LISTEN_SECONDS):
                self._loop.call_soon_threadsafe(self.tell)

    def _on_message(self, message: JsonObject) -> None:
        if (
            message.get("type") == "runs"
        ):  # what else is sent to hosts, such as secrets, stays on this machine
            self._loop.call_soon_threadsafe(self.tell, True)

    def ring(self) -> None:
        """`tell`, from any thread."""
        self._waker.wake_self()

    def tell(self, runs: bool = False) -> None:
        """Let everybody go who waits."""
        self._number += 1
        if runs:
            self._runs = self._number
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self) -> None:
        self._ended.set()
        self.tell()
        self._waker.wake_self()
        self._thread.join()
        self._waker.close()

"""Mirrors that wait for changes: each request is parked until something was committed, at most half a minute."""

from __future__ import annotations

import asyncio

from orchestrator.door.commit_watch import CommitWatch
from orchestrator.log import Logger
from orchestrator.store.store import Store


class ChangesBoard:
    """Counts commits, a few at once. The database is watched from the first request on. To be made and waited at within
    one event loop."""

    def __init__(self, store: Store, log: Logger) -> None:
        self._loop = asyncio.get_running_loop()
        self._number = 1
        self._changed = asyncio.Event()
        self._watch = CommitWatch(store, self._ring, log)
        self._is_watching = False
        self._is_closed = False

    async def wait(self, seen: int, seconds: float) -> int:
        """The number of the newest change, as soon as it is not `seen`, or after so many seconds."""
        if not self._is_watching:
            self._is_watching = True
            self._watch.start()
        if seen == self._number and not self._is_closed:
            changed = self._changed
            try:
                async with asyncio.timeout(seconds):
                    await changed.wait()
            except TimeoutError:
                pass
        return self._number

    def tell(self) -> None:
        """Let everybody go who waits."""
        self._number += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def end(self) -> None:
        """Let them go, and keep nobody waiting any more: the server stops."""
        self._is_closed = True
        self.tell()

    def close(self) -> None:
        self.end()
        if self._is_watching:
            self._watch.close()

    def _ring(self) -> None:
        self._loop.call_soon_threadsafe(self.tell)

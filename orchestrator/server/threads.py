"""The threads in which the server does what waits for the database.

The event loop's own executor, since handing over to it costs half of what anyio's threads do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
THREADS = 16


class Threads:
    """So much at a time. What was begun is done, though nobody waits for it any more."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, "door")

    async def run(self, act: Callable[[], T]) -> T:
        """What `act` returns, or raises."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, act)

    def hand_over(self, act: Callable[[], T], done: Callable[[T], object]) -> None:
        """Have `done` called on the loop with what `act` returns, which must not raise. Cheaper than `run`."""
        loop = asyncio.get_running_loop()

        def work() -> None:
            loop.call_soon_threadsafe(done, act())

        self._pool.submit(work)

    def close(self) -> None:
        """Return when all is done."""
        self._pool.shutdown()

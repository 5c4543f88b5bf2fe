"""Work at the engine in a thread of its own, for as long as a process needs it: connected again whenever it was away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from orchestrator.domain.errors import EngineError
from orchestrator.engine.client import Engine
from orchestrator.engine.place import EnginePlace
from orchestrator.log import Logger

FIRST_TRY, LONGEST_TRY = 0.25, 5.0  # seconds between two tries to connect
CHECK_SECONDS = 3.0  # between two questions whether it still answers
CHECK_ANSWER_SECONDS = 2.0

Work = Callable[[Engine], Coroutine[Any, Any, None]]


class KeptEngine:
    """Calls `work` with each connection, and cancels it when the engine is away.

    `on_change` is called in the thread when it is up, and when it is away.
    """

    def __init__(
        self, place: EnginePlace, identity: str, work: Work, on_change: Callable[[], None], log: Logger
    ) -> None:
        self.place = place
        self.version: str | None = None  # of the engine, while it is up
        self.away: str | None = None  # why, while it is
        self._identity = identity
        self._work = work
        self._on_change = on_change
        self._log = log
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_away(self) -> bool:
        """Whether nothing comes from it; not before it was tried."""
        return self.away is not None

    def call(self, work: Callable[[], None]) -> None:
        """Have `work` done in the thread of the engine; after `close`, nothing is."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(work)

    def close(self) -> None:
        if self._thread.is_alive():
            self.call(self._ended.set)
            self._thread.join()
        elif not self._loop.is_closed():
            self._loop.close()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._keep())

    async def _keep(self) -> None:
        wait = FIRST_TRY
        while not self._ended.is_set():
            try:
                engine = await Engine.connect(self.place, self._identity)
            except EngineError as error:
                self._tell(None, _said(error))
            else:
                wait = FIRST_TRY
                self._tell(engine.version, None)
                self._tell(None, await self._until_away(engine))
            await self._wait(wait)
            wait = min(2 * wait, LONGEST_TRY)

    async def _until_away(self, engine: Engine) -> str | None:
        """Why it is away now; None when this process ends."""
        tasks = [
            asyncio.create_task(each)
            for each in (self._work(engine), self._check(engine), self._ended.wait())
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if self._ended.is_set():
                return None
            for each in done:
                each.result()
            return "it ended"
        except EngineError as error:
            return _said(error)
        except (
            Exception
        ) as error:  # no fault of the work may leave everybody waiting for an engine that is there
            self._log.exception("engine_work_failed")
            return f"{type(error).__name__}: {error}"
        finally:
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _check(self, engine: Engine) -> None:
        """Raises EngineError."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            await engine.answers(CHECK_ANSWER_SECONDS)

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        except TimeoutError:
            return

    def _tell(self, version: str | None, away: str | None) -> None:
        """Log, and tell whoever asked, what has changed."""
        was = (self.version, self.away is None)
        self.version, self.away = version, away
        if was == (version, away is None) or self._ended.is_set():
            return
        if version is not None:
            self._log.info("engine_up", address=self.place.address, version=version, queues=self.place.queues)
        else:
            self._log.warning("engine_away", address=self.place.address, why=away)
        self._on_change()


def _said(error: EngineError) -> str:
    return f"{error.what}: {error.why}" if error.why else error.what

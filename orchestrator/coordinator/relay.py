"""Sends each offer to the engine, as a message that names it. There is no outbox: the offers in the database are it.

What was sent is remembered in memory alone. A relay that begins anew sends every offer again, under the same ids, and the
engine refuses those that it has. An offer that still stands after a while is sent once more, also where its message has
ended: whoever ended it has not claimed it.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable

from orchestrator import failpoints
from orchestrator.domain.errors import LifecycleError
from orchestrator.engine.client import Engine
from orchestrator.engine.kept import KeptEngine
from orchestrator.engine.place import EnginePlace
from orchestrator.log import Logger
from orchestrator.store import queries
from orchestrator.store.rows import Offer
from orchestrator.store.store import Store

AGAIN_SECONDS = 30.0  # after which an offer that stands is sent again
RETRY_SECONDS = 2.0  # after the database could not be read
AT_ONCE = 20  # messages under way


class Relay:
    """`note` puts down which engine is up, or why none is; where that fails, it is called again."""

    def __init__(
        self,
        store: Store,
        place: EnginePlace,
        log: Logger,
        note: Callable[[EnginePlace, str | None, str], None],
    ) -> None:
        self._store = store
        self._place = place
        self._log = log
        self._note_down = note
        self._is_noted = True
        self.sent: dict[tuple[int, int], float] = {}  # task and epoch -> when, monotonic seconds
        self._told = asyncio.Event()
        self._engine = KeptEngine(place, "coordinator", self._keep_sending, self._note, log)

    def start(self) -> None:
        self._engine.start()

    def tell(self) -> None:
        """There may be new offers."""
        self._engine.call(self._look)

    def _look(self) -> None:
        if not self._is_noted:
            self._note()
        self._told.set()

    def close(self) -> None:
        self._engine.close()

    async def _keep_sending(self, engine: Engine) -> None:
        """Raises EngineError."""
        self.sent.clear()  # it may have lost what it had
        while True:
            self._told.clear()
            await self._wait(await self._send(engine))

    async def _send(self, engine: Engine) -> float:
        """Send what is due; seconds until the next may be. Raises EngineError."""
        try:
            standing = await asyncio.to_thread(self._store.read, queries.standing_offers)
        except LifecycleError as error:
            self._log.warning("offers_not_seen", error=error.what, why=error.why)
            return RETRY_SECONDS
        now = time.monotonic()
        self.sent = {key: at for key, at in self.sent.items() if key in {each[:2] for each in standing}}
        due = [each for each in standing if self.sent.get(each[:2], -AGAIN_SECONDS) <= now - AGAIN_SECONDS]
        for start in range(0, len(due), AT_ONCE):
            together = due[start : start + AT_ONCE]
            failed = await asyncio.gather(
                *(self._one(engine, each) for each in together), return_exceptions=True
            )
            for each in failed:
                if isinstance(each, BaseException):
                    raise each
        return AGAIN_SECONDS

    async def _one(self, engine: Engine, offer: Offer) -> None:
        key = (offer.task, offer.epoch)
        is_new = await engine.send(
            *key,
            self._place.queue_of(offer.role, offer.prefix),
            priority=offer.priority,
            share=hashlib.sha256(offer.session_id.encode()).hexdigest()[
                :16
            ],  # its name has words of the request
            again=key in self.sent,
        )
        failpoints.hit("relay.sent")
        self.sent[key] = time.monotonic()
        self._log.debug("offer_sent", task=offer.task, epoch=offer.epoch, new=is_new)

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._told.wait()
        except TimeoutError:
            return

    def _note(self) -> None:
        """For everybody who asks why a task waits, and for hosts, which claim for themselves while it is away."""
        try:
            self._note_down(self._place, self._engine.version, self._engine.away or "")
            self._is_noted = True
        except LifecycleError as error:
            self._is_noted = False
            self._log.warning("engine_not_noted", error=error.what, why=error.why)

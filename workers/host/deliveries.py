"""Offers as the engine delivers them to this host: polled from its roles' queues while a slot is free, claimed by a slot.

A poll is outstanding on each queue, so several may deliver at once. What no slot takes within a moment is given back to
the engine, for another host. A message ends when its offer was claimed, or stands no more; a host that dies before is
noticed by the engine, which delivers the message again.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from enum import Enum

from orchestrator.domain.errors import EngineError
from orchestrator.engine.client import Delivery, Engine
from orchestrator.engine.kept import KeptEngine
from orchestrator.engine.place import EnginePlace
from orchestrator.log import Logger

HELD_SECONDS = 1.0  # that a message waits for a slot of this host


class Outcome(Enum):
    """What became of a delivered offer here."""

    CLAIMED = "claimed"
    GONE = "gone"  # it stands no more
    STANDS = "stands"  # it is not for this host, or the desk cannot be asked now


class Held:
    """A message that waits for a slot, or is in the hands of one."""

    def __init__(self, delivery: Delivery, loop: asyncio.AbstractEventLoop) -> None:
        self.delivery = delivery
        self.outcome: asyncio.Future[Outcome] = loop.create_future()
        self._loop = loop

    def answer(self, outcome: Outcome) -> None:
        """To be called by the slot that has it, once."""

        def settle() -> None:
            if not self.outcome.done():
                self.outcome.set_result(outcome)

        with suppress(
            RuntimeError
        ):  # the loop has ended: the engine delivers the message again, and learns it then
            self._loop.call_soon_threadsafe(settle)


class Deliveries:
    """`free`: how many slots are free now; `wake`: has the slots look. Both are asked in another thread."""

    def __init__(
        self,
        place: EnginePlace,
        roles: Collection[str],
        identity: str,
        log: Logger,
        *,
        beside: bool,
        free: Callable[[], int],
        wake: Callable[[], None],
    ) -> None:
        """`beside`: the host is beside the project's repository, and does what needs that too."""
        self._queues = [place.queue(role) for role in roles]
        self._queues += [place.queue(role, here=True) for role in roles] if beside else []
        self._free = free
        self._wake = wake
        self._log = log
        self._waiting: deque[Held] = deque()
        self._claiming = 0
        self._lock = threading.Lock()
        self._room = asyncio.Event()
        self._engine = KeptEngine(place, identity, self._take, wake, log)

    @property
    def is_away(self) -> bool:
        return self._engine.is_away

    def start(self) -> None:
        self._engine.start()

    def close(self) -> None:
        """Give back what no slot has taken, and take no more."""
        self._engine.close()

    def next(self) -> Held | None:
        """A delivered offer, which the caller answers; None where none waits."""
        with self._lock:
            if not self._waiting:
                return None
            self._claiming += 1
            return self._waiting.popleft()

    def answered(self) -> None:
        """The slot that got one has it in its hands no more."""
        with self._lock:
            self._claiming -= 1

    def look(self) -> None:
        """A slot has become free."""
        self._engine.call(self._room.set)

    def _has_room(self) -> bool:
        with self._lock:
            return self._free() - len(self._waiting) - self._claiming > 0

    async def _take(self, engine: Engine) -> None:
        """Poll all queues until the engine is away. Raises EngineError."""
        try:
            async with asyncio.TaskGroup() as group:
                for queue in self._queues:
                    group.create_task(self._serve(engine, queue))
        except* EngineError as errors:
            raise errors.exceptions[0] from None

    async def _serve(self, engine: Engine, queue: str) -> None:
        while True:
            while not self._has_room():
                self._room.clear()
                if not self._has_room():
                    await self._room.wait()
            found = await engine.poll(queue)
            if found is not None:
                await self._handle(engine, found)

    async def _handle(self, engine: Engine, found: Delivery) -> None:
        held = Held(found, asyncio.get_running_loop())
        try:
            outcome = await self._outcome(held)
        except asyncio.CancelledError:
            await self._end(engine, held)
            raise
        self._log.debug("delivered", task=found.task, epoch=found.epoch, outcome=outcome.value)
        if outcome is Outcome.STANDS:
            await engine.give_back(found, "no slot of this host could claim it")
        else:
            await engine.finish(found, outcome.value)

    async def _outcome(self, held: Held) -> Outcome:
        """What a slot makes of it, or that none has taken it in time."""
        with self._lock:
            self._waiting.append(held)
        self._wake()
        await asyncio.wait([held.outcome], timeout=HELD_SECONDS)
        if self._withdraw(held):
            return Outcome.STANDS
        return await held.outcome

    def _withdraw(self, held: Held) -> bool:
        """Whether it still waited for a slot; then none gets it any more."""
        with self._lock:
            try:
                self._waiting.remove(held)
            except ValueError:
                return False
            return True

    async def _end(self, engine: Engine, held: Held) -> None:
        """Answer what is under way as this host ends. What stays unanswered is delivered again when its time is over."""
        try:
            if self._withdraw(held):
                await engine.give_back(held.delivery, "this host ends", 0.1)
                return
            async with asyncio.timeout(HELD_SECONDS):
                outcome = await held.outcome
            if outcome is not Outcome.STANDS:
                await engine.finish(held.delivery, outcome.value)
        except (EngineError, TimeoutError) as error:
            self._log.warning("not_answered", task=held.delivery.task, why=str(error))

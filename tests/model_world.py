"""Virtual time: actors that take turns, one at a time, in an order that a seed decides.

An actor is a thread that runs only while it holds the turn; it gives it up in `sleep`. So real code runs unchanged, each
step is followed by whatever the seed wakes next, and an hour costs nothing.
"""

from __future__ import annotations

import heapq
import random
import threading
from collections.abc import Callable
from contextlib import suppress

from tests.model import Clock


class Killed(BaseException):
    """This actor's process is dead."""


class Actor:
    def __init__(self, process: Process, work: Callable[[], None]) -> None:
        self.process = process
        self.turn = threading.Semaphore(0)
        self.ended = False
        self.thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self.fault: BaseException | None = None

    def _run(self, work: Callable[[], None]) -> None:
        self.turn.acquire()
        try:
            with suppress(Killed):
                self.process.check()
                work()
        except BaseException as error:  # raised again by the world, in the test's own thread
            self.fault = error
        self.ended = True
        self.process.world.back.release()


class Process:
    """What dies and stalls together."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.dead = False
        self.stalled_until = 0.0

    def check(self) -> None:
        if self.dead:
            raise Killed

    def spawn(self, work: Callable[[], None]) -> None:
        actor = Actor(self, work)
        actor.thread.start()
        self.world.push(self.world.now, actor)


class World:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.clock = Clock()
        self.now = self.clock.lease_micros / 1_000_000  # seconds of the clock that leases count on
        self.back = threading.Semaphore(0)
        self.queue: list[tuple[float, float, int, Actor]] = []
        self.pushed = 0
        self.current: Actor | None = None

    def push(self, at: float, actor: Actor) -> None:
        self.pushed += 1
        heapq.heappush(self.queue, (at, self.random.random(), self.pushed, actor))

    def sleep(self, seconds: float) -> None:
        """Give up the turn; it comes back no earlier than in so many seconds. Raises Killed."""
        me = self.current
        assert me is not None
        self._wait(me, self.now + seconds)
        while me.process.stalled_until > self.now and not me.process.dead:
            self._wait(me, me.process.stalled_until)
        me.process.check()

    def _wait(self, me: Actor, until: float) -> None:
        self.push(until, me)
        self.back.release()
        me.turn.acquire()

    def run(self, until: float, done: Callable[[], bool] = lambda: False) -> None:
        """Let the actors act until that time, or until `done`."""
        while self.queue and self.queue[0][0] <= until and not done():
            at, _, _, actor = heapq.heappop(self.queue)
            if at > self.now:
                self.clock.pass_seconds(at - self.now + 1e-6)  # never less than asked
                self.now = self.clock.lease_micros / 1_000_000
            self.clock.tick()
            self.current = actor
            actor.turn.release()
            self.back.acquire()
            if actor.fault is not None:
                raise actor.fault

    def end(self) -> None:
        """Kill everybody, so that no thread is left."""
        for _, _, _, actor in self.queue:
            actor.process.dead = True
        self.run(float("inf"))

"""Tells every open stream when something was committed, by whatever process, and that all of it has been told.

While a stream is open one thread asks each project's `Store.watch()` twenty times a second: no wake-up can be lost, a slow
database keeps no page waiting, and a server that nobody looks at does nothing. The thread reads what is to be told as well:
the event loop, which tells it, is woken once for each hint. Hints carry no state: who gets one fetches what it shows. Who
hears nothing for much longer than `ALIVE_SECONDS` may show something old.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial

import anyio
import anyio.to_thread

from orchestrator.domain.errors import LifecycleError
from orchestrator.store import session_changes
from orchestrator.web.problems import TooMany
from orchestrator.web.served import ServedProject

POLL_SECONDS = 0.05
HINT_SECONDS = 0.2  # between two hints: at most 5 a second
LOOK_SECONDS = (
    5.0  # after which a stream looks round in any case: whether it is to end, what it may have missed
)
ALIVE_SECONDS = 1.0  # between two signs that everything was told; also how often processes are looked at
STREAMS_OF_ONE = 20  # of one person
STREAMS = 300
_WINDOW = (
    60_000_000  # microseconds that a commit may be later than its time says, and a clock may be set back
)


class Subscriber:
    """One open stream: what changed since it was last asked. `hears_alive`: it is also woken when nothing has."""

    def __init__(self, *, hears_alive: bool = False) -> None:
        self.hears_alive = hears_alive
        self._sessions: dict[str, int] | None = None
        self._is_told = False
        self._woken = asyncio.Event()

    def tell(self, sessions: dict[str, int] | None) -> None:
        """`sessions`: "<project>/<session>" -> the newest message's number; empty: any of them. None: nothing changed."""
        if sessions is not None:
            before = self._sessions
            self._sessions = (
                sessions if before is None else {**before, **sessions} if before and sessions else {}
            )
        if sessions is not None or self.hears_alive:
            self._is_told = True
            self._woken.set()

    def wake(self) -> None:
        """Whatever it waits for: it is to look round itself."""
        self._woken.set()

    async def wait(self) -> bool:
        """Wait until it is told something, or woken to look round; whether it was told something."""
        await self._woken.wait()
        self._woken.clear()
        is_told, self._is_told = self._is_told, False
        return is_told

    def take(self) -> dict[str, int] | None:
        """As `tell` had it, since it was last taken."""
        found, self._sessions = self._sessions, None
        return found


class _Watched:
    """A project as the feed watches it."""

    def __init__(self, served: ServedProject) -> None:
        self._served = served
        self._version: int | None = None  # None while it cannot be read
        self._seen: dict[str, tuple[int, int]] = {}
        self._asked: int | None = None  # when the news were asked last
        self._is_at_large = False  # something has changed that no session notes

    def has_changed(self, *, and_processes: bool) -> bool:
        """Whether there was a commit, the database is another file, or can be read again, or no more.

        `and_processes`: or one of the processes that work in it is gone, or new.
        """
        before = self._version
        try:
            if self._served.file() is None:
                self._version = None
            else:
                if and_processes and self._served.note_processes():
                    self._is_at_large = True
                self._version = self._served.version()
        except (LifecycleError, OSError):
            self._version = None
        self._is_at_large |= (self._version is None) != (before is None)
        return self._version != before

    def news(self) -> dict[str, int]:
        """The sessions that were changed since this was last asked, under their names in the whole site; empty: any."""
        is_at_large, self._is_at_large = self._is_at_large, False
        before, asked = self._seen, self._asked
        try:
            self._asked, self._seen = self._served.read(
                lambda tx: (tx.now, session_changes.changed_since(tx, (asked or tx.now) - _WINDOW))
            )
        except (LifecycleError, OSError):
            return {}
        if is_at_large:
            return {}
        return {
            f"{self._served.slug}/{session}": now[0]
            for session, now in self._seen.items()
            if before.get(session) != now
        }


class _Watching:
    """From the first stream until the last has ended."""

    def __init__(self, watch: Callable[[_Watching], Awaitable[None]]) -> None:
        self.begun = asyncio.Event()  # everything that is committed from now on will be told
        self.is_over = threading.Event()  # nobody listens any more
        self.task = asyncio.ensure_future(watch(self))


class Feed:
    """The streams of one server. All but `stop` and what is said to be the thread's belongs to the event loop."""

    def __init__(self, projects: Sequence[ServedProject]) -> None:
        self.boot = secrets.token_hex(8)  # another one at each start of the server
        self.version = 1
        self.waiting = 0
        self.is_stopping = False
        self._projects = projects
        self._subscribers: dict[Subscriber, str] = {}
        self._watching: _Watching | None = None
        self._thread: anyio.CapacityLimiter | None = None  # of its own: pages cannot keep it waiting

    def stop(self) -> None:
        """End every stream; from any thread, or a signal's handler."""
        self.is_stopping = True

    @property
    def is_watching(self) -> bool:
        """Whether changes are told. If not, streams end, and their clients come again."""
        return self._watching is not None and not self._watching.task.done()

    async def begun(self) -> None:
        """Wait until everything that is committed from now on will be told; for a subscriber."""
        assert self._watching is not None
        await self._watching.begun.wait()

    def refuse_more(self, person: str) -> None:
        """Raises TooMany when this person, or all together, have as many streams as is allowed."""
        mine = sum(each == person for each in self._subscribers.values())
        if mine >= STREAMS_OF_ONE or len(self._subscribers) >= STREAMS:
            raise TooMany("too many streams are open", why=f"{STREAMS_OF_ONE} of a person, {STREAMS} in all")

    @contextlib.contextmanager
    def subscribed(self, person: str, *, hears_alive: bool = False) -> Iterator[Subscriber]:
        """Raises TooMany: many may have come at once, each before the others were counted."""
        self.refuse_more(person)
        subscriber = Subscriber(hears_alive=hears_alive)
        self._subscribers[subscriber] = person
        if not self.is_watching:
            self._watching = _Watching(self._watch)
            self._watching.task.add_done_callback(partial(self._ended, self._watching))
            asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look_round, self._watching)
        try:
            yield subscriber
        finally:
            del self._subscribers[subscriber]
            if not self._subscribers and self._watching is not None:
                self._watching.is_over.set()
                self._watching = None

    async def _watch(self, watching: _Watching) -> None:
        """Watch until nobody listens any more, in a thread: it may have to wait for the disk."""
        self._thread = self._thread or anyio.CapacityLimiter(1)
        tell = asyncio.get_running_loop().call_soon_threadsafe
        await anyio.to_thread.run_sync(partial(self._follow, watching, tell), limiter=self._thread)

    def _follow(self, watching: _Watching, tell: Callable[..., object]) -> None:
        """The thread's: what `tell` is given is called by the event loop."""
        watched = [_Watched(each) for each in self._projects]
        hinted = alive = looked = time.monotonic()
        _changed(watched, and_processes=True)
        _news(watched)
        tell(watching.begun.set)
        pending: set[_Watched] = set()
        while not watching.is_over.is_set() and not self.is_stopping:
            now = time.monotonic()
            and_processes = now - looked >= ALIVE_SECONDS
            looked = now if and_processes else looked
            pending.update(_changed(watched, and_processes=and_processes))
            if pending and now - hinted >= HINT_SECONDS:
                tell(self._tell, _news(pending), self._count())
                pending.clear()
                hinted = alive = now
            elif not pending and now - alive >= ALIVE_SECONDS:
                alive = now
                tell(self._tell_alive)
            soon = hinted + HINT_SECONDS - time.monotonic() if pending else POLL_SECONDS
            watching.is_over.wait(max(0.0, min(soon, POLL_SECONDS)))

    def _tell(self, sessions: dict[str, int], waiting: int) -> None:
        self.version += 1
        self.waiting = waiting
        for subscriber in self._subscribers:
            subscriber.tell(sessions)

    def _tell_alive(self) -> None:
        for subscriber in self._subscribers:
            subscriber.tell(None)

    def _look_round(self, watching: _Watching) -> None:
        """Wake every stream, however long its thread waits for the disk, and again later."""
        if not watching.task.done():
            self._wake()
            asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look_round, watching)

    def _ended(self, watching: _Watching, _: object) -> None:
        """It is no longer watched, for whatever reason: whoever waits is to see it."""
        watching.begun.set()
        self._wake()

    def _wake(self) -> None:
        for subscriber in self._subscribers:
            subscriber.wake()

    def _count(self) -> int:
        return sum(each.waiting() for each in self._projects)

    async def count(self) -> int:
        """How many things wait for a person now."""
        self.waiting = await anyio.to_thread.run_sync(self._count)
        return self.waiting


def _changed(watched: Sequence[_Watched], *, and_processes: bool) -> list[_Watched]:
    return [each for each in watched if each.has_changed(and_processes=and_processes)]


def _news(watched: Iterable[_Watched]) -> dict[str, int]:
    """The sessions that changed in any of them; empty: any may have."""
    every = [each.news() for each in watched]
    return {name: number for found in every for name, number in found.items()} if all(every) else {}

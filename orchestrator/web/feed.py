"""Tells every open stream when something was committed, by whatever process.

While a stream is open one task of the event loop asks each project's `Store.watch()` ten times a second: no wake-up can be
lost, and a server that nobody looks at does nothing. Hints carry no state: who gets one fetches what it shows.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
from collections.abc import Iterator, Sequence

import anyio.to_thread

from orchestrator.domain.errors import LifecycleError
from orchestrator.store import session_changes
from orchestrator.web.problems import TooMany
from orchestrator.web.served import ServedProject

POLL_SECONDS = 0.1
HINT_SECONDS = 0.2  # between two hints: at most 5 a second
STREAMS_OF_ONE = 20  # of one person
STREAMS = 300


class Subscriber:
    """One open stream: what changed since it was last asked."""

    def __init__(self) -> None:
        self.sessions: dict[str, int] = {}  # "<project>/<session>" -> the newest message's number
        self.changed = asyncio.Event()

    async def wait(self, seconds: float) -> bool:
        """Whether something has changed within that time."""
        try:
            await asyncio.wait_for(self.changed.wait(), seconds)
        except TimeoutError:
            return False
        self.changed.clear()
        return True

    def take(self) -> dict[str, int]:
        found, self.sessions = self.sessions, {}
        return found


class _Watched:
    """A project as the feed watches it."""

    def __init__(self, served: ServedProject) -> None:
        self._served = served
        self._version: int | None = None  # None while it cannot be read
        self._since = 0

    def has_changed(self) -> bool:
        """Whether there was a commit, the database is another file, or can be read again, or no more."""
        before = self._version
        try:
            self._version = None if self._served.file() is None else self._served.version()
        except (LifecycleError, OSError):
            self._version = None
        return self._version != before

    def news(self) -> dict[str, int]:
        """The sessions that were changed since this was last asked, under their names in the whole site."""
        since = self._since
        try:
            now, found = self._served.read(lambda tx: (tx.now, session_changes.changed_since(tx, since)))
        except (LifecycleError, OSError):
            return {}
        self._since = now - 1_000_000  # a commit that was prepared before this reading has an earlier time
        return {f"{self._served.slug}/{session}": number for session, number in found.items()}


class Feed:
    """The streams of one server. All but `stop` belongs to the event loop."""

    def __init__(self, projects: Sequence[ServedProject]) -> None:
        self.boot = secrets.token_hex(8)  # another one at each start of the server
        self.version = 1
        self.waiting = 0
        self._projects = projects
        self._subscribers: dict[Subscriber, str] = {}
        self._stopping = threading.Event()
        self._polling: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """End every stream; from any thread."""
        self._stopping.set()

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    def refuse_more(self, person: str) -> None:
        """Raises TooMany when this person, or all together, have as many streams as is allowed."""
        mine = sum(each == person for each in self._subscribers.values())
        if mine >= STREAMS_OF_ONE or len(self._subscribers) >= STREAMS:
            raise TooMany("too many streams are open", why=f"{STREAMS_OF_ONE} of a person, {STREAMS} in all")

    @contextlib.contextmanager
    def subscribed(self, person: str) -> Iterator[Subscriber]:
        """Raises TooMany: many may have come at once, each before the others were counted."""
        self.refuse_more(person)
        subscriber = Subscriber()
        self._subscribers[subscriber] = person
        if self._polling is None or self._polling.done():
            self._polling = asyncio.get_running_loop().create_task(self._poll())
        try:
            yield subscriber
        finally:
            del self._subscribers[subscriber]

    async def _poll(self) -> None:
        """Watch until nobody listens any more."""
        watched = [_Watched(each) for each in self._projects]
        loop = asyncio.get_running_loop()
        told = 0.0
        for each in watched:
            await anyio.to_thread.run_sync(each.has_changed)
            await anyio.to_thread.run_sync(each.news)
        pending: set[_Watched] = set()
        while self._subscribers:
            if self.is_stopping:
                self._wake({})
                return
            pending.update(each for each in watched if each.has_changed())
            if pending and loop.time() - told >= HINT_SECONDS:
                found = await anyio.to_thread.run_sync(_news, list(pending))
                self.waiting = await anyio.to_thread.run_sync(self._count)
                pending.clear()
                told = loop.time()
                self.version += 1
                self._wake(found)
            await asyncio.sleep(POLL_SECONDS)

    def _wake(self, sessions: dict[str, int]) -> None:
        for subscriber in self._subscribers:
            subscriber.sessions.update(sessions)
            subscriber.changed.set()

    def _count(self) -> int:
        return sum(each.waiting() for each in self._projects)

    async def count(self) -> int:
        """How many things wait for a person now."""
        self.waiting = await anyio.to_thread.run_sync(self._count)
        return self.waiting


def _news(watched: Sequence[_Watched]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in watched:
        found.update(each.news())
    return found

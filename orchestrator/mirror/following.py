"""A mirror of all sessions of a project: brought up to date once, or kept so until it is told to stop.

It asks for the sessions that have changed since it last asked, now and then for all of them. A request for news is parked at
the server; the folder is looked at every second, or less often where that would take much of a processor's time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from orchestrator.domain.errors import LifecycleError, ServerAway
from orchestrator.domain.inert import inert
from orchestrator.door import mirror_wire as wire
from orchestrator.door.http_connections import FIRST_TRY, Connections
from orchestrator.door.wire import LONGEST_WAIT
from orchestrator.mirror.asking import MirrorServer, NotLetIn
from orchestrator.mirror.folder import Folder
from orchestrator.mirror.known import Known, Whose
from orchestrator.mirror.session_sync import SessionSync
from orchestrator.mirror.told import Told
from orchestrator.store.files import UnsafePath, clean

LOOK_SECONDS = 1.0  # between two looks at the folder
LOOK_SHARE = 20  # a look takes at most one of so many seconds
ALL_SECONDS = 300.0  # between two questions for all sessions, which tell what was deleted
RETRY_SECONDS = 10.0  # before a session is tried again in which something is in the way
LONGEST_RETRY = 15.0  # seconds between two tries to reach the server
ROUNDS = 4  # of one session at once: an edit that came too late takes two
PATIENCE = 10.0  # seconds in which one question is asked again


class Mirror:
    """`waits`: files that are being saved are left for the next look."""

    def __init__(self, connections: Connections, root: Path, told: Told, *, waits: bool) -> None:
        self.told = told
        self._connections = connections
        self._server = MirrorServer(connections, PATIENCE)
        self._folder = Folder(root)
        self._known = Known(root)
        self._waits = waits
        self._syncs: dict[str, SessionSync] = {}
        self._numbers: dict[str, int] = {}  # as the server told them
        self._not_before: dict[str, float] = {}
        self._since: int | None = None  # None: all sessions are asked for
        self._asked_all = 0.0

    def begin(self) -> wire.Terms:
        """Whose folder it is. Raises NotLetIn, ServerAway, UsageError."""
        terms = self._server.ask("terms", wire.Nothing(), wire.Terms)
        self._known.must_be_of(Whose(identity=terms.identity, project=terms.project))
        return terms

    def once(self) -> None:
        """Bring everything up to date. Raises NotLetIn, ServerAway, OSError."""
        self._ask_sessions()
        for session in sorted(self._numbers):
            self._sync(session)
        self._report_others()

    def follow(self, stopping: threading.Event, on_away: Callable[[LifecycleError], None]) -> None:
        """Keep everything up to date until `stopping`. Raises NotLetIn, OSError."""
        news = threading.Event()
        news.set()
        listener = threading.Thread(target=self._listen, args=(stopping, news), name="news", daemon=True)
        listener.start()
        wait = FIRST_TRY
        while not stopping.is_set():
            begun = time.monotonic()
            try:
                self._poll(news)
            except ServerAway as error:
                on_away(error)
                self._since = None  # nobody knows what it is when it comes back
                news.set()
                stopping.wait(wait)
                wait = min(2 * wait, LONGEST_RETRY)
                continue
            wait = FIRST_TRY
            took = time.monotonic() - begun
            ends = time.monotonic() + max(LOOK_SECONDS, LOOK_SHARE * took)
            while not stopping.is_set() and time.monotonic() < ends:
                if news.wait(min(LOOK_SECONDS, max(0.0, ends - time.monotonic()))):
                    stopping.wait(LOOK_SECONDS)  # several changes at once are one
                    break

    def close(self) -> None:
        self._server.close()

    def _poll(self, news: threading.Event) -> None:
        if news.is_set() or time.monotonic() - self._asked_all > ALL_SECONDS:
            news.clear()
            self._ask_sessions()
        for session in sorted(self._numbers):
            if time.monotonic() >= self._not_before.get(session, 0.0):
                self._sync(session)

    def _ask_sessions(self) -> None:
        is_whole = self._since is None or time.monotonic() - self._asked_all > ALL_SECONDS
        asked = wire.AskSessions(since=None if is_whole else self._since)
        found = self._server.ask("sessions", asked, wire.Sessions)
        self._since = found.now
        if is_whole:
            self._asked_all = time.monotonic()
            for session in {*self._known.sessions(), *self._numbers} - set(found.sessions):
                self._leave(session)
            self._numbers = {}
        for session, number in found.sessions.items():
            if why := _not_a_name(session):
                self.told.skip(session, why)
            elif self._numbers.get(session) != number:
                self._numbers[session] = number
                self._not_before.pop(session, None)

    def _sync(self, session: str) -> None:
        """Bring one session up to date; what is wrong with it alone is told, and tried again later."""
        sync = self._of(session)
        try:
            is_done = any(sync.run(self._numbers[session]) for _ in range(ROUNDS))
        except (ServerAway, NotLetIn):
            self._syncs.pop(session)
            raise
        except LifecycleError as error:
            self._syncs.pop(session)
            self.told.skip(session, "; ".join(part for part in (error.what, error.why) if part))
            is_done = False
        if not is_done:
            self._not_before[session] = time.monotonic() + RETRY_SECONDS

    def _of(self, session: str) -> SessionSync:
        found = self._syncs.get(session)
        if found is None:
            found = self._syncs[session] = SessionSync(
                self._server, self._folder, self._known, self.told, session, waits=self._waits
            )
        return found

    def _leave(self, session: str) -> None:
        self._of(session).leave()
        self._syncs.pop(session, None)
        self._numbers.pop(session, None)

    def _report_others(self) -> None:
        """Name the files that are nobody's business here, so that who expects them to be sent knows better."""
        for session, sync in sorted(self._syncs.items()):
            for path in sync.others():
                self.told.leave(f"{session}/{path}", _why_left(path))

    def _listen(self, stopping: threading.Event, news: threading.Event) -> None:
        server = MirrorServer(self._connections, 0.0)
        seen, wait = 0, FIRST_TRY
        while not stopping.is_set():
            asked = wire.AskNews(seen=seen, seconds=LONGEST_WAIT)
            try:
                found = server.ask("news", asked, wire.News, waits=LONGEST_WAIT)
            except LifecycleError:
                news.set()  # whoever asks next is told why
                stopping.wait(wait)
                wait = min(2 * wait, LONGEST_RETRY)
                continue
            wait = FIRST_TRY
            if found.seen != seen:
                seen = found.seen
                news.set()


def _not_a_name(session: str) -> str:
    """Why a session cannot have a folder of this name, or nothing."""
    try:
        path = clean(session)
    except UnsafePath as error:
        return error.why
    return "not the name of a folder of its own" if len(path.parts) != 1 or session.startswith(".") else ""


def _why_left(path: str) -> str:
    if inert(path) != path or path.encode("utf-8", "surrogateescape").decode("utf-8", "replace") != path:
        return "its name is not UTF-8 text"
    return "no document of the session has this name"

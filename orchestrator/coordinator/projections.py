"""When the files of a session are written: soon after it has changed, and not at each of its changes.

The coordinator writes them while it runs. Without work none is started, so a command that changed something while none
leads writes them itself: else an imported session would have no files, and a cancelled one would look paused in its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from orchestrator.coordinator import projector
from orchestrator.domain.errors import LifecycleError, NotLeader
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import edits, files, leases, sessions
from orchestrator.store.store import Store, Tx

if TYPE_CHECKING:
    from orchestrator.coordinator.leadership import Leader
    from orchestrator.log import Logger

OPEN_SECONDS = 1.0  # between two questions whether a document is open for writing still
COALESCE_SECONDS = 1.0  # a running session's files follow its changes at most this often
RETRY_SECONDS = 10.0  # before files that could not be written are tried again
LONGEST_RETRY_SECONDS = 600.0  # those of sessions that have ended
OTHERS_SECONDS = 2.0  # that a command spends on the files of other sessions
ENDED_TAKEN_OVER = 1_000  # newest of the sessions that have ended; `repair` writes the files of others
ENDED_SECONDS = 0.5  # that a step of the coordinator spends on those of sessions that have ended


LED = "led"  # in `.workflow`: the epoch of the last coordinator that led here


def take_over(store: Store, epoch: int) -> int:
    """Have this folder written anew where another machine's coordinator has led since ours; the number of sessions."""
    if store.file is not None:
        return 0
    found = 0
    if files.read(store.workflow, LED) != str(epoch - 1).encode():
        found = store.write(lambda tx: sessions.unproject(tx, ENDED_TAKEN_OVER))
    files.write(store.workflow, LED, str(epoch).encode())
    return found


class Projections:
    def __init__(self, store: Store, leader: Leader, log: Logger, longest: float) -> None:
        """`longest`: seconds after which the next poll is due in any case."""
        self._store = store
        self._leader = leader
        self._log = log
        self._longest = float(longest)
        self._written_at: dict[str, float] = {}  # session -> monotonic seconds
        self._retries: dict[str, _Retry] = {}  # of sessions whose files could not be written
        self._left: dict[str, _Left] = {}

    def follow(self) -> float:
        """Write what changed; seconds until the next session may be written.

        Those that have ended come last, the newest first and a few at a time: another machine's leader may have left
        all of them to write.
        """
        now = time.monotonic()
        delay = self._longest
        for session in _unfinished(self._store):
            running = self._store.read(partial(_is_active, session=session))
            coalesced = self._written_at.get(session, 0.0) + COALESCE_SECONDS - now if running else 0.0
            wait = max(coalesced, self._wait(session, now))
            delay = min(delay, wait if wait > 0 else self._write(session, now))
        for session in _ended(self._store):
            if (wait := self._wait(session, now)) > 0:
                delay = min(delay, wait)
                continue
            delay = min(delay, self._write(session, now, ended=True))
            if time.monotonic() > now + ENDED_SECONDS:
                return 0.0
        return delay

    def _wait(self, session: str, now: float) -> float:
        """Seconds until files that could not be written are tried again."""
        if session in self._left and self._store.read(partial(self._is_left, session=session)):
            return OPEN_SECONDS
        retry = self._retries.get(session)
        return 0.0 if retry is None else max(0.0, retry.at - now)

    def _is_left(self, tx: Tx, session: str) -> bool:
        """Whether all that there is to write is open for writing still."""
        row, left = sessions.get(tx, session), self._left[session]
        root = edits.session_directory(tx.workflow, session)
        return (
            row is not None
            and left.messages == row.messages
            and all(files.is_being_written(root, path) for path in left.paths)
        )

    def _write(self, session: str, now: float, *, ended: bool = False) -> float:
        self._written_at[session] = now
        before = self._left.pop(session, None)
        row = self._store.read(partial(sessions.get, session=session))
        try:
            edited = projector.project(self._store, session, self._must_lead)
        except NotLeader:
            raise
        except files.BeingWritten as error:
            if before is None or before.paths != error.paths:
                self._log.info("files_open_for_writing", session=session, paths=error.paths)
            self._retries.pop(session, None)
            self._left[session] = _Left(error.paths, 0 if row is None else row.messages)
            return OPEN_SECONDS
        except (OSError, LifecycleError) as error:
            return self._failed(session, now, error, ended=ended)
        self._retries.pop(session, None)
        if edited:
            self._log.info("edits_adopted", session=session, paths=edited)
        return 0.0 if self._store.read(partial(_is_behind, session=session)) else float("inf")

    def _failed(self, session: str, now: float, error: OSError | LifecycleError, *, ended: bool) -> float:
        """Note why; an unfinished session waits for a person, the files of another are tried ever more seldom."""
        why = getattr(error, "why", "") or str(error)
        before = self._retries.get(session)
        wait = RETRY_SECONDS if before is None or not ended else min(2 * before.wait, LONGEST_RETRY_SECONDS)
        self._retries[session] = _Retry(now + wait, wait)
        if before is None or not ended:
            self._log.error("projection_failed", session=session, error=str(error), why=why)
        if not ended:
            detail = {"error": str(error), "why": why}
            self._store.write(
                lambda tx: sessions.pause(tx, session, PauseReason.DISK, detail),
                about=session,
                use_ballast=True,
            )
        return wait

    def _must_lead(self, tx: Tx) -> None:
        """Another machine's leader has a folder of its own: what is in ours is none of what it has to know."""
        if tx.is_shared:
            lead = self._leader.leadership
            leases.must_lead(tx, self._leader.holder, lead.epoch if lead is not None else 0)

    def finish(self) -> None:
        """Write what is left; of sessions that had ended before, what there is time for: the next leader goes on."""
        for session in _unfinished(self._store):
            self._write(session, time.monotonic())
        ends = time.monotonic() + OTHERS_SECONDS
        for session in _ended(self._store):
            self._write(session, time.monotonic(), ended=True)
            if time.monotonic() > ends:
                return


class _Left(NamedTuple):
    """What was not written of a session, since somebody had it open for writing."""

    paths: Sequence[str]
    messages: int  # of the session before that; what comes after is written beside them


class _Retry(NamedTuple):
    at: float  # monotonic seconds
    wait: float  # seconds that passed before it


def write_now(store: Store, session: str) -> str:
    """Write the session's files; why some of them could not be written, or nothing."""
    try:
        projector.project(store, session)
    except (OSError, LifecycleError) as error:  # what was committed stands
        why = getattr(error, "why", "") or str(error)
        return f"not all files of {session} are written: {why}; `lifecycle repair {session}` writes them"
    return ""


def write_all(store: Store, own: str | None = None) -> list[str]:
    """Write the files of the session that a command has changed; why some of them could not be written.

    Then, for two seconds at most, those of others that have changed since: of what stands in their place their own
    commands tell. Where machines share the database those of others are left to the next leader, whose folder they are for.
    """
    why = write_now(store, own) if own else ""
    if store.file is None:
        return [why] if why else []
    ends = time.monotonic() + OTHERS_SECONDS
    for session in unprojected(store):
        if time.monotonic() > ends:
            break
        if session != own:
            write_now(store, session)
    return [why] if why else []


def unprojected(store: Store) -> Iterator[str]:
    """Every session whose files are not as its rows are: unfinished ones, then others, those that ended last first."""
    yield from _unfinished(store)
    yield from _ended(store)


def _unfinished(store: Store) -> Iterator[str]:
    """Also those behind many that cannot be written."""
    after = ""
    while page := store.read(partial(sessions.unprojected, after=after)):
        yield from page
        after = page[-1]


def _ended(store: Store) -> Iterator[str]:
    last = None
    while page := store.read(partial(sessions.unprojected_ended, last=last)):
        yield from (row.id for row in page)
        last = page[-1]


def _is_active(tx: Tx, session: str) -> bool:
    row = sessions.get(tx, session)
    return row is not None and row.status == SessionStatus.ACTIVE


def _is_behind(tx: Tx, session: str) -> bool:
    row = sessions.get(tx, session)
    return row is not None and row.projected < row.messages

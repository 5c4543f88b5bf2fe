"""What the coordinator does when the disk, the log or a session's rows fail it: sessions pause, nothing is guessed."""

from __future__ import annotations

import time
from collections.abc import Collection

from orchestrator.coordinator.leadership import Leader, Leadership
from orchestrator.domain.errors import (
    DatabaseBusy,
    DiskFull,
    NoDescriptors,
    NotLeader,
    StoreBroken,
    UnknownName,
)
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.log import Logger
from orchestrator.store import ballast, leases, sessions
from orchestrator.store.backends.sqlite_integrity import LogWatch
from orchestrator.store.store import Store, Tx

READ_SECONDS = 10.0  # within which those who read while a log is saved must end
POLL_SECONDS = 0.05  # between two tries to save it


class Failures:
    def __init__(self, store: Store, leader: Leader, log: Logger) -> None:
        self._store = store
        self._leader = leader
        self._log = log
        self._has_ballast = False
        self._log_watch = LogWatch(store.file)

    def check_log(self) -> None:
        """Raises StoreBroken when the database's log was removed in use; no further commit is made into it then."""
        try:
            self._log_watch.check()
        except StoreBroken as error:
            self._store.give_up(error.why)
            raise

    def has_lost_log(self) -> bool:
        """Whether the database's log was removed in use, which another thread may have met as a failed read."""
        try:
            self.check_log()
        except StoreBroken as error:
            self._log.error("log_lost", why=error.why)
            return True
        except OSError as error:  # the disk tells nothing of it
            self._log.error("log_not_seen", why=str(error))
        return False

    def save_log(self) -> None:
        """Move a log that was removed in use into the database: it is still ours to read until we end."""
        until = time.monotonic() + READ_SECONDS
        while not (self._log_watch.is_replaced or self._store.checkpoint(last=True)):
            if time.monotonic() >= until:
                self._log.error("log_not_kept", why="somebody reads what was there before")
                return
            time.sleep(POLL_SECONDS)

    def check_ballast(self, lead: Leadership) -> None:
        """Pause every session when the ballast was used up and cannot be made again: the disk is full.

        There is none beside a server's database: what cannot be written here does not keep us from pausing there.
        """
        file = self._store.file
        if file is None:
            return
        if ballast.keep(file):
            self._has_ballast = True
        elif self._has_ballast:
            self._pause_for_room(lead, f"no room left for {file}")

    def on_full_disk(self, error: DiskFull) -> None:
        """Pause every session, as far as that can still be written."""
        self._log.error("disk_full", why=error.why)
        lead = self._leader.leadership
        try:
            if lead is not None:
                self._pause_for_room(lead, error.why)
        except NotLeader:
            self._leader.lose(lead)
        except (DiskFull, DatabaseBusy, NoDescriptors) as again:
            self._log.error("pause_not_written", error=again.what)  # no ballast was left: it is tried again

    def _pause_for_room(self, lead: Leadership, why: str) -> None:
        self._has_ballast = False
        self.pause_all(lead, PauseReason.DISK, why)

    def pause_all(self, lead: Leadership, reason: PauseReason, why: str) -> None:
        """Pause every active session. Raises NotLeader, and then did nothing."""

        def pause(tx: Tx, few: Collection[str]) -> list[str]:
            leases.must_lead(tx, lead.holder, lead.epoch)
            return [each for each in few if sessions.pause(tx, each, reason, {"error": why})]

        active = self._store.read(
            lambda tx: [row.id for row in sessions.unfinished(tx) if row.status == SessionStatus.ACTIVE]
        )
        for few in self._store.in_units(active):
            for session in self._store.write(
                lambda tx, few=few: pause(tx, few),  # type: ignore[misc]
                about=few,
                use_ballast=True,
            ):
                self._log.error("paused", session=session, reason=reason, why=why)

    def halt(self, session: str, lead: Leadership, error: UnknownName) -> None:
        """Pause a session whose rows were edited by hand to something unknown; the others are not held up."""
        self._log.error("session_cannot_be_read", session=session, error=error.what)

        def halt(tx: Tx) -> None:
            leases.must_lead(tx, lead.holder, lead.epoch)
            sessions.clear_beat_request(tx, session)
            sessions.pause(
                tx, session, PauseReason.STALLED, {"unmet": [f"{error.what}: run `lifecycle repair`"]}
            )

        self._store.write(halt, about=session)

"""The desk of a process beside a database that a server has: leases count on the server's clock there."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.domain.dataclass import replace
from orchestrator.door.desk import Report, Reported, Run, Taken
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store.clock import SystemClock
from orchestrator.store.store import Store, Tx


class SharedDesk(LocalDesk):
    """`LocalDesk` whose runs have their lease on this machine's clock, as a host compares it."""

    def claim(
        self,
        host: str,
        roles: tuple[str, ...],
        run: str,
        *,
        has_room: Callable[[Tx], bool] = lambda _: True,
    ) -> Run | None:
        asked = SystemClock().monotonic()
        row = super().claim(host, roles, run, has_room=has_room)
        return None if row is None else self._on_our_clock(row, asked)

    def take(
        self,
        host: str,
        roles: tuple[str, ...],
        run: str,
        task: int,
        epoch: int,
        *,
        has_room: Callable[[Tx], bool] = lambda _: True,
    ) -> Taken:
        asked = SystemClock().monotonic()
        taken = super().take(host, roles, run, task, epoch, has_room=has_room)
        return taken if taken.run is None else Taken(self._on_our_clock(taken.run, asked))

    def report(self, done: Report, roles: tuple[str, ...], *, draining: bool) -> Reported:
        asked = SystemClock().monotonic()
        found = super().report(done, roles, draining=draining)
        return found if found.next is None else replace(found, next=self._on_our_clock(found.next, asked))

    def _on_our_clock(self, row: Run, asked: int) -> Run:
        """Counted from before the request, and the server's clock read after it: no later than the lease really ends."""
        return row._replace(lease_until=asked + row.lease_until - self._store.clock.monotonic())


def desk_on(store: Store) -> LocalDesk:
    """The desk of a host of this machine."""
    return LocalDesk(store) if store.file is not None else SharedDesk(store)

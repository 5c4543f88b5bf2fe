"""Who coordinates: one daemon at a time, by a lease in the database that it renews and that fences all it does."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import NotLeader
from orchestrator.store import leases
from orchestrator.store.clock import process_start
from orchestrator.store.store import Store

if TYPE_CHECKING:
    from orchestrator.log import Logger


@dataclass(frozen=True, slots=True)
class Leadership:
    """Proof that a daemon leads: every act of the coordinator is fenced with it."""

    holder: str
    epoch: int


class Leader:
    """This daemon's leader lease. `leadership` is None while another daemon leads, or after the lease was lost."""

    def __init__(self, store: Store, lease_seconds: float, log: Logger, on_lost: Callable[[], None]) -> None:
        self.holder = f"d-{uuid.uuid4().hex}"
        self.leadership: Leadership | None = None
        self._store = store
        self._lease_seconds = lease_seconds
        self._log = log
        self._on_lost = on_lost

    def take(self) -> Leadership | None:
        """The leadership, taken if nobody has it; None while another daemon leads."""
        lead = (
            self.leadership
        )  # read once: a timer that loses the lease meanwhile must not look like another leader
        if lead is None:
            epoch = self._store.write(
                lambda tx: leases.take_lead(
                    tx,
                    self.holder,
                    pid=os.getpid(),
                    started=process_start(os.getpid()) or 0,
                    lease_seconds=self._lease_seconds,
                ),
                use_ballast=True,
            )
            lead = self.leadership = None if epoch is None else Leadership(self.holder, epoch)
        return lead

    def keep(self) -> None:
        """Renew the lease, or notice that it was lost. Raises StoreError."""
        lead = self.leadership
        if lead is None:
            return
        try:
            self._store.write(
                lambda tx: leases.keep_lead(tx, lead.holder, lead.epoch, self._lease_seconds),
                use_ballast=True,
            )
        except NotLeader:
            self.lose(lead)

    def lose(self, lead: Leadership | None) -> None:
        """Give up a leadership whose lease has ended, as when the database was held for longer: it is taken anew."""
        if lead is not None and self.leadership == lead:
            self.leadership = None
            self._log.warning("lead_lost", epoch=lead.epoch)
            self._on_lost()

    def leave(self) -> None:
        """Let the next daemon lead at once. What fails here ends by itself, with the lease."""
        lead = self.leadership
        if lead is not None:
            self._store.write(lambda tx: leases.leave_lead(tx, lead.holder, lead.epoch), use_ballast=True)

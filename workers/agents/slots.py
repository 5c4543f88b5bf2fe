"""How many agent processes a worker host runs at the same time."""

from __future__ import annotations

import threading


class AgentSlots(threading.Semaphore):
    """`least` of them, and more for a round that has more perspectives; with `fixed`, so many and never more."""

    def __init__(self, least: int, fixed: int | None = None) -> None:
        self._most = fixed or least
        self._is_fixed = fixed is not None
        self._growing = threading.Lock()
        super().__init__(self._most)

    def make_room(self, processes: int) -> None:
        """Let so many be taken at the same time, where no number is set: a round whose last perspective waits for the
        first to end takes twice as long."""
        with self._growing:
            more = processes - self._most
            if not self._is_fixed and more > 0:
                self._most = processes
                self.release(more)

"""The coordinator's timers, whose library is loaded behind its first round: that takes longer than the round.

A first round may be long, and no timer is to be missed in it: then a thread loads them beside it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.coordinator.timers import TimerScheduler


class LateTimers:
    """`make` gives the timers, not started yet."""

    def __init__(self, make: Callable[[], TimerScheduler]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._timers: TimerScheduler | None = None
        self._ended = False
        self._latest: threading.Timer | None = None

    def start_within(self, seconds: float) -> None:
        """Start them then, unless that was done before."""
        self._latest = threading.Timer(seconds, self.start)
        self._latest.daemon = True
        self._latest.start()

    def start(self) -> TimerScheduler | None:
        """The timers, started; None behind `stop`."""
        with self._lock:
            if self._timers is None and not self._ended:
                made = self._make()
                made.start()
                self._timers = made
            return self._timers

    def at(self, micros: int, name: str, tick: Callable[[], None]) -> None:
        """As TimerScheduler.at; a timer that is set starts the others, too."""
        timers = self.start()
        if timers is not None:
            timers.at(micros, name, tick)

    def stop(self) -> None:
        """No tick begins any more; one under way is waited for."""
        if self._latest is not None:
            self._latest.cancel()
        with self._lock:
            self._ended = True
        if self._timers is not None:
            self._timers.stop()

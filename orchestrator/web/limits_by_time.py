"""How often something may happen in a minute."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 60.0


class RateLimit:
    """At most `times` a minute for each name."""

    def __init__(self, times: int, now: Callable[[], float] = time.monotonic) -> None:
        self._times = times
        self._now = now
        self._lock = threading.Lock()
        self._seen: dict[str, deque[float]] = {}

    def admits(self, name: str) -> bool:
        """Count one more for `name`, unless that would be too many."""
        with self._lock:
            seen = self._recent(name)
            if len(seen) >= self._times:
                return False
            seen.append(self._now())
            return True

    def _recent(self, name: str) -> deque[float]:
        seen = self._seen.setdefault(name, deque())
        while seen and seen[0] <= self._now() - WINDOW_SECONDS:
            seen.popleft()
        return seen

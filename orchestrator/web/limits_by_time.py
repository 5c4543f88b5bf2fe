"""How often something may happen in a minute."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

WINDOW_SECONDS = 60.0
NAMES = 1_000  # beyond which those that are not heard of any more are forgotten


class RateLimit:
    """At most `times` a minute for each name."""

    def __init__(self, times: int, now: Callable[[], float] = time.monotonic) -> None:
        self._times = times
        self._now = now
        self._lock = threading.Lock()
        self._seen: dict[str, deque[float]] = {}
        self._look_over_at = NAMES

    def admits(self, name: str) -> bool:
        """Count one more for `name`, unless that would be too many."""
        with self._lock:
            seen = self._recent(name)
            if len(seen) >= self._times:
                return False
            seen.append(self._now())
            return True

    def _recent(self, name: str) -> deque[float]:
        if name not in self._seen and len(self._seen) >= self._look_over_at:
            before = self._now() - WINDOW_SECONDS
            self._seen = {each: seen for each, seen in self._seen.items() if seen and seen[-1] > before}
            self._look_over_at = max(NAMES, 2 * len(self._seen))
        seen = self._seen.setdefault(name, deque())
        while seen and seen[0] <= self._now() - WINDOW_SECONDS:
            seen.popleft()
        return seen

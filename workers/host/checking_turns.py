"""How many changes of one session a worker host checks at the same time, and in which order.

Tests keep processors busy. With more of them at once than there are processors all changes of a round are done late and
together; one after the other the first lands early, and what conflicts with it is known before its tests have run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition

LOOK_SECONDS = 0.1  # between two looks whether who waits may still go on


class CheckingTurns:
    """The changes of each session that are checked now, and those that wait."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._busy: Counter[str] = Counter()  # session -> how many are checked
        self._waiting: list[tuple[str, int, str]] = []  # task, number, session
        self._numbers = count()

    @contextmanager
    def turn(self, session: str, task: str, most: int | None, check: Callable[[], None]) -> Iterator[None]:
        """Wait until fewer than `most` changes of the session are checked and none of an earlier task waits.

        Without `most` there are as many as processors that this process may use. `check` raises when waiting is over.
        """
        most = most or _processors()
        me = (task, next(self._numbers), session)
        with self._changed:
            self._waiting.append(me)
            try:
                while me not in self._next(session, most):
                    self._changed.wait(LOOK_SECONDS)
                    check()
            finally:
                self._waiting.remove(me)
            self._busy[session] += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy[session] -= 1
                if not self._busy[session]:
                    del self._busy[session]
                self._changed.notify_all()

    def _next(self, session: str, most: int) -> list[tuple[str, int, str]]:
        free = max(0, most - self._busy[session])
        return sorted(each for each in self._waiting if each[2] == session)[:free]


def _processors() -> int:
    """Those that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""What the tasks of one session do in turn on a worker host: no more at the same time than there are processors.

To fill a tree with files, or to test a change, keeps a processor busy. With more of either at once all of them are done late
and together; in turn the first agent begins early, the first change lands early, and what conflicts with it is known before
its tests have run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition

from orchestrator.domain.named_tuple import NamedTuple

OPENING, CHECKING = "opening", "checking"  # what is done in turn
LOOK_SECONDS = 0.1  # between two looks whether who waits may still go on


class _Waiting(NamedTuple):
    task: str
    number: int
    at: tuple[str, str]  # what, of which session


class Turns:
    """Who has a turn now, and who waits for one. Sessions do not wait for each other."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._taken: Counter[tuple[str, str]] = Counter()
        self._waiting: list[_Waiting] = []
        self._numbers = count()

    @contextmanager
    def turn(
        self, what: str, session: str, task: str, check: Callable[[], None], most: int | None = None
    ) -> Iterator[None]:
        """Wait until fewer than `most` tasks of the session have a turn, and none of an earlier name waits for one.

        Without `most` as many may have one as there are processors for this process. `check` raises when waiting is over.
        """
        most = most or _processors()
        me = _Waiting(task, next(self._numbers), (what, session))
        with self._changed:
            self._waiting.append(me)
            try:
                while me not in self._next(me.at, most):
                    self._changed.wait(LOOK_SECONDS)
                    check()
            finally:
                self._waiting.remove(me)
            self._taken[me.at] += 1
        try:
            yield
        finally:
            with self._changed:
                self._taken[me.at] -= 1
                if not self._taken[me.at]:
                    del self._taken[me.at]
                self._changed.notify_all()

    def _next(self, at: tuple[str, str], most: int) -> list[_Waiting]:
        free = max(0, most - self._taken[at])
        return sorted(each for each in self._waiting if each.at == at)[:free]


def _processors() -> int:
    """Those that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""What the tasks of one session do in turn on a worker host: no more at the same time than there are processors.

To fill a tree with files, or to test a change, keeps a processor busy. With more of either at once all of them are done late
and together; in turn the first agent begins early, the first change lands early, and what conflicts with it is known before
its tests have run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition

from orchestrator.domain.dataclass import dataclass, field

OPENING, CHECKING, RESOLVING = "opening", "checking", "resolving"  # what is done in turn
LOOK_SECONDS = 0.1  # between two looks whether who waits may still go on

Fits = Callable[[Collection[str]], bool]  # whether a turn may begin beside those on these subjects


@dataclass
class _Waiting:
    task: str
    number: int
    may_begin: bool | None = None  # beside the turns of now; None: it has not looked yet


@dataclass
class _Line:
    """Those of one session who do the same."""

    turns: dict[int, str] = field(default_factory=dict)  # the subjects of those that are under way
    waiting: list[_Waiting] = field(default_factory=list)

    def is_next(self, me: _Waiting, most: int) -> bool:
        able = [each for each in self.waiting if each.may_begin is not False]
        able.sort(key=lambda each: (each.task, each.number))
        return me in able[: max(0, most - len(self.turns))]

    def look_again(self) -> None:
        """Turns have begun or ended: who may begin beside them is not known any more."""
        for each in self.waiting:
            each.may_begin = None


class Turns:
    """Who has a turn now, and who waits for one. Sessions do not wait for each other."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._lines: dict[tuple[str, str], _Line] = {}
        self._numbers = count()

    @contextmanager
    def turn(
        self,
        what: str,
        session: str,
        task: str,
        check: Callable[[], None],
        most: int | None = None,
        *,
        subject: str = "",
        fits: Fits | None = None,
    ) -> Iterator[None]:
        """Wait until fewer than `most` tasks of the session have a turn, and none of an earlier name waits for one.

        Without `most` as many may have one as there are processors for this process. `check` raises when waiting is over.
        While `fits` says no of the subjects of the turns that are under way, later names go first.
        """
        most = most or _processors()
        me = _Waiting(task, next(self._numbers))
        with self._changed:
            line = self._lines.setdefault((what, session), _Line())
            line.waiting.append(me)
        try:
            while not self._begins(line, me, most, subject, fits):
                check()
            yield
        finally:
            with self._changed:
                if me in line.waiting:
                    line.waiting.remove(me)
                else:
                    del line.turns[me.number]
                    line.look_again()
                if not (line.turns or line.waiting):
                    del self._lines[what, session]
                self._changed.notify_all()

    def _begins(self, line: _Line, me: _Waiting, most: int, subject: str, fits: Fits | None) -> bool:
        """Begin the turn if it may; else wait for a change, or a moment."""
        with self._changed:
            under_way = dict(line.turns)
        may_begin = fits is None or fits(under_way.values())
        with self._changed:
            if line.turns.keys() != under_way.keys():
                return False
            if me.may_begin is not may_begin:
                me.may_begin = may_begin
                self._changed.notify_all()  # others may wait for this one to know
            if may_begin and line.is_next(me, most):
                line.waiting.remove(me)
                line.turns[me.number] = subject
                line.look_again()
                self._changed.notify_all()
                return True
            self._changed.wait(LOOK_SECONDS)
            return False


def _processors() -> int:
    """Those that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

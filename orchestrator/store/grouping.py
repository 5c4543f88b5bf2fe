"""Group commit: units that wait at the same time share one transaction and its sync.

Whoever finds nobody committing leads: it takes all that wait, its own unit first, has them committed together, wakes
those that are answered, and hands the lead to the next that waits. Nobody is answered before the commit.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import DatabaseBusy

LARGEST = 64  # units in one transaction


def _held() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


@dataclass(eq=False, slots=True)
class Request:
    """A unit that waits to be committed; its thread sleeps on `turn` until it is answered or has to lead."""

    unit: Callable[[Any], Any]
    since: float  # monotonic seconds
    answer: Any = None
    error: Exception | None = None
    answered: bool = False
    turn: threading.Lock = field(default_factory=_held)


class GroupCommit:
    """`transact` runs a group's units in one transaction, giving each its answer or error; it raises when all failed."""

    def __init__(self, transact: Callable[[list[Request]], None]) -> None:
        self._transact = transact
        self._lock = threading.Lock()
        self._waiting: deque[Request] = deque()
        self._led = False

    def submit(self, unit: Callable[[Any], Any]) -> Any:
        """The unit's answer, after the commit. Raises what the unit raises, or what made the commit fail."""
        request = Request(unit, time.monotonic())
        with self._lock:
            self._waiting.append(request)
            leads, self._led = not self._led, True
        if not leads:
            request.turn.acquire()
        if not request.answered:
            self._lead()
        if request.error is not None:
            raise request.error
        return request.answer

    def _lead(self) -> None:
        with self._lock:
            group = [self._waiting.popleft() for _ in range(min(LARGEST, len(self._waiting)))]
        try:
            self._answer(group)
        finally:
            with self._lock:
                self._waiting.extendleft(each for each in reversed(group[1:]) if not each.answered)
                following = self._waiting[0] if self._waiting else None
                self._led = following is not None
            for each in group[1:]:
                if each.answered:
                    each.turn.release()
            if following is not None:
                following.turn.release()

    def _answer(self, group: list[Request]) -> None:
        """Answer the group together; those that do not fit in are tried alone, when the others are committed.

        The leader is always answered; others may be left for the next one.
        """
        together = group
        while len(together) > 1 and not self._fit(together):
            spoilt = any(request.error is not None for request in together)
            together = [request for request in together if request.error is None] if spoilt else []
        for request in group:
            if request.answered:
                continue
            try:
                self._transact([request])
            except Exception as error:
                request.error = error
            request.answered = True
            if isinstance(request.error, DatabaseBusy):
                return  # the others have waited for less long

    def _fit(self, group: list[Request]) -> bool:
        """Whether all were committed in one transaction; a unit that raised has its error, and nothing was written."""
        try:
            self._transact(group)
        except Exception:  # whoever is at fault is told when it has been tried alone
            return False
        for request in group:
            request.answered = True
        return True

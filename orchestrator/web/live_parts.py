"""The live parts of pages, as they were made last: many tabs ask for the same one when something has changed.

A part is made once for all who ask for it at the same time, and again when something was committed since, or when it is
older than a second: some of what it says, as how long a task runs, changes without any commit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future

from starlette.responses import Response

from orchestrator.domain.dataclass import dataclass, field

KEPT_SECONDS = 1.0  # less than what a page may be behind (3 s)


@dataclass(frozen=True, slots=True)
class _Made:
    version: Hashable
    begun: float
    answer: Future[Response] = field(default_factory=Future)


class LiveParts:
    """`now` gives seconds of a clock that only goes forward."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._made: dict[Hashable, _Made] = {}

    def get(self, key: Hashable, version: Hashable, make: Callable[[], Response]) -> Response:
        """The answer under `key`: what `make` returns, for all who ask meanwhile. Raises what it raises.

        `version` must be asked before, and be another one after each commit: what is then read is at least as new.
        """
        with self._lock:
            self._forget()
            made = self._made.get(key)
            is_mine = made is None or made.version != version
            if made is None or is_mine:
                made = self._made[key] = _Made(version, self._now())
        if is_mine:
            try:
                made.answer.set_result(make())
            except BaseException as error:
                made.answer.set_exception(error)
                with self._lock:
                    if self._made.get(key) is made:
                        del self._made[key]
        return made.answer.result()

    def _forget(self) -> None:
        """Drop what has become too old; what is still being made is waited for."""
        oldest = self._now() - KEPT_SECONDS
        self._made = {
            key: made for key, made in self._made.items() if made.begun > oldest or not made.answer.done()
        }

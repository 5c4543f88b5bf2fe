"""The whole examination of `doctor`, for pages: one at a time, and not again within a minute.

It starts processes and reads the whole database; whoever may only look could keep the machine busy with it otherwise.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from orchestrator.views.agents import ask_agents
from orchestrator.views.doctor import examine
from orchestrator.views.examination import Check
from orchestrator.web.served import ServedProject

KEPT_SECONDS = 60.0


class Examined:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[str, tuple[float, Sequence[Check]]] = {}

    def of(self, served: ServedProject) -> Sequence[Check]:
        """The checks of a project, at most a minute old; agents are not asked anything."""
        with self._lock:
            at, found = self._found.get(served.slug, (0.0, ()))
            if not found or time.monotonic() - at > KEPT_SECONDS:
                found = examine(served.project, ask_agents)
                self._found[served.slug] = (time.monotonic(), found)
            return found

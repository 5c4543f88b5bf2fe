"""What the server of hosts answers with, and what it notes of each answer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import __version__
from orchestrator.config.settings import Settings
from orchestrator.domain import trace_ids
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import JsonObject
from orchestrator.log import Logger
from orchestrator.server.agent_door import AgentDoor
from orchestrator.server.changes import ChangesBoard
from orchestrator.server.door import Answered, Door
from orchestrator.server.mirror_door import MirrorDoor
from orchestrator.server.news import NewsBoard
from orchestrator.store.rows import HostToken
from orchestrator.store.store import Store
from orchestrator.web.limits_by_time import RateLimit

if TYPE_CHECKING:
    from orchestrator.server.door_traces import DoorTraces
    from orchestrator.server.metrics import Metrics

REFUSALS_A_MINUTE = 30  # of one address


@dataclass
class DoorSite:
    """The parts of the server of one project."""

    door: Door
    store: Store
    settings: Settings
    project: str  # its name, as hosts show it
    log: Logger
    engine: JsonObject | None = None  # where offers are delivered
    traces: DoorTraces | None = None  # where a collector is named
    metrics: Metrics | None = None  # None where prometheus-client is not installed
    watch_token: Path | None = None  # the file with the token for figures
    board: NewsBoard | None = None
    changes: ChangesBoard | None = None
    refusals: RateLimit = field(default_factory=lambda: RateLimit(REFUSALS_A_MINUTE))

    def __post_init__(self) -> None:
        self.mirrors = MirrorDoor(self.store, self.project, self.log)
        self.agents = AgentDoor(self.store)

    def told(
        self, name: str, answered: Answered, begun: float, holder: HostToken | None, parent: str | None
    ) -> None:
        """A host's request was answered that had come at `begun` (monotonic seconds). `parent`: its header of a trace."""
        taken = time.monotonic() - begun
        if self.metrics is not None:
            self.metrics.asked(name, answered.status, taken)
        if self.traces is not None and holder is not None and answered.opened:
            self.traces.asked(name, answered.status, taken, trace_ids.parent_in(parent), holder.name)

    def terms(self, token: HostToken) -> JsonObject:
        """What a host is told as it joins."""
        engine = {} if self.engine is None else {"engine": self.engine}
        return {
            **engine,
            "name": token.name,
            "roles": self.door.roles_of(token),
            "slots": token.slots,
            "project": self.project,
            "version": __version__,
            "lease_seconds": self.settings.lease_seconds,
            "renew_seconds": self.settings.renew_seconds,
            "watchdog_margin_seconds": self.settings.watchdog_margin_seconds,
        }

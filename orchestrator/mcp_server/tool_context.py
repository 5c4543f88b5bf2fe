"""What a tool call works in: the project, opened for one call as the command line opens it for one command."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from orchestrator import project as app
from orchestrator.commands.caller import Caller
from orchestrator.coordinator import projections
from orchestrator.dispatch.dashboards import showing
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import StoreError
from orchestrator.domain.json_types import JsonObject
from orchestrator.mcp_server.scope import Person, Scope
from orchestrator.store.store import Store, Tx

T = TypeVar("T")


@dataclass(frozen=True)
class ToolContext:
    """The project and the scope that one server's tools work in."""

    project: app.Project
    scope: Scope
    exploring: threading.Lock = field(default_factory=threading.Lock)  # one exploration at a time

    def read(self, unit: Callable[[Tx], T]) -> T:
        """Raises UsageError when there is no database yet."""
        store = app.open_for_reading(self.project)
        try:
            return store.read(unit)
        finally:
            store.close()

    def write(self, unit: Callable[[Tx], T]) -> T:
        """Run the unit, then wake the coordinator."""
        self.scope.may_write()
        with app.changing(self.project) as (store, _):
            return _written(store, unit)

    def dashboard(self, session: str) -> JsonObject | None:
        """Where the session is shown on this machine."""
        return showing(self.project.root, session)

    def caller(self) -> Caller:
        """The person in whose name their agent gives commands."""
        return Caller(self.project, Person.decides())


@dataclass(frozen=True)
class ServedContext(ToolContext):
    """The same in a server, which has the project open; who asks is on another machine."""

    store: Store = field(kw_only=True)

    def read(self, unit: Callable[[Tx], T]) -> T:
        return self.store.read(unit)

    def write(self, unit: Callable[[Tx], T]) -> T:
        self.scope.may_write()
        return _written(self.store, unit)

    def dashboard(self, session: str) -> None:
        """It listens on this machine alone."""


def _written(store: Store, unit: Callable[[Tx], T]) -> T:
    done = store.write(unit)
    with suppress(StoreError):  # a timer finds it; an error would make the agent repeat the call
        if not app.wake(store):
            projections.write_all(store)
    return done

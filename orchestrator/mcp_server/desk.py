"""Where a tool call meets the project: opened for one call, as the command line opens it for one command."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from orchestrator import app
from orchestrator.mcp_server.scope import Scope
from orchestrator.store.store import Store, Tx

T = TypeVar("T")


@dataclass(frozen=True)
class Desk:
    """One server's project and scope."""

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
        """Run the unit, then let the coordinator look."""
        self.scope.may_write()
        with self.changing() as (store, _):
            done = store.write(unit)
            app.wake(store)
        return done

    @contextmanager
    def changing(self, *, create: bool = False) -> Iterator[tuple[Store, Any]]:
        """The store for changes, and the settings as they are now."""
        app.check_clock()
        if not create and not self.project.database.exists():
            app.open_for_reading(self.project).close()  # raises, and says how to begin
        settings = app.read_settings(self.project)
        store = app.open_for_writing(self.project, settings)
        try:
            yield store, settings
        finally:
            store.close()

    def go_on(self, store: Store, settings: Any, stopped: Sequence[str] = ()) -> None:
        """After a commit that makes work: wake who must know, and see to it that somebody coordinates."""
        app.wake(store, stopped)
        app.ensure_daemon(self.project, store)
        app.hand_over_environment(store, settings)

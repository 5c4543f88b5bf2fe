"""What a tool call works in: the project, opened for one call as the command line opens it for one command."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from orchestrator import project as app
from orchestrator.domain.errors import LifecycleError, StoreError, UsageError
from orchestrator.mcp_server.scope import Scope
from orchestrator.store.store import Store, Tx

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True)
class ToolContext:
    """The project and the scope that one server's tools work in."""

    project: app.Project
    scope: Scope
    exploring: threading.Lock = field(default_factory=threading.Lock)  # one exploration at a time

    def inside(self, given: str) -> Path:
        """A path in the project's folder, wherever links lead, that is not the product's own. Raises UsageError."""
        root = self.project.root.resolve()
        try:
            path = (root / given).resolve()
            inner = path.relative_to(root)
        except (OSError, ValueError, RuntimeError):
            inner = None
        own = (self.project.workflow.name,)
        if inner is None or inner.parts[:1] in ((), own) or ".git" in inner.parts:
            raise UsageError(
                f"{given[:200]!r} is not a path for this",
                why=f"it has to lie below {root}, and not in {self.project.workflow.name} or .git",
                fix="name a path in the project",
            )
        return path

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
            done = store.write(unit)
            with suppress(StoreError):  # a timer finds it; an error would make the agent repeat the call
                app.wake(store)
        return done

    def wake(
        self, store: Store, settings: Settings, stopped: Sequence[str] = (), *, works: bool = True
    ) -> list[str]:
        """Wake the coordinator and hosts after a commit, and start a coordinator where there is work (`works`).

        What was committed stands, so a failure here is no refusal: it is returned as a warning.
        """
        try:
            app.wake(store, stopped)
            if works:
                app.ensure_daemon(self.project, store)
                app.hand_over_environment(store, settings)
        except (LifecycleError, OSError) as error:
            return [f"no coordinator could be reached: {error}; `lifecycle daemon start` says more"]
        return []

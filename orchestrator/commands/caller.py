"""Who gives a command through an interface, in which project, and what follows its commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator import project as app
from orchestrator.coordinator import projections
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.store.store import Store

if TYPE_CHECKING:
    from orchestrator.commands.command_arguments import Arguments
    from orchestrator.config.settings import Settings


@dataclass(frozen=True)
class Caller:
    """A person by the interface that speaks for them; `who` is what decisions record."""

    project: app.Project
    who: str

    @contextmanager
    def changing(
        self, *, create: bool = False, settings: Settings | None = None
    ) -> Iterator[tuple[Store, Settings]]:
        """The store and the settings for one command. Raises UsageError, StoreError."""
        with app.changing(self.project, create=create, settings=settings) as opened:
            yield opened

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

    def wake(
        self,
        store: Store,
        settings: Settings,
        session: str,
        stopped: Sequence[str] = (),
        *,
        works: bool = True,
        writes: bool = True,
    ) -> list[str]:
        """Wake coordinator and hosts after a commit about `session`, and start a coordinator where there is work (`works`).

        Where there is none and no coordinator leads, write the sessions' files here (`writes`).
        What was committed stands, so a failure here is no refusal: it is returned as a warning.
        """
        try:
            led = app.wake(store, stopped)
            if works:
                app.ensure_daemon(self.project, store)
                app.hand_over_environment(store, settings)
            elif writes and not led:
                return projections.write_all(store, session)
        except (LifecycleError, OSError) as error:
            return [f"no coordinator could be reached: {error}; `lifecycle daemon start` says more"]
        return []


def exclude(asked: Arguments, *names: str) -> None:
    """Raise UsageError when more than one of the arguments is given."""
    said = [name for name in names if getattr(asked, name) not in (None, False)]
    if len(said) > 1:
        raise UsageError(f"{' and '.join(said)} exclude each other", fix="give only one of them")

"""Opening the project for a command, read-only or to change something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from orchestrator.cli.output import note
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import inert

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings
    from orchestrator.project import Project
    from orchestrator.store.rows import Session
    from orchestrator.store.store import Store, Tx

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OpenedForReading:
    project: Project
    store: Store


@dataclass(frozen=True, slots=True)
class Opened(OpenedForReading):
    settings: Settings


def here() -> Project:
    """The project the current folder belongs to. Raises UsageError."""
    from orchestrator.project import find_project

    return find_project()


def has_database() -> bool:
    """Whether that project has one yet. Raises UsageError."""
    from orchestrator import project

    return project.has_database(here())


@contextmanager
def reading() -> Iterator[OpenedForReading]:
    """The project's store, read-only. Raises UsageError when there is none."""
    from orchestrator.project import open_for_reading

    project = here()
    store = open_for_reading(project, _upgrading)
    try:
        yield OpenedForReading(project, store)
    finally:
        store.close()


@contextmanager
def changing(*, create: bool = False, settings: Settings | None = None) -> Iterator[Opened]:
    """The project's store, open for changes; `create` makes it where there is none yet."""
    from orchestrator.project import changing as change

    project = here()
    with change(
        project,
        create=create,
        settings=settings,
        on_wait=_waiting,
        on_upgrade=_upgrading,
        on_end=_ending,
    ) as (store, used):
        yield Opened(project, store, used)


def _waiting(pids: list[int]) -> None:
    named = ", ".join(map(str, pids)) or "unknown"
    note(f"waiting for the database: another process (pid {named}) is writing ...")


def _ending(pids: list[int]) -> None:
    named = ", ".join(map(str, pids))
    note(f"killed a coordinator or worker host (pid {named}) that hung while it held the database")


def _upgrading(pids: list[int]) -> None:
    named = ", ".join(map(str, pids))
    note(
        f"stopping processes of an earlier version (pid {named}): open runs are finished or released first ..."
    )


def who() -> str:
    """The user's name, for decision rows."""
    from orchestrator.project import person

    return person()


def hand_over_environment(opened: Opened) -> None:
    """Send a running coordinator this command's values of the variables that agents may see."""
    from orchestrator.project import hand_over_environment as hand_over

    if not hand_over(opened.store, opened.settings):
        note("the agents' variables are too large to hand over; restart the coordinator to renew them")


def wake(opened: Opened, stopped: tuple[str, ...] = ()) -> None:
    """Wake the coordinator, and the hosts whose runs (`stopped`) were revoked; to be called after the commit."""
    from orchestrator import project

    project.wake(opened.store, stopped)


def wake_and_write(opened: Opened, session: str, stopped: tuple[str, ...] = ()) -> None:
    """`wake`, for a command that starts no coordinator: where none leads, write the sessions' files here."""
    from orchestrator import project
    from orchestrator.coordinator import projections

    if not project.wake(opened.store, stopped):
        for why in projections.write_all(opened.store, session):
            note(inert(why))


def read_session(name: str | None, read: Callable[[Tx, Session], T]) -> T:
    """What `read` returns for the named session; without a name the unfinished one, else the newest."""
    from orchestrator.views.lookup import session

    with reading() as opened:
        return opened.store.read(lambda tx: read(tx, session(tx, name, finished=True)))


def project_of(folder: Path | None) -> Project:
    """The project of that folder, else of the current one. Raises UsageError."""
    from orchestrator.project import Project, find_project

    if folder is None:
        return find_project()
    if not folder.is_dir():
        raise UsageError(f"{str(folder)!r} is not a folder", fix="name the project's folder")
    return Project(folder.resolve())

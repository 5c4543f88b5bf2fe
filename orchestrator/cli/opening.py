"""Opening the project for a command: to look only, or to change something."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrator.cli.output import note
from orchestrator.domain.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.app import Project
    from orchestrator.config.settings import Settings
    from orchestrator.store.store import Store


@dataclass(frozen=True, slots=True)
class Opened:
    project: Project
    store: Store
    settings: Any = None  # only where something is changed: reading commands need none


def here() -> Project:
    """The project the current folder belongs to. Raises UsageError."""
    from orchestrator.app import find_project

    return find_project()


@contextmanager
def reading() -> Iterator[Opened]:
    """The project's store, read-only. Raises UsageError when there is none."""
    from orchestrator.app import open_for_reading

    project = here()
    store = open_for_reading(project)
    try:
        yield Opened(project, store)
    finally:
        store.close()


@contextmanager
def changing(*, create: bool = False, settings: Settings | None = None) -> Iterator[Opened]:
    """The project's store for a command that changes something; `create`: also where there is none yet."""
    from orchestrator.app import open_for_reading, open_for_writing, read_settings

    _check_clock()
    project = here()
    if not create and not project.database.exists():
        open_for_reading(project).close()  # raises, and says how to begin
    if settings is None:
        settings = read_settings(project)
    store = open_for_writing(project, settings, on_wait=_waiting)
    try:
        yield Opened(project, store, settings)
    finally:
        store.close()


def _check_clock() -> None:
    """Session ids carry the date: a clock that cannot be right would write nonsense into the record."""
    year = time.gmtime().tm_year
    if not 1980 <= year <= 9999:
        raise UsageError("the system's clock is wrong", why=f"it says the year {year}", fix="set it")


def _waiting(pids: list[int]) -> None:
    named = ", ".join(map(str, pids)) or "unknown"
    note(f"waiting for the database: another process (pid {named}) is writing ...")


def who() -> str:
    """The person at the keyboard, for decision rows."""
    import pwd

    named = os.environ.get("LOGNAME") or os.environ.get("USER")
    if named:
        return named[:100]
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


def hand_over_environment(opened: Opened) -> None:
    """Give a running daemon our values of the variables its agents may see: it would keep its first shell's."""
    from orchestrator import bus

    names = {name for agent in opened.settings.agents.values() for name in agent.env}
    values = {name: os.environ[name] for name in names if name in os.environ}
    if sum(map(len, values.values())) > bus.MAX_DATAGRAM // 4:  # a character can take four bytes and more
        note("the agents' variables are too large to hand over; restart the coordinator to renew them")
    elif values:
        bus.wake_daemon(opened.store.path, {"type": "environment", "values": values})


def wake(opened: Opened, stopped: tuple[str, ...] = ()) -> None:
    """After a commit: let the coordinator look, and let hosts stop the agents of runs that were taken away."""
    from orchestrator import bus

    if stopped:
        bus.wake_hosts(opened.store.path, {"type": "runs"})
    bus.wake_daemon(opened.store.path)

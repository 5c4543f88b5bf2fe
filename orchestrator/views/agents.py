"""The agents that are available here, as the workers report, and the accounts at their limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from orchestrator.dispatch.asking import ask_workers
from orchestrator.domain.json_types import JsonObject
from orchestrator.project import read_config
from orchestrator.store import sessions
from orchestrator.store.backends.sqlite_file import SCHEMA
from orchestrator.views.limits import limit_views

if TYPE_CHECKING:
    from orchestrator.project import Project
    from orchestrator.store.store import Tx


T = TypeVar("T")
AGENTS_SECONDS = 60.0
PROBE_SECONDS = 150.0  # longer than the probes themselves take at most


def limits_of(project: Project) -> list[JsonObject]:
    """The accounts that are not used now because they have reached a limit."""
    return read_or_none(project, limit_views) or []


def cassettes_of(project: Project) -> list[dict[str, str]]:
    """The unfinished sessions that record agents' calls, or replay them."""
    found = read_or_none(project, sessions.unfinished) or []
    return [{"session": row.id, **row.options["cassette"]} for row in found if "cassette" in row.options]


def read_or_none(project: Project, read: Callable[[Tx], T]) -> T | None:
    """What `read` returns; None when there is no database yet, or it has another version."""
    database = project.database
    if database.schema() != SCHEMA:
        return None
    store = database.store()
    try:
        return store.read(read)
    finally:
        store.close()


def ask_agents(project: Project, *, probe: bool = False) -> JsonObject:
    """What the workers report about their agents; with `probe`, after a real question to each. Raises LifecycleError."""
    read_config(project)  # its errors are reported better from here
    seconds = PROBE_SECONDS if probe else AGENTS_SECONDS
    return dict(ask_workers("agents", project.root, *(["--probe"] if probe else []), seconds=seconds))

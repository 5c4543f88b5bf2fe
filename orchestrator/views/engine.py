"""The engine that delivers offers: whether it is up, as the coordinator has noted it, and as it answers now."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import EngineError
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.engine.place import EnginePlace, engine_place
from orchestrator.store import engines
from orchestrator.store.rows import Task
from orchestrator.store.store import Tx

if TYPE_CHECKING:
    from orchestrator.project import Project

WORDS = 200  # characters of why it is away


def engine_view(tx: Tx) -> JsonObject | None:
    """None where hosts ask for their tasks themselves."""
    found = engines.engine(tx)
    if found is None:
        return None
    return {
        "address": found.address,
        "queues": found.queues,
        "up": found.version is not None,
        "version": found.version,
        "since": stamp(found.since_at),
        "why": found.why,
    }


def in_words(view: JsonObject) -> str:
    if view["up"]:
        return f"Temporal {view['version']} at {view['address']}, queues {view['queues']}/*, up since {view['since']}"
    why = one_line(view["why"], WORDS)
    return f"{view['address']} has been away since {view['since']} ({why}): worker hosts ask for their tasks themselves"


def queue_line(tx: Tx, task: Task) -> list[str]:
    """How an offered task reaches a host, where an engine delivers it."""
    found = engines.engine(tx)
    if found is None:
        return []
    if found.version is None:
        view = engine_view(tx)
        assert view is not None
        return [f"the engine {in_words(view)}"]
    place = EnginePlace(found.address, "", found.queues)
    queue, message = place.queue_of(task.role, task.prefix), place.message(task.id, task.epoch)
    return [f"delivered by the engine at {found.address}: queue {queue}, message {message}"]


def ask(project: Project) -> tuple[str, str, str] | None:
    """How the engine answers now: ok or fault, in words, and the fix; None where none delivers. Raises LifecycleError."""
    from orchestrator.project import read_settings

    settings = read_settings(project)
    if settings.dispatch != "temporal":
        return None
    place = engine_place(settings.temporal, project.id, project.root, os.environ)
    import asyncio

    from orchestrator.engine.client import Engine

    async def version() -> str:
        return (await Engine.connect(place, "doctor")).version

    try:
        found = asyncio.run(version())
    except EngineError as error:
        return "fault", f"{error.what} ({error.why})", error.fix
    return (
        "ok",
        f"Temporal {found} at {place.address}, namespace {place.namespace}, queues {place.queues}/*",
        "",
    )

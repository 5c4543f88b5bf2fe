"""Tasks by phase, as the pages of a session show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.domain.json_types import Json, JsonObject


def lanes(tasks: Sequence[Mapping[str, Json]]) -> list[JsonObject]:
    """The tasks by phase, in the order of their first tasks."""
    found: dict[str, list[Mapping[str, Json]]] = {}
    for task in tasks:
        found.setdefault(str(task["phase"]), []).append(task)
    return [
        {"phase": phase, "tasks": each, "done": sum(task["mark"] == "done" for task in each)}
        for phase, each in found.items()
    ]

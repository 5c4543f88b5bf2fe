"""Which tasks of a plan a person's words speak of, so that these alone are changed by them (docs/planning.md)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords

_ID = expression(r"\b[A-Z]+(?:-[A-Z0-9]+)*-[0-9]{3}(?:-C[0-9]+)?\b")


def spoken_of(tasks: Sequence[JsonObject], words: str, landed: Collection[str] = ()) -> tuple[str, ...]:
    """The ids of the tasks (`PlanTask.as_json`) that the words are for, without those that say them already.

    They are the tasks that the words name, by an id of theirs or of an item; else those that share most words with them;
    else all that have not landed, or all.
    """
    named = set(_ID.findall(words))
    found = [task for task in tasks if named & _ids(task)]
    if not found:
        said = keywords(words)
        shared = [len(said & keywords(_text(task))) for task in tasks]
        most = max(shared, default=0)
        found = [task for task, count in zip(tasks, shared, strict=True) if most and count == most]
    if not found:
        found = [task for task in tasks if task["id"] not in landed] or list(tasks)
    return tuple(str(task["id"]) for task in found if words.strip() not in str(task["description"]))


def _ids(task: JsonObject) -> set[str]:
    criteria = task["convergence"]["criteria"]
    cited = (name for each in criteria for name in (each["id"], *each["refs"]))
    return {str(name) for name in (task["id"], *task["refs"], *cited)}


def _text(task: JsonObject) -> str:
    criteria = (each["text"] for each in task["convergence"]["criteria"])
    files = (part for each in task["files"] for part in (each["change"], each["path"]))
    said = " ".join(map(str, (task["title"], task["description"], *criteria, *files)))
    return f"{said} {said.translate(_PARTS)}"


_PARTS = str.maketrans("/_.`", "    ")  # parts of paths and names are words, too

"""Graphs of tasks: their order, and everything that can be wrong with one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.model import TaskDef

TASK_LIMIT = 5_000  # more tasks than this in one pipeline are refused
Place = tuple[str | int, ...]  # keys and indices, from the outside in


class Waiting(Protocol):
    """A task with the keys of those it waits for."""

    @property
    def key(self) -> str: ...
    @property
    def blocked_by(self) -> tuple[str, ...]: ...


AnyTask = TypeVar("AnyTask", bound=Waiting)


@dataclass(frozen=True, slots=True)
class Fault:
    place: Place
    text: str

    def __str__(self) -> str:
        return f"{'.'.join(map(str, self.place)) or 'the pack'}: {self.text}"


def topological(tasks: Iterable[AnyTask]) -> tuple[AnyTask, ...]:
    """The tasks with blockers first, otherwise as they were given. A cycle's tasks are left out."""
    waiting = list(tasks)
    dependents: dict[str, list[int]] = {}
    unmet: list[int] = []
    for index, task in enumerate(waiting):
        unmet.append(len(task.blocked_by))
        for blocker in task.blocked_by:
            dependents.setdefault(blocker, []).append(index)
    ordered: list[AnyTask] = []
    ready = [index for index, count in enumerate(unmet) if count == 0]
    for index in ready:  # grows while it is read: each task is appended once, when its last blocker is placed
        ordered.append(waiting[index])
        for dependent in dependents.get(waiting[index].key, ()):
            unmet[dependent] -= 1
            if unmet[dependent] == 0:
                ready.append(dependent)
    return tuple(ordered)


def graph_faults(tasks: Iterable[TaskDef]) -> list[Fault]:
    """What is wrong with a graph: duplicate ids, bad edges, cycles, tasks no start reaches."""
    listed = list(tasks)
    faults: list[Fault] = []
    if len(listed) > TASK_LIMIT:
        faults.append(Fault((), f"has {len(listed)} tasks; at most {TASK_LIMIT} are allowed"))
    blockers: dict[str, set[str]] = {}
    keys = {task.key for task in listed}
    for index, task in enumerate(listed):
        place: Place = ("tasks", index)
        if task.key in blockers:
            faults.append(Fault(place, f"duplicate id {task.key}"))
        blockers.setdefault(task.key, set())
        for blocker in task.blocked_by:
            if blocker == task.key:
                faults.append(Fault(place, f"self edge: {task.key} waits for itself"))
            elif blocker not in keys:
                faults.append(
                    Fault(place, f"dangling edge: {task.key} waits for {ids.shown(blocker)}, no task here")
                )
            else:
                blockers[task.key].add(blocker)
    if not any(not task.blocked_by for task in listed):
        faults.append(
            Fault(("tasks",), "no start: every task waits for another" if listed else "has no tasks")
        )
    return faults + _cycles(blockers)


def _cycles(blockers: Mapping[str, set[str]]) -> list[Fault]:
    """One fault for each cycle, one for each task that only a cycle leads to."""
    waiting = _rest(blockers)
    inverse: dict[str, set[str]] = {key: set() for key in waiting}
    for key in waiting:
        for blocker in blockers[key] & waiting:
            inverse[blocker].add(key)
    between = _rest(inverse)  # on a cycle, or between two of them
    faults: list[Fault] = []
    seen: set[str] = set()
    for start in sorted(between):
        path: list[str] = []
        here = start
        while here not in seen and here not in path:
            path.append(here)
            here = min(blockers[here] & between)
        if here in path:
            circle = [*path[path.index(here) :], here]
            faults.append(Fault(("tasks",), f"cycle: {' > '.join(reversed(circle))}"))
        seen.update(path)
    faults += [
        Fault(("tasks",), f"unreachable: {key} waits for a cycle") for key in sorted(waiting - between)
    ]
    return faults


def _rest(blockers: Mapping[str, set[str]]) -> set[str]:
    """The keys that are left when whatever waits for nothing is taken away again and again."""
    waits = {key: {blocker for blocker in needs if blocker in blockers} for key, needs in blockers.items()}
    dependents: dict[str, list[str]] = {}
    for key, needs in waits.items():
        for blocker in needs:
            dependents.setdefault(blocker, []).append(key)
    ready = [key for key, needs in waits.items() if not needs]
    while ready:
        key = ready.pop()
        del waits[key]
        for dependent in dependents.get(key, ()):
            waits[dependent].discard(key)
            if not waits[dependent]:
                ready.append(dependent)
    return set(waits)

"""What may start now, and who starts it: ready, offers, the inner loop, fast-advance (docs/domain.md, sections 3, 6 and 7).

The completing transaction applies `advance` itself, so a successor that a run may take is taken before any beat can
see it: a beat therefore never has to guess what a running inner loop will do next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.model import SATISFIED, AdvanceKind, TaskState


def is_due(task: TaskState, now: int) -> bool:
    return task.not_before is None or task.not_before <= now


def offers(ready: Sequence[TaskState], *, open_runs: int, sequential: bool, now: int) -> list[str]:
    """Keys of the ready tasks to offer now, in order of creation.

    Parallel: all that are due and not offered yet. Sequential: the lowest, and only while nothing runs or is offered.
    """
    due = sorted(
        (task for task in ready if not task.offered and is_due(task, now)), key=lambda task: task.seq
    )
    if not sequential:
        return [task.key for task in due]
    busy = open_runs > 0 or any(task.offered for task in ready)
    return [] if busy else [task.key for task in due[:1]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready task as the completing transaction sees it."""

    key: str
    role: str
    blockers: frozenset[str]  # looked at only where it is the one ready task
    offered: bool = False
    due: bool = True


@dataclass(frozen=True, slots=True)
class Situation:
    """What the advance decision looks at, read inside the completing transaction."""

    done: str  # the task just completed
    originals: frozenset[str]  # what it revises: the original and its earlier revisions
    halted: (
        str | None
    )  # why a beat must decide: verdict HIGH, a pause, a checkpoint, a draining host; else None
    inner_loop: bool
    in_loop: Candidate | None  # the lowest ready task of the same prefix that waited for this one
    ready: tuple[Candidate, ...]  # at most two are needed, those that are not offered first
    other_open_runs: int  # looked at only when nothing is ready, or sequentially
    sequential: bool
    host_roles: frozenset[str]
    older_offer: bool  # another session's offer waits for this host's slots


@dataclass(frozen=True, slots=True)
class Advance:
    """`task` starts in this slot (loop, fast) or is offered (yield); `wake`: a beat has something to decide."""

    kind: AdvanceKind
    task: str | None
    why: str
    wake: bool


def advance(now: Situation) -> Advance:
    """What the worker does after completing a task: the first matching row of docs/domain.md, section 7."""
    if now.halted:
        return Advance(AdvanceKind.REPORT, None, now.halted, wake=True)
    if now.inner_loop and now.in_loop is not None and now.in_loop.due and not now.in_loop.offered:
        more = any(not each.offered for each in now.ready if each.key != now.in_loop.key)
        if now.older_offer:
            return Advance(
                AdvanceKind.YIELD, now.in_loop.key, "an older offer of another session waits", wake=more
            )
        return Advance(
            AdvanceKind.LOOP, now.in_loop.key, "the same role goes on with its next task", wake=more
        )
    if not now.ready:
        why = "others are running" if now.other_open_runs else "nothing is ready or running"
        return Advance(AdvanceKind.REPORT, None, why, wake=True)
    if len(now.ready) > 1:
        more = any(not each.offered for each in now.ready)
        return Advance(AdvanceKind.REPORT, None, "several tasks are ready", wake=more)
    return _fast(now, now.ready[0])


def _fast(now: Situation, only: Candidate) -> Advance:
    against = _why_not_fast(now, only)
    if against:
        return Advance(AdvanceKind.REPORT, None, against, wake=True)
    if now.older_offer:
        return Advance(AdvanceKind.YIELD, only.key, "an older offer of another session waits", wake=False)
    return Advance(AdvanceKind.FAST, only.key, "it is the only ready task", wake=False)


def _why_not_fast(now: Situation, only: Candidate) -> str | None:
    if only.offered:
        return f"{only.key} is already offered"
    if not only.due:
        return f"{only.key} waits for its retry"
    if not only.blockers <= {now.done} | now.originals or now.done not in only.blockers:
        return f"{only.key} joins other branches"
    if now.sequential and now.other_open_runs:
        return "sequential, and another task runs"
    if only.role not in now.host_roles:
        return f"this host does not serve {only.role}"
    return None


def unmet(task: TaskState, graph: Mapping[str, TaskState]) -> list[str]:
    """Keys of the blockers that are neither completed nor skipped."""
    return [key for key in task.blocked_by if graph[key].status not in SATISFIED]


def topological(graph: Mapping[str, TaskState] | Mapping[str, Iterable[str]]) -> list[str] | None:
    """The keys, blockers first, in the mapping's order where free; None when there is a cycle.

    Takes tasks, or a plain mapping from key to blockers; blockers outside the mapping are ignored.
    """
    waits = {
        key: {b for b in (value.blocked_by if isinstance(value, TaskState) else value) if b in graph}
        for key, value in graph.items()
    }
    order: list[str] = []
    placed: set[str] = set()
    dependants: dict[str, list[str]] = {key: [] for key in waits}
    for key, blockers in waits.items():
        for blocker in blockers:
            dependants[blocker].append(key)
    free = [key for key, blockers in waits.items() if not blockers]
    while free:
        key = free.pop(0)
        order.append(key)
        placed.add(key)
        for dependant in dependants[key]:
            waits[dependant].discard(key)
            if not waits[dependant]:
                free.append(dependant)
    return order if len(order) == len(waits) else None

"""When a session is likely to end and what the rest will cost, by what the same work took before; never invented.

The time is that of the agents: whatever a person has to answer on the way comes on top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from orchestrator.domain.forecast import PastTask
from orchestrator.domain.graph import topological
from orchestrator.domain.model import SATISFIED, TaskState, TaskStatus


@dataclass(frozen=True, slots=True)
class Range:
    """The least, the median and the most of what the same work took before."""

    low: float
    middle: float
    high: float

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.middle + other.middle, self.high + other.high)

    def less(self, done: float) -> Range:
        return Range(max(0.0, self.low - done), max(0.0, self.middle - done), max(0.0, self.high - done))


ZERO = Range(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Begun:
    """What an unfinished task has taken so far: seconds of its open run, micro-dollars of its calls."""

    seconds: float = 0.0
    micros: int = 0


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of a session. `seconds` and `micros` are None where something like it was never done here."""

    seconds: Range | None
    micros: Range | None
    path: tuple[str, ...]  # the tasks that decide the end, in order; empty without a time
    unknown: tuple[str, ...]  # tasks without a history
    unpriced: tuple[str, ...]  # tasks whose history has calls of unknown price
    checkpoints: tuple[str, ...]  # tasks behind which a person is asked


def rest_of(
    tasks: Sequence[TaskState],
    past: Sequence[PastTask],
    agents: Mapping[str, str],
    begun: Mapping[str, Begun],
    *,
    sequential: bool,
    slots: int | None,
) -> Rest:
    """`agents`: role -> who does its work in this session; `slots`: how many tasks run at a time, None: unknown."""
    left = [task for task in tasks if task.status not in (*SATISFIED, TaskStatus.CANCELLED)]
    history = _History(past)
    alike = {task.key: history.like(task, agents.get(task.role)) for task in left}
    unknown = tuple(task.key for task in left if not alike[task.key])
    unpriced = tuple(key for key, like in alike.items() if any(each.micros is None for each in like))
    takes = {
        key: _range(each.seconds for each in like).less(begun.get(key, Begun()).seconds)
        for key, like in alike.items()
        if like
    }
    costs = [
        _range(each.micros or 0 for each in like).less(begun.get(key, Begun()).micros)
        for key, like in alike.items()
        if like
    ]
    seconds, path = (None, ()) if unknown else _time(left, takes, sequential=sequential, slots=slots)
    return Rest(
        seconds=seconds,
        micros=None if unknown or unpriced else sum(costs, ZERO),
        path=path,
        unknown=unknown,
        unpriced=unpriced,
        checkpoints=tuple(task.key for task in left if task.checkpoint_after),
    )


class _History:
    """What was done before, found by kind and prefix."""

    def __init__(self, past: Iterable[PastTask]) -> None:
        self._by_kind: dict[str, list[PastTask]] = {}
        self._by_prefix: dict[str, list[PastTask]] = {}
        for each in past:
            self._by_kind.setdefault(each.kind, []).append(each)
            self._by_prefix.setdefault(each.prefix, []).append(each)

    def like(self, task: TaskState, agent: str | None) -> list[PastTask]:
        """The same kind by the same agent, else the same prefix by it; who will do it may not be known: then by any."""
        for found in (
            self._by_kind.get(task.revision_of or task.key, []),
            self._by_prefix.get(task.prefix, []),
        ):
            mine = [each for each in found if agent is None or each.agent == agent]
            if mine:
                return mine
        return []


def _range(values: Iterable[float]) -> Range:
    listed = list(values)
    return Range(min(listed), median(listed), max(listed))


def _time(
    left: Sequence[TaskState], takes: Mapping[str, Range], *, sequential: bool, slots: int | None
) -> tuple[Range, tuple[str, ...]]:
    """The time until all are done, and the path that decides it: the longest by medians."""
    whole = sum(takes.values(), ZERO)
    if sequential:
        return whole, tuple(task.key for task in left)
    ordered = topological(_only(left))
    lows, highs = _ends(ordered, takes, lambda each: each.low), _ends(ordered, takes, lambda each: each.high)
    ends = _ends(ordered, takes, lambda each: each.middle)
    share = 1 / slots if slots else 0.0
    found = Range(
        max([*lows.values(), whole.low * share], default=0.0),
        max([*ends.values(), whole.middle * share], default=0.0),
        max([*highs.values(), whole.high * share], default=0.0),
    )
    return found, _path(ordered, ends)


def _only(left: Sequence[TaskState]) -> list[TaskState]:
    """The tasks with only those blockers that are among them."""
    keys = {task.key for task in left}
    return [replace(task, blocked_by=tuple(key for key in task.blocked_by if key in keys)) for task in left]


def _ends(
    ordered: Sequence[TaskState], takes: Mapping[str, Range], of: Callable[[Range], float]
) -> dict[str, float]:
    """When each task ends, in seconds from now."""
    ends: dict[str, float] = {}
    for task in ordered:
        begins = max((ends[key] for key in task.blocked_by), default=0.0)
        ends[task.key] = begins + of(takes[task.key])
    return ends


def _path(ordered: Sequence[TaskState], ends: Mapping[str, float]) -> tuple[str, ...]:
    """Back from the task that ends last, always to the blocker that ends last."""
    by_key = {task.key: task for task in ordered}
    path: list[str] = []
    at = max(ends, key=lambda key: ends[key], default=None)
    while at is not None:
        path.append(at)
        at = max(by_key[at].blocked_by, key=lambda key: ends[key], default=None)
    return tuple(reversed(path))

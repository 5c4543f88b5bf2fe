"""When a session is likely to end and what the rest will cost, by what the same work took before; never invented.

The time is that of the agents: whatever a person has to answer on the way comes on top.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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

    def less(self, done: float) -> Range:
        if not done:
            return self
        return Range(max(0.0, self.low - done), max(0.0, self.middle - done), max(0.0, self.high - done))


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
    unknown = tuple(task.key for task in left if alike[task.key] is None)
    known = {key: like for key, like in alike.items() if like is not None}
    unpriced = tuple(key for key, like in known.items() if not like.is_priced)
    takes = {key: like.seconds.less(begun.get(key, Begun()).seconds) for key, like in known.items()}
    costs = [like.micros.less(begun.get(key, Begun()).micros) for key, like in known.items()]
    seconds, path = (None, ()) if unknown else _time(left, takes, sequential=sequential, slots=slots)
    return Rest(
        seconds=seconds,
        micros=None if unknown or unpriced else _sum(costs),
        path=path,
        unknown=unknown,
        unpriced=unpriced,
        checkpoints=tuple(task.key for task in left if task.checkpoint_after),
    )


@dataclass(frozen=True, slots=True)
class _Like:
    """What the tasks took that are like one; calls of unknown price count as free in `micros`."""

    seconds: Range
    micros: Range
    is_priced: bool


class _History:
    """What was done before, found by kind and prefix; summed up once for all tasks that are alike."""

    def __init__(self, past: Iterable[PastTask]) -> None:
        self._past: dict[tuple[str, str], list[PastTask]] = {}
        self._found: dict[tuple[str, str, str | None], _Like | None] = {}
        for each in past:
            self._past.setdefault(("kind", each.kind), []).append(each)
            self._past.setdefault(("prefix", each.prefix), []).append(each)

    def like(self, task: TaskState, agent: str | None) -> _Like | None:
        """The same kind by the same agent, else the same prefix by it; who will do it may not be known: then by any."""
        return self._like("kind", task.revision_of or task.key, agent) or self._like(
            "prefix", task.prefix, agent
        )

    def _like(self, by: str, name: str, agent: str | None) -> _Like | None:
        key = (by, name, agent)
        if key not in self._found:
            found = self._past.get((by, name), [])
            self._found[key] = _summed_up([each for each in found if agent is None or each.agent == agent])
        return self._found[key]


def _summed_up(like: Sequence[PastTask]) -> _Like | None:
    if not like:
        return None
    return _Like(
        _range(each.seconds for each in like),
        _range(each.micros or 0 for each in like),
        all(each.micros is not None for each in like),
    )


def _sum(ranges: Collection[Range]) -> Range:
    return Range(
        sum(each.low for each in ranges),
        sum(each.middle for each in ranges),
        sum(each.high for each in ranges),
    )


def _range(values: Iterable[float]) -> Range:
    listed = list(values)
    return Range(min(listed), median(listed), max(listed))


def _time(
    left: Sequence[TaskState], takes: Mapping[str, Range], *, sequential: bool, slots: int | None
) -> tuple[Range, tuple[str, ...]]:
    """The time until all are done, and the path that decides it: the longest by medians."""
    whole = _sum(takes.values())
    if sequential:
        return whole, tuple(task.key for task in left)
    ordered = topological(_only(left))
    ends = _ends(ordered, takes)
    share = 1 / slots if slots else 0.0
    last = Range(
        max((each.low for each in ends.values()), default=0.0),
        max((each.middle for each in ends.values()), default=0.0),
        max((each.high for each in ends.values()), default=0.0),
    )
    found = Range(
        max(last.low, whole.low * share),
        max(last.middle, whole.middle * share),
        max(last.high, whole.high * share),
    )
    return found, _path(ordered, ends)


def _only(left: Sequence[TaskState]) -> list[TaskState]:
    """The tasks with only those blockers that are among them."""
    keys = {task.key for task in left}
    return [
        task
        if keys.issuperset(task.blocked_by)
        else replace(task, blocked_by=tuple(key for key in task.blocked_by if key in keys))
        for task in left
    ]


def _ends(ordered: Sequence[TaskState], takes: Mapping[str, Range]) -> dict[str, Range]:
    """When each task ends, in seconds from now."""
    ends: dict[str, Range] = {}
    for task in ordered:
        take = takes[task.key]
        before = [ends[key] for key in task.blocked_by]
        if not before:
            ends[task.key] = take
        elif len(before) == 1:
            (begins,) = before
            ends[task.key] = Range(
                begins.low + take.low, begins.middle + take.middle, begins.high + take.high
            )
        else:
            ends[task.key] = Range(
                max(each.low for each in before) + take.low,
                max(each.middle for each in before) + take.middle,
                max(each.high for each in before) + take.high,
            )
    return ends


def _path(ordered: Sequence[TaskState], ends: Mapping[str, Range]) -> tuple[str, ...]:
    """Back from the task that ends last, always to the blocker that ends last; by medians."""
    by_key = {task.key: task for task in ordered}
    path: list[str] = []
    at = max(ends, key=lambda key: ends[key].middle, default=None)
    while at is not None:
        path.append(at)
        at = max(by_key[at].blocked_by, key=lambda key: ends[key].middle, default=None)
    return tuple(reversed(path))

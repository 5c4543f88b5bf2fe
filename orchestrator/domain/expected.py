"""When a session is likely to end and what the rest will cost, by what the same work took before; never invented.

The time is that of the agents: whatever a person has to answer on the way comes on top.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.forecast import PastTask
from orchestrator.domain.graph import topological
from orchestrator.domain.middle import median
from orchestrator.domain.model import SATISFIED, TaskStatus
from orchestrator.domain.named_tuple import NamedTuple

_ENDED = frozenset((*SATISFIED, TaskStatus.CANCELLED))


class Planned(Protocol):
    """What is asked of a task: a row of thousands need not become anything else for it."""

    @property
    def key(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def prefix(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def revision_of(self) -> str | None: ...
    @property
    def blocked_by(self) -> tuple[str, ...]: ...
    @property
    def checkpoint_after(self) -> int: ...


class Range(NamedTuple):
    """The least, the median and the most of what the same work took before."""

    low: float
    middle: float
    high: float

    def less(self, done: float) -> Range:
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
    tasks: Sequence[Planned],
    past: Sequence[PastTask],
    agents: Mapping[str, str],
    begun: Mapping[str, Begun],
    *,
    sequential: bool,
    slots: int | None,
) -> Rest:
    """`agents`: role -> who does its work in this session; `slots`: how many tasks run at a time, None: unknown."""
    left = [task for task in tasks if task.status not in _ENDED]
    history = _History(past)
    alike = {task.key: history.like(task, agents.get(task.role)) for task in left}
    unknown = tuple(key for key, like in alike.items() if like is None)
    known = {key: like for key, like in alike.items() if like is not None}
    unpriced = tuple(key for key, like in known.items() if not like.is_priced)
    takes = {key: like.seconds for key, like in known.items()}
    costs = {key: like.micros for key, like in known.items()}
    for key in begun.keys() & known.keys():
        takes[key] = takes[key].less(begun[key].seconds)
        costs[key] = costs[key].less(begun[key].micros)
    seconds, path = (None, ()) if unknown else _time(left, takes, sequential=sequential, slots=slots)
    return Rest(
        seconds=seconds,
        micros=None if unknown or unpriced else _sum(costs.values()),
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
        self._kinds: dict[str, list[PastTask]] = {}
        self._prefixes: dict[str, list[PastTask]] = {}
        self._found: dict[tuple[str, str, str | None], _Like | None] = {}
        for each in past:
            self._kinds.setdefault(each.kind, []).append(each)
            self._prefixes.setdefault(each.prefix, []).append(each)

    def like(self, task: Planned, agent: str | None) -> _Like | None:
        """The same kind by the same agent, else the same prefix by it; who will do it may not be known: then by any."""
        kind = task.revision_of or task.key
        same = self._like("kind", kind, agent, self._kinds[kind]) if kind in self._kinds else None
        return same or self._like("prefix", task.prefix, agent, self._prefixes.get(task.prefix, ()))

    def _like(self, by: str, name: str, agent: str | None, past: Sequence[PastTask]) -> _Like | None:
        key = (by, name, agent)
        if key not in self._found:
            self._found[key] = _summed_up([each for each in past if agent is None or each.agent == agent])
        return self._found[key]


def _summed_up(like: Sequence[PastTask]) -> _Like | None:
    if not like:
        return None
    return _Like(
        _range(each.seconds for each in like),
        _range(each.micros or 0 for each in like),
        all(each.micros is not None for each in like),
    )


def _sum(ranges: Iterable[Range]) -> Range:
    low = middle = high = 0.0
    for each in ranges:
        low, middle, high = low + each[0], middle + each[1], high + each[2]
    return Range(low, middle, high)


def _range(values: Iterable[float]) -> Range:
    listed = list(values)
    return Range(min(listed), median(listed), max(listed))


def _time(
    left: Sequence[Planned], takes: Mapping[str, Range], *, sequential: bool, slots: int | None
) -> tuple[Range, tuple[str, ...]]:
    """The time until all are done, and the path that decides it: the longest by medians."""
    whole = _sum(takes.values())
    if sequential:
        return whole, tuple(task.key for task in left)
    ordered = _blockers_first(left)
    ends = _ends(ordered, takes)
    share = 1 / slots if slots else 0.0
    lows, middles, highs = zip(*ends.values(), strict=True) if ends else ((0.0,), (0.0,), (0.0,))
    found = Range(
        max(max(lows), whole.low * share),
        max(max(middles), whole.middle * share),
        max(max(highs), whole.high * share),
    )
    return found, _path(ordered, ends)


class _Left(NamedTuple):
    """An unfinished task and what it still waits for."""

    key: str
    blocked_by: tuple[str, ...]


def _blockers_first(left: Sequence[Planned]) -> Sequence[_Left]:
    """The tasks with only those blockers that are among them; in order of creation most are so already."""
    keys = {task.key for task in left}
    found = [_Left(task.key, tuple([key for key in task.blocked_by if key in keys])) for task in left]
    placed: set[str] = set()
    for key, blockers in found:
        if not placed.issuperset(blockers):
            return topological(found)
        placed.add(key)
    return found


def _ends(ordered: Sequence[_Left], takes: Mapping[str, Range]) -> dict[str, Range]:
    """When each task ends, in seconds from now."""
    ends: dict[str, Range] = {}
    for key, blockers in ordered:
        low, middle, high = takes[key]
        if blockers:
            begins = ends[blockers[0]]
            if len(blockers) > 1:
                begins = Range(*map(max, *(ends[blocker] for blocker in blockers)))
            low, middle, high = low + begins[0], middle + begins[1], high + begins[2]
        ends[key] = Range(low, middle, high)
    return ends


def _path(ordered: Sequence[_Left], ends: Mapping[str, Range]) -> tuple[str, ...]:
    """Back from the task that ends last, always to the blocker that ends last; by medians."""
    blockers = dict(ordered)
    path: list[str] = []
    at = max(ends, key=lambda key: ends[key].middle, default=None)
    while at is not None:
        path.append(at)
        at = max(blockers[at], key=lambda key: ends[key].middle, default=None)
    return tuple(reversed(path))

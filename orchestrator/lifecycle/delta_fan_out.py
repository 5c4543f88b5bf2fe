"""What a plan that follows another adds to a session: what is affected is carried out again, the rest stays as it is.

A changed task of the plan is a revision of the task that carried it out, a new one gets the next number. Whoever waited for
them waits for these as well, and whoever judged the work before judges it again. Nothing is reset: what has landed stays
landed, and its reversal is a commit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.model import UNFINISHED, TaskState, TaskStatus
from orchestrator.domain.plan import PlanTask
from orchestrator.domain.plan_checks import order
from orchestrator.domain.plan_marks import CARRIES_OUT
from orchestrator.domain.revisions import BUILDS, Edge, Graph, judging_tasks, works_behind
from orchestrator.lifecycle.fix_rounds import again, newest_version


@dataclass(frozen=True, slots=True)
class DeltaFanOut:
    """What is added and what ends, applied in one transaction."""

    carried_out: Mapping[str, str]  # new task -> the plan task that it carries out
    tasks: tuple[TaskState, ...] = ()  # new and pending, blockers first: builds, then judges
    edges: tuple[Edge, ...] = ()  # unfinished tasks that wait for one more
    release: tuple[str, ...] = ()  # running tasks whose run ends, not counted as an attempt
    skip: tuple[str, ...] = ()  # unfinished tasks that these replace, or that no plan asks for any more


def plan_delta_fan_out(
    state: Graph,
    carriers: Mapping[str, str],
    planned: Sequence[PlanTask],
    rerun: Collection[str],
    after: str,
) -> DeltaFanOut:
    """The tasks for `rerun` (plan tasks) behind `after`, the new plan's task.

    `carriers`: plan task -> the original that carried it out. Raises AssertionError for a circle, or where no plan was.
    """
    sorted_tasks = order(planned)
    assert sorted_tasks is not None and carriers
    holders = _holders(state, carriers)
    keys = {id: newest_version(state, key).key for id, key in carriers.items()}
    replaced: list[str] = []
    new: list[TaskState] = []
    origins: set[str] = set()  # the originals that new builds are like
    for task in sorted_tasks:
        if task.id not in rerun:
            continue
        base = carriers.get(task.id)
        if base is not None:
            like = again(state, state[base], ())
            replaced.append(keys[task.id])
        else:
            origin = holders.get(CARRIES_OUT[task.side]) or next(iter(holders.values()))
            like = _fresh(state[origin], (*state, *(each.key for each in new)))
        origins.add(base or holders[like.prefix])
        blockers = (after, *(keys[needed] for needed in task.waits_for if needed in keys))
        new.append(replace(like, blocked_by=tuple(dict.fromkeys(blockers))))
        keys[task.id] = like.key
    dropped = [newest_version(state, key).key for id, key in carriers.items() if not _is_planned(id, planned)]
    ended = [key for key in (*replaced, *dropped) if state[key].status in UNFINISHED]
    edges = [
        (keys[task.id], keys[needed])
        for task in sorted_tasks
        if task.id not in rerun and task.id in keys and state[keys[task.id]].status is TaskStatus.PENDING
        for needed in task.waits_for
        if needed in rerun
    ]
    judges, waits = _judges(state, origins, tuple(each.key for each in new))
    edges += waits
    running = {key for key, _ in waits if state[key].status is TaskStatus.IN_PROGRESS}
    running.update(key for key in ended if state[key].status is TaskStatus.IN_PROGRESS)
    return DeltaFanOut(
        carried_out={keys[id]: id for id in rerun},
        tasks=(*new, *judges),
        edges=tuple(dict.fromkeys(edges)),
        release=tuple(sorted(running)),
        skip=tuple(ended),
    )


def waiting_for_plan(
    state: Graph, carriers: Mapping[str, str], stale: Iterable[str]
) -> tuple[TaskState, ...]:
    """The unfinished tasks that a new plan may change, or that judge what follows from it: stale ones, and every judge."""
    builds = [newest_version(state, carriers[id]) for id in sorted(stale) if id in carriers]
    judges = [newest_version(state, each.key) for each in judging_tasks(state)]
    return tuple(each for each in (*builds, *judges) if each.status in UNFINISHED)


def _judges(state: Graph, origins: set[str], new: tuple[str, ...]) -> tuple[list[TaskState], list[Edge]]:
    """Judges that look again, and edges of those that have not looked yet."""
    found: list[TaskState] = []
    edges: list[Edge] = []
    if not new:
        return found, edges
    for judge in judging_tasks(state):
        if not origins & works_behind(state, judge.key):
            continue
        newest = newest_version(state, judge.key)
        if newest.status in UNFINISHED:
            edges += [(newest.key, key) for key in new]
        elif newest.status is TaskStatus.COMPLETED:
            found.append(again(state, judge, new))
    return found, edges


def _holders(state: Graph, carriers: Mapping[str, str]) -> dict[str, str]:
    """Prefix -> the first task of that prefix that carries a plan task out, else the one that no plan had work for."""
    found: dict[str, str] = {}
    unused = (key for key, each in state.items() if each.status is TaskStatus.SKIPPED)
    numbered = (key for key in unused if ids.parse_key(key).base == key and ids.parse_key(key).stem in BUILDS)
    for key in (*sorted(carriers.values()), *sorted(numbered)):
        if state[key].prefix in BUILDS:
            found.setdefault(state[key].prefix, key)
    return found


def _fresh(like: TaskState, taken: Collection[str]) -> TaskState:
    """A task like another with the next number; a number that was used is not given again."""
    stem = ids.parse_key(like.key).stem
    numbers = [int(parsed.base[-3:]) for parsed in map(ids.parse_key, taken) if parsed.stem == stem]
    return replace(
        like,
        key=f"{stem}-{1 + max(numbers):03d}",
        status=TaskStatus.PENDING,
        made_for=False,
        offered=False,
        not_before=None,
        attempts=0,
        seq=0,
    )


def _is_planned(id: str, planned: Iterable[PlanTask]) -> bool:
    return any(task.id == id for task in planned)

"""A plan after its specification has changed: what is not affected stays as it is, word for word (docs/planning.md).

A task of the plan is stale where an item that it cites has changed or was withdrawn. Whoever plans anew may change stale
tasks, leave them out and add others; of the rest the tasks of the plan before are taken, whatever was given for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.plan import Criterion, Dependency, Plan, PlanTask
from orchestrator.domain.plan_checks import REMOVE
from orchestrator.domain.spec_items import ItemChanges

NOT_BUILT = ("G", "EPIC")  # prefixes of items that nothing is built from: what they say is in others


def stale_tasks(tasks: Iterable[PlanTask], changes: ItemChanges) -> frozenset[str]:
    """The tasks that cite an item which is not what it was as they were planned."""
    gone = {*changes.changed, *changes.withdrawn}
    return frozenset(task.id for task in tasks if task.cited & gone)


def to_plan(tasks: Sequence[PlanTask], changes: ItemChanges) -> ItemChanges:
    """Of the changes those that a plan has to follow: cited items, and new ones of which something is built."""
    cited = {name for task in tasks for name in task.cited}
    new = tuple(name for name in changes.new if name.partition("-")[0] not in NOT_BUILT and ":" not in name)
    found = changes.only(cited)
    return ItemChanges(found.changed, new, found.withdrawn)


@dataclass(frozen=True, slots=True)
class PlanDelta:
    """Ids of plan tasks by what becomes of them."""

    kept: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def rerun(self) -> tuple[str, ...]:
        """What is carried out."""
        return (*self.changed, *self.new)

    def as_json(self) -> dict[str, list[str]]:
        return {
            "kept": list(self.kept),
            "changed": list(self.changed),
            "new": list(self.new),
            "dropped": list(self.dropped),
        }


def merged(
    before: Plan, given: Plan, stale: Collection[str], used: Collection[str], *, by_words: bool = False
) -> tuple[Plan, PlanDelta, list[str]]:
    """The plan that follows `before`, what becomes of each task, and notes of what was given and not taken.

    `used`: ids that tasks of any plan before had, which no other task gets. `by_words`: a person asked for the change, so
    that tasks which are not stale may change as well.
    """
    notes: list[str] = []
    known = {task.id: task for task in before.tasks}
    of_given = {task.id: task for task in given.tasks}
    kept: dict[str, PlanTask] = {}
    for id, task in known.items():
        if id in stale:
            continue
        other = of_given.get(id)
        differs = other is not None and _counted(other).digest != _counted(task).digest
        if differs and by_words:
            continue
        if differs:
            notes.append(f"{id} is not affected and stays as it was planned")
        kept[id] = task
    changed = [task for id, task in of_given.items() if id in known and id not in kept]
    new = [task for id, task in of_given.items() if id not in known]
    names = _numbered([task.id for task in new], {*used, *known})
    fresh = [_renamed(task, names) for task in (*changed, *new)]
    ids = {*kept, *(task.id for task in fresh)}
    tasks = sorted((*(_without(task, ids) for task in kept.values()), *fresh), key=lambda task: task.id)
    delta = PlanDelta(
        tuple(sorted(kept)),
        tuple(sorted(task.id for task in changed)),
        tuple(sorted(names.values())),
        tuple(sorted(known.keys() - ids)),
    )
    return replace(given, tasks=tuple(tasks)), delta, notes


def _counted(task: PlanTask) -> PlanTask:
    """The task with criteria that are numbered without a gap, as every new plan numbers them."""
    criteria = (replace(each, id=f"{task.id}-C{number}") for number, each in enumerate(task.criteria, 1))
    return replace(task, criteria=tuple(criteria))


def removable(landed: Iterable[PlanTask], changes: ItemChanges) -> frozenset[str]:
    """The withdrawn items for which work has landed."""
    return frozenset(
        name for task in landed if task.kind != REMOVE for name in task.cited if name in changes.withdrawn
    )


def _numbered(ids: Sequence[str], used: Collection[str]) -> dict[str, str]:
    """The ids of new tasks: those they were given where nobody had them, else the next numbers."""
    taken = set(used)
    names: dict[str, str] = {}
    for id in ids:
        name = id
        if name in taken:
            name = f"TASK-{1 + max(int(each[-3:]) for each in taken):03d}"
        taken.add(name)
        names[id] = name
    return names


def _renamed(task: PlanTask, names: Mapping[str, str]) -> PlanTask:
    id = names.get(task.id, task.id)
    return replace(
        task,
        id=id,
        criteria=tuple(
            Criterion(each.id.replace(task.id, id, 1), each.text, each.refs) for each in task.criteria
        ),
        depends_on=tuple(Dependency(names.get(each.id, each.id), each.source) for each in task.depends_on),
    )


def _without(task: PlanTask, ids: Collection[str]) -> PlanTask:
    """The task without edges to tasks that are not there any more."""
    left = tuple(each for each in task.depends_on if each.id in ids)
    return task if left == task.depends_on else replace(task, depends_on=left)

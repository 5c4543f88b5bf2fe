"""What is wrong with a plan whose form is right, and which of its tasks must not run at the same time."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.graph import Fault, Place
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan import OVERLAP, PLAN, Dependency, Plan, PlanTask
from orchestrator.domain.testable import is_testable

MOST_TASKS = 7
REMOVE = "remove"  # the kind of a task that takes out what a withdrawn item asked for
MANY_FILES = 8  # a task that touches more is warned of
PATH_LIMIT = 500  # characters
GROUND = "ground"  # the kind of check that keeps what a plan was checked against; its key: the specification's digest
MANIFESTS = frozenset(  # files that tell dependencies, with those that lock them: one of them is often written with another
    (  # noqa: SIM905 - a list of names is read more easily as words
        "package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb "
        "pyproject.toml setup.py setup.cfg poetry.lock uv.lock pdm.lock pipfile pipfile.lock requirements.txt "
        "cargo.toml cargo.lock go.mod go.sum go.work go.work.sum pom.xml build.gradle build.gradle.kts settings.gradle "
        "settings.gradle.kts gradle.lockfile gemfile gemfile.lock composer.json composer.lock mix.exs mix.lock "
        "package.swift package.resolved"
    ).split()
)
MIGRATIONS = frozenset(("migrations", "migration", "migrate"))
_ALEMBIC = "alembic/versions"
_OURS = frozenset((".git", ".workflow"))


@dataclass(frozen=True, slots=True)
class Ground:
    """What a plan is checked against."""

    paths: frozenset[str] | None = None  # files of the base; None: they are not known
    ids: frozenset[str] = frozenset()  # that may be cited
    must: frozenset[str] = frozenset()  # required items, each of which is covered or `uncovered`
    items: Mapping[str, str] | None = (
        None  # of the specification: identifier -> digest; None: they were not noted
    )
    landed: frozenset[str] = frozenset()  # tasks of the plan whose work is in `paths`
    removed: frozenset[str] = frozenset()  # withdrawn items, each of which a task of kind `remove` carries

    def as_json(self) -> JsonObject:
        return {
            "paths": None if self.paths is None else sorted(self.paths),
            "ids": sorted(self.ids),
            "must": sorted(self.must),
            "items": None if self.items is None else dict(self.items),
            "landed": sorted(self.landed),
            "removed": sorted(self.removed),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> Ground:
        """What `as_json` gave."""
        paths = value["paths"]
        kept = None if paths is None else frozenset(paths)
        return cls(
            kept,
            frozenset(value["ids"]),
            frozenset(value["must"]),
            value.get("items"),  # a plan of an earlier version has none of these
            frozenset(value.get("landed", ())),
            frozenset(value.get("removed", ())),
        )


@dataclass(frozen=True, slots=True)
class PlanFaults:
    """`faults` refuse a plan, `warnings` are shown with it."""

    faults: tuple[Fault, ...] = ()
    warnings: tuple[str, ...] = ()


def check_plan(plan: Plan, ground: Ground) -> PlanFaults:
    """Everything that is wrong with the plan; none of it stops the rest from being found."""
    faults = [*_count(plan, ground), *_graph(plan.tasks), *_tasks(plan.tasks)]
    faults += _cited(plan, ground) + _coverage(plan, ground) + _removal(plan, ground)
    if ground.paths is not None and order(plan.tasks) is not None:
        faults += _existing([task for task in plan.tasks if task.id not in ground.landed], ground.paths)
    warnings = [*filter(None, map(_warning, plan.tasks)), *_untold(plan, ground)]
    return PlanFaults(tuple(faults), tuple(warnings))


def _warning(task: PlanTask) -> str | None:
    if len(task.files) > MANY_FILES:
        return f"{task.id} touches {len(task.files)} files, more than {MANY_FILES}: consider dividing it"
    if not task.files:
        return f"{task.id} names no files, so no other task runs beside it"
    return None


def _untold(plan: Plan, ground: Ground) -> list[str]:
    """Required items that tasks carry, of which no criterion tells whether they are done."""
    carried = {id for task in plan.tasks for id in task.cited}
    told = {id for task in plan.tasks for id in task.cited if task.criteria_of(id)}
    untold = sorted(ground.must & (carried - told))
    return [f"no criterion tells whether {', '.join(untold)} is done"] if untold else []


def order(tasks: Sequence[PlanTask]) -> list[PlanTask] | None:
    """The tasks, those before that others wait for, lower ids first; None where they wait for each other in a circle."""
    waiting = {task.id: set(task.waits_for) for task in tasks}
    known = {task.id: task for task in tasks}
    placed: list[PlanTask] = []
    while waiting:
        ready = min((id for id, needs in waiting.items() if not needs & waiting.keys()), default=None)
        if ready is None:
            return None
        placed.append(known[ready])
        del waiting[ready]
    return placed


def with_overlaps(tasks: Sequence[PlanTask]) -> tuple[PlanTask, ...]:
    """The tasks with an edge of source `overlap` between two that share files and are in no order; the lower id is first.

    Edges of that source that were there before are found anew. Tasks in a circle get none.
    """
    plain = {
        task.id: replace(task, depends_on=tuple(d for d in task.depends_on if d.source != OVERLAP))
        for task in tasks
    }
    if order(list(plain.values())) is None:
        return tuple(plain.values())
    for first, second in combinations(sorted(plain), 2):
        if _share(plain[first], plain[second]) and not (
            _waits(plain, first, second) or _waits(plain, second, first)
        ):
            later = plain[second]
            plain[second] = replace(later, depends_on=(*later.depends_on, Dependency(first, OVERLAP)))
    return tuple(plain.values())


def path_fault(path: str) -> str | None:
    """Why a path is not one of a file in the project; None when it is."""
    parts = path.split("/")
    faults = (
        (not path or path != path.strip(), "is empty, or has spaces around it"),
        (len(path) > PATH_LIMIT, f"is longer than {PATH_LIMIT} characters"),
        (path.startswith(("/", "~")) or "\\" in path or path[1:3] == ":/", "is not below the project"),
        (any(part in ("", ".", "..") for part in parts), "has an empty, '.' or '..' part"),
        (any(unicodedata.category(char) in ("Cc", "Cs") for char in path), "has control characters"),
        (any(part.lower() in _OURS for part in parts), "is inside .git or .workflow"),
    )
    return next((why for bad, why in faults if bad), None)


def _count(plan: Plan, ground: Ground) -> list[Fault]:
    count = sum(task.id not in ground.landed for task in plan.tasks)
    if plan.tasks and count <= MOST_TASKS:
        return []
    return [Fault((PLAN, "task_ids"), f"has {count} tasks; a plan has 1 to {MOST_TASKS}")]


def _graph(tasks: Sequence[PlanTask]) -> list[Fault]:
    known = {task.id for task in tasks}
    faults = []
    for task in tasks:
        for index, needed in enumerate(task.waits_for):
            place: Place = (task.path, "depends_on", index)
            if needed == task.id:
                faults.append(Fault(place, f"{task.id} waits for itself"))
            elif needed not in known:
                faults.append(Fault(place, f"{needed[:40]!r} is no task of this plan"))
    if not faults and order(tasks) is None:
        faults.append(Fault((PLAN, "task_ids"), "the tasks wait for each other in a circle (depends_on)"))
    return faults


def _tasks(tasks: Sequence[PlanTask]) -> Iterator[Fault]:
    for task in tasks:
        seen: set[str] = set()
        for index, file in enumerate(task.files):
            place: Place = (task.path, "files", index, "path")
            if why := path_fault(file.path):
                yield Fault(place, f"{file.path[:100]!r} {why}")
            elif _same(file.path) in seen:
                yield Fault(place, f"{file.path} is named twice")
            seen.add(_same(file.path))
        for index, test in enumerate(task.tests_may_change):
            place = (task.path, "tests_may_change", index)
            if why := path_fault(test.path):
                yield Fault((*place, "path"), f"{test.path[:100]!r} {why}")
            if not test.reason:
                yield Fault((*place, "reason"), "says nothing; an existing test changes only for a reason")
        yield from _criteria(task)


def _criteria(task: PlanTask) -> Iterator[Fault]:
    place: Place = (task.path, "convergence", "criteria")
    if not task.criteria:
        yield Fault(place, "is empty; say how one can tell that the task is done")
    seen: set[str] = set()
    for index, criterion in enumerate(task.criteria):
        if criterion.id in seen:
            yield Fault((*place, index, "id"), f"{criterion.id} is there twice")
        seen.add(criterion.id)
    if task.criteria and not any(is_testable(each.text) for each in task.criteria):
        yield Fault(
            (*place, 0, "text"),
            "no criterion can be tested: name a number, what is returned, shown or refused, or given, when, then",
        )


def _cited(plan: Plan, ground: Ground) -> list[Fault]:
    faults = []
    for task in plan.tasks:
        if task.id in ground.landed:  # what it was made of may be withdrawn since
            continue
        known = ground.ids if task.kind == REMOVE else ground.ids - ground.removed
        for name in sorted(task.cited - known):
            faults.append(
                Fault((task.path, "refs"), f"cites {name[:60]!r}, which the specification does not have")
            )
    for index, left in enumerate(plan.uncovered):
        if left.id not in ground.ids:
            place: Place = (PLAN, "uncovered", index, "id")
            faults.append(Fault(place, f"{left.id[:60]!r} is not in the specification"))
    for index, decision in enumerate(plan.decisions):
        if decision.adr and decision.adr not in ground.ids:
            place = (PLAN, "decisions", index, "adr")
            faults.append(Fault(place, f"{decision.adr[:60]!r} is not in the specification"))
    return faults


def _coverage(plan: Plan, ground: Ground) -> list[Fault]:
    carried = {name for task in plan.tasks for name in task.cited}
    left = {each.id: each.reason for each in plan.uncovered}
    faults = []
    for name in sorted(ground.must - carried):
        if name not in left:
            what = f"{name} must be done, and no task cites it; name it in `uncovered` with the reason"
            faults.append(Fault((PLAN, "uncovered"), what))
        elif not left[name]:
            faults.append(Fault((PLAN, "uncovered"), f"{name} is left out without a reason"))
    return faults


def _removal(plan: Plan, ground: Ground) -> list[Fault]:
    """Withdrawn items whose work has landed, and which no task removes."""
    removed = {name for task in plan.tasks if task.kind == REMOVE for name in task.cited}
    left = {each.id for each in plan.uncovered if each.reason}
    return [
        Fault((PLAN, "uncovered"), f"{name} was withdrawn, and no task of kind {REMOVE} cites it")
        for name in sorted(ground.removed - removed - left)
    ]


def _existing(tasks: Sequence[PlanTask], base: frozenset[str]) -> list[Fault]:
    """Files that are not there to be changed, or are there already, with what earlier tasks make and delete."""
    there = set(base)
    faults = []
    for task in order(with_overlaps(tasks)) or ():
        for index, file in enumerate(task.files):
            if path_fault(file.path):
                continue
            place: Place = (task.path, "files", index, "action")
            if file.action == "create" and file.path in there:
                faults.append(Fault(place, f"{file.path} is there already: modify it"))
            elif file.action != "create" and file.path not in there:
                faults.append(Fault(place, f"{file.path} is not there: it cannot be {_DONE[file.action]}"))
            (there.discard if file.action == "delete" else there.add)(file.path)
        for index, test in enumerate(task.tests_may_change):
            if test.path not in base and not path_fault(test.path):
                place = (task.path, "tests_may_change", index, "path")
                faults.append(Fault(place, f"{test.path} is no file of the project"))
    return faults


_DONE: Mapping[str, str] = {"modify": "modified", "delete": "deleted"}


def _share(first: PlanTask, second: PlanTask) -> bool:
    """Whether two tasks may write the same; one that names no files may write any."""
    return not first.files or not second.files or bool(_claims(first) & _claims(second))


def _claims(task: PlanTask) -> frozenset[str]:
    """What a task needs for itself: its files, the dependencies of a folder, a folder of migrations."""
    found: set[str] = set()
    for path in (*(file.path for file in task.files), *(test.path for test in task.tests_may_change)):
        name = _same(path)
        folder, _, last = name.rpartition("/")
        found.add(f"file {name}")
        if last in MANIFESTS or (last.startswith("requirements") and last.endswith((".txt", ".in"))):
            found.add(f"manifest {folder}")
        found.update(f"migrations {inner}" for inner in _above(folder) if _holds_migrations(inner))
    if task.new_dependencies:
        found.add("dependencies")
    return frozenset(found)


def _above(folder: str) -> Iterable[str]:
    parts = folder.split("/") if folder else []
    return ("/".join(parts[: count + 1]) for count in range(len(parts)))


def _holds_migrations(folder: str) -> bool:
    return folder.rpartition("/")[2] in MIGRATIONS or f"/{folder}".endswith(f"/{_ALEMBIC}")


def _same(path: str) -> str:
    """Equal for paths that some file systems hold for one."""
    return unicodedata.normalize("NFC", path).casefold()


def _waits(tasks: Mapping[str, PlanTask], task: str, other: str) -> bool:
    """Whether `task` waits for `other`, by way of others too."""
    reached, left = set(), [task]
    while left:
        for needed in tasks[left.pop()].waits_for:
            if needed == other:
                return True
            if needed in tasks and needed not in reached:
                reached.add(needed)
                left.append(needed)
    return False

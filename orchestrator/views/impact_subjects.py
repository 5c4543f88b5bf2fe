"""What a name means that somebody asks the impact of: an item, a task, a task of the plan, or a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath

from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.patterns import expression
from orchestrator.domain.plan import PLAN, TASK_ID, TASKS
from orchestrator.domain.plan_marks import PLAN_TASK
from orchestrator.domain.spec_items import SpecItem
from orchestrator.store.checks import Link
from orchestrator.store.rows import Task

NAME_LIMIT = 500  # characters
_TEAM = expression(r"(?:.*/)?\.workflow/\.team/[^/]+/")


@dataclass(frozen=True, slots=True)
class Known:
    """What there is to ask about in a session."""

    rows: Sequence[Task]
    catalogue: Catalogue
    items: Mapping[str, SpecItem]
    planned: Collection[str]  # ids of the plan's tasks
    artifacts: Collection[str]  # paths
    links: Sequence[Link]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked about: `items` or `plan_tasks` that would change, or one task that would be done again."""

    kind: str  # item, document, plan_task, task, file
    id: str
    items: frozenset[str] = frozenset()
    plan_tasks: frozenset[str] = frozenset()
    task: str | None = None
    file: str | None = None  # of the repository


def subject_of(name: str, known: Known, project: Path) -> Subject:
    """Raises UsageError, UnknownName."""
    if not name.strip() or len(name) > NAME_LIMIT or "\0" in name:
        raise UsageError(
            f"{ids.shown(name)} names nothing",
            why="an id such as REQ-003, DRAFT-002 or TASK-001, or a path",
            fix="`lifecycle impact` without a name shows what has changed",
        )
    upper = name.strip().upper()
    if name in known.items or upper in known.items:
        id = name if name in known.items else upper
        return Subject("item", id, items=frozenset([id]))
    if TASK_ID.fullmatch(upper) and upper in known.planned:
        return Subject("plan_task", upper, plan_tasks=frozenset([upper]))
    row = next((each for each in known.rows if each.key in (name, upper)), None)
    if row is not None:
        return _of_task(row, known)
    found = _of_path(name.strip(), known, project)
    if found is None:
        names = [*known.items, *known.planned, *(each.key for each in known.rows)]
        raise UnknownName(
            "id or file",
            name[:100],
            names,
            fix="`lifecycle artifacts` lists documents, `lifecycle tasks` tasks; files are those that this session changed",
        )
    return found


def _of_task(row: Task, known: Known) -> Subject:
    """A task that makes a document stands for its items, one that carries out a plan task for that."""
    if PLAN_TASK in row.payload:
        planned = str(row.payload[PLAN_TASK])
        return Subject("task", row.key, plan_tasks=frozenset([planned]), task=row.revision_of or row.key)
    document = known.catalogue.of_task(row.key)
    if document is not None and not document.is_report:
        held = frozenset(id for id, item in known.items.items() if document.owns(item.path))
        return Subject("task", row.key, items=held, task=row.revision_of or row.key)
    return Subject("task", row.key, task=row.revision_of or row.key)


def _of_path(name: str, known: Known, project: Path) -> Subject | None:
    path = _TEAM.sub("", name)
    inner = _below(name, project)
    if path in known.artifacts:
        return _of_artifact(path, known)
    near = [each for each in known.artifacts if each.endswith(f"/{path}")]
    if len(near) == 1 and path == name:
        return _of_artifact(near[0], known)
    touched = {link.to_id for link in known.links if link.to_kind == "file"}
    return Subject("file", inner, file=inner) if inner in touched else None


def _of_artifact(path: str, known: Known) -> Subject:
    if path.startswith(TASKS):
        id = PurePosixPath(path).stem
        return Subject("plan_task", id, plan_tasks=frozenset([id]))
    if path == PLAN:
        return Subject("document", path, plan_tasks=frozenset(known.planned))
    document = known.catalogue.of_path(path)
    index = document is not None and document.path == path and bool(document.folder)
    held = frozenset(
        id
        for id, item in known.items.items()
        if item.path == path or (index and document is not None and document.owns(item.path))
    )
    return Subject("document", path, items=held)


def _below(name: str, project: Path) -> str:
    """A path as it is named below the project; what leads out of it stays as it is, and is no file of it."""
    given = Path(name)
    if given.is_absolute() and given.is_relative_to(project):
        given = given.relative_to(project)
    return PurePosixPath(*(part for part in given.parts if part != ".")).as_posix()

"""A session of many tasks in a view that fits: counts by phase, role and state, and alone what matters now."""

from __future__ import annotations

from typing import TypedDict

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.model import TaskStatus
from orchestrator.store import task_groups
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.store.task_groups import READY, TaskLine

GROUPED_ABOVE = 300  # tasks; a session of fewer is shown whole
PAGE = 100  # tasks of a group that are shown at once
SINGLE = 100  # tasks that are shown alone


class Group(TypedDict):
    """Tasks of one phase, role and state (a status, or `ready`); `group` is its name."""

    group: str
    phase: str
    role: str
    state: str
    count: int


class Line(TypedDict):
    task: str
    role: str
    phase: str
    state: str
    revision_of: str | None
    offered: bool
    attempts: int
    max_attempts: int
    error: str | None
    started_at: str | None
    finished_at: str | None


class Grouped(TypedDict):
    """`single`: at most 100 tasks that failed, run or are ready, in this order; `is_grouped`: whether there are many."""

    session: str
    tasks: int
    is_grouped: bool
    groups: list[Group]
    single: list[Line]


class Page(TypedDict):
    """One group opened; `next_skip` is what to skip for its next page, None at its end."""

    session: str
    group: str
    count: int
    tasks: list[Line]
    next_skip: int | None


def grouped(tx: Tx, session: Session) -> Grouped:
    groups = _groups(tx, session.id)
    total = sum(each["count"] for each in groups)
    return {
        "session": session.id,
        "tasks": total,
        "is_grouped": total > GROUPED_ABOVE,
        "groups": groups,
        "single": [_line(row) for row in task_groups.single(tx, session.id, SINGLE)],
    }


def group_page(tx: Tx, session: Session, name: str, skip: int = 0) -> Page:
    """The tasks of a group after the first `skip`, in order of creation. Raises UnknownName."""
    known = {each["group"]: each for each in _groups(tx, session.id)}
    if name not in known:
        raise UnknownName("group of tasks", name, known, fix="`lifecycle tasks --grouped` lists them")
    group = known[name]
    rows = task_groups.page(
        tx, session.id, group["phase"], group["role"], group["state"], limit=PAGE, skipped=skip
    )
    end = skip + len(rows)
    return {
        "session": session.id,
        "group": name,
        "count": group["count"],
        "tasks": [_line(row) for row in rows],
        "next_skip": end if rows and end < group["count"] else None,
    }


def _groups(tx: Tx, session: str) -> list[Group]:
    return [
        {
            "group": f"{phase}/{role}/{state}",
            "phase": phase,
            "role": role,
            "state": state,
            "count": count,
        }
        for phase, role, state, count in task_groups.groups(tx, session)
    ]


def _line(row: TaskLine) -> Line:
    is_ready = row.status == TaskStatus.PENDING and row.unmet == 0
    return {
        "task": row.key,
        "role": row.role,
        "phase": row.phase,
        "state": READY if is_ready else row.status,
        "revision_of": row.revision_of,
        "offered": row.offered_at is not None,
        "attempts": row.attempts,
        "max_attempts": row.max_attempts,
        "error": row.error,
        "started_at": stamp(row.started_at),
        "finished_at": stamp(row.finished_at),
    }

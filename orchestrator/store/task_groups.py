"""Queries of sessions with thousands of tasks: counts of alike ones, and pages of them. Edges and payloads are not read."""

from __future__ import annotations

from orchestrator.domain.model import TaskStatus
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.sql import ColumnElement, and_, bindparam, case, func, of_session, or_, select, tasks
from orchestrator.store.statements import Selection, columns, fixed, query
from orchestrator.store.store import Tx

READY = "ready"  # pending, and nothing that it waits for is left


class TaskLine(NamedTuple):
    key: str
    role: str
    phase: str
    revision_of: str | None
    status: str
    unmet: int
    attempts: int
    max_attempts: int
    error: str | None
    offered_at: int | None
    started_at: int | None
    finished_at: int | None


def _state() -> ColumnElement[str]:
    is_ready = and_(tasks.c.status == fixed(TaskStatus.PENDING), tasks.c.unmet == fixed(0))
    return case((is_ready, READY), else_=tasks.c.status)


@query(tuple[str, str, str, int])
def _groups() -> Selection:
    state = _state().label("state")
    return (
        select(tasks.c.phase, tasks.c.role, state, func.count(tasks.c.id).label("n"))
        .where(of_session(tasks))
        .group_by(tasks.c.phase, tasks.c.role, state)
        .order_by(func.min(tasks.c.seq))
    )


@query(TaskLine)
def _single() -> Selection:
    return (
        select(*columns(tasks, TaskLine))
        .where(
            of_session(tasks),
            or_(
                tasks.c.status == fixed(TaskStatus.IN_PROGRESS),
                tasks.c.status == fixed(TaskStatus.FAILED),
                and_(tasks.c.status == fixed(TaskStatus.PENDING), tasks.c.unmet == fixed(0)),
            ),
        )
        .order_by(_state(), tasks.c.seq)
        .limit(bindparam("limit"))
    )


@query(TaskLine)
def _page() -> Selection:
    return (
        select(*columns(tasks, TaskLine))
        .where(
            of_session(tasks),
            tasks.c.phase == bindparam("in_phase"),
            tasks.c.role == bindparam("of_role"),
            _state() == bindparam("in_state"),
        )
        .order_by(tasks.c.seq)
        .limit(bindparam("limit"))
        .offset(bindparam("skipped"))
    )


def groups(tx: Tx, session: str) -> list[tuple[str, str, str, int]]:
    """(phase, role, state, number of tasks), in order of creation; `state` is a status, or READY."""
    return tx.rows(_groups, session=session)


def single(tx: Tx, session: str, limit: int) -> list[TaskLine]:
    """The tasks that failed, run or are ready, in this order."""
    return tx.rows(_single, session=session, limit=limit)


def page(
    tx: Tx, session: str, phase: str, role: str, state: str, *, limit: int, skipped: int
) -> list[TaskLine]:
    """Tasks of one group, in order of creation."""
    return tx.rows(
        _page, session=session, in_phase=phase, of_role=role, in_state=state, limit=limit, skipped=skipped
    )

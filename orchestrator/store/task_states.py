"""Rows of tasks as the values the rules take."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.store.rows import Task

_STATUS = {each.value: each for each in TaskStatus}  # faster than asking the enum, of thousands of rows


def status_of(row: Task) -> TaskStatus:
    """Raises UnknownName for a status that is none."""
    return _STATUS.get(row.status) or TaskStatus(row.status)


def task_state(row: Task) -> TaskState:
    """A task's row as the rules see it. Raises UnknownName for a status that is none."""
    return TaskState(
        key=row.key,
        role=row.role,
        prefix=row.prefix,
        status=status_of(row),
        blocked_by=row.blocked_by,
        round=row.round,
        phase=row.phase,
        revision_of=row.revision_of,
        revision_no=row.revision_no,
        made_for=bool(row.made_for),
        checkpoint_after=bool(row.checkpoint_after),
        offered=row.offered_at is not None,
        not_before=row.not_before,
        attempts=row.attempts,
        seq=row.seq,
    )


def graph(rows: Iterable[Task]) -> dict[str, TaskState]:
    """Key -> task, in order of creation, from rows that carry `blocked_by`."""
    return {row.key: task_state(row) for row in rows}

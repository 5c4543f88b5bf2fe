"""Checks for what constraints cannot promise: damage of the file, broken references, counters that do not fit."""

from __future__ import annotations

from pathlib import Path

from orchestrator.domain.model import SATISFIED, TaskStatus
from orchestrator.store import tasks
from orchestrator.store.backends import sqlite_integrity
from orchestrator.store.sql import Update, bindparam, update
from orchestrator.store.sql import tasks as table
from orchestrator.store.statements import change, one_of
from orchestrator.store.store import Tx

WAITING = (TaskStatus.PENDING, TaskStatus.FAILED)


@change
def _recount() -> Update:
    return (
        update(table)
        .where(table.c.id == bindparam("task"), one_of(table.c.status, WAITING))
        .values(unmet=bindparam("blockers"), offered_at=None)
    )


def file_faults(path: Path) -> list[str]:
    """What the database's own checks say of it, and the rows that break a rule; empty when it is whole."""
    from sqlalchemy import CheckConstraint

    from orchestrator.store.tables import metadata

    rules = (rule for each in metadata.sorted_tables for rule in each.constraints)
    return sqlite_integrity.file_faults(path, [rule for rule in rules if isinstance(rule, CheckConstraint)])


def wrong_counts(tx: Tx, session: str) -> list[tuple[int, str, int, int]]:
    """Waiting tasks whose number of unmet blockers is not what their edges say: (id, key, stored, right)."""
    rows = tasks.all_tasks(tx, session)
    status = {row.key: row.status for row in rows}
    found = []
    for row in rows:
        right = sum(status[key] not in SATISFIED for key in row.blocked_by)
        if row.status in WAITING and right != row.unmet:
            found.append((row.id, row.key, row.unmet, right))
    return found


def recount(tx: Tx, task: int, blockers: int) -> bool:
    """Store how many blockers a waiting task has; an offer of it is withdrawn, a beat makes it again."""
    return tx.one(_recount, task=task, blockers=blockers)

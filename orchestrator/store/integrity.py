"""What constraints cannot promise, looked for: damage of the file, broken references, counters that do not fit."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import CheckConstraint, Update, bindparam, update

from orchestrator.domain.errors import StoreBroken
from orchestrator.domain.model import SATISFIED, TaskStatus
from orchestrator.store import tasks
from orchestrator.store.database import connect_reader
from orchestrator.store.sqlite_errors import damaged, explain
from orchestrator.store.statements import change, one_of
from orchestrator.store.store import Tx
from orchestrator.store.tables import metadata
from orchestrator.store.tables import tasks as table

MAX_FAULTS = 20
WHOLE_BYTES = 8 * 1024 * 1024  # a database up to this size is looked through at each command: about 20 ms
READ_BY_ALL = ("sessions", "tasks", "edges", "hosts", "leases", "pools", "projections")
WAITING = (TaskStatus.PENDING, TaskStatus.FAILED)


@change
def _recount() -> Update:
    return (
        update(table)
        .where(table.c.id == bindparam("task"), one_of(table.c.status, WAITING))
        .values(unmet=bindparam("blockers"), offered_at=None)
    )


class LogWatch:
    """Notices that somebody removed or replaced the log beside a database in use: what we commit would go nowhere."""

    def __init__(self, path: Path) -> None:
        self._files = [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")]
        self._known: list[int | None] = [None, None]

    def check(self) -> None:
        """Raises StoreBroken. Call it while connections are open, which keep the files where they are."""
        found = [file.stat().st_ino if file.exists() else None for file in self._files]
        for file, known, now in zip(self._files, self._known, found, strict=True):
            if known not in (None, now):
                done = "removed" if now is None else "replaced"
                raise StoreBroken(why=f"{file} was {done} while it was in use", fix="never touch these files")
        self._known = found

    @property
    def is_replaced(self) -> bool:
        """Another process has begun a log of its own: ours must not be moved into the database any more."""
        return self._files[0].exists()


def refuse_damage(path: Path) -> None:
    """Raises DatabaseDamaged before anything is written into a damaged file, where what was begun would stand still.

    A large database is not looked through as a whole: only what every process reads of it.
    """
    connection = connect_reader(path)
    try:
        connection.execute(
            "PRAGMA ignore_check_constraints=ON"
        )  # a row edited by hand is no damage of the file
        (pages,), (size,) = (
            connection.execute(f"PRAGMA {n}").fetchone() for n in ("page_count", "page_size")
        )
        if pages * size <= WHOLE_BYTES:
            looks = ["PRAGMA integrity_check(1)"]
        else:
            looks = [f"PRAGMA quick_check({table})" for table in READ_BY_ALL]
        for look in looks:
            (said,) = connection.execute(look).fetchone()
            if said != "ok":
                raise damaged(path, " ".join(str(said).split()))
    except sqlite3.DatabaseError as error:
        raise explain(error, path) from error
    finally:
        connection.close()


def file_faults(path: Path) -> list[str]:
    """What SQLite's own checks say of the file; empty when it is whole. Writes nothing."""
    connection = connect_reader(path)
    try:
        whole = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MAX_FAULTS})")]
        broken = connection.execute("PRAGMA foreign_key_check").fetchmany(MAX_FAULTS)
        odd = _broken_rules(connection)
    except sqlite3.DatabaseError as error:
        return [f"the database is damaged: {error}"]
    finally:
        connection.close()
    faults = [f"the database is damaged: {line}" for line in whole if line != "ok"]
    for name, row, parent, _ in broken:
        named = f"a row of {name}" if row is None else f"{name} row {row}"  # a clustered table numbers none
        faults.append(f"{named} refers to a missing row of {parent}")
    return faults + odd


def _broken_rules(connection: sqlite3.Connection) -> list[str]:
    """Rows that break a CHECK of their table. SQLite's own checks skip these when the file is opened read-only."""
    found: list[str] = []
    for rule in _rules():
        key = ", ".join(column.name for column in rule.table.primary_key)
        rows = connection.execute(
            f"SELECT {key} FROM {rule.table.name} WHERE NOT ({rule.sqltext})"  # noqa: S608 - our own schema
        ).fetchmany(MAX_FAULTS)
        for row in rows:
            named = ", ".join(map(str, row))
            found.append(f"{rule.table.name} row {named} breaks the rule: {rule.sqltext}")
    return found[:MAX_FAULTS]


def _rules() -> list[CheckConstraint]:
    return [
        rule
        for each in metadata.sorted_tables
        for rule in each.constraints
        if isinstance(rule, CheckConstraint)
    ]


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

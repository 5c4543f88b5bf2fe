"""What is wrong with the file: pages that are damaged, references and rules that are broken, a log that was replaced."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.domain.errors import StoreBroken
from orchestrator.store.backends.sqlite_errors import damaged, explain
from orchestrator.store.backends.sqlite_file import connect_reader

if TYPE_CHECKING:
    from sqlalchemy import CheckConstraint

MAX_FAULTS = 20
WHOLE_BYTES = 8 * 1024 * 1024  # a database up to this size is checked in full at each command: about 20 ms
READ_BY_ALL = ("sessions", "tasks", "edges", "hosts", "leases", "rate_limits", "projections")


class LogWatch:
    """Notices that somebody removed or replaced the log beside a database in use: what we commit would go nowhere.

    Without a file there is nothing to notice: a server looks after its own.
    """

    def __init__(self, file: Path | None) -> None:
        self._files = [] if file is None else [file.with_name(file.name + end) for end in ("-wal", "-shm")]
        self._known: list[int | None] = [None for _ in self._files]

    def check(self) -> None:
        """Raises StoreBroken. Call it while connections are open, which keep the files where they are."""
        found = [inode_and_size(file) for file in self._files]
        for file, known, (now, size) in zip(self._files, self._known, found, strict=True):
            if known not in (None, now):
                done = "replaced" if size else "removed"
                raise StoreBroken(why=f"{file} was {done} while it was in use", fix="never touch these files")
        self._known = [inode for inode, _ in found]

    @property
    def is_replaced(self) -> bool:
        """Whether ours must not be moved into the database any more: another process has a log, or an index, of its own.

        Whoever merely opens the database puts an empty log there. As long as that is with our index, all agree on what is
        moved; with another one, they would go on from pages that they have read already.
        """
        if not self._files:
            return False
        (_, written), (index, _) = map(inode_and_size, self._files)
        return written > 0 or index not in (None, self._known[1])


def inode_and_size(file: Path) -> tuple[int | None, int]:
    """None and 0 for a file that is not there."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None, 0
    return found.st_ino, found.st_size


def refuse_damage(path: Path) -> None:
    """Raises DatabaseDamaged before anything is written into a damaged file, where what was begun would stand still.

    A large database is not checked in full: only what every process reads of it.
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
            checks = ["PRAGMA integrity_check(1)"]
        else:
            checks = [f"PRAGMA quick_check({table})" for table in READ_BY_ALL]
        for check in checks:
            (said,) = connection.execute(check).fetchone()
            if said != "ok":
                raise damaged(path, " ".join(str(said).split()))
    except sqlite3.DatabaseError as error:
        raise explain(error, path) from error
    finally:
        connection.close()


def file_faults(path: Path, rules: Iterable[CheckConstraint]) -> list[str]:
    """What SQLite's own checks say of the file; empty when it is whole. Writes nothing."""
    connection = connect_reader(path)
    try:
        whole = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MAX_FAULTS})")]
        broken = connection.execute("PRAGMA foreign_key_check").fetchmany(MAX_FAULTS)
        odd = _broken_rules(connection, rules)
    except sqlite3.DatabaseError as error:
        return [f"the database is damaged: {error}"]
    finally:
        connection.close()
    faults = [f"the database is damaged: {line}" for line in whole if line != "ok"]
    for name, row, parent, _ in broken:
        named = f"a row of {name}" if row is None else f"{name} row {row}"  # a clustered table numbers none
        faults.append(f"{named} refers to a missing row of {parent}")
    return faults + odd


def _broken_rules(connection: sqlite3.Connection, rules: Iterable[CheckConstraint]) -> list[str]:
    """Rows that break a CHECK of their table. SQLite's own checks skip these when the file is opened read-only."""
    found: list[str] = []
    for rule in rules:
        key = ", ".join(column.name for column in rule.table.primary_key)
        rows = connection.execute(
            f"SELECT {key} FROM {rule.table.name} WHERE NOT ({rule.sqltext})"  # noqa: S608 - our own schema
        ).fetchmany(MAX_FAULTS)
        for row in rows:
            named = ", ".join(map(str, row))
            found.append(f"{rule.table.name} row {named} breaks the rule: {rule.sqltext}")
    return found[:MAX_FAULTS]

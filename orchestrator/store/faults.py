"""What SQLite's errors mean for a person: the fault in our words, and what to do about it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from orchestrator.domain.errors import DatabaseUnusable, DiskFull, StoreError
from orchestrator.store import ballast

ROOM = 64 * 1024  # with less than this, a failed read or write is one for want of room
WAITABLE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_NO_RIGHT = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_MAYBE_NO_ROOM = (
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
)  # the log or its index could not grow, or be made


def code_of(error: sqlite3.Error) -> int:
    """SQLite's primary result code."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def explain(error: sqlite3.Error, path: Path) -> Exception:
    """The fault in our words; a broken constraint stays what it is, since it is a fault of ours."""
    code = code_of(error)
    if isinstance(error, sqlite3.IntegrityError):
        return error
    no_room = code in _MAYBE_NO_ROOM and path.parent.is_dir() and ballast.free_bytes(path) < ROOM
    if code == sqlite3.SQLITE_FULL or no_room:
        return full(path)
    if code in _DAMAGED:
        return DatabaseUnusable(
            "the database is damaged",
            why=str(error),
            fix=f"it is left as it is; restore a copy from {path.parent / 'backups'}",
        )
    if code in _NO_RIGHT:
        return DatabaseUnusable(
            "the database cannot be written",
            why=f"{path}: {error}",
            fix="check the owner and rights of .workflow",
        )
    return StoreError(f"the database failed: {error}", why=str(path))


def full(path: Path) -> DiskFull:
    return DiskFull(why=f"no room left for {path}", fix="free some space, then repeat the command")

"""What SQLite's errors mean for a person: the fault in our words, and what to do about it."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from orchestrator.domain.errors import (
    DatabaseDamaged,
    DatabaseMoved,
    DatabaseUnusable,
    DiskFull,
    NoDescriptors,
    StoreBroken,
    StoreError,
)
from orchestrator.store import ballast, rights

MOVED = "moved to "  # and where, in the place of a revision, and as what every change is refused with
ROOM = 64 * 1024  # with less than this, a failed read or write is one for want of room
WAITABLE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_NO_TEXT = "Could not decode to UTF-8"  # how the driver begins, which gives this error no code
_NO_RIGHT = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_MAYBE_NO_ROOM = (
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
)  # the log or its index could not grow, or be made
_NO_ROOM = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_SHMSIZE,  # the log's index could not grow; by now another process may have made room
)
_UNSYNCED = (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC)


def code_of(error: sqlite3.Error) -> int:
    """SQLite's primary result code."""
    return exact_code(error) & 0xFF


def exact_code(error: sqlite3.Error) -> int:
    """SQLite's extended result code, 0 for an error of the driver's own."""
    return int(getattr(error, "sqlite_errorcode", 0))


def explain(error: sqlite3.Error, path: Path) -> Exception:
    """The fault in our words; a broken constraint stays what it is, since it is an internal error."""
    if exact_code(error) == sqlite3.SQLITE_CONSTRAINT_TRIGGER and str(error).startswith(MOVED):
        return DatabaseMoved(str(error).removeprefix(MOVED))
    if isinstance(error, sqlite3.IntegrityError):
        return error
    if str(error).startswith(_NO_TEXT):
        return damaged(path, str(error))
    exact, code = exact_code(error), code_of(error)
    if exact in _UNSYNCED:  # for want of room too: what was written is in doubt
        return _broken(error, path)
    if code == sqlite3.SQLITE_CANTOPEN and _out_of_descriptors():
        return NoDescriptors(why=f"{path}: {error}", fix="raise the limit: ulimit -n")
    no_room = code in _MAYBE_NO_ROOM and path.parent.is_dir() and ballast.free_bytes(path) < ROOM
    if exact in _NO_ROOM or no_room:
        return full(path)
    if code in _DAMAGED:
        return damaged(path, str(error))
    if code == sqlite3.SQLITE_IOERR:
        return _broken(error, path)
    if code in _NO_RIGHT:
        denied = rights.obstacle(path)
        return DatabaseUnusable(
            "the database cannot be written",
            why=denied.why if denied else f"{path}: {error}",
            fix=denied.fix if denied else "check the owner and rights of .workflow",
        )
    return StoreError(f"the database failed: {error}", why=str(path))


def unreadable(why: str) -> sqlite3.DatabaseError:
    """An error as SQLite's own for a damaged page, for what it took for whole."""
    error = sqlite3.DatabaseError(why)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def damaged(path: Path, why: str) -> DatabaseDamaged:
    return DatabaseDamaged(why=f"{path}: {why}", fix=way_back(path))


def full(path: Path) -> DiskFull:
    return DiskFull(why=f"no room left for {path}", fix="free some space, then repeat the command")


def way_back(path: Path) -> str:
    """What to do with a damaged database: the newest copy of it by name, where there is one."""
    copies = sorted((path.parent / "backups").glob("*.db"), key=lambda file: file.stat().st_mtime)
    if not copies:
        return f"there is no copy in {path.parent / 'backups'}; move it away to begin anew"
    return f"end the coordinator and restore the copy {copies[-1]}"


def _broken(error: sqlite3.Error, path: Path) -> StoreBroken:
    name = getattr(error, "sqlite_errorname", "")
    return StoreBroken(why=f"{path}: {error} ({name})", fix="check the disk, then repeat the command")


def _out_of_descriptors() -> bool:
    try:
        os.close(os.open("/", os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    return False

"""Opening the SQLite file: what is refused, the pragmas, the pools (docs/faults.md).

Writers begin IMMEDIATE, since a read transaction that turns into a write one fails at once whatever the busy timeout.
Readers open the file read-only: they never write, never wait for a writer, and never checkpoint the log on closing.
Only the daemon checkpoints: before SQLite 3.51.3 a checkpoint that races a writer can lose committed pages.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Full, LifoQueue
from urllib.parse import quote

from orchestrator.domain.errors import DatabaseBusy, DatabaseMoved, DatabaseUnusable, StoreError
from orchestrator.store import rights
from orchestrator.store.backends.sqlite_errors import MOVED, WAITABLE, code_of, damaged, unreadable, way_back

APPLICATION_ID = 0x544C4331
SCHEMA = "0011"  # the newest migration; tests hold it against migrations/
BUSY_TIMEOUT_MS = 5_000
FIXED_IN = (3, 51, 3)  # first release without the WAL-reset bug
NETWORK_FILE_SYSTEMS = {
    0x6969: "NFS",
    0xFF534D42: "CIFS",
    0xFE534D42: "SMB2",
    0x517B: "SMB",
    0x01021997: "9p",
    0x65735546: "FUSE",
}


def checkpoint_is_risky() -> bool:
    """Whether this SQLite has the WAL-reset bug (fixed in 3.51.3, 3.50.7 and 3.44.6)."""
    version = sqlite3.sqlite_version_info
    return not (version >= FIXED_IN or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45))


def _file_system_type(directory: Path) -> int | None:
    """The kernel's magic number of the file system below `directory`, None where it cannot be told."""
    if not Path("/proc/self/mountinfo").exists():
        return None
    import ctypes

    buffer = ctypes.create_string_buffer(256)
    if ctypes.CDLL(None, use_errno=True).statfs(os.fsencode(directory), buffer) != 0:
        return None
    return int.from_bytes(buffer.raw[:8], "little") & 0xFFFFFFFF


def refuse_network_file_system(directory: Path) -> None:
    """Raises DatabaseUnusable: SQLite's shared memory and locks do not hold across machines."""
    kind = NETWORK_FILE_SYSTEMS.get(_file_system_type(directory) or 0)
    if kind:
        raise DatabaseUnusable(
            f"the database cannot lie on {kind}",
            why=f"{directory} is a network or user-space file system, where SQLite's locks do not hold",
            fix="put the project, or at least its .workflow directory, on a local disk",
        )


def _uri(path: Path, query: str) -> str:
    return f"file:{quote(os.fsencode(path))}?{query}"  # a path need not be valid text


def connect_writer(
    path: Path, *, synchronous: str = "FULL", journal: str = "wal", checkpointer: bool = False
) -> sqlite3.Connection:
    """A read-write connection with all our settings applied; the file must exist."""
    connection = sqlite3.connect(
        _uri(path, "mode=rw"),
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_MS / 1000,
        cached_statements=512,
    )
    for pragma in (
        f"journal_mode={'WAL' if journal == 'wal' else 'TRUNCATE'}",
        f"synchronous={synchronous}",
        "foreign_keys=ON",
        "recursive_triggers=ON",
        "trusted_schema=OFF",
        "cell_size_check=ON",
        "mmap_size=0",
        "temp_store=MEMORY",
        "journal_size_limit=67108864",
        f"wal_autocheckpoint={1000 if checkpointer and not checkpoint_is_risky() else 0}",
    ):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    if connection.execute("PRAGMA foreign_keys").fetchone() != (1,):
        raise StoreError("this SQLite was built without foreign keys", fix="use another Python")
    return connection


def connect_reader(path: Path) -> sqlite3.Connection:
    """A read-only connection; in a read-only directory without a log, the file is taken as it lies there.

    With `journal = truncate`, a killed writer leaves a journal that only a writer can take back: that is done first.
    """
    connection = sqlite3.connect(
        _uri(path, "mode=ro"),
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_MS / 1000,
        cached_statements=512,
    )
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except UnicodeDecodeError as error:  # SQLite quotes the schema that it cannot parse
        connection.close()
        raise unreadable("the schema is no text") from error
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK and os.access(path, os.W_OK):
            _take_back(path)
            return connect_reader(path)
        if path.with_name(path.name + "-wal").exists() or os.access(path.parent, os.W_OK):
            raise
        connection = sqlite3.connect(
            _uri(path, "immutable=1"), uri=True, isolation_level=None, check_same_thread=False
        )
    connection.execute("PRAGMA query_only=ON")
    return connection


def _take_back(path: Path) -> None:
    """Let SQLite roll back what a killed writer left half done. Raises sqlite3.OperationalError."""
    connection = sqlite3.connect(_uri(path, "mode=rw"), uri=True, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    finally:
        connection.close()


def inspect(path: Path) -> str | None:
    """The schema revision found in the file, None when the file is not there.

    Raises DatabaseUnusable for anything that is not our intact database of this or an older schema; writes nothing.
    """
    fix = way_back(path)
    if not path.exists():
        return None
    if not path.is_file():
        raise DatabaseUnusable(f"{path.name} is not a file", why=str(path), fix=fix)
    denied = rights.obstacle(path, rights.READ)
    if denied is not None:
        raise DatabaseUnusable(f"{path.name} cannot be read", why=denied.why, fix=denied.fix)
    if path.stat().st_size == 0:
        raise DatabaseUnusable(f"{path.name} is empty", why=f"{path} has no bytes", fix=fix)
    try:
        connection = connect_reader(path)
    except sqlite3.Error as error:
        if code_of(error) in WAITABLE:
            raise busy(path, BUSY_TIMEOUT_MS / 1000) from error
        if code_of(error) == sqlite3.SQLITE_CORRUPT:
            raise damaged(path, str(error)) from error
        raise DatabaseUnusable(f"{path.name} cannot be opened", why=str(error), fix=fix) from error
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
        ).fetchone()
        if application != APPLICATION_ID or not tables:
            raise DatabaseUnusable(f"{path.name} belongs to another program", why=str(path), fix=fix)
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise damaged(path, str(error)) from error
    finally:
        connection.close()
    if row is None:
        raise DatabaseUnusable(
            f"{path.name} was left half migrated", why="it names no schema revision", fix=fix
        )
    found = str(row[0])
    if found.startswith(MOVED):
        raise DatabaseMoved(found.removeprefix(MOVED))
    if found > SCHEMA:
        raise DatabaseUnusable(
            "the database is newer than this program",
            why=f"it has schema {found}, this program knows {SCHEMA}",
            fix="install the newer version of team-lifecycle",
        )
    return found


def other_schema(found: str | None) -> DatabaseUnusable:
    """The error for a database that this program has not upgraded: its coordinator is of an earlier version."""
    return DatabaseUnusable(
        "the database was not upgraded to this version of the program",
        why=f"it has schema {found or 'none'}, this program needs {SCHEMA}",
        fix="`lifecycle check` upgrades it and replaces the coordinator",
    )


class Readers:
    """Connections for queries: as many as are asked for at once, of which `kept` stay open."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], kept: int) -> None:
        self._connect = connect
        self._free: LifoQueue[sqlite3.Connection] = LifoQueue(kept)
        self._lock = threading.Lock()  # between what is put back and `close`
        self._round = 0  # how often it was closed: what was taken before is closed when it comes back

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        round = self._round
        try:
            found = self._free.get_nowait()
        except Empty:
            found = self._connect()
        try:
            yield found
        finally:
            self._put_back(found, round)

    def _put_back(self, found: sqlite3.Connection, round: int) -> None:
        with self._lock:
            # An interrupt may have kept the end of its transaction from running: the next one could not begin.
            if round == self._round and not found.in_transaction:
                with suppress(Full):
                    self._free.put_nowait(found)
                    return
        found.close()

    def close(self) -> None:
        """Close those that nobody uses now, the others when they come back."""
        with self._lock:
            self._round += 1
        while True:
            try:
                self._free.get_nowait().close()
            except Empty:
                return


def lock_holders(path: Path) -> list[int]:
    """Pids that hold a lock on the database file or its log's index, as far as the kernel tells."""
    inodes = {
        file.stat().st_ino for suffix in ("", "-shm") if (file := path.with_name(path.name + suffix)).exists()
    }
    locks = Path("/proc/locks")
    if not locks.exists():
        return []
    found: set[int] = set()
    for line in locks.read_text().splitlines():
        fields = line.split()
        if len(fields) < 6 or fields[3] != "WRITE":
            continue
        pid, inode = fields[4], fields[5].rpartition(":")[2]
        if inode.isdigit() and int(inode) in inodes and pid not in (str(os.getpid()), "0", "-1"):
            found.add(int(pid))
    return sorted(found)


def busy(path: Path, waited: float) -> DatabaseBusy:
    """The error that names who holds the database, after that many seconds."""
    named = ", ".join(map(str, lock_holders(path))) or "unknown"
    return DatabaseBusy(
        why=f"waited {waited:.0f} s; holder: pid {named}",
        fix="end that process, or wait for it, and repeat the command",
    )

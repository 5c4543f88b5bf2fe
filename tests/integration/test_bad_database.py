"""Databases that were harmed, filled up or edited (docs/bad-inputs.md, 50-58): recovered or refused, never made worse."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.commands.repair import repair
from orchestrator.config import resources
from orchestrator.config.settings import Settings
from orchestrator.domain.errors import DatabaseUnusable, DiskFull, LifecycleError, UnknownName
from orchestrator.domain.pauses import PauseReason
from orchestrator.project import Project, open_for_writing
from orchestrator.store import ballast, sessions, tasks
from orchestrator.store.backends import sqlite_file
from orchestrator.store.backends.sqlite_migrate import NEW_SCHEMA, ensure_schema
from orchestrator.store.store import Store
from orchestrator.store.task_states import task_state
from tests import factories, invariants


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = factories.make_store(tmp_path)
    yield made
    made.close()


def count(store: Store) -> int:
    return len(store.read(sessions.all_sessions))


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


# 51: the files beside the database


def settled(store: Store) -> Path:
    """A database with one session, everything of it in the main file."""
    factories.make_session(store, "Kept work")
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    return store.path


def logged(store: Store) -> Path:
    """The same with a second session that stands in the log only, as after a kill."""
    path = settled(store)
    held = Store(path)
    factories.make_session(held, "Work in the log")
    for suffix in ("", "-wal", "-shm"):
        beside(path, suffix + ".copy").write_bytes(beside(path, suffix).read_bytes())
    held.close()
    for suffix in ("", "-wal", "-shm"):
        beside(path, suffix + ".copy").replace(beside(path, suffix))
    return path


HARM: dict[str, Callable[[Path], object]] = {
    "log deleted": lambda path: beside(path, "-wal").unlink(),
    "log emptied": lambda path: beside(path, "-wal").write_bytes(b""),
    "log of rubbish": lambda path: beside(path, "-wal").write_bytes(os.urandom(40_000)),
    "log cut in the middle": lambda path: os.truncate(
        beside(path, "-wal"), beside(path, "-wal").stat().st_size // 2 + 7
    ),
    "index of rubbish": lambda path: beside(path, "-shm").write_bytes(os.urandom(32_768)),
    "index deleted": lambda path: beside(path, "-shm").unlink(),
    "journal of rubbish": lambda path: beside(path, "-journal").write_bytes(os.urandom(4_096)),
}


@pytest.mark.parametrize("harm", HARM.values(), ids=[f"51 {name}" for name in HARM])
def test_harm_beside_the_database_is_recovered_from_or_refused(
    store: Store, harm: Callable[[Path], object]
) -> None:
    path = logged(store)
    harm(path)
    again = Store(path)

    try:
        sqlite_file.inspect(path)
        found = {row.title for row in again.read(sessions.all_sessions)}
        factories.make_session(again, "Later work")
    except DatabaseUnusable:
        found = {"Kept work"}  # refused, and nothing was overwritten: the main file still holds it
    again.close()

    assert found in ({"Kept work"}, {"Kept work", "Work in the log"})
    invariants.check(path)


KILLED_IN_COMMIT = """
import os, signal, sys
from pathlib import Path
from orchestrator.store.backends.sqlite_file import connect_writer
connection = connect_writer(Path(sys.argv[1]), journal="truncate")
connection.execute("PRAGMA cache_spill=1").fetchall()
connection.execute("PRAGMA cache_size=2").fetchall()
connection.execute("BEGIN IMMEDIATE")
for number in range(300):
    connection.execute("INSERT INTO contents (sha256, size, body) VALUES (?, ?, ?)", (f"{number:064}", 2000, bytes(2000)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_51_what_a_killed_writer_left_half_done_is_taken_back_by_the_first_look(store: Store) -> None:
    path = settled(store)
    killed = subprocess.run([sys.executable, "-c", KILLED_IN_COMMIT, str(path)], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert beside(path, "-journal").stat().st_size > 0  # the test is about this

    found = sqlite_file.inspect(path)

    assert found == sqlite_file.SCHEMA
    again = Store(path, journal="truncate")
    assert count(again) == 1
    again.close()
    invariants.check(path)


def test_53_a_database_held_for_itself_by_another_is_named_with_its_pid(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settled(store)
    monkeypatch.setattr(sqlite_file, "BUSY_TIMEOUT_MS", 200)
    hold = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA locking_mode=EXCLUSIVE');"
        "c.execute('PRAGMA journal_mode=DELETE'); c.execute('BEGIN EXCLUSIVE'); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()

        with pytest.raises(LifecycleError) as refused:
            sqlite_file.inspect(path)

        holder.kill()
    assert f"pid {holder.pid}" in refused.value.why


# 54: no room


class Room:
    """Lets the store's database grow no further, as on a full disk, until it is given back."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def end(self) -> None:
        with self._store.backend._write_lock:
            connection = self._store.backend._writer()
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count={pages}").fetchall()

    def give(self) -> None:
        with self._store.backend._write_lock:
            self._store.backend._writer().execute("PRAGMA max_page_count=1000000").fetchall()


LARGE = "word " * 20_000


def test_54_a_full_disk_is_told_and_nothing_is_half_done(store: Store) -> None:
    factories.make_session(store, "Kept work")
    Room(store).end()

    with pytest.raises(DiskFull):
        factories.make_session(store, LARGE)

    assert count(store) == 1
    Room(store).give()
    factories.make_session(store, LARGE)
    assert count(store) == 2
    invariants.check(store.path)


def test_54_the_pause_is_written_with_the_room_of_the_ballast(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = factories.make_session(store, "Some work")
    assert ballast.keep(store.path)
    room = Room(store)
    room.end()
    remove = ballast.give_up

    def give_up(path: Path) -> bool:
        room.give()
        return remove(path)

    monkeypatch.setattr(ballast, "give_up", give_up)
    detail = {"error": LARGE}

    with pytest.raises(DiskFull):
        store.write(lambda tx: sessions.pause(tx, session, PauseReason.DISK, detail))
    kept = ballast.is_there(store.path)
    store.write(lambda tx: sessions.pause(tx, session, PauseReason.DISK, detail), use_ballast=True)

    assert kept  # an ordinary write leaves it alone
    assert not ballast.is_there(store.path)
    row = store.read(lambda tx: sessions.get(tx, session))
    assert (row.status, row.pause_reason) == ("paused", "disk")  # type: ignore[union-attr]
    invariants.check(store.path)


def test_54_without_a_ballast_the_full_disk_is_told_at_last(store: Store) -> None:
    session = factories.make_session(store, "Some work")
    Room(store).end()

    with pytest.raises(DiskFull):
        store.write(
            lambda tx: sessions.pause(tx, session, PauseReason.DISK, {"error": LARGE}), use_ballast=True
        )

    assert store.read(lambda tx: sessions.get(tx, session)).status == "active"  # type: ignore[union-attr]


def test_54_the_ballast_is_not_made_of_the_room_it_has_just_given(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ballast, "free_bytes", lambda path: ballast.BYTES)

    assert not ballast.keep(store.path)
    monkeypatch.undo()
    assert ballast.keep(store.path)
    assert ballast.keep(store.path)  # once is enough
    assert (store.workflow / "ballast").stat().st_blocks * 512 >= ballast.LEAST  # no sparse file


def test_54_a_new_database_without_room_leaves_nothing(tmp_path: Path) -> None:
    migrations, folder = tmp_path / "migrations", tmp_path / "project"
    migrations.mkdir()
    script = (resources() / "migrations" / NEW_SCHEMA).read_text(encoding="utf-8")
    (migrations / NEW_SCHEMA).write_text(f"PRAGMA max_page_count=9;\n{script}")

    with pytest.raises(DiskFull):
        ensure_schema(folder / "lifecycle.db", migrations)

    assert [file.name for file in folder.iterdir()] == ["migrate.lock"]


# 64: file systems whose locks do not hold


@pytest.mark.parametrize(
    "kind",
    sqlite_file.NETWORK_FILE_SYSTEMS,
    ids=[f"64 {name}" for name in sqlite_file.NETWORK_FILE_SYSTEMS.values()],
)
@pytest.mark.parametrize("made", [False, True], ids=["new", "there already"])
def test_a_database_on_a_network_file_system_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: int, made: bool
) -> None:
    project = Project(tmp_path)
    if made:
        factories.make_store(tmp_path).close()
    monkeypatch.setattr(sqlite_file, "_file_system_type", lambda directory: kind)

    with pytest.raises(DatabaseUnusable, match=sqlite_file.NETWORK_FILE_SYSTEMS[kind]):
        open_for_writing(project, Settings())

    assert project.file.exists() == made


# 58: rows edited by hand

REFUSED = {
    "unknown status of a task": "UPDATE tasks SET status = 'donee'",
    "paused without a reason": "UPDATE sessions SET status = 'paused'",
    "negative attempts": "UPDATE tasks SET attempts = -1",
    "orphan edge": "UPDATE edges SET blocker_id = 999999",
    "self edge": "UPDATE edges SET blocker_id = task_id",
    "task of no session": "UPDATE tasks SET session_id = 'TLS-nobody'",
    "same key twice": "UPDATE tasks SET key = 'DRAFT-001'",
    "two open runs": (
        "INSERT INTO runs (id, session_id, task_id, epoch, host, opened_by, loop, lease_until, opened_at, timings) "
        "SELECT 'again', session_id, task_id, epoch + 1, host, opened_by, loop, lease_until, opened_at, timings "
        "FROM runs WHERE outcome IS NULL"
    ),
    "text for a number": "UPDATE tasks SET epoch = 'soon'",
    "number for a name": "UPDATE tasks SET role = x'00'",
    "no session at all": "DELETE FROM sessions",
}


@pytest.fixture
def worked(store: Store) -> str:
    """A session whose first task is done and whose second is under way."""
    session = factories.make_session(store, "Some work")
    lead = factories.lead(store)
    host = factories.make_host(store)
    factories.one_beat(store, session, lead)
    row = factories.claim(store, host)
    assert row is not None
    factories.finish(store, row)
    return session


@pytest.mark.parametrize("statement", REFUSED.values(), ids=[f"58 {name}" for name in REFUSED])
def test_a_row_that_cannot_be_is_refused_by_the_schema(store: Store, worked: str, statement: str) -> None:
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA foreign_keys=ON")

    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)

    connection.rollback()
    connection.close()
    assert len(store.read(lambda tx: tasks.all_tasks(tx, worked))) == 6


FORCED = {
    "unknown status of a task": ("UPDATE tasks SET status = 'donee' WHERE key = 'DRAFT-004'", "tasks row"),
    "unknown status of a session": ("UPDATE sessions SET status = 'asleep'", "sessions row"),
    "unknown reason": ("UPDATE sessions SET status = 'paused', pause_reason = 'tired'", "sessions row"),
    "orphan edge": (
        "UPDATE edges SET blocker_id = 999999 WHERE task_id = (SELECT max(task_id) FROM edges)",
        "a row of edges",
    ),
    "lost content": ("DELETE FROM contents", "content"),
}


@pytest.mark.parametrize(("statement", "named"), FORCED.values(), ids=[f"58 {name}" for name in FORCED])
def test_a_row_forced_past_the_schema_is_named_by_repair_and_left_alone(
    store: Store, worked: str, statement: str, named: str
) -> None:
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("PRAGMA ignore_check_constraints=ON")
    connection.execute(statement)
    connection.commit()
    before = list(connection.iterdump())

    found = repair(store, worked)

    assert any(named in fault for fault in found["faults"]), found["faults"]
    assert list(connection.iterdump()) == before
    connection.close()


def test_58_a_value_that_is_none_is_told_with_the_known_ones(store: Store, worked: str) -> None:
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA ignore_check_constraints=ON")
    connection.execute("UPDATE tasks SET status = 'donee' WHERE key = 'DRAFT-004'")
    connection.commit()
    connection.close()

    with pytest.raises(UnknownName, match="donee") as told:
        store.read(lambda tx: [task_state(row) for row in tasks.all_tasks(tx, worked)])

    assert "in_progress" in told.value.why
    assert "repair" in told.value.fix

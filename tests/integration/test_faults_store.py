"""Faults under the store: a failing disk, a removed log, a damaged page, jumping clocks, no descriptors (docs/faults.md)."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import structlog

from orchestrator.coordinator.failures import Failures
from orchestrator.coordinator.leadership import Leader
from orchestrator.domain.errors import DatabaseUnusable, DiskFull, StoreBroken
from orchestrator.lifecycle import report
from orchestrator.store import artifacts, ballast, files, leases, queries, sessions
from orchestrator.store.backends import sqlite_backups
from orchestrator.store.backends.sqlite_integrity import LogWatch
from orchestrator.store.store import Store
from tests import factories, invariants
from tests.runtime_harness import RuntimeHarness

HOUR = 3600
ROOT = Path(__file__).parents[2]
FIU = shutil.which("fiu-run")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = factories.make_store(tmp_path)
    yield made
    made.close()


def titles(store: Store) -> list[str]:
    return [row.title for row in store.read(sessions.all_sessions)]


# a disk that fails

WRITER = """
import sys
from pathlib import Path
from orchestrator.domain.errors import StoreBroken
from orchestrator.store.store import Store
from tests import factories
store = Store(Path(sys.argv[1]), checkpointer=True)
try:
    for number in range(1000):
        session = factories.make_session(store, f"Work {sys.argv[2]} {number}")
        print("acked", session, flush=True)
        if number % 7 == 6:
            store.checkpoint()
except StoreBroken as broken:
    print("broken", broken.why, flush=True)
    for again in (lambda: factories.make_session(store, "Too late"), store.checkpoint, lambda: store.read(lambda tx: 1)):
        try:
            again()
        except StoreBroken:
            continue
        sys.exit("it went on with the same handles")
    sys.exit(7)
"""


@pytest.mark.skipif(FIU is None, reason="fiu-run is missing: apt install fiu-utils")
@pytest.mark.parametrize(("call", "share"), [("sync/*", 0.04), ("rw/pwrite", 0.002)], ids=["sync", "write"])
def test_after_a_disk_error_the_process_writes_no_more_and_a_new_one_finds_all_that_was_acknowledged(
    store: Store, call: str, share: float
) -> None:
    store.close()
    acked: list[str] = []
    ended = []

    for life in range(3):
        fault = f"enable_random name=posix/io/{call},probability={share},failinfo={errno.EIO}"
        done = subprocess.run(
            [str(FIU), "-x", "-f", "", "-c", fault, sys.executable, "-c", WRITER, str(store.path), str(life)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        acked += [line.split()[1] for line in done.stdout.splitlines() if line.startswith("acked")]
        ended.append((done.returncode, done.stdout[-300:], done.stderr[-500:]))

    found = Store(store.path)
    known = {row.id for row in found.read(sessions.all_sessions)}
    found.close()
    assert sum(code == 7 for code, _, _ in ended) >= 1, ended
    assert all(code in (0, 1, 7) for code, _, _ in ended), ended  # 1: already its opening failed
    assert "it went on" not in str(ended)
    assert set(acked) - known == set()
    assert len(acked) >= 5
    invariants.check(store.path)


def test_an_error_of_the_disk_while_contents_are_kept_gives_the_run_back_uncharged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = RuntimeHarness(tmp_path)

    def fail(database: Path, body: bytes) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(artifacts, "keep_large", fail)
        harness.run()

    state = harness.state()
    assert (state.status, state.pause_reason) == ("paused", "disk")
    assert harness.rows("SELECT outcome, counted FROM runs") == [("released", 0)]
    invariants.check(harness.store.path)


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_content_or_file_that_cannot_be_synced_leaves_no_trace_and_the_next_try_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    large = b"x" * (artifacts.IN_DATABASE + 1)
    database = tmp_path / "lifecycle.db"
    files.write(tmp_path, "spec.md", b"old")

    def fail(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match=os.strerror(number)):
            artifacts.keep_large(database.parent, large)
        with pytest.raises(OSError, match=os.strerror(number)):
            files.write(tmp_path, "spec.md", b"new")
    left = [file for file in tmp_path.rglob("*") if file.is_file()]
    artifacts.keep_large(database.parent, large)
    files.write(tmp_path, "spec.md", b"new")

    assert left == [tmp_path / "spec.md"]
    assert (tmp_path / "spec.md").read_bytes() == b"new"
    (kept,) = (tmp_path / "contents").rglob(artifacts.digest_of(large))
    assert kept.read_bytes() == large


LIMITED_LOG = """
import resource, sys
from pathlib import Path
from orchestrator import log
logger = log.configure(Path(sys.argv[1]))
logger.info("before")
resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
logger.info("lost")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
logger.info("after")
"""


def test_a_log_that_cannot_grow_loses_its_lines_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "daemon.jsonl"

    done = subprocess.run(
        [sys.executable, "-c", LIMITED_LOG, str(file)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )

    said = file.read_text()
    assert done.returncode == 0, done.stderr
    assert "before" in said
    assert "after" in said


# the log beside the database, removed in use

REMOVED = {"log": ["-wal"], "index": ["-shm"], "both": ["-wal", "-shm"]}


@pytest.mark.parametrize("suffixes", REMOVED.values(), ids=REMOVED)
def test_a_log_removed_in_use_is_noticed_and_what_it_held_is_kept(store: Store, suffixes: list[str]) -> None:
    watch = LogWatch(store.path)
    factories.make_session(store, "Kept work")
    watch.check()
    watch.check()
    for suffix in suffixes:
        store.path.with_name(store.path.name + suffix).unlink()

    with pytest.raises(StoreBroken, match="The disk failed") as told:
        watch.check()
    store.give_up(told.value.why)
    if not watch.is_replaced:
        store.checkpoint(last=True)

    assert "removed while it was in use" in told.value.why
    with pytest.raises(StoreBroken):
        factories.make_session(store, "Too late")
    store.close()
    again = Store(store.path)
    assert titles(again) == ["Kept work"]
    factories.make_session(again, "Later work")
    again.close()
    invariants.check(store.path)


def test_a_removed_log_is_kept_when_a_failed_read_has_noticed_it_first(store: Store) -> None:
    failures = Failures(
        store, Leader(store, 30.0, structlog.get_logger(), lambda: None), structlog.get_logger()
    )
    factories.make_session(store, "Kept work")
    failures.check_log()  # as at each round of the coordinator
    store.path.with_name(store.path.name + "-wal").unlink()

    other = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.OperationalError):
        other.execute(
            "SELECT id FROM sessions"
        )  # an empty log is there now, with the index of the removed one
    with pytest.raises(StoreBroken, match="The disk failed"):
        store.watch()  # reads with a new connection
    is_lost = failures.has_lost_log()
    failures.save_log()

    assert is_lost
    store.close()  # with another connection open, SQLite moves nothing by itself
    other.close()
    again = Store(store.path)
    assert titles(again) == ["Kept work"]
    again.close()
    invariants.check(store.path)


OPENED = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute("SELECT count(*) FROM sessions").fetchall()
print("open", flush=True)
sys.stdin.readline()
other.execute("UPDATE sessions SET title = 'Work of another'")
other.close()
"""


SEEN = """
import sqlite3, sys
found = sqlite3.connect(sys.argv[1])
print(*(found.execute(sql).fetchall() for sql in ("PRAGMA integrity_check", "SELECT title FROM sessions")))
"""


def test_a_removed_log_is_not_moved_under_a_process_with_an_index_of_its_own(store: Store) -> None:
    watch = LogWatch(store.path)
    factories.make_session(store, "Kept work")
    store.checkpoint()
    for number in range(40):
        factories.make_session(store, f"Lost work {number}")
    watch.check()
    for suffix in REMOVED["both"]:
        store.path.with_name(store.path.name + suffix).unlink()
    with subprocess.Popen(
        [sys.executable, "-c", OPENED, str(store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == b"open\n"

        is_replaced = watch.is_replaced
        if not is_replaced:
            store.checkpoint(last=True)
        other.communicate(b"\n", timeout=60)

    assert is_replaced
    seen = subprocess.run(
        [sys.executable, "-c", SEEN, str(store.path)], capture_output=True, text=True, timeout=60
    )
    assert seen.stdout == "[('ok',)] [('Work of another',)]\n", seen.stderr


def test_a_removed_log_is_kept_as_soon_as_a_reader_of_what_was_before_has_ended(store: Store) -> None:
    failures = Failures(
        store, Leader(store, 30.0, structlog.get_logger(), lambda: None), structlog.get_logger()
    )
    factories.make_session(store, "First")
    reader = sqlite3.connect(store.path, isolation_level=None, check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sessions").fetchall()
    factories.make_session(store, "Second")
    failures.check_log()
    store.path.with_name(store.path.name + "-wal").unlink()
    assert failures.has_lost_log()
    at_first = store.checkpoint(last=True)
    end = threading.Timer(0.2, reader.rollback)

    end.start()
    failures.save_log()
    end.join()

    assert not at_first
    reader.close()
    store.close()
    again = Store(store.path)
    assert titles(again) == ["First", "Second"]
    again.close()


ANOTHER = """
import os, sys
from pathlib import Path
from orchestrator.store.store import Store
from tests import factories
store = Store(Path(sys.argv[1]))
factories.make_session(store, "Work of another")
os._exit(0)  # leaves its log as a killed process does
"""


def test_a_log_that_another_process_has_written_is_not_overwritten(store: Store) -> None:
    watch = LogWatch(store.path)
    factories.make_session(store, "Kept work")
    store.checkpoint()
    factories.make_session(store, "Lost work")
    watch.check()
    for suffix in REMOVED["both"]:
        store.path.with_name(store.path.name + suffix).unlink()
    other = subprocess.run(
        [sys.executable, "-c", ANOTHER, str(store.path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )

    assert other.returncode == 0
    with pytest.raises(StoreBroken, match="The disk failed") as told:
        watch.check()

    assert "replaced while it was in use" in told.value.why
    assert watch.is_replaced


# a damaged page, and the daily copy


def damage(path: Path) -> None:
    """Spoil the pages behind the first with everything in the main file."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sessions'").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)


def test_the_database_is_copied_once_a_day_and_three_copies_are_kept(store: Store) -> None:
    factories.make_session(store, "Kept work")
    now = time.time()

    first = sqlite_backups.daily(store.path, now)
    again = sqlite_backups.daily(store.path, now + HOUR)
    for day in range(1, 6):
        made = sqlite_backups.daily(store.path, now + day * 25 * HOUR)
        assert made is not None
        os.utime(made, (now + day * 25 * HOUR,) * 2)

    assert first is not None
    assert again is None
    kept = sorted((store.workflow / "backups").iterdir())
    assert len(kept) == sqlite_backups.KEPT
    assert first not in kept
    copy = Store(kept[-1])
    assert titles(copy) == ["Kept work"]
    copy.close()
    assert kept[-1].stat().st_mode & 0o077 == 0


def test_a_damaged_page_is_refused_names_the_newest_copy_and_never_replaces_a_good_one(store: Store) -> None:
    factories.make_session(store, "Kept work")
    now = time.time()
    good = sqlite_backups.daily(store.path, now)
    store.close()
    damage(store.path)
    before = store.path.read_bytes()
    spoilt = Store(store.path)

    with pytest.raises(DatabaseUnusable, match="damaged") as looked:
        spoilt.read(sessions.all_sessions)
    with pytest.raises(DatabaseUnusable, match="damaged") as changed:
        factories.make_session(spoilt, "More work")
    with pytest.raises(DatabaseUnusable, match="damaged") as copied:
        sqlite_backups.daily(store.path, now + 25 * HOUR)

    spoilt.close()
    assert good is not None
    for told in (looked, changed, copied):
        assert str(good) in told.value.fix
    assert sorted((store.workflow / "backups").iterdir()) == [good]
    assert store.path.read_bytes() == before
    store.path.write_bytes(good.read_bytes())  # as the message says
    restored = Store(store.path)
    assert titles(restored) == ["Kept work"]
    restored.close()
    invariants.check(store.path)


def test_a_copy_that_is_read_but_not_whole_replaces_no_good_one(store: Store) -> None:
    factories.make_session(store, "Kept work")
    now = time.time()
    good = sqlite_backups.daily(store.path, now)
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    query = "SELECT rootpage FROM sqlite_master WHERE name = 'ix_sessions_status'"
    (page,) = connection.execute(query).fetchone()
    connection.close()
    spoilt = bytearray(store.path.read_bytes())
    index = slice((page - 1) * 4096, page * 4096)
    assert b"active" in spoilt[index]
    spoilt[index] = spoilt[index].replace(b"active", b"actixe")
    store.path.write_bytes(spoilt)  # an index that no longer fits its table: every page can be read

    with pytest.raises(DatabaseUnusable, match="damaged") as told:
        sqlite_backups.daily(store.path, now + 25 * HOUR)

    assert str(good) in told.value.fix
    assert sorted((store.workflow / "backups").iterdir()) == [good]


def test_without_a_copy_the_refusal_says_that_there_is_none(store: Store) -> None:
    factories.make_session(store)
    store.close()
    damage(store.path)
    spoilt = Store(store.path)

    with pytest.raises(DatabaseUnusable) as told:
        spoilt.read(sessions.all_sessions)

    spoilt.close()
    assert "there is no copy" in told.value.fix


def test_no_copy_is_made_of_the_last_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ballast, "free_bytes", lambda path: ballast.BYTES)

    with pytest.raises(DiskFull):
        sqlite_backups.daily(store.path, time.time())

    assert not list((store.workflow / "backups").glob("*"))


# clocks


def set_the_clock_to_and_fro(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wall clock is put an hour forward and back, look by look."""
    real, looks = time.time_ns, count()

    def jumpy() -> int:
        return real() + (HOUR, 0, -HOUR)[next(looks) % 3] * 1_000_000_000

    monkeypatch.setattr(time, "time_ns", jumpy)


WALL_TIMES = ("3 ", "12 ", "29 no run")  # these compare moments that such a clock has put out of order


def test_a_clock_that_jumps_by_an_hour_ends_no_lease_loses_no_task_and_keeps_the_order_of_messages(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_the_clock_to_and_fro(monkeypatch)
    session = factories.make_session(store)
    lead = factories.lead(store, seconds=30)
    host = factories.make_host(store)
    lost = []

    while factories.one_beat(store, session, lead).ended is None:
        row = factories.claim(store, host)
        while row is not None:
            alive, gone = store.write(lambda tx, run=row.run: leases.renew(tx, host, [run], 30))  # type: ignore[misc]
            store.write(lambda tx: leases.keep_lead(tx, lead.holder, lead.epoch, 30))
            lost += [] if alive and not gone else [row.key]
            lost += [run.key for run, _ in store.read(leases.overdue_runs)]
            gate = {"gate": "PASS", "score": 90.0, "data": {}} if row.prefix == "QUALITY" else None
            row = factories.finish(store, row, gate=gate).next

    connection = sqlite3.connect(store.path)
    stories = connection.execute("SELECT outcome, count(*) FROM runs GROUP BY outcome").fetchall()
    said = [kind for (kind,) in connection.execute("SELECT type FROM messages ORDER BY number")]
    connection.close()
    broken = {each for each in invariants.offenders(store.path) if not each.startswith(WALL_TIMES)}
    assert lost == []
    assert stories == [("completed", 6)]
    # the order of what happened, whatever the clock said
    assert [kind for kind in said if kind in ("created", "completed")] == ["created", "completed"]
    assert said[0] == "created"
    assert broken == set()


def test_a_delay_that_a_clock_put_back_has_made_too_long_ends_and_a_right_one_stays(tmp_path: Path) -> None:
    harness = RuntimeHarness(tmp_path)
    row = harness.claim()
    harness.store.write(
        lambda tx: report.fail(
            tx, row, "died", counted=True, backoff=[20.0], timings={}, pause=None, detail={}
        )
    )
    before = harness.task("RESEARCH-001").not_before

    kept = harness.store.write(lambda tx: queries.hasten(tx, 20.0))
    harness.sql(
        f"UPDATE tasks SET not_before = not_before + {HOUR * leases.SECOND} WHERE not_before IS NOT NULL"
    )
    ended = harness.store.write(lambda tx: queries.hasten(tx, 20.0))

    assert (kept, ended) == (0, 1)
    assert harness.task("RESEARCH-001").not_before < before
    harness.beat()
    assert factories.claim(harness.store, "h-1") is not None


# descriptors

NO_DESCRIPTORS = """
import os, resource, sys
from pathlib import Path
from orchestrator.domain.errors import NoDescriptors
from orchestrator.store import sessions
from orchestrator.store.store import Store
from tests import factories
store = Store(Path(sys.argv[1]))
factories.make_session(store, "First work")
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
used = max(int(name) for name in os.listdir("/proc/self/fd")) + 1
resource.setrlimit(resource.RLIMIT_NOFILE, (used - 1, hard))
try:
    store.read(sessions.all_sessions)
except NoDescriptors as refused:
    print(refused.what, "ulimit" in refused.fix)
factories.make_session(store, "Second work")
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
print(len(store.read(sessions.all_sessions)))
"""


def test_without_descriptors_a_look_is_refused_with_the_reason_and_works_again_when_there_are_some(
    store: Store,
) -> None:
    store.close()

    done = subprocess.run(
        [sys.executable, "-c", NO_DESCRIPTORS, str(store.path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["This process cannot open any further file. True", "2"]

"""Faults around the real processes: a disk that fails, a held database, no descriptors, lost files (docs/faults.md)."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from time import monotonic

import pytest

from orchestrator import wakeup
from orchestrator.store.backends import sqlite_backups
from orchestrator.store.backends.sqlite import project_id
from orchestrator.store.backends.sqlite_backend import BUSY_SECONDS
from orchestrator.store.clock import process_start
from tests.e2e.support import Lifecycle, agent_toml, lifecycle
from tests.e2e.test_bad_disk import REQUEST, Gate

pytestmark = pytest.mark.long

FIU = shutil.which("fiu-run")
SHORT = {"discuss": "off"}
TICKS = os.sysconf("SC_CLK_TCK")


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


def leader(life: Lifecycle) -> int:
    return int(life.rows("SELECT pid FROM leases")[0][0])


def host(life: Lifecycle) -> int:
    """The newest worker host's process."""
    return int(life.rows("SELECT pid FROM hosts ORDER BY started_at DESC LIMIT 1")[0][0])


def completed(life: Lifecycle) -> bool:
    return life.status() == ("completed", None)


def older_than(pid: int, seconds: float) -> bool:
    started = process_start(pid)
    assert started is not None, "it has ended"
    return monotonic() - started / TICKS > seconds


class Faulty:
    """Processes whose system calls can be made to fail while they run."""

    def __init__(self, life: Lifecycle, control: Path) -> None:
        self._control = control
        shown = subprocess.run(
            [str(FIU), "-x", "-f", str(control), "env"], capture_output=True, text=True, check=True
        ).stdout
        found = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
        life.environment |= {
            name: value for name, value in found.items() if name.startswith("FIU_") or name == "LD_PRELOAD"
        }

    def fail(self, pid: int, calls: str) -> None:
        command = f"enable name=posix/io/{calls},failinfo={errno.EIO}"
        subprocess.run(
            ["fiu-ctrl", "-f", str(self._control), "-c", command, str(pid)], check=True, timeout=30
        )


@pytest.mark.skipif(FIU is None, reason="fiu-run is missing: apt install fiu-utils")
@pytest.mark.parametrize("victim", [leader, host], ids=["daemon", "host"])
def test_a_process_whose_disk_fails_ends_with_a_clear_line_and_its_successor_finishes_the_session(
    tmp_path: Path, gate: Gate, victim: object
) -> None:
    with lifecycle(tmp_path / "p", SHORT, extra=gate.toml) as life:
        faulty = Faulty(life, tmp_path / "control")
        gate.start(life)
        before = leader(life), host(life)
        failing = victim(life)  # type: ignore[operator]
        life.wait(lambda: older_than(leader(life), 3.0), "the coordinator has stood for a while")

        faulty.fail(failing, "sync/*")
        life.wait(lambda: process_start(failing) is None, "it ends")
        life.wait(lambda: victim(life) != failing, "another takes its place")  # type: ignore[operator]
        gate.open()

        life.wait(lambda: completed(life), "the session is completed")
        changed = [old != new for old, new in zip(before, (leader(life), host(life)), strict=True)]
        assert changed == ([True, False] if victim is leader else [False, True])
        assert "SQLITE_IOERR_FSYNC" in life.logs()
        assert ('"daemon_failed"' if victim is leader else '"disk_failed"') in life.logs()
        assert life.story("RESEARCH-001")[-1] == "completed"


HOLD = (
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
    "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
)


@contextmanager
def held(database: Path) -> Iterator[int]:
    """Another process holds the write lock; its pid."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield holder.pid
        holder.kill()


@pytest.mark.timeout(240)
def test_a_database_held_for_longer_than_commands_wait_and_leases_last_is_gone_on_with_afterwards(
    tmp_path: Path, gate: Gate
) -> None:
    with lifecycle(tmp_path / "p", SHORT, extra=gate.toml) as life:
        session = gate.start(life)
        daemon, first_host = leader(life), host(life)
        with held(life.database) as holder:
            refused = life.spawn("feedback", "mind the vision")
            assert refused.stderr is not None
            line = refused.stderr.readline()
            life.wait(lambda: not life.marked(), "the watchdog has ended the agents of the run")
            patient = life.spawn("pause")
            assert patient.stderr is not None
            patient.stderr.readline()
            looked = life.run("check", "--json")
            code = refused.wait(BUSY_SECONDS + 60)
            told = line + refused.stderr.read()
        paused = patient.wait(60)
        gate.open()
        resumed = life.run("resume", session)

        assert f"pid {holder}" in line
        assert code == 2
        assert f"holder: pid {holder}" in told
        assert "Traceback" not in told
        assert looked.code == 0
        assert paused == 0  # it waited, and went on
        assert resumed.code == 0, resumed.err
        assert completed(life)
        assert leader(life) == daemon  # the coordinator waited too, and leads on
        assert host(life) != first_host
        assert life.story("RESEARCH-001") == ["lost", "completed"]
        assert f'"by": [{holder}' in life.logs()
        assert not life.rows("SELECT 1 FROM messages WHERE summary LIKE '%mind the vision%'")


def starve(pid: int) -> tuple[int, int]:
    """Let the process open no further descriptor; what it was allowed before."""
    used = {int(entry.name) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    lowest_free = next(number for number in count() if number not in used)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (lowest_free, before[1]))
    return before


@pytest.mark.parametrize("victim", [leader, host], ids=["daemon", "host"])
def test_a_process_without_descriptors_says_so_and_goes_on_when_it_has_some(
    tmp_path: Path, gate: Gate, victim: object
) -> None:
    settings = {**SHORT, "backoff_seconds": [3], "max_attempts": 9}
    with lifecycle(tmp_path / "p", settings, extra=gate.toml) as life:
        gate.start(life)
        pid = victim(life)  # type: ignore[operator]
        before = starve(pid)
        gate.open()

        life.wait(
            lambda: "open any further file" in life.logs() or "Too many open files" in life.logs(),
            "it says so",
        )
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

        life.wait(lambda: life.status()[0] != "active", "the session ends, or waits for us")
        resumed = completed(life) or life.run("resume").code == 0
        assert resumed
        assert completed(life)
        assert leader(life) == pid or victim is host


def test_removed_sockets_are_made_again_and_the_session_goes_on(tmp_path: Path, gate: Gate) -> None:
    with lifecycle(tmp_path / "p", {**SHORT, "reconcile_seconds": 0.3}, extra=gate.toml) as life:
        gate.start(life)
        directory = wakeup.runtime_directory(project_id(life.database))
        names = {file.name for file in directory.glob("*.sock")}
        for removed in (directory / "daemon.sock", None):
            shutil.rmtree(directory) if removed is None else removed.unlink()
            life.wait(
                lambda: directory.is_dir() and {file.name for file in directory.glob("*.sock")} == names,
                "the sockets are there again",
            )
        pids = leader(life), host(life)
        gate.open()

        life.wait(lambda: completed(life), "the session is completed")
        assert len(names) == 2
        assert (leader(life), host(life)) == pids
        assert life.run("daemon", "stop").code == 0


@pytest.mark.parametrize("opened", [False, True], ids=["removed", "and opened by another process"])
def test_a_log_removed_under_the_daemon_is_moved_into_the_database_and_all_begin_anew(
    tmp_path: Path, gate: Gate, *, opened: bool
) -> None:
    with lifecycle(tmp_path / "p", {**SHORT, "reconcile_seconds": 0.3}, extra=gate.toml) as life:
        session = gate.start(life)
        before = leader(life)
        life.wait(lambda: older_than(before, 3.0), "the coordinator has stood for a while")
        life.database.with_name(life.database.name + "-wal").unlink()
        if opened:
            with pytest.raises(sqlite3.OperationalError), closing(sqlite3.connect(life.database)) as other:
                other.execute("SELECT id FROM sessions").fetchall()

        life.wait(lambda: "was removed while it was in use" in life.logs(), "it is noticed")
        life.wait(lambda: process_start(before) is None, "the coordinator ends")
        kept = life.rows("SELECT id FROM sessions")
        gate.open()

        assert kept == [(session,)]
        resumed = life.run("resume", session)
        assert resumed.code in (0, 2), resumed.err  # 2: it goes on by itself
        life.wait(lambda: completed(life), "the session is completed")


@pytest.mark.parametrize("met_by", ["coordinator", "host"])
def test_a_damaged_page_ends_the_coordinator_with_the_newest_copy_named(
    tmp_path: Path, gate: Gate, met_by: str
) -> None:
    with lifecycle(tmp_path / "p", SHORT, extra=gate.toml) as life:
        gate.start(life)
        life.kill_everything()
        if met_by == "host":
            close_runs(life.database)
        copy = sqlite_backups.daily(life.database, 2e9)
        connection = sqlite3.connect(life.database)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'runs'").fetchone()
        connection.close()
        whole = life.database.read_bytes()
        with life.database.open("r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(b"\xff" * 4096)

        gave = life.run("daemon", "run")  # it reads of runs only what is open
        told = life.run("resume")
        life.database.write_bytes(whole)  # for the invariants

        assert copy is not None
        assert gave.code == 2, gave.err
        for each in (gave, told):
            assert "damaged" in each.err
            assert "Traceback" not in each.err
        assert str(copy) in gave.err


def close_runs(database: Path) -> None:
    connection = sqlite3.connect(database)
    connection.execute(
        "UPDATE runs SET outcome = 'lost', counted = 1, closed_at = opened_at WHERE outcome IS NULL"
    )
    connection.execute(
        "UPDATE tasks SET status = 'pending', attempts = attempts + 1, started_at = NULL WHERE status = 'in_progress'"
    )
    connection.execute(
        "UPDATE agent_calls SET finished_at = started_at, outcome = 'cut_off' WHERE finished_at IS NULL"
    )
    connection.commit()
    connection.close()


HUGE = """
import os, sys
sys.stdin.read()
with open("artifact.md", "wb") as file:
    for _ in range(200):
        file.write(b"x" * 1024 * 1024)
for _ in range(200):
    os.write(1, b"y" * 1024 * 1024)
"""


def test_an_artifact_of_200_megabytes_is_refused_and_the_host_stays_small(tmp_path: Path) -> None:
    script = tmp_path / "huge.py"
    script.write_text(HUGE)
    extra = agent_toml("huge", [sys.executable, str(script)]) + '\n[roles]\nanalyst = ["huge", "builtin"]\n'
    with lifecycle(tmp_path / "p", SHORT, extra) as life:
        gave = life.run("start", REQUEST)

        peak = next(
            int(line.split()[1])
            for line in Path(f"/proc/{host(life)}/status").read_text().splitlines()
            if line.startswith("VmHWM")
        )
        assert gave.code == 0, gave.err
        assert completed(life)
        assert "printed more than" in life.logs()
        assert life.rows("SELECT max(size) FROM contents")[0][0] < 1024 * 1024
        assert peak < 200 * 1024  # kilobytes; the host itself takes about 80,000
        assert not list((life.folder / ".workflow" / "contents").glob("*/*"))
        used = sum(file.stat().st_size for file in (life.folder / ".workflow").rglob("*") if file.is_file())
        assert used < 50 * 1024 * 1024


SHIFTED = """
import time

_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + {by}
time.time_ns = lambda: _time_ns() + {by} * 1_000_000_000
"""


def test_commands_whose_clock_is_an_hour_off_change_no_order_and_lose_no_lease(
    tmp_path: Path, gate: Gate
) -> None:
    with lifecycle(tmp_path / "p", SHORT, extra=gate.toml) as life:
        session = gate.start(life)
        codes = []
        for by, command in (
            (3600, "pause"),
            (-3600, "resume"),
            (3600, "feedback mind_the_vision --task DRAFT-001"),
        ):
            site = tmp_path / f"site{by}{command[:4]}"
            site.mkdir()
            (site / "sitecustomize.py").write_text(SHIFTED.format(by=by))
            env = {"PYTHONPATH": f"{site}:{life.environment['PYTHONPATH']}"}
            codes.append(
                life.run(
                    *command.split(), "--session", session, *(["--detach"] * (command != "pause")), env=env
                )
            )
        gate.open()

        life.wait(lambda: completed(life), "the session is completed")
        said = [kind for (kind,) in life.rows("SELECT type FROM messages ORDER BY number")]
        assert [each.code for each in codes] == [0, 0, 0], [each.err for each in codes]
        order = [said.index(kind) for kind in ("created", "paused", "resumed", "feedback", "completed")]
        assert order == sorted(order)
        assert "lost" not in life.story("RESEARCH-001")
        assert life.run("log").code == 0

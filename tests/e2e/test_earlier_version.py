"""The program is upgraded while a coordinator or a worker host of an earlier version is at work."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator import __version__
from orchestrator.config import resources
from orchestrator.dispatch import older
from orchestrator.domain.errors import DatabaseUnusable
from orchestrator.store.backends.sqlite_file import APPLICATION_ID, SCHEMA
from orchestrator.store.backends.sqlite_migrate import OtherProcess, upgrade
from orchestrator.store.clock import SystemClock, boot_id, pid_space, process_start
from tests.e2e.support import Lifecycle, agent_toml, lifecycle

SLOW = "import sys, time; sys.stdin.read(); open(sys.argv[1], 'a').write('x'); time.sleep(300)"
WAITS = "import signal, sys; print('up', flush=True); signal.pause()"
DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True)\nwhile True: signal.pause()"


@pytest.fixture
def at_work(tmp_path: Path) -> Iterator[Lifecycle]:
    """A project in which the first task is asked of an agent that takes its time."""
    asked = tmp_path / "asked"
    extra = agent_toml("slow", [sys.executable, "-S", "-c", SLOW, str(asked)])
    roles = '\n[roles]\nanalyst = ["slow", "builtin"]\n'
    with lifecycle(tmp_path / "p", {"drain_seconds": 1}, extra=roles + extra) as project:
        assert project.run("start", "Build a URL shortener", "--detach").code == 0
        project.wait(asked.exists, "the agent is asked")
        yield project


def change(project: Lifecycle, sql: str) -> None:
    connection = sqlite3.connect(project.database, timeout=10)
    with connection:
        connection.execute(sql)
    connection.close()


def leader(project: Lifecycle) -> tuple[int, str]:
    return project.rows("SELECT pid, version FROM leases")[0]  # type: ignore[return-value]


def test_a_coordinator_of_an_earlier_version_is_replaced_and_no_attempt_counts(at_work: Lifecycle) -> None:
    pid, version = leader(at_work)
    change(at_work, "UPDATE leases SET version = '0.0.9'")

    status = at_work.run("daemon", "status")
    doctor = at_work.run("doctor")
    started = at_work.run("daemon", "start")

    assert version == __version__
    assert "an earlier version (0.0.9): it is replaced" in status.out
    assert "runs an earlier version (0.0.9)" in doctor.out
    assert started.code == 0, started.err
    assert "a coordinator of an earlier version is stopped first" in started.err
    assert leader(at_work)[1] == __version__ and leader(at_work)[0] != pid
    assert process_start(pid) is None
    assert at_work.story("RESEARCH-001")[0] == "released"
    assert at_work.rows("SELECT sum(attempts) FROM tasks") == [(0,)]
    assert "earlier_version_stopped" in at_work.logs()


def test_the_next_command_replaces_a_coordinator_of_an_earlier_version(at_work: Lifecycle) -> None:
    pid, _ = leader(at_work)
    change(at_work, "UPDATE leases SET version = ''")

    assert at_work.run("start", "Build a second URL shortener", "--detach").code == 0

    at_work.wait(lambda: leader(at_work)[0] != pid and leader(at_work)[1] == __version__, "it is replaced")


def test_a_coordinator_of_a_later_version_is_left_alone(at_work: Lifecycle) -> None:
    pid, _ = leader(at_work)
    change(at_work, "UPDATE leases SET version = '99.0'")

    started = at_work.run("daemon", "start")

    assert "already running" in started.out
    assert leader(at_work) == (pid, "99.0")


@pytest.mark.long
def test_a_host_of_an_earlier_version_is_drained_and_another_goes_on(at_work: Lifecycle) -> None:
    (before,) = at_work.rows("SELECT incarnation FROM hosts")
    change(at_work, "UPDATE hosts SET version = '0.0.9'")

    at_work.wait(
        lambda: at_work.rows(
            "SELECT 1 FROM runs JOIN hosts ON incarnation = host WHERE outcome IS NULL AND incarnation <> ?",
            *before,
        ),
        "another host has the task",
    )

    assert at_work.story("RESEARCH-001")[0] == "released"
    assert at_work.rows("SELECT sum(attempts) FROM tasks") == [(0,)]
    assert "earlier_host_drained" in at_work.logs()


def other(code: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "up\n"
    return process


def test_before_the_database_is_upgraded_who_works_with_it_is_stopped(project: Lifecycle) -> None:
    database = project.database
    database.parent.mkdir(exist_ok=True)
    connection = sqlite3.connect(database)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.close()
    upgrade(database, resources() / "migrations", "0001")
    with other(WAITS) as earlier:
        connection = sqlite3.connect(database)
        with connection:
            connection.execute(
                "INSERT INTO leases VALUES ('coordinator', 'd-1', 1, ?, ?, ?, ?, ?, 1)",
                (
                    boot_id(),
                    pid_space(),
                    earlier.pid,
                    process_start(earlier.pid),
                    SystemClock().monotonic() + 600_000_000,
                ),
            )
        connection.close()

        listed = project.run("list")

        assert listed.code == 0, listed.err
        assert f"stopping processes of an earlier version (pid {earlier.pid})" in listed.err
        assert earlier.wait(10) == -signal.SIGTERM
    assert project.rows("SELECT version_num FROM alembic_version") == [(SCHEMA,)]
    project.wait(lambda: leader(project)[1] == __version__, "a coordinator of this version leads")


def test_who_does_not_end_or_cannot_be_reached_is_named() -> None:
    with other(DEAF) as deaf:
        started = process_start(deaf.pid) or 0
        here = OtherProcess(boot_id(), pid_space(), deaf.pid, started)
        try:
            with pytest.raises(DatabaseUnusable, match="earlier version") as late:
                older.stop([here], seconds=0.1)
            with pytest.raises(DatabaseUnusable) as elsewhere:
                older.stop([here._replace(pid_space="pid:[1]")])
            before_boot = older.stop([here._replace(boot="another", pid_space="pid:[1]")])
            reused = older.stop([here._replace(process_start=started + 1)])
        finally:
            deaf.kill()
    assert f"pid {deaf.pid}: they have not ended" in late.value.why
    assert "another container" in elsewhere.value.why
    assert (before_boot, reused) == (False, False)


@pytest.mark.long
def test_a_host_does_not_work_on_a_database_that_was_not_upgraded(project: Lifecycle) -> None:
    assert project.run("start", "Build a URL shortener").code == 0
    assert project.run("daemon", "stop").code == 0
    change(project, "UPDATE alembic_version SET version_num = '0002'")

    host = subprocess.run(
        [sys.executable, "-P", "-m", "workers", "serve", "--project", str(project.folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert host.returncode == 2
    assert "was not upgraded" in host.stderr and "lifecycle check" in host.stderr

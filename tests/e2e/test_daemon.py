"""The daemon as a process: idle, stopped, wedged, deposed, without its socket."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator import wakeup
from orchestrator.store.backends.sqlite import project_id
from tests import factories
from tests.chaos.processes import stop_between_writes, stop_in_a_write
from tests.e2e.support import Lifecycle, agent_toml, lifecycle
from tests.patience import patient

REQUEST = "Build a URL shortener"
SLOW = "import sys, time; sys.stdin.read(); open(sys.argv[1], 'a').write('x'); time.sleep(300)"


def leader(project: Lifecycle) -> tuple[int, int]:
    """(pid, epoch) of the leader lease."""
    return project.rows("SELECT pid, epoch FROM leases")[0]  # type: ignore[return-value]


def everything_but_leases(project: Lifecycle) -> list[str]:
    connection = sqlite3.connect(f"file:{project.database}?mode=ro", uri=True)
    lines = [line for line in connection.iterdump() if '"hosts"' not in line and '"leases"' not in line]
    connection.close()
    return lines


def test_an_idle_daemon_writes_nothing_but_its_leases(project: Lifecycle) -> None:
    assert project.run("start", REQUEST).code == 0
    project.wait(
        lambda: not project.rows("SELECT 1 FROM sessions WHERE projected < messages"), "the files are written"
    )
    before = everything_but_leases(project)
    log = project.database.with_name("lifecycle.db-wal")
    first = project.rows("SELECT until FROM leases")

    project.wait(
        lambda: project.rows("SELECT until FROM leases")[0][0] > first[0][0] + 3_000_000, "six renewals"
    )

    assert everything_but_leases(project) == before
    assert not log.exists() or log.stat().st_size < 4 * 1024 * 1024


def test_a_daemon_loads_nothing_that_only_other_processes_need(tmp_path: Path) -> None:
    """Each of them costs an idle project some megabytes, and its start a tenth of a second."""
    with lifecycle(tmp_path / "p", {"idle_exit_seconds": 1}) as project:
        factories.make_store(project.folder).close()  # to create it takes alembic
        python, *options = project.command("daemon", "run", "--project", str(project.folder))

        done = subprocess.run(
            [python, "-X", "importtime", *options],
            cwd=project.folder,
            env=project.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

        loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert "orchestrator.coordinator.daemon" in loaded
        not_needed = {
            "alembic",
            "annotated_types",
            "asyncio",
            "jinja2",
            "pydantic",
            "ruamel.yaml",
            "sqlalchemy",
            "ssl",
        }
        assert loaded & not_needed == set()


def test_a_daemon_that_is_stopped_while_it_loads_takes_the_host_along_that_it_has_started(
    tmp_path: Path,
) -> None:
    marks = tmp_path / "marks"
    extra = agent_toml("slow", [sys.executable, "-c", SLOW, str(marks)])
    with lifecycle(tmp_path / "p", {"drain_seconds": 0.5}, extra) as project:
        project.run("start", REQUEST, "--detach")
        project.wait(lambda: marks.exists(), "the agent works")
        assert project.run("daemon", "stop").code == 0
        project.wait(lambda: not project.pids(), "nothing of it lives on")
        before = project.logs().count("host_spawned")

        daemon = project.spawn("daemon", "run")
        project.wait(lambda: project.logs().count("host_spawned") > before, "its host is being started")
        daemon.send_signal(signal.SIGTERM)

        assert daemon.wait(patient(60)) == 0
        project.wait(lambda: not project.pids(), "nothing of it lives on")


def test_a_daemon_without_work_leaves_and_takes_its_host_along(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p", {"idle_exit_seconds": 1}) as project:
        assert project.run("start", REQUEST).code == 0

        project.wait(lambda: not project.pids(), "daemon and host have left")

        assert not wakeup.wake_daemon(project_id(project.database))
        assert project.run("check", "--json").code == 0


def test_stopping_gives_a_run_back_uncharged_and_resume_goes_on(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    extra = agent_toml("slow", [sys.executable, "-c", SLOW, str(marks)])
    with lifecycle(tmp_path / "p", {"drain_seconds": 0.5}, extra) as project:
        project.run("start", REQUEST, "--detach")
        project.wait(lambda: marks.exists(), "the agent works")

        stopped = project.run("daemon", "stop")

        assert stopped.code == 0, stopped.err
        assert project.story("RESEARCH-001") == ["released"]
        assert project.rows("SELECT attempts FROM tasks WHERE key = 'RESEARCH-001'") == [(0,)]
        project.wait(lambda: not project.pids(), "nothing of it lives on")
        project.configure({"reconcile_seconds": 0.5})  # without the slow agent
        assert project.run("resume").code == 0
        assert project.story("RESEARCH-001") == ["released", "completed"]


def test_stopping_ends_the_host_of_a_daemon_that_was_killed_too(project: Lifecycle) -> None:
    assert project.run("start", REQUEST).code == 0
    hosts = [row[0] for row in project.rows("SELECT pid FROM hosts")]
    os.kill(leader(project)[0], signal.SIGKILL)
    assert project.run("daemon", "start").code == 0
    assert project.run("revise", "DRAFT-004", "Add a story about exports").code == 0

    stopped = project.run("daemon", "stop")

    assert stopped.code == 0, stopped.err
    assert not project.pids() & {*hosts, leader(project)[0]}
    assert [row[0] for row in project.rows("SELECT pid FROM hosts")] == hosts, "its host had worked on for us"


def test_a_wedged_host_is_replaced(project: Lifecycle) -> None:
    assert project.run("start", REQUEST).code == 0
    host = project.rows("SELECT pid FROM hosts")[0][0]
    os.kill(host, signal.SIGSTOP)

    again = project.run("revise", "DRAFT-004", "Add a story about exports")

    assert again.code == 0, again.err
    assert host not in project.pids()


@pytest.mark.long
def test_a_host_that_hangs_while_it_holds_the_database_is_replaced(project: Lifecycle) -> None:
    assert project.run("start", REQUEST).code == 0
    host = project.rows("SELECT pid FROM hosts")[0][0]
    stop_in_a_write(project, host)

    again = project.run("revise", "DRAFT-004", "Add a story about exports")

    assert again.code == 0, again.err
    assert host not in project.pids()


@pytest.mark.long
def test_a_coordinator_that_hangs_while_it_holds_the_database_is_replaced(project: Lifecycle) -> None:
    assert project.run("start", REQUEST).code == 0
    old, epoch = leader(project)
    stop_in_a_write(project, old)

    again = project.run("revise", "DRAFT-004", "Add a story about exports")

    new, later = leader(project)
    assert again.code == 0, again.err
    assert f"(pid {old}) that hung" in again.err
    assert new != old and later == epoch + 1
    assert old not in project.pids()


def test_a_wedged_daemon_is_replaced_and_acts_no_more_when_it_wakes(project: Lifecycle) -> None:
    assert project.run("start", REQUEST).code == 0
    old, epoch = leader(project)
    stop_between_writes(project, old)
    try:
        again = project.run("revise", "DRAFT-004", "Add a story about exports")

        new, later = leader(project)
        assert again.code == 0, again.err
        assert new != old and later == epoch + 1
    finally:
        os.kill(old, signal.SIGCONT)
    project.wait(lambda: old not in project.pids(), "the deposed daemon ends")
    assert leader(project) == (new, later)
    assert wakeup.wake_daemon(project_id(project.database)), "the successor's socket was taken away"


def test_a_lost_socket_costs_at_most_a_timer_period(project: Lifecycle) -> None:
    assert project.run("start", REQUEST).code == 0
    (wakeup.runtime_directory(project_id(project.database)) / "daemon.sock").unlink()

    again = project.run("recheck")

    assert again.code == 0, again.err
    assert project.story("QUALITY-001-R1") == ["completed"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_daemon_in_the_foreground_ends_by_signal_with_its_host(
    project: Lifecycle, number: signal.Signals
) -> None:
    process = project.spawn("daemon", "run")
    project.wait(lambda: project.database.exists() and project.rows("SELECT 1 FROM leases"), "it leads")

    process.send_signal(number)

    assert project.wait(lambda: process.poll() is not None, "it ends")
    assert process.returncode == 0
    project.wait(lambda: not project.pids(), "nothing of it lives on")


@pytest.mark.long
def test_a_worker_host_that_cannot_start_pauses_the_session_until_it_can(project: Lifecycle) -> None:
    in_the_way = project.folder / ".workflow" / "logs" / "workers.jsonl"
    in_the_way.mkdir(parents=True)

    gave = project.run("start", REQUEST, "--discuss", "off")
    in_the_way.rmdir()
    mended = project.run("resume")

    assert gave.code == 4, gave.out + gave.err
    assert "no worker host stays alive" in gave.out and "Is a directory" in gave.out
    assert mended.code == 0, mended.out + mended.err

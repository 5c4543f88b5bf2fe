"""The coordinator as people meet it: started, looked at, stopped, one of two."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.store.clock import process_start
from tests import factories
from tests.e2e.cli_world import make_world
from tests.e2e.support import Lifecycle, lifecycle


def test_the_coordinator_is_started_once_and_ends_when_asked(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        nothing = life.run("daemon", "stop")
        started = life.run("daemon", "start")
        again = life.run("daemon", "start")
        status = life.run("daemon", "status", "--json").json()
        stopped = life.run("daemon", "stop")

        assert nothing.code == 2  # there is no project yet
        assert [each.code for each in (started, again, stopped)] == [0, 0, 0], started.err + stopped.err
        assert f"pid {status['pid']}" in started.out
        assert "already" in again.out
        assert status["running"]
        assert status["pid"] not in life.pids()
        assert not life.run("daemon", "status", "--json").json()["running"]
        assert life.run("daemon", "stop").out.strip() == "no coordinator is running"


ENDING = """
import atexit, os, runpy, sys
import temporalio

class Abort:
    def __del__(self, abort=os.abort):
        abort()

sys.modules["kept"] = Abort()
room, *sys.argv[1:] = sys.argv[1:]
try:
    runpy.run_module(room, run_name="__main__")
finally:
    atexit.register(print, "registered behind")
"""


@pytest.mark.parametrize(
    ("room", "words", "code"),
    [
        ("orchestrator", ["--version"], 0),
        ("orchestrator", ["no-such-command"], 2),
        ("workers", ["explore", "--project", "."], 0),
    ],
)
def test_who_has_used_temporals_client_ends_with_its_code_though_the_interpreters_end_would_abort(
    tmp_path: Path, room: str, words: list[str], code: int
) -> None:
    """Threads of that library may ask for Python's lock until the process has gone."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", ENDING, room, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == code, done.stderr
    assert done.stdout.splitlines()[-1] == "registered behind"


def test_a_copied_folder_stops_no_process_of_the_original(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        life.run("daemon", "start")
        copy = tmp_path / "copy"
        shutil.copytree(life.folder, copy, symlinks=True)

        in_copy = life.run("daemon", "stop", cwd=copy)

        assert (in_copy.code, in_copy.out.strip()) == (0, "no coordinator is running")
        assert life.run("daemon", "status", "--json").json()["running"]
        assert life.run("daemon", "stop").out.strip() == "the coordinator has stopped"


def test_of_two_coordinators_one_goes_on_and_the_other_says_so(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        both = [life.spawn("daemon", "run") for _ in range(2)]

        life.wait(lambda: any(each.poll() is not None for each in both), "one of two ends")
        ended, leads = sorted(both, key=lambda each: each.poll() is None)
        _, said = ended.communicate(timeout=10)

        assert ended.returncode == 0
        assert f"another coordinator (pid {leads.pid}) already coordinates" in said
        leads.send_signal(signal.SIGTERM)
        assert leads.wait(30) == 0


def test_a_coordinator_with_work_starts_its_host_before_it_leads(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        store = factories.make_store(life.folder)
        factories.make_session(store)
        store.close()
        life.spawn("daemon", "run")

        life.wait(lambda: life.rows("SELECT 1 FROM runs"), "a run has begun")

        events = [json.loads(line)["event"] for line in _daemon_log(life)]
        assert events.index("host_spawned") < events.index("daemon_started")
        assert events.count("host_spawned") == 1


def test_of_two_coordinators_with_work_the_one_that_ends_takes_its_host_along(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        store = factories.make_store(life.folder)
        factories.make_session(store)
        store.close()
        both = [life.spawn("daemon", "run") for _ in range(2)]

        life.wait(lambda: any(each.poll() is not None for each in both), "one of two ends")
        life.wait(lambda: life.rows("SELECT 1 FROM runs"), "a run has begun")
        (ended,) = [each for each in both if each.poll() is not None]

        assert ended.returncode == 0
        spawned = [json.loads(line) for line in _daemon_log(life) if "host_spawned" in line]
        life.wait(lambda: sum(_lives(each["pid"]) for each in spawned) == 1, "one host is left")


def _daemon_log(life: Lifecycle) -> list[str]:
    return (life.folder / ".workflow" / "logs" / "daemon.jsonl").read_text().splitlines()


def _lives(pid: int) -> bool:
    return process_start(pid) is not None


def test_stop_does_not_touch_a_process_that_took_the_pid_over(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        store = make_world(life).store
        stranger = life.spawn("daemon", "run", "--project", str(tmp_path))  # somebody else's process
        factories.lead(store)
        store.close()
        connection = sqlite3.connect(life.database)
        connection.execute("UPDATE leases SET pid = ?, process_start = 1", (stranger.pid,))
        connection.commit()
        connection.close()

        done = life.run("daemon", "stop")

        assert done.out.strip() == "no coordinator is running"
        assert stranger.poll() is None
        stranger.send_signal(signal.SIGTERM)
        stranger.wait(30)


def test_two_commands_at_the_same_instant_one_wins_and_the_other_is_told(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        store = make_world(life).store
        factories.make_session(store, "Some work")
        store.close()

        both = [life.spawn("pause") for _ in range(2)]
        said = {each.wait(60): each.communicate()[1] for each in both}

        assert sorted(said) == [0, 2]
        assert "is already paused" in said[2]


def test_the_project_s_own_modules_are_not_ours(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        for name in ("workers", "config", "orchestrator", "typer", "sqlite3"):
            (life.folder / name).mkdir()
            (life.folder / name / "__init__.py").write_text("raise SystemExit('the wrong one')\n")

        done = [life.run("daemon", "start"), life.run("agents"), life.run("daemon", "stop")]

        assert [each.code for each in done] == [0, 0, 0], [each.err for each in done]


def test_what_the_system_refuses_is_told_without_a_traceback(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        (life.folder / ".workflow" / "logs").write_text("in the way")

        done = life.run("daemon", "start")

        assert done.code == 1
        assert "Error: " in done.err
        assert "Traceback" not in done.err


def test_a_coordinator_that_cannot_start_is_told_with_its_last_words(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        make_world(life).store.close()
        logs = life.folder / ".workflow" / "logs"
        logs.mkdir()
        (logs / "daemon.jsonl").mkdir()

        done = life.run("daemon", "start")

        assert done.code == 1
        assert "did not start" in done.err
        assert "daemon.jsonl" in done.err


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_command_works_without_some_of_its_streams(tmp_path: Path, closed: str) -> None:
    run = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-P", "-m", "orchestrator"]
    for words, code in ((["--version"], 0), (["no-such-command"], 2), (["list"], 0)):
        ended = subprocess.run([*run, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == code, ended
        assert "internal error" not in ended.stdout + ended.stderr

"""kill -9 at every failpoint, then `lifecycle resume`: nothing is lost, nothing is done twice, nothing lives on."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from orchestrator import failpoints
from tests import invariants
from tests.e2e.support import Lifecycle, agent_toml, lifecycle
from tests.rows import common

REQUEST = "Build a URL shortener with an admin dashboard"
DRAINING = "host.draining"  # reached by an end, not by work: its own test below
REAP = "reap.before_commit"  # reached only when a run was lost: its own test below
WORK = [name for name in failpoints.NAMES if name not in (DRAINING, REAP)]
OFTEN = ("agent.called", "report.after_commit")

# A slow agent that leaves a child of its own behind: what a killed host must not leave running.
AGENT = """
import os, subprocess, sys, time
subprocess.Popen(["sleep", "300"], start_new_session=True)
sys.stdin.read()
time.sleep(300)
"""


def stop_at(project: Lifecycle, name: str, *command: str) -> int:
    """Run a command whose processes stop at the failpoint; the pid of the one that did."""
    announce = project.folder / "announced"
    project.spawn(*command, env={"LIFECYCLE_FAILPOINT": f"{name}=wait:{announce}"})
    project.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), f"{name} is reached")
    return int(announce.read_text().split()[0])


def check_story(project: Lifecycle, session: str) -> None:
    """Every task completed exactly once; every attempt before that was lost."""
    for key in project.tasks(session):
        story = project.story(key, session)
        assert Counter(story)["completed"] == 1 and story[-1] == "completed", f"{key}: {story}"
        assert set(story[:-1]) <= {"lost"}, f"{key}: {story}"


@pytest.mark.parametrize("name", common(WORK, OFTEN))
def test_kill_everything_at_a_failpoint_then_resume_finishes_every_task_once(
    project: Lifecycle, name: str
) -> None:
    stop_at(project, name, "start", REQUEST)
    killed = project.kill_everything()
    invariants.check(project.database)
    made = project.rows("SELECT id FROM sessions")

    again = project.run("resume") if made else project.run("start", REQUEST)

    assert killed
    assert again.code == 0, again.err
    invariants.check(project.database)
    session = project.session()
    assert project.status(session) == ("completed", None)
    check_story(project, session)
    assert len(project.rows("SELECT id FROM sessions")) == 1
    assert (project.directory(session) / "spec" / "readiness-report.md").is_file()
    project.wait(lambda: not project.marked(), "no process of a run lives on", 15)


@pytest.mark.parametrize(
    "name",
    common(
        ["claim.after", "produced.registered", "discuss.reply_stored", "report.before_commit"],
        ["report.before_commit"],
    ),
)
def test_kill_the_worker_host_alone_then_the_daemon_replaces_it_and_the_session_finishes(
    project: Lifecycle, name: str
) -> None:
    announce = project.folder / "announced"
    started = project.run(
        "start", REQUEST, "--detach", env={"LIFECYCLE_FAILPOINT": f"{name}=wait:{announce}"}
    )
    assert started.code in (0, 130), started.err
    project.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), f"{name} is reached")
    victim = int(announce.read_text().split()[0])
    os.kill(
        victim, signal.SIGSTOP
    )  # its replacement inherits the failpoint: let it stop there, at its first visit, too
    announce.unlink()
    os.kill(victim, signal.SIGKILL)
    project.wait(lambda: announce.exists(), "the replacement takes the lost task up")

    session = project.session()
    story = [
        outcome
        for key in project.tasks(session)
        for outcome in project.story(key, session)
        if outcome == "lost"
    ]
    project.kill_everything()
    again = project.run("resume")

    assert story == ["lost"]
    assert again.code == 0, again.err
    check_story(project, session)


@pytest.mark.long
def test_kill_the_host_while_it_reaps_nothing_is_charged_twice(project: Lifecycle) -> None:
    stop_at(project, "claim.after", "start", REQUEST)
    project.kill_everything()
    (project.folder / "announced").unlink()

    stop_at(project, REAP, "resume")
    project.kill_everything()
    invariants.check(project.database)
    assert project.run("resume").code == 0

    assert project.story("RESEARCH-001") == ["lost", "completed"]


def test_kill_a_draining_host(project: Lifecycle) -> None:
    announce = project.folder / "announced"
    started = project.run(
        "start", REQUEST, "--detach", env={"LIFECYCLE_FAILPOINT": f"{DRAINING}=wait:{announce}"}
    )
    assert started.code in (0, 130)
    host = project.wait(lambda: project.rows("SELECT pid FROM hosts"), "a host is registered")[0][0]
    os.kill(host, signal.SIGTERM)
    project.wait(lambda: announce.exists(), "it drains")

    project.kill_everything()
    invariants.check(project.database)
    assert project.run("resume", project.session()).code in (
        0,
        2,
    )  # 2: it was completed before the drain began

    project.wait(lambda: project.status() == ("completed", None), "the session is completed")
    check_story(project, project.session())


@pytest.fixture
def slow(tmp_path: Path) -> object:
    script = tmp_path / "agent.py"
    script.write_text(AGENT)
    with lifecycle(tmp_path / "p", extra=agent_toml("slow", [sys.executable, str(script)])) as made:
        yield made


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_no_process_of_an_agent_outlives_its_host(slow: Lifecycle, number: signal.Signals) -> None:
    slow.run("start", REQUEST, "--detach")
    slow.wait(lambda: len(slow.marked()) >= 3, "guardian, agent and its child run")
    host = slow.rows("SELECT pid FROM hosts ORDER BY started_at DESC")[0][0]
    daemon = slow.rows("SELECT pid FROM leases")[0][0]
    of_the_run = slow.marked()
    os.kill(daemon, signal.SIGKILL)  # so that nobody takes the task up meanwhile

    os.kill(host, number)

    slow.wait(lambda: not (slow.marked() & of_the_run), "they are all gone", 15)
    if number is signal.SIGSTOP:
        os.kill(host, signal.SIGCONT)
    slow.run("cancel")


def test_cancel_ends_a_running_agent_with_all_its_children(slow: Lifecycle) -> None:
    slow.run("start", REQUEST, "--detach")
    slow.wait(lambda: len(slow.marked()) >= 3, "guardian, agent and its child run")
    begun = time.monotonic()

    done = slow.run("cancel")

    assert done.code == 0, done.err
    slow.wait(lambda: not slow.marked(), "they are all gone", 15)
    assert time.monotonic() - begun < 15
    assert slow.story("RESEARCH-001") == ["cancelled"]


def test_two_daemons_started_at_once_make_one_leader(project: Lifecycle) -> None:
    project.run("start", REQUEST)
    project.run("daemon", "stop")

    both = [project.spawn("daemon", "run") for _ in range(2)]
    project.wait(lambda: any(process.poll() is not None for process in both), "one says so and leaves")

    left = [process for process in both if process.poll() is not None]
    assert [process.returncode for process in left] == [0]
    assert project.run("daemon", "stop").code == 0

"""The signals that tests/e2e/test_kill.py leaves out: TERM, INT and STOP+CONT, and each process alone."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.chaos.processes import everyone, read
from tests.e2e.support import Lifecycle, agent_toml, lifecycle

pytestmark = pytest.mark.long

REQUEST = "Build a URL shortener"
FIRST = "RESEARCH-001"
QUICK = ("start", REQUEST, "--discuss", "off")

# Works for ever on the first task until told to end; the built-in agent says what it does not.
AGENT = """
import os, sys, time

while os.environ["LIFECYCLE_TASK"] == "RESEARCH-001" and not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
sys.exit(1)
"""


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[Lifecycle]:
    """A project whose first agents work until there is a file `done`."""
    command = [sys.executable, "-c", AGENT, str(tmp_path / "p" / "done")]
    with lifecycle(tmp_path / "p", {"slots": 4, "drain_seconds": 1}, agent_toml("patient", command)) as made:
        yield made


def let_go(project: Lifecycle) -> None:
    (project.folder / "done").touch()


def agents(project: Lifecycle) -> dict[str, int]:
    """Session -> pid of the agent at work on it."""
    of = dict(project.rows("SELECT id, session_id FROM runs WHERE outcome IS NULL"))
    script = os.fsencode(project.folder / "done")
    return {
        of[one.run]: one.pid for one in everyone() if one.run in of and script in one.command.split(b"\0")
    }


def stop_at(project: Lifecycle, name: str, *command: str) -> int:
    """Run a command, one of whose processes stops itself at the failpoint; the pid of that one."""
    announce = project.folder / "announced"
    project.spawn(*command, env={"LIFECYCLE_FAILPOINT": f"{name}=stop:{announce}"})
    project.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), f"{name} is reached")
    return int(announce.read_text())


def wait_past_the_lease(project: Lifecycle) -> None:
    def over() -> bool:
        (ends,) = project.rows("SELECT max(lease_until) FROM hosts")[0]
        (lead,) = project.rows("SELECT max(until) FROM leases")[0]
        return bool(max(ends or 0, lead) < time.monotonic_ns() // 1000)

    project.wait(over, "every lease has ended")


def finish(project: Lifecycle, *allowed: str) -> None:
    """Go on; every task is completed once, whatever `allowed` ends came before."""
    assert project.run("resume", project.session()).code in (0, 2)  # 2: it is completed already
    project.wait(lambda: project.status() == ("completed", None), "the session is completed")
    for key in project.tasks():
        story = project.story(key)
        assert Counter(story)["completed"] == 1 and story[-1] == "completed", f"{key}: {story}"
        assert set(story[:-1]) <= set(allowed), f"{key}: {story}"


def test_an_agent_that_gets_a_signal_ends_and_another_agent_takes_its_place(patient: Lifecycle) -> None:
    signals = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGSTOP)
    for number in range(len(signals)):
        patient.run("start", f"Build thing number {number}", "--discuss", "off", "--detach")
    patient.wait(lambda: len(agents(patient)) == 4, "four agents work")
    found = agents(patient)

    for pid, number in zip(found.values(), signals, strict=True):
        os.kill(pid, number)
    *_, stopped = found.values()
    patient.wait(
        lambda: not {*found.values()} - {stopped} & {one.pid for one in everyone()}, "three are dead"
    )
    let_go(patient)
    os.kill(stopped, signal.SIGCONT)

    for session in found:
        patient.wait(partial(completed, patient, session), f"{session} is completed")
        assert patient.story(FIRST, session) == ["completed"]


def completed(project: Lifecycle, session: str) -> bool:
    return project.status(session) == ("completed", None)


@pytest.mark.parametrize(
    ("place", "made", "number"),
    [("start.before_commit", 0, signal.SIGTERM), ("start.after_commit", 1, signal.SIGINT)],
)
def test_a_command_that_gets_a_signal_did_all_or_nothing(
    project: Lifecycle, place: str, made: int, number: signal.Signals
) -> None:
    announce = project.folder / "announced"
    start = (*QUICK, "--key", "k-1", "--detach")
    process = project.spawn(*start, env={"LIFECYCLE_FAILPOINT": f"{place}=wait:{announce}"})
    project.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), f"{place} is reached")

    process.send_signal(number)
    process.wait(20)

    assert process.returncode != 0
    assert len(project.rows("SELECT id FROM sessions")) == made
    assert project.run(*start).code == 0
    assert len(project.rows("SELECT id FROM sessions")) == 1


def test_a_command_that_was_stopped_while_it_followed_sees_the_end_when_it_goes_on(
    project: Lifecycle,
) -> None:
    process = project.spawn(*QUICK)
    project.wait(lambda: project.database.exists() and project.rows("SELECT 1 FROM runs"), "work has begun")

    os.kill(process.pid, signal.SIGSTOP)
    project.wait(lambda: project.status() == ("completed", None), "the session is completed without it")
    os.kill(process.pid, signal.SIGCONT)

    assert process.wait(30) == 0


def test_a_host_stopped_in_mid_report_and_told_to_end_meanwhile_has_reported_once(project: Lifecycle) -> None:
    host = stop_at(project, "report.before_commit", *QUICK, "--detach")
    (daemon,) = project.rows("SELECT pid FROM leases")[0]
    os.kill(daemon, signal.SIGSTOP)  # it would kill the host as wedged, and be right: see test_daemon.py
    wait_past_the_lease(project)  # it holds the write lock: nobody else could take its run away

    os.kill(host, signal.SIGTERM)
    os.kill(host, signal.SIGCONT)

    project.wait(lambda: project.story(FIRST) == ["completed"], "what it had reported is committed")
    os.kill(daemon, signal.SIGCONT)
    project.wait(lambda: read(host) is None, "it ends")
    finish(project, "released", "lost")  # what it advanced to had a lease that was over
    assert project.story(FIRST) == ["completed"]


def test_a_host_stopped_in_mid_report_for_longer_than_its_lease_is_killed_and_replaced(
    project: Lifecycle,
) -> None:
    host = stop_at(project, "report.before_commit", *QUICK, "--detach")

    project.wait(lambda: read(host) is None, "the daemon kills it as wedged")

    finish(project, "lost")
    assert project.story(FIRST) == ["lost", "completed"]  # what it had not committed was never there


def test_a_daemon_stopped_in_mid_beat_for_longer_than_its_lead_offers_once(project: Lifecycle) -> None:
    daemon = stop_at(project, "beat.before_commit", *QUICK, "--detach")
    wait_past_the_lease(project)

    os.kill(daemon, signal.SIGCONT)

    finish(project)
    assert project.rows("SELECT epoch FROM tasks WHERE key = ?", FIRST) == [(1,)]


def test_a_host_that_is_interrupted_gives_its_run_back(patient: Lifecycle) -> None:
    patient.run(*QUICK, "--detach")
    patient.wait(lambda: agents(patient), "an agent works")
    (host,) = patient.rows("SELECT pid FROM hosts")[0]

    os.kill(host, signal.SIGINT)
    patient.wait(lambda: patient.story(FIRST)[0] == "released", "the run is given back")
    let_go(patient)

    finish(patient, "released")
    assert patient.rows("SELECT attempts FROM tasks WHERE key = ?", FIRST) == [(0,)]


def test_a_daemon_killed_while_its_host_drains(patient: Lifecycle) -> None:
    patient.run(*QUICK, "--detach")
    patient.wait(lambda: agents(patient), "an agent works")
    (host,) = patient.rows("SELECT pid FROM hosts")[0]
    (daemon,) = patient.rows("SELECT pid FROM leases")[0]

    os.kill(host, signal.SIGTERM)
    patient.wait(lambda: patient.rows("SELECT 1 FROM hosts WHERE draining = 1"), "it drains")
    os.kill(daemon, signal.SIGKILL)

    patient.wait(lambda: read(host) is None, "the host ends all the same")
    let_go(patient)
    finish(patient, "released", "lost")

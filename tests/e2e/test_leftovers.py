"""Two agents of one task never work at the same time, also when those who should end the first are struck together."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import Lifecycle, agent_toml, lifecycle

pytestmark = pytest.mark.long

REQUEST = "Build a URL shortener with an admin dashboard"

# It says at its start who of those before it still lives, leaves a child behind, and works until it is ended.
AGENT = """
import json, os, sys, time

log, run = sys.argv[1], os.environ["LIFECYCLE_RUN"]
def alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
before = [json.loads(line) for line in open(log)] if os.path.exists(log) else []
child = os.fork()
if child == 0:
    os.setsid()
    time.sleep(300)
about = {"run": run, "pids": [os.getpid(), child]}
about["met"] = [pid for one in before if one["run"] != run for pid in one["pids"] if alive(pid)]
with open(log, "a") as file:
    file.write(json.dumps(about) + "\\n")
time.sleep(300)
"""


@pytest.fixture
def probed(tmp_path: Path) -> Iterator[Lifecycle]:
    script = tmp_path / "agent.py"
    script.write_text(AGENT)
    agent = agent_toml("prober", [sys.executable, str(script), str(tmp_path / "log")])
    with lifecycle(tmp_path / "p", extra=agent) as made:
        yield made


def attempts(project: Lifecycle, count: int) -> list[Any]:
    """What the agents of `count` attempts said when they began."""

    def said() -> list[Any]:
        file = project.folder.parent / "log"
        lines = file.read_text().splitlines() if file.exists() else []
        found = [json.loads(line) for line in lines]
        return found if len({each["run"] for each in found}) >= count else []

    return project.wait(said, f"agents of {count} attempts have begun")


def guardian(project: Lifecycle) -> int:
    (found,) = [
        pid for pid in project.marked() if b"guardian.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    return found


def strike_guardian_and_host(project: Lifecycle, number: signal.Signals) -> None:
    host = project.rows("SELECT pid FROM hosts ORDER BY started_at DESC")[0][0]
    victim = guardian(project)
    os.kill(victim, signal.SIGSTOP)  # so that it sees nothing of what follows
    os.kill(host, signal.SIGKILL)
    os.kill(victim, number)


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL], ids=["stopped", "killed"])
def test_no_agent_begins_beside_one_of_the_attempt_before(probed: Lifecycle, number: signal.Signals) -> None:
    probed.run("start", REQUEST, "--detach")
    attempts(probed, 1)

    strike_guardian_and_host(probed, number)

    assert attempts(probed, 2)[-1]["met"] == []
    probed.run("cancel")


def test_what_is_left_of_a_cancelled_run_is_ended_though_its_guardian_and_host_were_killed(
    probed: Lifecycle,
) -> None:
    probed.run("start", REQUEST, "--detach")
    left = attempts(probed, 1)[0]["pids"]
    strike_guardian_and_host(probed, signal.SIGKILL)

    probed.run("cancel")
    probed.run("start", "Write a log shipper that never loses a line", "--detach")  # a host comes up

    probed.wait(lambda: not probed.marked() & set(left), "the agent's child is gone", 15)
    probed.run("cancel", probed.session())

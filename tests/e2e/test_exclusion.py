"""Physical exclusion (invariant 15): at no instant do two agents of one task run, whatever happens to their hosts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.processes import SecondHost, everyone, locked, stop_between_writes
from tests.e2e.support import Lifecycle, agent_toml, lifecycle

AGENT = Path(__file__).parent / "agents" / "exclusive.py"
LEASE = {"lease_seconds": 3, "renew_seconds": 0.3, "watchdog_margin_seconds": 1}  # seconds
TASK = "RESEARCH-001"


class Probe:
    """What the agents wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def lines(self) -> list[dict[str, Any]]:
        log = self.folder / "log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def starts(self) -> int:
        """How many agents of the tasks that are watched have started."""
        return sum(line["what"] == "start" and line["task"].endswith(TASK) for line in self.lines())

    def overlaps(self) -> list[str]:
        """Every time two agents of one task were seen alive together: by the lock they hold, or by what they wrote."""
        found = [
            f"{line['task']}: {line['run']} met another" for line in self.lines() if line["what"] == "overlap"
        ]
        spans: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for line in self.lines():
            spans[line["task"]][line["run"]].append(line["at"])
        for task, runs in spans.items():
            inside = sorted((min(at), max(at)) for at in runs.values())
            found += [f"{task}: {a} and {b}" for a, b in pairwise(inside) if b[0] < a[1]]
        return found


@dataclass
class World:
    """Two sessions at work on one host, and a spare one. Nobody supervises them: the daemon would kill a wedged host."""

    project: Lifecycle
    probe: Probe
    working: int  # pid
    sessions: tuple[str, ...]

    def taken_over(self) -> bool:
        return self.probe.starts() >= 4

    def check(self) -> None:
        for session in self.sessions:
            self.project.wait(partial(self._once, session), f"the task of {session} is completed")
        assert self.probe.overlaps() == []
        lost = {row[0] for row in self.project.rows("SELECT id FROM runs WHERE outcome = 'lost'")}
        assert [found for found in everyone() if found.run in lost] == []

    def _once(self, session: str) -> bool:
        return self.project.story(TASK, session) == ["lost", "completed"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    probe = Probe(tmp_path / "probe")
    extra = agent_toml("exclusive", [sys.executable, str(AGENT), str(probe.folder)])
    with lifecycle(tmp_path / "p", {**LEASE, "slots": 4}, extra) as project:
        assert project.run("daemon", "start").code == 0
        working, spare = SecondHost(project, 4), SecondHost(project, 4)
        working.keep(0, 0)
        project.wait(lambda: len(project.rows("SELECT pid FROM hosts")) == 1, "the first host is there")
        for request in ("Build a steady thing", "Build a stubborn thing"):
            assert project.run("start", request, "--discuss", "off", "--detach").code == 0
        project.wait(lambda: probe.starts() == 2, "two agents are at work")
        project.wait(lambda: len(project.marked()) >= 5, "guardians, agents and the daemon of one")
        spare.keep(0, 0)
        project.wait(lambda: len(project.rows("SELECT pid FROM hosts")) == 2, "the spare host is there")
        assert working.pid is not None
        sessions = tuple(row[0] for row in project.rows("SELECT id FROM sessions"))
        yield World(project, probe, working.pid, sessions)
        for host in (working, spare):
            assert host.end(20) is not None


@pytest.mark.long
def test_a_host_stopped_for_longer_than_its_lease_and_revived_has_no_agent_left(world: World) -> None:
    stop_between_writes(world.project, world.working)
    world.project.wait(world.taken_over, "the spare host's agents work on the same tasks")

    os.kill(world.working, signal.SIGCONT)

    world.check()


def test_a_killed_hosts_agents_are_gone_before_another_hosts_begin(world: World) -> None:
    os.kill(world.working, signal.SIGKILL)

    world.project.wait(world.taken_over, "other agents work on the same tasks")
    world.check()


@pytest.mark.long
def test_agents_end_while_the_database_is_locked_for_longer_than_a_lease(world: World) -> None:
    with locked(world.project.database):
        world.project.wait(
            lambda: not world.project.marked(), "the agents were ended without the database", 15
        )

    world.project.run("resume", world.sessions[0])

    world.project.wait(world.taken_over, "other agents work on the same tasks")
    world.check()


def test_the_probe_notices_two_agents_of_one_task(tmp_path: Path) -> None:
    probe = Probe(tmp_path / "probe")
    about = {"LIFECYCLE_SESSION": "TLS-steady", "LIFECYCLE_TASK": TASK, "LIFECYCLE_KIND": "discovery"}
    command = [sys.executable, str(AGENT), str(probe.folder)]

    with subprocess.Popen(command, env={**about, "LIFECYCLE_RUN": "a"}) as one:
        while probe.starts() == 0:
            assert one.poll() is None
        subprocess.run(command, env={**about, "LIFECYCLE_RUN": "b"}, check=False)
        one.kill()

    assert probe.overlaps() == [f"TLS-steady.{TASK}: b met another"]

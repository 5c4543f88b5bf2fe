"""Two machines beside one database: when the leader of one is gone, the other one's coordinator goes on, and never both."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.e2e.postgres_project import OnPostgres, database_toml, on_postgres
from tests.e2e.support import QUICK
from tests.e2e.test_kill import check_story
from tests.patience import patient
from tests.postgres_server import Server

REQUEST = "Build a URL shortener with an admin dashboard"
LEASE = float(QUICK["lease_seconds"])  # type: ignore[arg-type]
# Processes in a space of their own have pids that mean nothing outside of it: as on another machine, their lease alone tells.
OF_ITS_OWN = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")


@dataclass
class Machines:
    """Two folders of one project, with a state folder and sockets of their own each."""

    near: OnPostgres
    far: OnPostgres

    def lead_far(self) -> subprocess.Popen[str]:
        """A coordinator with its worker host on the far machine, which leads."""
        process = subprocess.Popen(
            [*OF_ITS_OWN, *self.far.command("daemon", "run")],
            cwd=self.far.folder,
            env=self.far.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.far.take_along(process)
        self.far.wait(
            lambda: self.far.has_tables() and self.far.rows("SELECT 1 FROM leases"),
            "the far machine's coordinator leads",
        )
        return process

    def stand_by(self) -> subprocess.Popen[str]:
        process = self.near.spawn("daemon", "run", "--standby")
        assert process.stderr is not None
        assert "on another machine" in process.stderr.readline()
        return process

    def epoch(self) -> int:
        return int(self.near.rows("SELECT epoch FROM leases")[0][0])


@pytest.fixture
def machines(as_root: None, postgres: Server, tmp_path: Path) -> Iterator[Machines]:
    address = postgres.database()
    with ExitStack() as both:

        def machine(name: str, extra: str = "") -> OnPostgres:
            made = both.enter_context(
                on_postgres(tmp_path / name / "p", address, extra=database_toml(address) + extra)
            )
            sockets = tmp_path / name / "run"
            sockets.mkdir(mode=0o700)
            made.environment["XDG_RUNTIME_DIR"] = str(sockets)
            return made

        yield Machines(machine("near"), machine("far"))


def inner(outer: int) -> int:
    """The pid, as we see it, of the process that runs in a space of its own."""
    return int(Path(f"/proc/{outer}/task/{outer}/children").read_text().split()[0])


@pytest.mark.long
def test_a_standby_leads_within_a_lease_when_the_leaders_machine_is_gone(machines: Machines) -> None:
    near, far = machines.near, machines.far
    leading = machines.lead_far()
    machines.stand_by()
    assert near.run("start", REQUEST, "--mode", "spec-only", "--detach").code == 0
    session = near.session()
    near.wait(lambda: near.rows("SELECT 1 FROM runs WHERE outcome = 'completed'"), "the far machine works")
    assert machines.epoch() == 1 and near.rows("SELECT count(*) FROM hosts") == [(1,)]
    assert near.run("daemon", "status", "--json").json()["here"] is False
    refused = near.run("daemon", "stop")
    assert (refused.code, "on another machine" in refused.err) == (2, True)

    leading.kill()
    killed = time.monotonic()
    near.wait(lambda: machines.epoch() == 2, "the near machine's coordinator leads", LEASE + 20)
    took = time.monotonic() - killed

    assert took < LEASE + patient(2.0)
    near.wait(lambda: near.status(session)[0] == "completed", "the session ends", 120)
    check_story(near, session)
    near.wait(
        lambda: (near.directory(session) / "spec" / "readiness-report.md").is_file(), "its files are written"
    )
    assert not far.pids() - {leading.pid}


@pytest.mark.long
def test_a_leader_that_was_stopped_for_longer_than_its_lease_does_nothing_more(machines: Machines) -> None:
    near, far = machines.near, machines.far
    leading = machines.lead_far()
    machines.stand_by()
    assert near.run("start", REQUEST, "--mode", "spec-only", "--detach").code == 0
    session = near.session()
    near.wait(lambda: near.rows("SELECT 1 FROM runs WHERE outcome = 'completed'"), "the far machine works")

    stopped = inner(leading.pid)
    os.kill(stopped, signal.SIGSTOP)
    near.wait(lambda: machines.epoch() == 2, "the near machine's coordinator leads", LEASE + 20)
    (at,) = near.rows("SELECT at FROM leases")[0]
    os.kill(stopped, signal.SIGCONT)
    near.wait(lambda: leading.poll() is not None, "the far machine's coordinator has ended", 60)

    assert leading.returncode == 0
    log = (far.folder / ".workflow" / "logs" / "daemon.jsonl").read_text()
    events = [json.loads(line) for line in log.splitlines()]
    assert "deposed" in [each["event"] for each in events]
    since = datetime.fromtimestamp(at / 1e6, UTC).isoformat()
    assert [each for each in events if each["event"] == "beat" and each["timestamp"] > since] == []
    near.wait(lambda: near.status(session)[0] == "completed", "the session ends", 120)
    check_story(near, session)
    assert machines.epoch() == 2


def test_a_server_that_crashes_under_a_session_loses_nothing(postgres: Server, tmp_path: Path) -> None:
    with on_postgres(tmp_path / "p", postgres.database()) as project:
        assert project.run("start", REQUEST, "--mode", "spec-only", "--detach").code == 0
        session = project.session()
        project.wait(lambda: project.rows("SELECT 1 FROM runs WHERE outcome = 'completed'"), "it is at work")
        before = project.rows("SELECT id, outcome FROM runs WHERE outcome = 'completed'")

        postgres.stop("immediate")
        away = project.run("check")
        postgres.start()

        assert (away.code, "the database server cannot be used" in away.err) == (2, True), away.err
        project.wait(lambda: project.status(session)[0] == "completed", "the session ends", 120)
        check_story(project, session)
        assert set(before) <= set(project.rows("SELECT id, outcome FROM runs"))

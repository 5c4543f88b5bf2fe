"""A worker host on another machine: real processes of server and host, and a coordinator that starts no host of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from orchestrator.door.http_connections import Connections
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.wire import LONGEST_WAIT, DoorRefused
from orchestrator.mcp_server.scope import WORKER_TOOLS
from orchestrator.store.run_ids import new_run_id
from tests import invariants
from tests.e2e.support import QUICK, Lifecycle, lifecycle
from tests.mcp_clients import Refused, over_stdio
from tests.patience import patient

TELLER = Path(__file__).parent / "agents" / "teller.py"
REQUEST = "Build a URL shortener with an admin dashboard"
KILLED_HOST = ("discuss.reply_stored", "claim.after", "report.after_commit")
KILLED_SERVER = (pytest.param("claim.before", marks=pytest.mark.long), "claim.after")


@dataclass
class Machines:
    """The project with its server, and what another machine has: a clone of its own and a token."""

    here: Lifecycle
    clone: Lifecycle
    token: Path

    def serve(self, port: int = 0, failpoint: str = "") -> tuple[subprocess.Popen[str], str]:
        """A server and its address."""
        env = {"LIFECYCLE_FAILPOINT": failpoint} if failpoint else {}
        process = self.here.spawn("server", "--port", str(port), env=env)
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), process.communicate()[1]
        return process, url

    def join(self, url: str, failpoint: str = "") -> subprocess.Popen[str]:
        env = {"LIFECYCLE_FAILPOINT": failpoint} if failpoint else {}
        return self.clone.spawn(
            *("host", "join", url, "--token-file", str(self.token), "--folder", str(self.clone.folder)),
            env=env,
        )

    def start(self) -> str:
        """A session that waits for a host; its id."""
        assert self.here.run("start", REQUEST, "--mode", "spec-only", "--detach").code == 0
        return self.here.session()

    def await_end(self, session: str) -> None:
        """Each task was completed once, and whatever was begun besides was lost."""
        self.here.wait(lambda: self.here.status(session)[0] == "completed", "the session ends", 120)
        for key in self.here.tasks(session):
            story = self.here.story(key, session)
            assert Counter(story)["completed"] == 1 and story[-1] == "completed", f"{key}: {story}"
            assert set(story[:-1]) <= {"lost"}, f"{key}: {story}"
        invariants.check(self.here.database)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    with (
        lifecycle(tmp_path / "here" / "p", {"own_host": False}) as here,
        lifecycle(tmp_path / "there" / "clone") as clone,
    ):
        given = here.run("host", "add", "far-1")
        assert given.code == 0, given.err
        token = tmp_path / "there" / "token"
        token.write_text(given.out)
        yield Machines(here, clone, token)


def stopped_at(life: Lifecycle, announce: Path, name: str) -> int:
    life.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), f"{name} is reached")
    return int(announce.read_text().split()[0])


def test_a_session_is_done_by_a_joined_host_alone(machines: Machines) -> None:
    server, url = machines.serve()
    host = machines.join(url)
    session = machines.start()

    machines.await_end(session)

    here = machines.here
    assert {
        row[0] for row in here.rows("SELECT h.token FROM runs r JOIN hosts h ON h.incarnation = r.host")
    } == {"far-1"}
    assert not (machines.clone.folder / ".workflow" / "lifecycle.db").exists()
    told = here.run("host", "list", "--json").json()
    assert [each["name"] for each in told if each["joined"]] == ["far-1"]
    assert "far-1, on another machine" in here.run("daemon", "status").out
    checks = {each["check"]: each for each in here.run("doctor", "--json").json()}
    assert checks["servers"]["state"] == "ok" and checks["servers"]["says"].startswith(f"{url}, version ")
    assert "joined: far-1, lease ends in" in checks["hosts"]["says"]
    assert "its lease ends in" in checks["coordinator"]["says"]
    host.terminate()
    assert host.wait(60) == 0
    here.wait(lambda: not here.run("host", "list", "--json").json()[0]["joined"], "it has said goodbye")
    server.terminate()
    assert server.wait(60) == 0
    (check,) = (each for each in here.run("doctor", "--json").json() if each["check"] == "servers")
    assert check["state"] == "note" and "none is running, and 1 token(s)" in check["says"]


@pytest.mark.long
@pytest.mark.parametrize("name", KILLED_HOST)
def test_a_killed_host_loses_nothing_and_another_does_the_rest(machines: Machines, name: str) -> None:
    _, url = machines.serve()
    announce = machines.clone.folder / "announced"
    host = machines.join(url, failpoint="" if name == "claim.after" else f"{name}=wait:{announce}")
    session = machines.start()
    if name == "claim.after":  # no failpoint of a joined host: its claim is committed by the server
        machines.here.wait(lambda: machines.here.rows("SELECT id FROM runs"), "a run is open")
    else:
        assert stopped_at(machines.clone, announce, name) == host.pid

    host.send_signal(signal.SIGKILL)
    host.wait()
    machines.join(url)

    machines.await_end(session)


@pytest.mark.scale
@pytest.mark.parametrize("name", KILLED_SERVER)
def test_a_killed_server_loses_nothing_and_its_hosts_go_on(machines: Machines, name: str) -> None:
    announce = machines.here.folder / "announced"
    server, url = machines.serve(failpoint=f"{name}=wait:{announce}")
    machines.join(url)
    session = machines.start()
    assert stopped_at(machines.here, announce, name) == server.pid

    server.send_signal(signal.SIGKILL)
    server.wait()
    machines.serve(port=urlsplit(url).port or 0)

    machines.await_end(session)


def test_one_command_turns_a_host_out_and_another_does_its_work(machines: Machines, tmp_path: Path) -> None:
    here, announce = machines.here, machines.clone.folder / "announced"
    _, url = machines.serve()
    machines.join(url, failpoint=f"discuss.reply_stored=wait:{announce}")
    session = machines.start()
    stopped_at(machines.clone, announce, "discuss.reply_stored")
    ((incarnation,),) = here.rows("SELECT incarnation FROM hosts WHERE token = 'far-1'")
    stolen = HttpDesk(Connections(url, machines.token.read_text().strip()), tmp_path)

    def parked_until_refused() -> float:
        seen = 0
        while True:
            try:
                seen = stolen.news(incarnation, seen, LONGEST_WAIT).seen
            except DoorRefused:
                return time.monotonic()

    with ThreadPoolExecutor() as pool:
        parked = pool.submit(parked_until_refused)
        revoked_at = time.monotonic()
        assert here.run("host", "revoke", "far-1").code == 0
        assert parked.result(patient(60)) - revoked_at < patient(LONGEST_WAIT / 3)
    with pytest.raises(DoorRefused, match="does not know the token"):
        stolen.claim(incarnation, ("writer",), new_run_id())
    other = tmp_path / "other-token"
    other.write_text(here.run("host", "add", "far-2").out)
    replace(machines, token=other).join(url)

    machines.await_end(session)

    told = [(row["what"], row["name"]) for row in here.run("host", "audit", "--json").json()]
    assert told == [
        *(("added", "far-1"), ("joined", "far-1"), ("revoked", "far-1")),
        *(("added", "far-2"), ("joined", "far-2")),
    ]


def test_a_revoked_host_ends_and_says_why(machines: Machines) -> None:
    _, url = machines.serve()
    host = machines.join(url)
    here = machines.here
    here.wait(lambda: here.run("host", "list", "--json").json()[0]["joined"], "it has joined")

    assert here.run("host", "revoke", "far-1").code == 0

    _, err = host.communicate(timeout=60)
    assert host.returncode == 2 and "does not know the token" in err, err
    assert here.run("host", "revoke", "far-1").out == "far-1 was revoked before\n"


@pytest.mark.long
def test_an_agent_of_a_joined_host_speaks_to_the_team_by_its_runs_token(
    machines: Machines, tmp_path: Path
) -> None:
    pytest.importorskip("mcp", reason="team-lifecycle[mcp] is not installed")
    here, there, beside = machines.here, machines.clone, tmp_path / "told"
    beside.mkdir()
    client = tmp_path / "claude"
    client.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{TELLER}" "{beside}" "$@"\n')
    client.chmod(0o755)
    off = ["codex", "gemini", "qwen", "opencode"]
    there.configure(
        {**QUICK, "agents_off": off, "hand_over_mcp": True},
        f'\n[agents.claude]\ncommand = ["{client}"]\n',
    )
    _, url = machines.serve()
    machines.join(url)

    session = machines.start()
    machines.await_end(session)

    said = [json.loads(file.read_text()) for file in beside.glob("*.json")]
    assert said, there.logs()
    for each in said:
        server = each["server"]
        assert ("--door", url) in pairwise(server["args"]) and set(each["tools"]) == WORKER_TOOLS
        assert each["told"]["session"] == session and each["refused"].startswith("a worker cannot send")
        assert {task["task"] for task in each["tasks"]} <= set(here.tasks(session))
        assert machines.token.read_text().strip() not in json.dumps(each)
    rows = here.rows(
        "SELECT sender, summary FROM messages WHERE session_id = ? AND summary LIKE '%I begin'", session
    )
    assert len(rows) == len(said) and "user" not in {sender for sender, _ in rows}
    assert not list(there.folder.rglob("lifecycle.db"))
    with over_stdio(said[0]["server"]) as late, pytest.raises(Refused, match="your run is over"):
        late.msg("log", summary="too late")


def test_where_no_host_can_do_a_task_why_says_so(machines: Machines) -> None:
    here = machines.here
    here.configure({**QUICK, "own_host": False})
    machines.start()
    here.wait(
        lambda: here.rows("SELECT 1 FROM tasks WHERE offered_at IS NOT NULL"), "the first task is offered"
    )

    said = here.run("why", "RESEARCH-001").out

    assert "no worker host is running; the coordinator starts one unless own_host is off" in said
    assert "lifecycle worker" in said

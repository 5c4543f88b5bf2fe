"""What the agent of a joined host's run may ask of the server, and what it is refused: then nothing has changed."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.domain.errors import LeaseLost
from orchestrator.door import wire
from orchestrator.door.desk import Desk, Run, new_run_id
from orchestrator.door.http_connections import Connections
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.wire import DoorRefused
from orchestrator.mcp_server.scope import WORKER_TOOLS, WRITES
from orchestrator.server.agent_door import QUESTION
from orchestrator.store import agent_tokens, host_tokens, messages, run_tokens
from tests import factories as make
from tests import invariants
from tests.desk_world import START, DeskWorld, done
from tests.door_server import Running, serving
from workers.agents.programs.mcp import server_elsewhere

LEASE = 20.0
SAID = {"operation": "log", "summary": "half of it is done", "from": "user"}


@dataclass
class Agents:
    """A server, and a host of each of two tokens with an open run."""

    running: Running
    world: DeskWorld
    token: str
    desk: Desk
    run: Run
    other: Run
    folder: Path

    def bearer(self, run: Run | None = None) -> str:
        row = run or self.run
        return f"{row.run}.{self.world.store.write(lambda tx: agent_tokens.add(tx, row.run), about=row.session_id)}"

    def post(
        self, name: str, body: Any = SAID, bearer: str | None = None, version: str | None = wire.VERSION
    ) -> tuple[int, dict[str, Any]]:
        at = urlsplit(self.running.url)
        connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
        shown = self.bearer() if bearer is None else bearer
        headers = {"authorization": f"Bearer {shown}"} | ({wire.VERSION_HEADER: version} if version else {})
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", f"/v1/{name}", content, headers)
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def said(self) -> list[tuple[str, str]]:
        found = self.world.store.read(lambda tx: messages.after(tx, self.run.session_id))
        return [(row.sender, row.summary) for row in found if row.summary.endswith(SAID["summary"])]


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[Agents]:
    clock = make.SetClock(START)
    store = make.make_store(tmp_path / "p", clock=clock)
    with serving(store) as running:
        world = DeskWorld(store, clock, running.site.door.local)
        token = running.token("far-1", ROLES_ELSEWHERE, 4)
        desks, runs = [], []
        for host, shown in (("h-1", token), ("h-2", running.token("far-2", ROLES_ELSEWHERE, 4))):
            world.offered()
            desk = HttpDesk(
                running.connections(shown), tmp_path / host, patience=1.0, monotonic=clock.monotonic
            ).as_desk()
            desk.register(host, roles=ROLES_ELSEWHERE, slots=1, lease_seconds=LEASE)
            run = desk.claim(host, ROLES_ELSEWHERE, new_run_id())
            assert run is not None
            desks.append(desk)
            runs.append(run)
        yield Agents(running, world, token, desks[0], runs[0], runs[1], tmp_path)
    invariants.check_store(store)
    store.close()


def test_a_runs_agent_says_and_reads_what_it_could_beside_the_database(agents: Agents) -> None:
    status, told = agents.post("agent/team_msg")
    assert status == 200 and told["answer"]["session"] == agents.run.session_id
    assert agents.said() == [(agents.run.role, f"[{agents.run.role}] {SAID['summary']}")], (
        "in its role's name, whatever it says"
    )
    assert agents.post("agent/wisdom_add", {"file": "learnings", "text": "tea is hot"})[0] == 200

    seen = agents.post("agent/session_status", {})[1]["answer"]
    assert seen["session"] == agents.run.session_id and seen["dashboard"] is None
    tasks = agents.post("agent/task_list", {})[1]["answer"]
    assert agents.run.key in {task["task"] for task in tasks}
    assert agents.post("agent/explore", {"query": "tea"}) == (200, {"answer": None}), "its clone is explored"


def test_the_host_gets_the_token_of_its_own_open_runs_alone(agents: Agents) -> None:
    given = [agents.desk.agent_token(agents.run) for _ in range(2)]

    assert len(set(given)) == 2, "it is stored nowhere"
    for each in given:
        assert agents.post("agent/team_msg", bearer=f"{agents.run.run}.{each}")[0] == 200
        assert each not in json.dumps(agents.world.rows(), default=str)

    for theirs in (agents.other, agents.other._replace(host="h-1")):
        with pytest.raises(LeaseLost):
            agents.desk.agent_token(theirs)
    agents.desk.report(done(agents.run), (), draining=True)
    with pytest.raises(LeaseLost):
        agents.desk.agent_token(agents.run)


def test_wrong_tokens_are_refused(agents: Agents) -> None:
    run, _, right = agents.bearer().partition(".")
    others = agents.bearer(agents.other).partition(".")[2]
    beside = run_tokens.token_for(agents.world.store.workflow, run)
    before = agents.world.rows()
    assert agents.post("agent/task_list", {}, bearer=f"{run}.{right}")[0] == 200

    for wrong in (
        agents.token,  # of the host itself
        *(f"{run}.{each}" for each in (others, beside, right[:-1], f"{right}0", "", "0" * 64)),
        f"{'0' * 32}.{right}",
        right,
        "",
    ):
        status, problem = agents.post("agent/team_msg", bearer=wrong)
        assert status == 401 == problem["status"] and right not in json.dumps(problem), wrong
    for name in ("terms", "claim", "agent_token", "mirror/terms"):
        assert agents.post(name, {})[0] == 401, f"{name} is not for agents"

    assert agents.world.rows() == before


def test_many_wrong_tokens_are_put_off(agents: Agents) -> None:
    statuses = [agents.post("agent/team_msg", bearer="guessed")[0] for _ in range(32)]

    assert statuses[0] == 401 and statuses[-1] == 429
    assert agents.post("agent/task_list", {})[0] == 200, "who has a right one is answered"


@pytest.mark.parametrize("end", ["completed", "lapsed", "revoked"])
def test_the_token_dies_with_the_run(agents: Agents, end: str) -> None:
    if end == "completed":
        agents.desk.report(done(agents.run), (), draining=True)
    elif end == "lapsed":
        agents.world.pass_lease()
    else:
        agents.world.store.write(lambda tx: host_tokens.revoke(tx, "far-1"))
    before = agents.world.rows()

    asked = {
        "team_msg": SAID,
        "session_status": {},
        "explore": {},
        "wisdom_add": {"file": "issues", "text": "late"},
    }
    for name, arguments in asked.items():
        status, problem = agents.post(f"agent/{name}", arguments)
        assert status == 409 and problem["title"].startswith("your run is over"), name

    assert agents.world.rows() == before


def test_what_is_no_question_of_an_agent_is_refused(agents: Agents) -> None:
    before = agents.world.rows()
    large = json.dumps({**SAID, "data": "x" * QUESTION}).encode()

    assert agents.post("agent/team_msg", version=None)[0] == 426
    assert agents.post("agent/team_msg", version="1")[0] == 426
    assert agents.post("agent/team_msg", large)[0] == 413
    for name in ("session_command", "session_start", "session_list", "nothing"):
        assert name not in WORKER_TOOLS and agents.post(f"agent/{name}", {})[0] == 422, name
    for body in (b"", b"{", b"[]", b'{"operation": "log", "summary": NaN}', b"\xff", b"[" * 100_000):
        assert agents.post("agent/team_msg", body)[0] == 422, body[:20]
    assert agents.post("agent/team_msg", {**SAID, "more": 1})[0] == 422
    assert agents.post("agent/team_msg", {**SAID, "session": agents.other.session_id})[0] == 409
    assert agents.post("agent/team_msg", {**SAID, "to": "writer"})[0] == 409

    assert agents.world.rows() == before


def test_a_run_that_goes_in_circles_is_stopped(agents: Agents) -> None:
    scope = agents.running.site.agents._scope
    row = agents.running.site.agents.holder(agents.bearer())
    assert row is not None
    for _ in range(WRITES):
        scope(row).may_write()

    status, problem = agents.post("agent/team_msg")

    assert status == 409 and f"written {WRITES} times" in problem["title"] and agents.said() == []
    assert agents.post("agent/team_msg", bearer=agents.bearer(agents.other))[0] == 200


def test_the_server_of_an_agent_asks_at_the_door(agents: Agents) -> None:
    pytest.importorskip("mcp", reason="team-lifecycle[mcp] is not installed")
    from tests.mcp_clients import Refused, over_stdio

    door = agents.desk.agents_door
    assert door is not None
    token = agents.desk.agent_token(agents.run)
    passed = {name: value for name, value in os.environ.items() if name == "LIFECYCLE_CONFIG_DIR"}
    server = server_elsewhere(agents.run.run, agents.folder, token, door, passed)
    assert token not in server["args"]

    with over_stdio(server) as agent:
        assert set(agent.tools()) == WORKER_TOOLS
        agent.msg("log", summary=SAID["summary"], sender="user")
        with pytest.raises(Refused, match="only your own session"):
            agent.call("task_list", session=agents.other.session_id)
        agents.desk.report(done(agents.run), (), draining=True)
        with pytest.raises(Refused, match="your run is over"):
            agent.call("explore", query="tea")

    assert agents.said() == [(agents.run.role, f"[{agents.run.role}] {SAID['summary']}")]


def test_the_address_of_another_machine_must_be_encrypted(agents: Agents) -> None:
    with pytest.raises(Exception, match="unencrypted"):
        Connections("http://build.example:8471", agents.bearer())
    with pytest.raises(DoorRefused):
        HttpDesk(agents.running.connections(agents.bearer()), agents.folder).terms()

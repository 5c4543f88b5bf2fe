"""The MCP server as agents meet it: real processes, the SDK's own client, over stdio and over HTTP."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from typer.main import get_command

from orchestrator.cli.building import build
from orchestrator.cli.main import run
from orchestrator.domain.errors import LeaseLost, NotAllowedNow, StoreError, UsageError
from orchestrator.domain.model import RunOutcome
from orchestrator.domain.pauses import PauseReason
from orchestrator.mcp_server.scope import PERSON_TOOLS, WORKER_TOOLS, WRITES, Person, Worker, worker
from orchestrator.mcp_server.serve import call
from orchestrator.mcp_server.tool_context import ToolContext
from orchestrator.mcp_server.tools import OPERATIONS, TOOLS
from orchestrator.project import Project
from orchestrator.store import artifacts, decisions, messages, records, run_tokens, sessions, transitions
from orchestrator.store.rows import Message, Run
from orchestrator.store.store import Store, Tx
from orchestrator.wakeup import Waker
from tests import factories as make
from tests import invariants
from tests.git_world import git, repository, write
from tests.mcp_clients import (
    Agent,
    Refused,
    command,
    for_person,
    http_server,
    over_http,
    over_stdio,
)
from workers.agents.programs.mcp import server_for

SECRET_WORDS = "the other team's secret plan"


@dataclass
class World:
    """A project with two sessions; the first task of each is done and its second is held by an open run."""

    folder: Path
    store: Store
    own: str
    run: Run
    other: str
    other_run: Run

    def said(self, session: str | None = None) -> list[Message]:
        found = self.store.read(lambda tx: messages.after(tx, session or self.own))
        return [row for row in found if row.kind == "message"]

    def counts(self) -> tuple[int, ...]:
        """How many rows there are that a tool could have added."""

        def look(tx: Any) -> tuple[int, ...]:
            both = [sessions.get(tx, session) for session in (self.own, self.other)]
            wisdom = [len(records.wisdom_of(tx, session)) for session in (self.own, self.other)]
            return (*(row.messages for row in both if row), *wisdom, len(sessions.all_sessions(tx)))

        return self.store.read(look)


def make_world(folder: Path) -> World:
    store = make.make_store(folder)
    lead, host = make.lead(store), make.make_host(store, seconds=3600.0)
    held = []
    for request, body in (("Build a URL shortener", b"# Found\n"), ("Sell tea", SECRET_WORDS.encode())):
        session = make.make_session(store, request)
        make.one_beat(store, session, lead)
        first = make.claim(store, host)
        assert first is not None
        files = {"spec/found.md": body, f"spec/{session}.md": body}
        following = make.finish(store, first, files=files).next
        if following is None:
            make.one_beat(store, session, lead)
            following = make.claim(store, host)
        assert following is not None and following.session_id == session
        held.append((session, following))
    (own, run), (other, other_run) = held
    return World(folder, store, own, run, other, other_run)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path)
    yield made
    made.store.close()
    invariants.check(made.store.path)


@dataclass
class Shared:
    """What tests that disturb nobody use together: one world, and the agents that are connected to it."""

    world: World
    person: Agent
    worker: Agent
    url: str
    authorization: str


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, nobodys_settings: Path) -> Iterator[Shared]:
    made = make_world(tmp_path_factory.mktemp("mcp"))
    with (
        http_server(made.folder) as (url, authorization),
        over_http(url, authorization) as person,
        over_stdio(server_for(made.run.run, made.folder), mode="legacy") as agent,
    ):
        yield Shared(made, person, agent, url, authorization)
    made.store.close()
    invariants.check(made.store.path)


# what is served


def test_a_persons_agent_gets_every_tool(shared: Shared) -> None:
    assert set(shared.person.tools()) == PERSON_TOOLS


def test_a_workers_agent_gets_the_tools_of_its_run_alone(shared: Shared) -> None:
    assert set(shared.worker.tools()) == WORKER_TOOLS


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_http_serves_the_same_tools_to_old_and_new_clients(shared: Shared, mode: str) -> None:
    with over_http(shared.url, shared.authorization, mode) as agent:
        found = agent.tools()
        answer = agent.call("session_status", session=shared.world.own)

    assert set(found) == PERSON_TOOLS
    assert answer["session"] == shared.world.own


def test_every_tool_says_what_it_does_and_takes_no_argument_that_it_does_not_know(shared: Shared) -> None:
    for tool in shared.person.tools().values():
        assert len(tool.description) > 40
        assert tool.input_schema["additionalProperties"] is False


BUS_LOOKS = {
    "list": {},
    "list filtered": {"sender": "analyst", "type": "draft_ready", "to": "coordinator"},
    "list last": {"last": 1},
    "read": {"id": "MSG-004"},
    "status": {},
    "state": {},
    "get_state": {},
}


@pytest.mark.parametrize("look", BUS_LOOKS)
def test_the_tool_and_the_command_give_the_same_json(shared: Shared, look: str) -> None:
    operation, arguments = look.split()[0], BUS_LOOKS[look]
    options = [
        part
        for name, value in arguments.items()
        for part in (f"--{'from' if name == 'sender' else name}", str(value))
    ]

    tool = shared.person.msg(operation, session=shared.world.own, **arguments)
    printed = lifecycle(shared.world, "msg", operation, "--session", shared.world.own, *options)

    assert tool == printed
    assert tool or operation.endswith("state")


@pytest.mark.parametrize("operation", ["log", "broadcast"])
def test_what_the_tool_and_the_command_say_is_the_same_message(shared: Shared, operation: str) -> None:
    world = shared.world
    given = {
        "from": "writer",
        "type": "my_own",
        "summary": "half \x1b[31m",
        "ref": "spec/a.md",
        "data": '{"n": [1]}',
    }
    options = [part for name, value in given.items() for part in (f"--{name}", value)]

    _, text = shared.person.text("team_msg", operation=operation, session=world.other, **given)
    printed = lifecycle(world, "msg", operation, "--session", world.other, *options)

    tool = json.loads(text)
    one, two = world.said(world.other)[-2:]
    assert tool.keys() == printed.keys()
    assert [tool["id"], printed["id"]] == [f"MSG-{one.number:03d}", f"MSG-{two.number:03d}"]
    assert one._replace(number=0, at=0) == two._replace(number=0, at=0)
    assert one.data == {"n": [1]}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_takes_what_its_command_takes(operation: str) -> None:
    _, known = OPERATIONS[operation]
    bus: Any = get_command(build()).commands["msg"]  # type: ignore[attr-defined]

    options = {
        name.lstrip("-")
        for option in bus.commands[operation].params
        for name in option.opts
        if name[:2] == "--"
    }

    assert known - {"operation"} == options - {"json", "help"}


@pytest.mark.parametrize(("tool", "words"), [("session_status", "check"), ("task_list", "tasks")])
def test_a_look_is_the_commands_own(shared: Shared, tool: str, words: str) -> None:
    printed = lifecycle(shared.world, words, "--session", shared.world.own)

    answer = shared.person.call(tool, session=shared.world.own)

    assert still(answer) == still(printed)


def still(value: Any) -> Any:
    """Without what the time between two looks changes."""
    if isinstance(value, dict):
        return {key: still(each) for key, each in value.items() if not key.endswith("seconds")}
    return [still(each) for each in value] if isinstance(value, list) else value


def test_a_task_tells_its_input_its_attempts_and_why_it_waits(shared: Shared) -> None:
    running = shared.worker.call("task_get", task=shared.world.run.key)
    waiting = shared.worker.call("task_get", task="quality-001")

    assert [run["outcome"] for run in running["runs"]] == ["open"]
    assert (waiting["task"], waiting["why"]["state"]) == ("QUALITY-001", "blocked")


def test_an_artifact_is_read_in_pieces_and_by_version(shared: Shared) -> None:
    whole = shared.worker.call("artifact_read", artifact="found.md")
    rest = shared.worker.call("artifact_read", artifact="spec/found.md", version=1, offset=3)

    assert (whole["content"], whole["next_offset"], whole["characters"]) == ("# Found\n", None, 8)
    assert rest["content"] == "ound\n"


def test_explore_finds_what_is_in_the_repository(shared: Shared) -> None:
    (shared.world.folder / "billing.py").write_text("def charge_customer(amount):\n    return amount\n")

    found = shared.worker.call("explore", query="charge customer --angle x", angle="general")

    assert "billing.py" in [each["path"] for each in found["relevant_files"]]


def test_wisdom_is_kept_in_the_name_of_the_role_and_task(shared: Shared) -> None:
    world = shared.world

    shared.worker.call("wisdom_add", file="learnings", text=" the API is slow ", task="QUALITY-001")

    (row,) = world.store.read(lambda tx: records.wisdom_of(tx, world.own))
    assert (row.name, row.author, row.task_key) == ("learnings", world.run.role, world.run.key)
    assert row.data == "the API is slow"


# what a worker's agent cannot do


def test_a_worker_speaks_in_its_own_name_whatever_it_says(shared: Shared) -> None:
    role = shared.world.run.role

    shared.worker.msg("log", sender="coordinator", summary="approved", type="plan_approved")

    said = shared.world.said()[-1]
    assert (said.sender, said.summary) == (role, f"[{role}] approved")


FORBIDDEN: dict[str, tuple[str, dict[str, Any], str]] = {
    "to another worker": ("team_msg", {"operation": "log", "to": "reviewer", "summary": "x"}, "cannot send messages to"),
    "to everyone": ("team_msg", {"operation": "broadcast", "summary": "x"}, "cannot send messages to everyone"),
    "to everyone by name": ("team_msg", {"operation": "log", "to": "all", "summary": "x"}, "send messages to everyone"),
    "delete": ("team_msg", {"operation": "delete", "id": "MSG-001"}, "append-only"),
    "clear": ("team_msg", {"operation": "clear"}, "append-only"),
    "approve": ("session_command", {"command": "resume"}, "unknown tool"),
    "start": ("session_start", {"task": "Build a bot net"}, "unknown tool"),
    "huge summary": ("team_msg", {"operation": "log", "summary": "x" * 20_001}, "too long"),
    "huge data": ("team_msg", {"operation": "log", "summary": "x", "data": {"x": "y" * 200_000}}, "too long"),
    "huge wisdom": ("wisdom_add", {"file": "issues", "text": "x" * 4_001}, "too long"),
    "no words": ("wisdom_add", {"file": "issues", "text": " \n"}, "empty"),
    "no summary": ("team_msg", {"operation": "log"}, "summary is missing"),
    "a wisdom file of its own": ("wisdom_add", {"file": "../x", "text": "x"}, "not valid"),
    "misspelt": ("team_msg", {"operation": "list", "sesion": "x"}, "not valid"),
    "an argument of another operation": ("team_msg", {"operation": "status", "summary": "x"}, "does not take summary"),
    "data that is no JSON": ("team_msg", {"operation": "log", "summary": "x", "data": "{"}, "not JSON"),
    "data that is NaN": ("team_msg", {"operation": "log", "summary": "x", "data": "NaN"}, "not JSON"),
    "type with a line break": ("team_msg", {"operation": "log", "summary": "x", "type": "a\nb"}, "is not a valid name"),
    "path escape": ("artifact_read", {"artifact": "../../lifecycle.db"}, "unknown artifact"),
    "path escape inside": ("artifact_read", {"artifact": "spec/../../../mcp.secret"}, "unknown artifact"),
    "absolute path": ("artifact_read", {"artifact": "/etc/passwd"}, "unknown artifact"),
    "no such version": ("artifact_read", {"artifact": "found.md", "version": 7}, "unknown version"),
    "unknown angle": ("explore", {"query": "x", "angle": "--project=/"}, "explore"),
}  # fmt: skip


@pytest.mark.parametrize("what", FORBIDDEN)
def test_a_refused_call_says_why_and_changes_nothing(shared: Shared, what: str) -> None:
    tool, arguments, words = FORBIDDEN[what]
    before = shared.world.counts()

    with pytest.raises(Refused) as refused:
        shared.worker.call(tool, **arguments)

    assert words in refused.value.what
    assert refused.value.why or refused.value.fix
    assert len(refused.value.why) <= 2_000
    assert shared.world.counts() == before


CALLS: dict[str, dict[str, Any]] = {
    "team_msg": {"operation": "list"},
    "session_status": {},
    "task_list": {},
    "task_get": {"task": "RESEARCH-001"},
    "artifact_read": {"artifact": "found.md"},
    "impact": {"name": "RESEARCH-001"},
    "wisdom_add": {"file": "issues", "text": "x"},
}


@pytest.mark.parametrize("tool", CALLS)
def test_another_session_is_refused_like_one_that_does_not_exist(shared: Shared, tool: str) -> None:
    arguments = CALLS[tool]
    before = shared.world.counts()
    names = (shared.world.other, shared.world.other[:8], "TLS-nothing-2026-01-01", "", "*", "../x")

    told = []
    for name in names:
        with pytest.raises(Refused) as refused:
            shared.worker.call(tool, **arguments, session=name)
        told.append(refused.value)

    assert set(told) == {told[0]}
    assert shared.world.counts() == before


def test_another_sessions_artifact_is_not_found_by_its_name(shared: Shared) -> None:
    with pytest.raises(Refused) as refused:
        shared.worker.call("artifact_read", artifact=f"spec/{shared.world.other}.md")

    assert shared.world.other not in refused.value.why
    assert SECRET_WORDS not in json.dumps(shared.worker.call("artifact_read", artifact="found.md"))


def test_the_bus_of_a_team_is_named_by_either_word_but_not_by_both_at_once(shared: Shared) -> None:
    assert shared.person.msg("list", team=shared.world.own) == shared.person.msg(
        "list", session=shared.world.own
    )

    with pytest.raises(Refused, match="two sessions"):
        shared.person.msg("list", team=shared.world.own, session=shared.world.other)


def test_an_agent_in_a_circle_is_stopped(world: World) -> None:
    scope = opened(world)

    for _ in range(WRITES):
        scope.may_write()

    with pytest.raises(NotAllowedNow, match=f"{WRITES} times"):
        scope.may_write()


def test_what_agents_wrote_comes_out_inert(shared: Shared) -> None:
    shared.worker.msg("log", summary="\u202egnp.exe\x1b[2J", data={"k": "\u2066x\x9b"})

    failed, text = shared.person.text("team_msg", operation="list", session=shared.world.own, last=1)

    assert not failed
    assert not set(text) & set("\u202e\u2066\x1b\x9b")
    assert json.loads(text)[0]["data"] == {"k": "\u2066x\x9b"}


# the fence


def test_a_server_whose_run_is_over_serves_nothing(world: World) -> None:
    everything = {**CALLS, "explore": {}, "team_msg": {"operation": "log", "summary": "x"}}
    with over_stdio(server_for(world.run.run, world.folder)) as agent:
        agent.msg("log", summary="still here")
        make.finish(world.store, world.run)
        before = world.counts()

        refused = {}
        for tool, arguments in everything.items():
            with pytest.raises(Refused) as found:
                agent.call(tool, **arguments)
            refused[tool] = found.value.what

    assert {words.partition(";")[0] for words in refused.values()} == {"your run is over"}
    assert world.counts() == before


def lose(world: World) -> None:
    world.store.write(
        lambda tx: transitions.revoke(tx, world.run.run, world.run.id, RunOutcome.LOST, "gone", counted=True)
    )


def end_lease(world: World) -> None:
    connection = sqlite3.connect(world.store.path)
    with connection:
        connection.execute("UPDATE runs SET lease_until = 0 WHERE id = ?", [world.run.run])
    connection.close()


@pytest.mark.parametrize("end", [lose, end_lease])
def test_who_does_not_hold_its_run_is_refused_from_that_moment_on(
    world: World, end: Callable[[World], None]
) -> None:
    scope = opened(world)
    world.store.read(lambda tx: scope.session(tx, None))
    end(world)

    for unit in (world.store.read, world.store.write):
        with pytest.raises(LeaseLost, match="run is over"):
            unit(lambda tx: scope.session(tx, None))
    with pytest.raises(LeaseLost, match="run is over"):
        opened(world)


def opened(world: World, run: str | None = None, token: str | None = None) -> Worker:
    """The scope of a run's agent: the world's own, with its token, unless told."""
    run = run or world.run.run
    given = run_tokens.token_for(world.store.workflow, run) if token is None else token
    return worker(Project(world.folder), run, given)


# the token


def test_only_the_token_of_the_run_opens_it(world: World) -> None:
    right = run_tokens.token_for(world.store.workflow, world.run.run)
    others = run_tokens.token_for(world.store.workflow, world.other_run.run)
    bad = [others, right[:-1], f"{right}0", right.upper(), world.run.run, "", "ключ\udcff"]

    opened(world, token=right)

    for token in bad:
        with pytest.raises(UsageError, match="does not fit"):
            opened(world, token=token)
    with pytest.raises(UsageError, match="no token"):
        worker(Project(world.folder), world.run.run, None)
    with pytest.raises(UsageError, match="does not fit"):
        opened(world, run="0" * 32)


def test_the_server_of_a_run_is_told_where_our_files_are_and_nothing_else(world: World) -> None:
    environ = {
        "PATH": "/bin",
        "API_KEY": "k",
        "LIFECYCLE_JOURNAL": "truncate",
        "XDG_RUNTIME_DIR": "/run/user/7",
    }

    server = server_for(world.run.run, world.folder, environ)

    token = server["env"].pop("LIFECYCLE_MCP_TOKEN")
    assert server["env"] == {"LIFECYCLE_JOURNAL": "truncate", "XDG_RUNTIME_DIR": "/run/user/7"}
    assert opened(world, token=token)
    assert token not in server["args"]


def test_a_run_of_another_boot_is_not_known(world: World) -> None:
    connection = sqlite3.connect(world.store.path)
    with connection:
        connection.execute("UPDATE hosts SET boot = 'another'")
    connection.close()

    with pytest.raises(UsageError, match="does not fit"):
        opened(world)


def test_a_project_that_gave_no_token_takes_none_and_makes_no_secret(world: World) -> None:
    with pytest.raises(UsageError, match="does not fit"):
        opened(world, token="x")

    assert not (world.store.workflow / run_tokens.SECRET).exists()


def test_a_server_with_a_wrong_token_ends_before_it_says_anything(world: World) -> None:
    server = server_for(world.run.run, world.folder)
    wrong = run_tokens.token_for(world.store.workflow, world.other_run.run)

    done = subprocess.run(
        [server["command"], *server["args"]],
        env={**os.environ, **server["env"], "LIFECYCLE_MCP_TOKEN": wrong},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "does not fit" in done.stderr
    assert wrong not in done.stderr


def test_the_secret_is_made_once_and_its_owner_alone_may_read_it(world: World) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = list(pool.map(lambda _: run_tokens.token_for(world.store.workflow, "r"), range(16)))
    secret = world.store.workflow / run_tokens.SECRET

    assert len(set(tokens)) == 1
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert [path.name for path in secret.parent.glob("*mcp*")] == [secret.name]


@pytest.mark.parametrize("spoil", ["readable", "short", "link"])
def test_a_secret_that_others_could_know_is_refused(world: World, spoil: str) -> None:
    run_tokens.token_for(world.store.workflow, "r")
    secret = world.store.workflow / run_tokens.SECRET
    if spoil == "readable":
        secret.chmod(0o640)
    elif spoil == "short":
        secret.write_bytes(b"")
    else:
        moved = secret.rename(world.folder / "elsewhere")
        secret.symlink_to(moved)

    with pytest.raises((StoreError, OSError)):
        run_tokens.fits(world.store.workflow, "r", "t")


# HTTP


def post(url: str, **headers: str) -> tuple[int, bytes]:
    """The status and body of one request to list the tools; `headers` with _ for -, an empty one left out."""
    parts = urlsplit(url)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    usual = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        given = {name.replace("_", "-"): value for name, value in {**usual, **headers}.items() if value}
        connection.request("POST", parts.path, headers.pop("body", body), given)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_http_refuses_who_has_no_token_or_comes_from_elsewhere(shared: Shared) -> None:
    right = shared.authorization
    port = urlsplit(shared.url).port
    tries: dict[str, tuple[int, dict[str, str]]] = {
        "no token": (401, {}),
        "wrong token": (401, {"authorization": "Bearer wrong"}),
        "no bearer": (401, {"authorization": right.removeprefix("Bearer ")}),
        "a token and more": (401, {"authorization": f"{right}x"}),
        "a stranger's page": (403, {"authorization": right, "origin": "https://evil.example"}),
        "a page without an origin": (403, {"authorization": right, "origin": "null"}),
        "an origin that begins like ours": (
            403,
            {"authorization": right, "origin": f"http://127.0.0.1:{port}.evil.example"},
        ),
        "another port's page": (403, {"authorization": right, "origin": "http://127.0.0.1:1"}),
        "another name for our address": (421, {"authorization": right, "host": "evil.example"}),
        "another name and our port": (421, {"authorization": right, "host": f"evil.example:{port}"}),
    }

    found = {name: post(shared.url, **headers) for name, (_, headers) in tries.items()}

    assert {name: status for name, (status, _) in found.items()} == {
        name: status for name, (status, _) in tries.items()
    }
    assert {body for _, body in found.values()} == {b""}
    assert post(shared.url, authorization=right, origin=f"http://localhost:{port}")[0] == 200


def test_http_refuses_a_body_that_is_too_large(shared: Shared) -> None:
    assert post(shared.url, authorization=shared.authorization, content_length="3000000")[0] == 413


def test_http_listens_on_loopback_alone(shared: Shared) -> None:
    port = urlsplit(shared.url).port
    lines = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
    ]

    listening = [line[1] for line in lines if line[3] == "0A" and int(line[1].rpartition(":")[2], 16) == port]

    assert listening == [f"0100007F:{port:04X}"]


def test_http_serves_a_run_to_who_has_its_token(world: World) -> None:
    token = run_tokens.token_for(world.store.workflow, world.run.run)
    with http_server(world.folder, "--run", world.run.run, env={"LIFECYCLE_MCP_TOKEN": token}) as (url, _):
        refused = post(url, authorization=f"Bearer {world.run.run}")
        with over_http(url, f"Bearer {token}") as agent:
            found = set(agent.tools())
            agent.msg("log", summary="by HTTP")

    assert (refused[0], found) == (401, WORKER_TOOLS)
    assert world.said()[-1].sender == world.run.role


def test_clients_at_once_lose_and_double_nothing(shared: Shared) -> None:
    def say(agent: Agent, name: str) -> list[str]:
        return [
            agent.msg("log", session=shared.world.other, sender=name, summary=f"{n}")["id"] for n in range(15)
        ]

    with (
        over_http(shared.url, shared.authorization) as one,
        over_http(shared.url, shared.authorization) as two,
    ):
        with ThreadPoolExecutor(3) as pool:
            jobs = [
                pool.submit(say, agent, name)
                for agent, name in ((one, "a"), (two, "b"), (shared.person, "c"))
            ]
        ids = [each for job in jobs for each in job.result()]

    mine = [row for row in shared.world.said(shared.world.other) if row.sender in "abc"]
    assert len(set(ids)) == 45
    assert {f"MSG-{row.number:03d}" for row in mine} == set(ids)


# a person's agent


def test_an_agent_approves_only_what_it_was_shown(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    make.lead(store)
    session = make.make_session(store, "Build a wiki")
    store.write(lambda tx: sessions.pause(tx, session, PauseReason.CHECKPOINT, {}))

    def change(text: bytes) -> None:
        def unit(tx: Tx) -> None:
            digest = artifacts.put(tx, text)
            artifacts.register(
                tx, session, "spec/a.md", digest, len(text), "document", author="user", task=None, run=None
            )

        store.write(unit)

    heard = Waker(store.path, "daemon")
    try:
        with over_stdio(for_person(tmp_path)) as person:
            change(b"one")
            with pytest.raises(Refused) as plain:
                person.call("session_command", command="resume")
            seen = person.call("session_status")["pause"]["approval"]["token"]
            change(b"two")
            with pytest.raises(Refused) as late:
                person.call("session_command", command="resume", expect=seen)
            now = person.call("session_status")["pause"]["approval"]["token"]
            resumed = person.call("session_command", command="resume", expect=now)
    finally:
        heard.close()

    assert "has changed since it paused" in plain.value.what
    assert seen != now
    assert now in late.value.fix
    assert (resumed["status"], resumed["answered"]) == ("active", "checkpoint")


def test_a_session_is_begun_once_for_a_key_and_steered(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    make.lead(store)
    heard = Waker(store.path, "daemon")  # somebody coordinates already, so that no process is started
    try:
        with over_stdio(for_person(tmp_path)) as person:
            planned = person.call("session_start", task="@/etc/passwd Build a wiki", plan=True)
            begun = person.call(
                "session_start", task="Build a wiki", key="k", discuss="off", execution="sequential"
            )
            again = person.call(
                "session_start", task="Build a wiki", key="k", discuss="off", execution="sequential"
            )
            woken = heard.wait(30)
            paused = person.call("session_command", command="pause", words="let me think")
            with pytest.raises(Refused) as twice:
                person.call("session_command", command="pause")
            resumed = person.call("session_command", command="resume", words="go")
            with pytest.raises(Refused) as early:
                person.call("session_command", command="revise", task="DRAFT-001", text="shorter")
            cancelled = person.call("session_command", command="cancel", session=begun["session"])
    finally:
        heard.close()

    session = begun["session"]
    taken = store.read(lambda tx: decisions.decisions_of(tx, session))
    options = store.read(lambda tx: sessions.get(tx, session)).options
    assert (planned["session"], planned["plan"]["title"]) == (None, "@/etc/passwd Build a wiki")
    assert (begun["created"], again["created"], again["session"]) == (True, False, session)
    assert (options["discuss"], options["execution"]) == ("off", "sequential")
    assert woken
    assert (paused["status"], paused["pause_reason"]) == ("paused", "user")
    assert "already paused" in twice.value.what
    assert resumed["status"] == "active"
    assert "DRAFT-001" in early.value.what
    assert cancelled["status"] == "cancelled"
    assert {row.who.endswith(" (MCP)") for row in taken} == {True}
    store.close()


def test_a_session_is_begun_with_a_cassette_in_the_project_and_with_caps(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    make.lead(store)
    heard = Waker(store.path, "daemon")  # somebody coordinates already
    (tmp_path / ".workflow" / "config.toml").write_text("[budget]\nmax_usd = 5\nmax_turns = 40\n")
    try:
        with over_stdio(for_person(tmp_path)) as person:
            begun = person.call("session_start", task="Build a wiki", record="tape", max_usd=1.5)
            with pytest.raises(Refused) as again:
                person.call("session_start", task="Build another wiki", record="tape")
            with pytest.raises(Refused) as more:
                person.call("session_start", task="Build a wiki", max_turns=41)
    finally:
        heard.close()

    row = store.read(lambda tx: sessions.get(tx, begun["session"]))
    assert row.options["cassette"] == {"does": "record", "folder": str(tmp_path / "tape")}
    assert (tmp_path / "tape" / "cassette.json").is_file()
    assert row.budget["session"] == {"usd": 1_500_000, "turns": 40}
    assert "cannot record" in again.value.what
    assert "can only be lowered" in more.value.what and "40" in more.value.why
    assert len(store.read(sessions.unfinished)) == 1
    store.close()


def test_a_review_of_commits_is_planned_and_what_only_a_review_takes_is_refused_elsewhere(
    tmp_path: Path,
) -> None:
    repository(tmp_path, {"app.py": "one\n", ".gitignore": ".workflow/\n"})
    write(tmp_path, {"app.py": "two\n"})
    git(tmp_path, "commit", "-qam", "Two")
    write(tmp_path, {"more.py": "three\n"})

    with over_stdio(for_person(tmp_path)) as person:
        planned = person.call("session_start", mode="review", base="HEAD~1", include_dirty=True, plan=True)
        with pytest.raises(Refused) as elsewhere:
            person.call("session_start", task="Build a wiki", mode="spec-only", base="HEAD~1")
        with pytest.raises(Refused) as both:
            person.call("session_start", mode="review", base="HEAD~1", diff="x.diff")
        with pytest.raises(Refused) as outside:
            person.call("session_start", mode="review", diff="../x.diff")
        with pytest.raises(Refused) as nothing:
            person.call("session_start", mode="spec-only")

    assert "1 commit, what is not committed, 2 files" in planned["plan"]["reviews"]
    assert "belongs to mode review" in elsewhere.value.what
    assert "exclude each other" in both.value.what
    assert "is not a path for this" in outside.value.what
    assert nothing.value.what == "task is missing"
    assert not (tmp_path / ".workflow" / "lifecycle.db").exists()


@pytest.mark.parametrize("name", ["spec", "record", "replay"])
@pytest.mark.parametrize(
    "path", ["/etc", "../out", "a/../..", "link/x", ".", ".workflow/tape", ".git/x", "lib/.git/x", "a\0b"]
)
def test_a_path_leads_nowhere_but_into_the_project(shared: Shared, name: str, path: str) -> None:
    before = shared.world.counts()
    link = shared.world.folder / "link"
    if not link.is_symlink():
        link.symlink_to("/tmp")

    with pytest.raises(Refused) as refused:
        shared.person.call("session_start", task="Build a wiki", **{name: path})

    assert "is not a path for this" in refused.value.what
    assert shared.world.counts() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"spec": "spec/brief.md"}, "there is no such file"),
        ({"replay": "nowhere"}, "is not a cassette"),
        ({"record": "a", "replay": "b"}, "exclude each other"),
        ({"discuss": "off", "perspectives": ["risk"]}, "perspectives and discuss off exclude each other"),
        ({"plan": True, "key": "k"}, "plan and key exclude each other"),
        ({"supervise": True, "mode": "analyze-quick"}, "supervise has no effect in mode analyze-quick"),
        ({"task": "hello"}, "the request asks for nothing"),
        ({"task": "make it better", "mode": "dynamic", "as_it_is": True}, "the request asks for nothing"),
        ({"max_usd": 0}, "not valid"),
        ({"max_tokens": -1}, "not valid"),
    ],
)
def test_a_start_that_cannot_be_changes_nothing(
    shared: Shared, arguments: dict[str, Any], words: str
) -> None:
    before = shared.world.counts()

    with pytest.raises(Refused) as refused:
        shared.person.call("session_start", **{"task": "Build a wiki", **arguments})

    assert words in str(vars(refused.value))
    assert shared.world.counts() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"command": "resume", "dimension": "depth"}, "does not take dimension"),
        ({"command": "resume", "retry": "A-001", "skip": "A-001"}, "exclude each other"),
        ({"command": "resume", "retry": "A-001", "force": True}, "retry and force exclude each other"),
        ({"command": "resume", "decide": "yes", "force": True}, "decide and force exclude each other"),
        ({"command": "resume", "agent": "builtin"}, "agent needs retry"),
        ({"command": "resume", "retry": "A-001", "agent": "gemni"}, "unknown agent"),
        ({"command": "feedback", "text": "x", "task": "DRAFT-099"}, "several sessions"),
        ({"command": "revise", "text": "x"}, "task is missing"),
        ({"command": "feedback", "text": "  "}, "empty"),
        ({"command": "archive"}, "session is missing"),
        ({"command": "pause"}, "several sessions"),
        ({"command": "delete"}, "not valid"),
    ],
)
def test_a_command_that_cannot_be_changes_nothing(
    shared: Shared, arguments: dict[str, Any], words: str
) -> None:
    before = shared.world.counts()

    with pytest.raises(Refused) as refused:
        shared.person.call(
            "session_command",
            **{"session": shared.world.own, **arguments} if words in ("empty",) else arguments,
        )

    assert words in refused.value.what
    assert shared.world.counts() == before


def test_a_project_without_sessions_says_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / ".workflow").mkdir()
    tool = next(tool for tool in TOOLS if tool.name == "session_status")

    done = call(ToolContext(Project(tmp_path), Person()), tool, {})

    assert done.is_error
    assert "lifecycle start" in done.content[0].text
    assert list((tmp_path / ".workflow").iterdir()) == []


def test_a_message_that_cannot_wake_anybody_is_kept_and_not_refused(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsafe = world.folder / "run"
    unsafe.mkdir()
    (unsafe / "lifecycle").mkdir(mode=0o777)
    (unsafe / "lifecycle").chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(unsafe))
    monkeypatch.setattr("orchestrator.wakeup._reached", {})
    tool = next(tool for tool in TOOLS if tool.name == "team_msg")

    done = call(
        ToolContext(Project(world.folder), Person()),
        tool,
        {"operation": "log", "summary": "here", "session": world.own},
    )

    assert not done.is_error
    assert world.said()[-1].summary == "[user] here"


def test_half_a_character_is_replaced_and_breaks_nothing(world: World) -> None:
    context = ToolContext(Project(world.folder), Person())
    tool = next(tool for tool in TOOLS if tool.name == "team_msg")

    done = call(
        context,
        tool,
        {"operation": "log", "summary": "\ud800", "data": '"\\ud800"', "session": world.own},
    )
    seen = call(context, tool, {"operation": "list", "last": 1, "session": world.own})

    assert not done.is_error
    (message,) = json.loads(seen.content[0].text.encode())
    assert (message["summary"], message["data"]) == ("[user] ?", "?")


# the process


def test_stdout_carries_the_protocol_alone_and_rubbish_ends_nothing(world: World) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"},
        },
    }
    asks = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "task_list", "arguments": {"session": world.own}},
    }
    lines = [
        json.dumps(hello),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        "rubbish\x00",
        json.dumps(asks),
    ]
    process = subprocess.Popen(
        command("--project", str(world.folder)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None

    process.stdin.write("\n".join(lines) + "\n")
    process.stdin.flush()
    answers = []
    while not answers or answers[-1].get("id") != 2:
        answers.append(json.loads(process.stdout.readline()))
    process.stdin.close()
    rest = process.stdout.read()

    assert process.wait(60) == 0
    assert (answers[0]["id"], rest) == (1, "")
    assert json.loads(answers[-1]["result"]["content"][0]["text"])[0]["task"] == "RESEARCH-001"


def test_ctrl_c_ends_a_server_that_waits_for_input(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command("--project", str(tmp_path)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    process.stdin.flush()
    process.stdout.readline()

    process.send_signal(signal.SIGINT)

    assert process.wait(60) == -signal.SIGINT
    process.stdin.close()
    process.stdout.close()


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['mcp'] = None\nfrom orchestrator.cli.main import run\nsys.exit(run(['mcp']))"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 1
    assert 'pip install "team-lifecycle[mcp]"' in done.stderr


def test_a_port_without_http_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["mcp", "--port", "1"])

    assert code == 2
    assert capsys.readouterr().out == ""


def lifecycle(world: World, *arguments: str) -> Any:
    """What the command prints as JSON."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.chdir(world.folder), contextlib.redirect_stdout(out):
        code = run([*arguments, "--json"])
    out.seek(0)
    assert code == 0
    return json.load(out)

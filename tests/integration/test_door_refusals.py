"""What a server refuses its hosts: each time it says why, and nothing has changed."""

from __future__ import annotations

import http.client
import json
import select
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from orchestrator import wakeup
from orchestrator.coordinator.reconcile import reap
from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.domain.errors import LeaseLost, ServerAway, UsageError
from orchestrator.domain.prices import Cost, Usage
from orchestrator.door import wire
from orchestrator.door.desk import (
    CallBegin,
    CallEnd,
    CallHandle,
    Desk,
    Ended,
    GivenCritique,
    Landing,
    Link,
    Renewed,
    Run,
    RunProducts,
    Verdict,
    new_run_id,
)
from orchestrator.door.http_connections import Connections
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.wire import DoorRefused
from orchestrator.server import door as server_door
from orchestrator.server import door_connection, listening
from orchestrator.server.admission import MOST, admitted
from orchestrator.server.application import LARGE_AT_A_TIME, NEWS_LIMIT
from orchestrator.server.door import LARGE, SMALL
from orchestrator.server.listening import certificate
from orchestrator.store import artifacts, host_tokens, leases, messages, rate_limits
from tests import factories as make
from tests import invariants
from tests.desk_world import START, DeskWorld, done
from tests.door_server import Running, serving
from tests.patience import patient

LEASE = 20.0
ENDED_CALL = CallEnd("answered", Usage(), Cost(None, "unknown"))
LIMITED = CallEnd("limited", Usage(), Cost(None, "unknown"), fault="weekly", limited=True, until=4e9)


@dataclass
class Door:
    """A server with two tokens, and what their hosts ask."""

    running: Running
    world: DeskWorld
    token: str
    other: str
    folder: Path

    def desk(self, token: str | None = None) -> HttpDesk:
        return HttpDesk(
            self.running.connections(token or self.token),
            self.folder,
            patience=1.0,
            monotonic=self.world.clock.monotonic,
        )

    def joined(self, host: str = "h-1", token: str | None = None) -> Desk:
        """The desk of a host that has registered."""
        desk = self.desk(token)
        terms = desk.terms()
        desk.as_desk().register(host, roles=terms.roles, slots=terms.slots, lease_seconds=LEASE)
        return desk.as_desk()

    def claimed(self, host: str = "h-1", token: str | None = None) -> tuple[Desk, Run]:
        self.world.offered()
        desk = self.joined(host, token)
        run = desk.claim(host, ROLES_ELSEWHERE, new_run_id())
        assert run is not None
        return desk, run

    def state(self) -> Any:
        hosts = self.world.store.read(leases.live_hosts)
        return self.world.rows(), hosts, self.world.store.read(host_tokens.all_tokens)

    def post(self, name: str, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """The status and the problem that are answered to a plain request."""
        at = urlsplit(self.running.url)
        connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
        connection.request("POST", f"/v1/{name}", body, headers)
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    clock = make.SetClock(START)
    store = make.make_store(tmp_path, clock=clock)
    with serving(store) as running:
        token = running.token("far-1", ROLES_ELSEWHERE, 4)
        other = running.token("far-2", ("writer",), 1)
        yield Door(running, DeskWorld(store, clock, running.site.door.local), token, other, tmp_path / "far")
    invariants.check_store(store)
    store.close()


def headers(token: str | None, version: str | None = wire.VERSION) -> dict[str, str]:
    return {
        **({} if token is None else {"authorization": f"Bearer {token}"}),
        **({} if version is None else {wire.VERSION_HEADER: version}),
    }


@pytest.mark.parametrize(
    ("token", "version", "status"),
    [
        (None, wire.VERSION, 401),
        ("lch_guessed", wire.VERSION, 401),
        ("", wire.VERSION, 401),
        ("right", None, 426),
        ("right", "0", 426),
        ("right", "1", 426),
        ("right", "3", 426),
        ("lch_guessed", "3", 426),
    ],
)
def test_a_request_without_token_or_version_is_refused(
    door: Door, token: str | None, version: str | None, status: int
) -> None:
    before = door.state()
    given = door.token if token == "right" else token

    found, problem = door.post("claim", b"{}", headers(given, version))

    assert found == status == problem["status"] and problem["fix"]
    assert door.state() == before


@pytest.mark.parametrize(
    ("said", "kept"),
    [("team-lifecycle/0.0.9", "0.0.9"), ("team-lifecycle/1 <b>", ""), ("curl/8.1", ""), ("", "")],
)
def test_a_host_is_known_by_its_own_version_not_by_the_servers(door: Door, said: str, kept: str) -> None:
    question = wire.operation("register")
    assert question is not None
    body = question.question("h-9", roles=("writer",), slots=1, lease_seconds=LEASE)

    status, _ = door.post("register", body, {**headers(door.token), "user-agent": said})

    assert status == 200
    assert [row.version for row in door.world.store.read(leases.live_hosts)] == [kept]


def test_a_revoked_token_is_refused_and_its_hosts_have_no_lease(door: Door) -> None:
    desk, run = door.claimed()
    door.world.store.write(lambda tx: host_tokens.revoke(tx, "far-1"))
    before = door.state()

    with pytest.raises(DoorRefused, match="was revoked"):
        desk.phase(run, "discuss")
    with pytest.raises(DoorRefused):
        door.joined("h-2")
    assert desk.renew("h-1", [run.run], lease_seconds=LEASE, draining=False) == Renewed(False, (run.run,))

    assert door.state() == before
    assert [each.task for each in reap(door.world.store, None)] == [run.key]


def test_a_token_that_is_revoked_while_a_request_is_under_way_is_refused(door: Door) -> None:
    _, run = door.claimed()
    asked = door.running.site.door
    holder = asked.holder(door.token)
    assert holder is not None
    door.world.store.write(lambda tx: host_tokens.revoke(tx, "far-1"))
    before = door.state()

    for name, question in {
        "register": question_of("register", "h-2", roles=("writer",), slots=1, lease_seconds=LEASE),
        "claim": question_of("claim", "h-1", ROLES_ELSEWHERE, new_run_id()),
        "end_call": question_of("end_call", run, CallHandle(1, None, False), ENDED_CALL),
        "tasks": question_of("tasks", run.session_id),
    }.items():
        answer = asked.answer(holder, name, question)
        assert answer.status == 403 and b"was revoked" in answer.body, name

    assert door.state() == before


def test_a_token_that_is_revoked_before_a_host_is_noted_registers_none(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = door.world.store

    def admitted_and_revoked(*given: Any) -> dict[str, Any]:
        found = admitted(*given)
        revoking = threading.Thread(target=lambda: store.write(lambda tx: host_tokens.revoke(tx, "far-1")))
        revoking.start()
        revoking.join(patient(20.0))
        return found

    monkeypatch.setattr(server_door, "admitted", admitted_and_revoked)

    with pytest.raises(DoorRefused, match="was revoked"):
        door.joined()

    assert store.read(leases.live_hosts) == []


def question_of(name: str, *given: Any, **named: Any) -> bytes:
    found = wire.operation(name)
    assert found is not None
    return found.question(*given, **named)


def test_many_refused_tokens_are_put_off(door: Door) -> None:
    statuses = [door.post("claim", b"{}", headers("lch_guessed"))[0] for _ in range(32)]

    assert statuses[0] == 401 and statuses[-1] == 429
    assert door.joined().over([]) == [], "who has a right one is let in"


def test_another_tokens_run_is_out_of_reach(door: Door) -> None:
    _, run = door.claimed()
    other = door.joined("h-2", door.other)
    before = door.state()

    for theirs in (run, run._replace(host="h-2")):
        with pytest.raises(LeaseLost):
            other.report(done(theirs), ("writer",), draining=False)
        with pytest.raises(LeaseLost):
            other.phase(theirs, "discuss")
        with pytest.raises(LeaseLost):
            other.context(theirs)
    with pytest.raises(DoorRefused, match="has not registered with this token"):
        other.claim("h-1", ("writer",), new_run_id())
    with pytest.raises(DoorRefused, match="has not registered with this token"):
        other.bye("h-1")
    with pytest.raises(DoorRefused, match="that session is not this host's"):
        other.tasks(run.session_id)
    with pytest.raises(DoorRefused, match="that session is not this host's"):
        other.critiques(run.run)
    told = other.renew("h-2", [run.run], lease_seconds=LEASE, draining=False)

    assert told == Renewed(True, (run.run,))
    assert door.state()[0] == before[0]


def test_a_run_that_was_revoked_writes_nothing(door: Door) -> None:
    desk, run = door.claimed()
    door.world.pass_lease()
    reap(door.world.store, None)
    before = door.state()

    with pytest.raises(LeaseLost):
        desk.report(done(run), ROLES_ELSEWHERE, draining=False)

    assert door.state() == before


@pytest.mark.parametrize("forged", [{"id": 2}, {"key": "DRAFT-001", "role": "writer"}, {"epoch": 9}])
def test_what_is_said_of_a_run_that_the_server_has_seen_is_not_believed(
    door: Door, forged: dict[str, Any]
) -> None:
    """Its own session is named, so that the question is admitted by the unit that answers it."""
    desk, run = door.claimed()
    keys = make.keys(door.world.store, run.session_id)

    desk.report(done(run._replace(**forged)), ROLES_ELSEWHERE, draining=True)

    assert make.keys(door.world.store, run.session_id) == {**keys, run.key: "completed"}
    told = door.world.store.read(lambda tx: messages.last(tx, run.session_id, 1))[0]
    assert told.sender == run.role


def test_what_a_host_says_of_its_run_is_not_believed(door: Door) -> None:
    desk, run = door.claimed()
    session = door.world.offered("Build a chat server")
    forged = run._replace(session_id=session, id=run.id + 1, key="DRAFT-001", role="writer", epoch=9)

    desk.phase(forged, "discuss")
    desk.report(done(forged), ROLES_ELSEWHERE, draining=True)

    stories = dict(door.world.store.read(lambda tx: tx_states(tx, run.session_id)))
    assert stories[run.key] == "completed"
    assert set(dict(door.world.store.read(lambda tx: tx_states(tx, session))).values()) == {"pending"}


def tx_states(tx: Any, session: str) -> list[tuple[str, str]]:
    from orchestrator.store import tasks

    return [(row.key, row.status) for row in tasks.all_tasks(tx, session)]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"roles": ("writer", "analyst")}, "is not for analyst"),
        ({"roles": ("executor",)}, "is not for executor"),
        ({"slots": 2}, "is for 1 slots"),
        ({"lease_seconds": 3_600.0}, "the lease is too long"),
        ({"host": "h-own-1"}, "cannot be the name"),
        ({"host": "x"}, "cannot be the name"),
        ({"host": "h-" + "1" * 100}, "cannot be the name"),
    ],
)
def test_a_host_gets_no_more_than_its_token_is_for(door: Door, given: dict[str, Any], says: str) -> None:
    desk = door.desk(door.other).as_desk()
    asked = {"host": "h-1", "roles": ("writer",), "slots": 1, "lease_seconds": LEASE, **given}
    before = door.state()

    with pytest.raises(UsageError, match=says):
        desk.register(
            asked["host"], roles=asked["roles"], slots=asked["slots"], lease_seconds=asked["lease_seconds"]
        )

    assert door.state() == before


def test_a_host_takes_no_role_that_stays_beside_the_repository(door: Door) -> None:
    trees = door.running.token("far-3", ("architect", "writer"), 1)
    desk = door.desk(trees)

    assert desk.terms().roles == ("writer",)
    with pytest.raises(DoorRefused, match="is not for architect"):
        desk.as_desk().register("h-1", roles=("architect",), slots=1, lease_seconds=LEASE)


def test_a_host_does_not_touch_what_is_beside_the_repository(door: Door) -> None:
    desk, run = door.claimed()
    before = door.state()
    landing = Landing(1, "a" * 40, "b" * 40, "c" * 40)

    with pytest.raises(DoorRefused, match="begin_work is not for hosts on another machine"):
        desk.begin_work(run.session_id, "repository", "b" * 40)
    with pytest.raises(DoorRefused, match="lands nothing"):
        desk.report(replace(done(run), landing=landing), ROLES_ELSEWHERE, draining=False)
    with pytest.raises(DoorRefused, match="plans nothing"):
        desk.report(replace(done(run), fan_out={"tasks": []}), ROLES_ELSEWHERE, draining=False)

    assert door.state() == before


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"verdict": Verdict("test", {"verdict": "PASS"})}, "gives no verdict of that kind"),
        ({"blocked": {"failed": []}}, "supervises nothing"),
        ({"gaps": [{"text": "x"}]}, "makes no tasks"),
        ({"links": [Link("req", "1", None, "file", "x", None, "by", 0, None, "r")]}, "lands nothing"),
        ({"gate": {"gate": "PASS", "score": 100.0, "data": {}}}, "has no gate"),
    ],
)
def test_a_report_has_no_consequence_that_is_not_its_tasks(
    door: Door, given: dict[str, Any], says: str
) -> None:
    desk, run = door.claimed()
    before = door.state()

    with pytest.raises(DoorRefused, match=says):
        desk.report(done(run, **given), ROLES_ELSEWHERE, draining=False)

    assert door.state() == before


def test_a_task_without_a_round_is_not_discussed(door: Door) -> None:
    desk, run = door.claimed()
    came_to = make.discussed(run, {"product": 4})
    make.execute(door.world.store, f"UPDATE tasks SET round = NULL WHERE id = {run.id}")

    with pytest.raises(DoorRefused, match="is not discussed"):
        desk.report(done(run, discussed=came_to), ROLES_ELSEWHERE, draining=False)


def test_critiques_of_another_session_are_not_taken_over(door: Door) -> None:
    world = door.world
    world.offered("Build a bank")
    ours = door.running.site.door.local
    ours.register("h-ours", roles=ROLES_ELSEWHERE, slots=4, lease_seconds=LEASE)
    secret = ours.claim("h-ours", ROLES_ELSEWHERE, new_run_id())
    assert secret is not None
    ours.keep_critiques(secret, [GivenCritique("risk", "builtin", {"secret": "not yours"})])
    desk, run = door.claimed()
    assert run.session_id != secret.session_id
    before = door.state()

    with pytest.raises(DoorRefused, match="earlier"):
        desk.produced(run, RunProducts("d", "builtin", {}, {}, earlier=secret.run))

    assert desk.critiques(run.run) == [] and door.state() == before


def test_a_verdict_belongs_to_the_run_that_reports_it(door: Door) -> None:
    _, run = door.claimed()
    other = door.world.offered("Build a chat server")
    report = done(run, discussed=make.discussed(run, {"product": 4, "risk": 2}))
    question = json.loads(question_of("report", report, ROLES_ELSEWHERE, draining=False))
    question["done"]["discussed"]["verdict"] |= {"session_id": other, "kind": "gate", "gate": "PASS"}
    before = door.state()

    status, problem = door.post("report", json.dumps(question).encode(), headers(door.token))

    assert status == 422 and "session_id" in problem["detail"]
    assert door.state() == before


def test_the_limit_of_a_hosts_account_is_not_that_of_the_account_of_this_name_here(door: Door) -> None:
    desk, run = door.claimed()
    begun = desk.begin_call(run, CallBegin("claude", "draft", None, "digest", True, account="claude"))
    assert isinstance(begun, CallHandle) and begun.account == "far-1/claude"

    desk.end_call(run, replace(begun, account="claude"), LIMITED)

    held = door.world.store.read(rate_limits.limited_now)
    assert [limit.name for limit in held] == ["far-1/claude"]
    with pytest.raises(DoorRefused, match="that account is not this host's"):
        desk.end(Ended(run, "limited", counted=False, timings={}, wait=60.0, limited_by="claude"))
    desk.end(Ended(run, "limited", counted=False, timings={}, wait=60.0, limited_by="far-1/claude"))


def test_a_free_call_holds_no_account(door: Door) -> None:
    desk, run = door.claimed()
    begun = desk.begin_call(run, CallBegin("builtin", "draft", None, "digest", metered=False))
    assert isinstance(begun, CallHandle)

    desk.end_call(run, replace(begun, account="claude", was_limited=True), LIMITED)

    assert door.world.store.read(rate_limits.limited_now) == []


def test_of_a_run_that_is_over_a_host_reads_and_keeps_nothing(door: Door) -> None:
    desk, run = door.claimed()
    desk.end(Ended(run, "failed", counted=True, timings={}))
    made = RunProducts("d", "builtin", {}, {"spec/a.md": (b"x" * (2 * artifacts.IN_DATABASE), "document")})
    before = door.state()
    contents = door.world.store.workflow / "contents"

    for ask in (
        lambda: desk.context(run),
        lambda: desk.produced(run, made),
        lambda: desk.add_record(run, made.files),
        lambda: desk.begin_call(run, CallBegin("builtin", "draft", None, "digest", metered=False)),
    ):
        with pytest.raises(LeaseLost):
            ask()

    assert door.state() == before
    assert not [path for path in contents.rglob("*") if path.is_file()]


def test_a_question_names_no_more_than_a_host_can_have(door: Door) -> None:
    desk = door.joined()
    many = [new_run_id() for _ in range(MOST + 1)]

    with pytest.raises(UsageError, match="a list is too long"):
        desk.over(many)
    with pytest.raises(UsageError, match="a list is too long"):
        desk.renew("h-1", many, lease_seconds=LEASE, draining=False)

    assert desk.over(many[:MOST]) == []


def test_a_host_elsewhere_learns_nothing_of_files_on_this_machine(door: Door) -> None:
    desk, _ = door.claimed()
    (door.world.store.workflow / ".team").mkdir(exist_ok=True)
    secret = door.world.store.workflow / ".team" / ".." / door.world.store.path.name

    assert secret.exists() and not desk.is_ours(secret)


def test_claims_at_the_same_time_open_no_more_runs_than_slots(door: Door) -> None:
    token = door.running.token("far-3", ROLES_ELSEWHERE, 2)
    for number in range(6):
        door.world.offered(f"Build shop {number}")
    desks = [door.joined(f"h-{number}", token) for number in range(6)]
    together = threading.Barrier(6)

    def claim(number: int) -> Run | None:
        together.wait(patient(20.0))
        return desks[number].claim(f"h-{number}", ROLES_ELSEWHERE, new_run_id())

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(claim, range(6)))

    assert sum(run is not None for run in found) == 2


def test_the_hosts_of_a_token_have_no_more_runs_than_its_slots(door: Door) -> None:
    token = door.running.token("far-3", ROLES_ELSEWHERE, 1)
    for request in ("Build a URL shortener", "Build a chat server"):
        door.world.offered(request)
    first, second = door.joined("h-1", token), door.joined("h-2", token)
    run = new_run_id()

    claimed = first.claim("h-1", ROLES_ELSEWHERE, run)

    assert claimed is not None
    assert first.claim("h-1", ROLES_ELSEWHERE, run) == claimed, "asked again, it is answered again"
    assert second.claim("h-2", ROLES_ELSEWHERE, new_run_id()) is None
    assert first.claim("h-1", ROLES_ELSEWHERE, new_run_id()) is None
    make.fail(door.world.store, claimed)
    assert second.claim("h-2", ROLES_ELSEWHERE, new_run_id()) is not None


@pytest.mark.parametrize(("name", "limit"), [("claim", SMALL), ("produced", LARGE)])
def test_a_body_beyond_the_limit_is_not_read(door: Door, name: str, limit: int) -> None:
    at = urlsplit(door.running.url)
    connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
    connection.putrequest("POST", f"/v1/{name}")
    for key, value in {**headers(door.token), "content-length": str(limit + 1)}.items():
        connection.putheader(key, value)
    connection.endheaders()

    answer = connection.getresponse()

    assert answer.status == 413 and "too large" in json.loads(answer.read())["title"]
    connection.close()


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("claim", b"{}", 422),
        ("claim", b"not json", 422),
        ("nothing", b"{}", 422),
        ("__init__", b"{}", 422),
        ("news", b'{"host": 1}', 422),
        ("news", b"[" * 4_000, 422),
        ("news", b'{"host": "h-1", "seen": 1e999, "seconds": 1}', 422),
        ("news", b'{"host": "\\ud800", "seen": 1, "seconds": 1}', 422),
        ("news", b'{"host": "' + b"h" * NEWS_LIMIT + b'", "seen": 1, "seconds": 1}', 413),
        ("tasks", b'{"session": NaN}', 422),
        ("renew", b'{"host": "h-1", "runs": [], "lease_seconds": 1e999, "draining": false}', 422),
        ("x" * 5_000, b"{}", 422),
        ("news", b'{"host": "h-9", "seen": 0, "seconds": 1}', 403),
    ],
)
def test_what_cannot_be_read_is_refused(door: Door, name: str, body: bytes, status: int) -> None:
    before = door.state()

    found, problem = door.post(name, body, headers(door.token))

    assert found == status and problem["title"]
    assert door.state() == before


def test_few_large_bodies_are_read_at_a_time_and_small_ones_meanwhile(door: Door) -> None:
    desk, run = door.claimed()
    made = RunProducts("d", "builtin", {}, {"spec/a.md": (b"x" * SMALL, "document")})
    at = urlsplit(door.running.url)
    unfinished = []
    for _ in range(LARGE_AT_A_TIME):
        connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
        connection.putrequest("POST", "/v1/produced")
        for key, value in {**headers(door.token), "content-length": str(LARGE)}.items():
            connection.putheader(key, value)
        connection.endheaders(b"{")
        unfinished.append(connection)
    with ThreadPoolExecutor(1) as pool:
        large = pool.submit(desk.produced, run, made)
        for _ in range(3):
            door.desk().as_desk().phase(run, "produce")
        assert not large.done()
        unfinished[0].close()
        large.result(patient(20.0))
    unfinished[1].close()

    kept = door.world.store.read(lambda tx: artifacts.products_of(tx, run.run))
    assert [product.path for product in kept] == ["spec/a.md"]


@pytest.mark.parametrize("name", ["produced", "claim", "terms"])
def test_a_body_whose_length_is_told_twice_is_refused(door: Door, name: str) -> None:
    """By its length it is small, by its chunks it is not: who is in front may have believed the other one."""
    at = urlsplit(door.running.url)
    connection = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
    connection.putrequest("POST", f"/v1/{name}")
    both = {"content-length": "2", "transfer-encoding": "chunked"}
    for key, value in {**headers(door.token), **both}.items():
        connection.putheader(key, value)
    connection.endheaders(b"2\r\n{}\r\n0\r\n\r\n")

    answer = connection.getresponse()

    assert answer.status == 400 and "length" in json.loads(answer.read())["title"]
    assert answer.getheader("connection") == "close"
    connection.close()


@pytest.mark.parametrize("sent", [b"", b"POST /v1/terms HTTP/1.1\r\nHost: x\r\n"])
def test_a_connection_without_a_request_is_closed(
    door: Door, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_connection, "HEAD_SECONDS", 0.05)
    at = urlsplit(door.running.url)

    with socket.create_connection((str(at.hostname), at.port), timeout=patient(20.0)) as connection:
        connection.sendall(sent)
        assert connection.recv(1) == b""


def test_a_connection_that_stops_within_its_second_request_is_closed(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_connection, "HEAD_SECONDS", 0.05)
    at = urlsplit(door.running.url)

    with socket.create_connection((str(at.hostname), at.port), timeout=patient(20.0)) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while not answer.endswith(b"ok\n"):
            answer += connection.recv(1_000)
        connection.sendall(b"GET /healthz HT")
        assert connection.recv(1) == b""


# news


def test_a_host_that_waits_hears_of_an_offer_at_once(door: Door) -> None:
    door.joined()
    desk = door.desk()
    first = desk.news("h-1", 0, 30.0)
    assert first.is_new, "who has seen nothing yet looks"
    heard: list[Any] = []
    waiting = threading.Thread(target=lambda: heard.append(desk.news("h-1", first.seen, 30.0)))
    waiting.start()

    store = door.world.store
    wakeup.wake_hosts(store.project_id)
    waiting.join(patient(20.0))

    assert heard and heard[0].is_new and not heard[0].runs
    wakeup.wake_hosts(store.project_id, {"type": "environment", "values": {"KEY": "secret"}})
    told = desk.news("h-1", heard[0].seen, 30.0)
    wakeup.wake_hosts(store.project_id, {"type": "runs"})
    after = desk.news("h-1", told.seen, 30.0)
    assert told.is_new and not told.runs and after.runs


def test_without_news_a_host_is_answered_when_its_time_is_over(door: Door) -> None:
    door.joined()
    desk = door.desk()
    seen = desk.news("h-1", 0, 0.0).seen

    assert not desk.news("h-1", seen, 0.05).is_new


# addresses and certificates


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://build.example:8471", "would be sent unencrypted"),
        ("ftp://127.0.0.1", "is no address of a server"),
        ("127.0.0.1:8471", "is no address of a server"),
        ("http://127.0.0.1:8471/path", "is no address of a server"),
        ("http://127.0.0.1:99999", "cannot be used"),
    ],
)
def test_an_address_that_is_none_or_not_safe_is_refused(url: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        Connections(url, "token")

    assert caught.value.fix


@pytest.mark.parametrize("bind", ["0.0.0.0", "::", "192.0.2.1"])
def test_beyond_this_machine_a_server_needs_a_certificate(bind: str) -> None:
    with pytest.raises(UsageError, match="there is no certificate"):
        certificate(None, None, bind)


def test_a_certificate_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cert.pem"
    file.write_text("no certificate")

    with pytest.raises(UsageError, match="the certificate cannot be used"):
        certificate(file, file, "0.0.0.0")
    with pytest.raises(UsageError, match="belong together"):
        certificate(file, None, "127.0.0.1")
    with pytest.raises(UsageError, match="is no address"):
        certificate(None, None, "build.example")
    assert certificate(None, None, "127.0.0.1") is certificate(None, None, "::1") is None


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine's own address, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=server",
            ),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)),
        ],
        check=True,
        capture_output=True,
    )
    return cert, key


def test_a_client_that_never_begins_its_handshake_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "HEAD_SECONDS", 0.3)
    store = make.make_store(tmp_path)
    with serving(store, tls=certificate(*self_signed(tmp_path), "127.0.0.1")) as running:
        at = urlsplit(running.url)
        within = 30.0  # seconds, on any machine: asyncio itself closes it after 60
        with socket.create_connection((str(at.hostname), at.port), timeout=within) as connection:
            assert connection.recv(1) == b""
    store.close()


def test_a_host_trusts_no_certificate_that_it_does_not_know(tmp_path: Path) -> None:
    cert, key = self_signed(tmp_path)
    store = make.make_store(tmp_path)
    with serving(store, tls=certificate(cert, key, "127.0.0.1")) as running:
        token = running.token("far-1", ROLES_ELSEWHERE)

        assert running.url.startswith("https://")
        knows = HttpDesk(Connections(running.url, token, certificates=cert), tmp_path)
        assert knows.terms().name == "far-1"
        with pytest.raises(ServerAway, match="cannot be reached") as caught:
            HttpDesk(running.connections(token), tmp_path).terms()
        assert "certificate" in caught.value.why
    store.close()


def test_a_connection_that_the_server_closed_while_it_was_silent_costs_no_renewal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renewal is asked once, and with a long lease it is rarer than the server, or a proxy, keeps a connection."""
    monkeypatch.setattr(listening, "KEEP_ALIVE_SECONDS", 0.1)
    store = make.make_store(tmp_path, clock=make.SetClock(START))
    with serving(store) as running:
        connections = running.connections(running.token())
        desk = HttpDesk(connections, tmp_path / "far", patience=1.0).as_desk()
        desk.register("h-1", roles=("writer",), slots=1, lease_seconds=LEASE)
        kept = connections._mine.connection.sock
        assert select.select([kept], [], [], patient(20.0))[0], "the server closes it"

        assert desk.renew("h-1", (), lease_seconds=LEASE, draining=False) == Renewed(alive=True)
    store.close()


AWAY = 5_000_000  # microseconds


def test_a_server_that_is_away_is_asked_again_with_the_same_ids(door: Door, tmp_path: Path) -> None:
    desk, run = door.claimed()
    asked: list[bytes] = []
    real = door.running.connections(door.token)

    class Cut(Connections):
        """Loses the first answer: it was done, and nobody knows."""

        def ask(self, name: str, body: bytes, seconds: float, **more: Any) -> Any:
            found = real.ask(name, body, seconds, **more)
            asked.append(body)
            if len(asked) == 1:
                door.world.clock.micros += AWAY
                raise ServerAway("cut")
            return found

    cut = HttpDesk(
        Cut(door.running.url, door.token), tmp_path, monotonic=door.world.clock.monotonic
    ).as_desk()
    report = done(run)

    lease_until = door.world.store.read(leases.live_hosts)[0].lease_until

    told = cut.report(report, ROLES_ELSEWHERE, draining=False)

    assert len(asked) == 2 and asked[0] == asked[1]
    assert told.next is not None and told.next.run == report.next
    assert told.next.lease_until == lease_until, "the time of the outage is not taken off it"
    assert told == desk.report(report, ROLES_ELSEWHERE, draining=False)

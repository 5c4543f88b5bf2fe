"""What the server tells those who watch it: numbers of the work that was done, to a token of their own."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families

from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.domain.prices import Cost, Usage
from orchestrator.door.desk import CallBegin, CallEnd, CallHandle
from orchestrator.door.http_desk import HttpDesk
from orchestrator.server.metrics import LEAST_SECONDS, SHARE, Metrics, Sums
from orchestrator.store import fleet_counts
from orchestrator.store.store import Store
from tests import factories as make
from tests.desk_world import DeskWorld, done
from tests.door_server import Running, serving

WATCHER = "a-watcher-of-twenty-characters"
Figures = Mapping[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture
def clock() -> make.SetClock:
    return make.SetClock(1_000_000_000)


@pytest.fixture
def store(tmp_path: Path, clock: make.SetClock) -> Iterator[Store]:
    made = make.make_store(tmp_path, clock=clock)
    yield made
    made.close()


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "watcher"
    file.write_text(f"{WATCHER}\n")
    return file


def ask(running: Running, path: str, **headers: str) -> tuple[int, str]:
    """Status and body of a GET; `headers` with `_` for `-`."""
    connection = http.client.HTTPConnection(urlsplit(running.url).netloc, timeout=30)
    try:
        connection.request(
            "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def figures(running: Running) -> Figures:
    status, text = ask(running, "/metrics")
    assert status == 200, text
    return parsed(text)


def parsed(text: str) -> Figures:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_figures_are_those_of_the_work(store: Store, clock: make.SetClock, tmp_path: Path) -> None:
    with serving(store) as running:
        desk = HttpDesk(running.connections(running.token("far-1", ROLES_ELSEWHERE, 2)), tmp_path).as_desk()
        world = DeskWorld(store, clock, desk)
        desk.register("h-1", roles=tuple(sorted(ROLES_ELSEWHERE)), slots=2, lease_seconds=20)
        world.offered()
        clock.micros += 3_000_000

        before = figures(running)
        run = desk.claim("h-1", tuple(ROLES_ELSEWHERE), "r-0000000000000001")
        assert run is not None
        under_way = figures(running)
        call = desk.begin_call(run, CallBegin("claude", "produce", None, "0" * 64, metered=True))
        assert isinstance(call, CallHandle)
        desk.end_call(run, call, CallEnd("answered", Usage("m", 10, 7), Cost(1_500_000, "reported")))
        desk.report(done(run), (), draining=False)
        after = figures(running)
    sums = parsed(Metrics(store).text().decode())  # another server's: this one's are kept for a while

    role = (("role", run.role),)
    assert before["lifecycle_offers", role] == 1 and before["lifecycle_oldest_offer_seconds", role] == 3
    assert before["lifecycle_slots", (("where", "joined"),)] == 2
    assert before["lifecycle_leader", ()] == 1 and before["lifecycle_leader_epoch", ()] == 1
    assert ("lifecycle_open_runs", role) not in before
    assert under_way["lifecycle_open_runs", role] == 1 and ("lifecycle_offers", role) not in under_way
    assert sums["lifecycle_runs_total", (("outcome", "completed"),)] == 1
    assert sums["lifecycle_agent_cost_usd_total", (("agent", "claude"),)] == 1.5
    assert sums["lifecycle_agent_tokens_total", (("agent", "claude"), ("direction", "out"))] == 7
    claimed = (("operation", "claim"), ("result", "ok"))
    assert after["lifecycle_door_requests_total", claimed] == 1
    assert after["lifecycle_door_request_seconds_count", (("operation", "report"),)] == 1
    assert after["lifecycle_database_repeated_units_total", ()] == 0


def test_no_id_or_text_is_a_label(store: Store, clock: make.SetClock, tmp_path: Path) -> None:
    with serving(store) as running:
        desk = HttpDesk(running.connections(running.token("far-1", ROLES_ELSEWHERE, 2)), tmp_path).as_desk()
        desk.register("h-1", roles=tuple(sorted(ROLES_ELSEWHERE)), slots=2, lease_seconds=20)
        session = DeskWorld(store, clock, desk).offered("Build a secret thing")
        for name in ("nonsense", "x" * 50):
            running.connections(running.token(name)).ask(name, b"{}", 30)

        found = figures(running)

    labels = {key for _, pairs in found for key, _ in pairs}
    assert labels == {
        "direction",
        "draining",
        "le",
        "operation",
        "outcome",
        "result",
        "role",
        "version",
        "where",
    } - {
        "direction",
        "outcome",  # nothing has ended
    }
    values = {value for _, pairs in found for _, value in pairs}
    assert not {session, "h-1", "far-1", "nonsense"} & values and "secret" not in str(values)
    assert found["lifecycle_door_requests_total", (("operation", "unknown"), ("result", "refused"))] == 2


@pytest.mark.parametrize("path", ["/metrics", "/v1/demand"])
def test_figures_are_for_their_own_token(store: Store, token: Path, path: str) -> None:
    with serving(store, watch_token=token) as running:
        hosts = running.token("far-1", ROLES_ELSEWHERE, 2)

        refused = [ask(running, path), ask(running, path, Authorization=f"Bearer {hosts}")]
        answered, _ = ask(running, path, Authorization=f"Bearer {WATCHER}")
        token.write_text("another-one-of-twenty-characters")
        since, text = ask(running, path, Authorization=f"Bearer {WATCHER}")

    assert [status for status, _ in refused] == [401, 401] and answered == 200
    assert since == 401 and "not the one for the figures" in text
    assert "lifecycle_offers" not in text and WATCHER not in text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:8471"}, 200),
        ({"Host": "build.example"}, 401),
        ({"X_Forwarded_For": "10.0.0.1"}, 401),
        ({"Via": "1.1 proxy"}, 401),
    ],
)
def test_without_a_token_this_machine_alone_is_told(
    store: Store, headers: dict[str, str], status: int
) -> None:
    with serving(store) as running:
        assert ask(running, "/metrics", **headers)[0] == status


@pytest.mark.parametrize("text", ["", "short"])
def test_a_token_that_is_none_lets_nobody_in(store: Store, token: Path, text: str) -> None:
    token.write_text(text)
    with serving(store, watch_token=token) as running:
        assert ask(running, "/metrics", Authorization=f"Bearer {text}")[0] == 401
        token.unlink()
        assert ask(running, "/metrics", Authorization=f"Bearer {text}")[0] == 401


def test_demand_counts_what_waits_and_what_would_lose_its_host(
    store: Store, clock: make.SetClock, tmp_path: Path
) -> None:
    def demand(running: Running, query: str = "") -> Any:
        return json.loads(ask(running, f"/v1/demand{query}")[1])

    with serving(store) as running:
        desk = HttpDesk(running.connections(running.token("far-1", ROLES_ELSEWHERE, 2)), tmp_path).as_desk()
        world = DeskWorld(store, clock, desk)
        world.offered()
        waiting = demand(running)
        desk.register("h-1", roles=tuple(sorted(ROLES_ELSEWHERE)), slots=2, lease_seconds=20)
        run = desk.claim("h-1", tuple(ROLES_ELSEWHERE), "r-0000000000000001")
        assert run is not None
        under_way = demand(running, f"?role={run.role}")
        others = demand(running, "?role=discussant,synthesizer")
        unknown, text = ask(running, "/v1/demand?role=supervisor")

    assert (waiting["demand"], waiting["offers"], waiting["runs"], waiting["slots"]) == (1, 1, 0, 0)
    assert (under_way["demand"], under_way["offers"], under_way["runs"], under_way["slots"]) == (1, 0, 1, 2)
    assert others["demand"] == 0 and others["roles"] == ["discussant", "synthesizer"]
    assert unknown == 422 and "unknown role 'supervisor'" in text


def test_a_review_of_code_is_no_demand_for_hosts_elsewhere() -> None:
    found = [
        fleet_counts.Offered("reviewer", "REVIEW", 3, 0),
        fleet_counts.Offered("reviewer", "QUALITY", 1, 0),
    ]

    assert fleet_counts.elsewhere(found) == found[1:]


def test_sums_are_read_again_after_as_long_as_they_cost() -> None:
    clock = make.SetClock(0)
    reads: list[float] = []

    def read() -> tuple[dict[str, int], list[Any]]:
        reads.append(clock.micros)
        clock.micros += 1_000_000
        return {"completed": len(reads)}, []

    sums = Sums(read, lambda: clock.micros / 1_000_000)
    first = sums.read()
    clock.micros += int(SHARE) * 1_000_000 - 1
    second = sums.read()
    clock.micros += 1
    third = sums.read()

    assert first == second == ({"completed": 1}, []) and third == ({"completed": 2}, [])
    assert SHARE > LEAST_SECONDS

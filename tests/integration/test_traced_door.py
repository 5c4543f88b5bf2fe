"""Requests of hosts as spans: below the run that they name, and none where they name none."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import structlog

from orchestrator.domain import trace_ids
from orchestrator.domain.errors import LeaseLost
from orchestrator.door import wire
from orchestrator.door.desk import Desk, new_run_id
from orchestrator.door.http_desk import HttpDesk
from orchestrator.server.door_traces import DoorTraces
from orchestrator.traces.place import url_of
from orchestrator.traces.sender import Sender
from tests import factories as make
from tests.collector import SERVER, Collector, collecting
from tests.desk_world import done
from tests.door_server import Running, serving
from tests.patience import patient


@dataclass
class World:
    running: Running
    collector: Collector
    sender: Sender
    token: str
    desk: Desk

    def names(self, run: str) -> list[str]:
        """Of the spans below the run's, as they came; what was queued has arrived."""
        self.sender.close(patient(30))
        at = trace_ids.of_run(run)
        return [each.name for each in self.collector.spans if (each.trace, each.parent) == at]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    store = make.make_store(tmp_path)
    with collecting() as collector, serving(store) as running:
        sender = Sender(url_of(collector.url), "server", structlog.get_logger())
        running.site.traces = DoorTraces(sender)
        token = running.token()
        desk = HttpDesk(running.connections(token), tmp_path / "elsewhere", patience=1.0).as_desk()
        desk.register("h-1", roles=make.ALL_ROLES, slots=2, lease_seconds=20.0)
        yield World(running, collector, sender, token, desk)
        sender.close(patient(30))
    store.close()


def test_what_is_asked_for_a_run_is_below_its_span_and_a_claim_of_nothing_is_no_span(world: World) -> None:
    nothing, named = new_run_id(), new_run_id()
    assert world.desk.claim("h-1", make.ALL_ROLES, nothing) is None
    session = make.make_session(world.running.store)
    make.one_beat(world.running.store, session, make.lead(world.running.store))
    run = world.desk.claim("h-1", make.ALL_ROLES, named)
    assert run is not None and run.run == named
    world.desk.phase(run, "produce")
    world.desk.renew("h-1", [named], lease_seconds=20.0, draining=False)
    world.desk.tasks(session)
    world.desk.report(done(run), make.ALL_ROLES, draining=True)
    with pytest.raises(LeaseLost):
        world.desk.phase(run, "discuss")

    assert world.names(named) == ["door claim", "door phase", "door report", "door phase"]
    assert len(world.collector.spans) == 4
    for each in world.collector.spans:
        assert each.kind == SERVER and each.attributes["lifecycle.host"] == "far" and each.begun <= each.ended
    assert [each.attributes["http.response.status_code"] for each in world.collector.spans] == [
        200,
        200,
        200,
        409,
    ]


@pytest.mark.parametrize(
    ("name", "token", "header"),
    [
        ("tasks", "", trace_ids.traceparent("r-1")),
        ("no_operation", None, trace_ids.traceparent("r-1")),
        ("tasks", None, "00-what-is-no-parent-01"),
        ("tasks", None, f"00-{'a' * 32}-{'b' * 16}-00"),
    ],
    ids=["unknown token", "unknown operation", "no parent", "not sampled"],
)
def test_what_is_refused_or_names_no_run_is_no_span(
    world: World, name: str, token: str | None, header: str
) -> None:
    to = urlsplit(world.running.url)
    connection = http.client.HTTPConnection(to.hostname or "", to.port, timeout=30)
    shown = world.token if token is None else "of-nobody"
    connection.request(
        "POST",
        wire.PREFIX + name,
        json.dumps({"session": "TLS-x-2026-11-21"}),
        {"Authorization": f"Bearer {shown}", wire.VERSION_HEADER: wire.VERSION, trace_ids.HEADER: header},
    )
    connection.getresponse().read()
    connection.close()

    world.sender.close(patient(30))

    assert not world.collector.spans

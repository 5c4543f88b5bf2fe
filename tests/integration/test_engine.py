"""Dispatch by a real Temporal server: what an offer is worth while the engine, the relay and hosts come and go."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import ActivityExecutionStatus, ActivityFailureError, Client
from temporalio.service import RPCError

from orchestrator.config import load_settings
from orchestrator.config.settings import TemporalSettings
from orchestrator.coordinator.relay import Relay
from orchestrator.door.local_desk import LocalDesk
from orchestrator.engine.client import Engine
from orchestrator.engine.place import EnginePlace, engine_place
from orchestrator.store import engines, leases, queries
from orchestrator.store.rows import Offer, Run
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants
from tests.patience import patient
from tests.postgres_server import Server
from tests.temporal_server import TemporalServer, free_port
from workers.host.host import Host
from workers.host.live_runs import LiveRun

SETTINGS = {
    "lease_seconds": 30.0,
    "renew_seconds": 0.5,
    "watchdog_margin_seconds": 0.5,
    "reconcile_seconds": 0.3,
    "drain_seconds": 5.0,
}


def until(fact: Callable[[], Any], what: str, seconds: float = 30) -> Any:
    end = time.monotonic() + patient(seconds)
    while not (found := fact()):
        assert time.monotonic() < end, what
        time.sleep(0.02)  # between two looks, not instead of one
    return found


class World:
    """A project with a relay, hosts in threads of the test, and queues of its own at the engine."""

    def __init__(
        self, store: Store, server: TemporalServer, stack: ExitStack, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.store = store
        self.caplog = caplog
        self.server = server
        self._stack = stack
        queues = f"t{uuid.uuid4().hex[:8]}"
        given = TemporalSettings(address=server.address, queues=queues)
        self.place: EnginePlace = engine_place(given, store.project_id, Path("/nonexistent"), {})
        self.by = make.lead(store)
        self.log = structlog.get_logger()

    def note(self, place: EnginePlace, version: str | None, why: str) -> None:
        self.store.write(lambda tx: engines.note(tx, place.address, place.queues, version, why))

    @contextmanager
    def relaying(self) -> Iterator[Relay]:
        relay = Relay(self.store, self.place, self.log, self.note)
        relay.start()
        try:
            yield relay
        finally:
            relay.close()

    def relay(self) -> Relay:
        return self._stack.enter_context(self.relaying())

    def host(
        self, slots: int = 2, execute: Callable[[LiveRun], Run | None] | None = None, **settings: Any
    ) -> Host:
        """A host that works off what it is given, until the test ends."""
        host = Host(
            LocalDesk(self.store),
            load_settings(None, {}, {**SETTINGS, **settings}),
            make.ALL_ROLES,
            slots,
            execute
            or (lambda live: make.finish(self.store, live.row, own_session=host.goes_on_in_session()).next),
            self.log,
            engine=self.place,
        )
        thread = threading.Thread(target=host.run, daemon=True)
        thread.start()

        def end() -> None:
            host.drain()
            thread.join(patient(30))
            assert not thread.is_alive()

        self._stack.callback(end)
        return host

    def offered(self, request: str = "Build a URL shortener") -> str:
        session = make.make_session(self.store, request)
        make.one_beat(self.store, session, self.by)
        return session

    def is_done(self, session: str) -> bool:
        keys = make.keys(self.store, session)
        if all(status == "completed" for status in keys.values()):
            return True
        make.one_beat(self.store, session, self.by)  # the coordinator's part, which no daemon plays here
        return False


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.scale)])
def world(
    request: pytest.FixtureRequest,
    temporal: TemporalServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[World]:
    """On SQLite, and in a second test, which `make scale` runs, on PostgreSQL."""
    if request.param == "sqlite":
        store = make.make_store(tmp_path)
    else:
        running: Server = request.getfixturevalue("postgres")
        store = make.make_postgres_store(tmp_path, running.database("empty"))
    with ExitStack() as stack:
        yield World(store, temporal, stack, caplog)
    invariants.check_store(store)
    store.close()


def message(world: World, task: int, epoch: int) -> tuple[str, Any]:
    """The state of an offer's message, and what its host answered, as another client sees it."""

    async def ask() -> tuple[str, Any]:
        client = await Client.connect(world.server.address)
        handle = client.get_activity_handle(world.place.message(task, epoch))
        found = await handle.describe()
        done = found.status is ActivityExecutionStatus.COMPLETED
        return found.status.name, await handle.result() if done else None

    return asyncio.run(ask())


def why_away(world: World) -> str:
    found = world.store.read(engines.engine)
    return found.why if found is not None and found.version is None else ""


def sent(world: World, offer: Offer) -> bool:
    try:
        return message(world, *offer[:2])[0] == "RUNNING"
    except RPCError:  # not found, or the engine is not there yet
        return False


def waiting(world: World, role: str) -> int:
    """How many messages a role's queue could hand out: one that is sent gets there a little later."""

    async def ask() -> int:
        client = await Client.connect(world.server.address)
        found = await client.workflow_service.describe_task_queue(
            DescribeTaskQueueRequest(
                namespace=client.namespace,
                task_queue=TaskQueue(name=world.place.queue(role)),
                task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
                report_stats=True,
            )
        )
        return int(found.stats.approximate_backlog_count)

    return asyncio.run(ask())


def stories(world: World, session: str) -> dict[str, list[str | None]]:
    """Task -> the outcomes of its runs."""
    found: dict[str, list[str | None]] = {key: [] for key in make.keys(world.store, session)}
    for row in world.store.read(lambda tx: queries.runs_of(tx, session)):
        found[row.task].append(row.outcome)
    return found


def check_done_once(world: World, session: str) -> None:
    told = stories(world, session)
    assert all(story == ["completed"] for story in told.values()), told


def check_claimed_by_its_message(world: World, offer: Offer) -> None:
    """The message was answered by its claim.

    Where its host answered late it is delivered again, and while the engine seems away hosts claim for themselves: then
    the answer is that the offer is gone.
    """
    until(lambda: message(world, offer.task, offer.epoch)[1], "its host has answered")
    answer, attempt = asyncio.run(_answered(world, offer))
    assert answer == "claimed" or (answer == "gone" and (attempt > 1 or "engine_away" in world.caplog.text))


async def _answered(world: World, offer: Offer) -> tuple[str, int]:
    """What its host answered at last, and at which delivery."""
    client = await Client.connect(world.server.address)
    handle = client.get_activity_handle(world.place.message(offer.task, offer.epoch))
    return await handle.result(), (await handle.describe()).attempt


def test_a_session_is_delivered_from_offer_to_end_each_task_once(world: World) -> None:
    relay = world.relay()
    session = world.offered()
    (first,) = world.store.read(queries.standing_offers)
    relay.tell()
    until(lambda: sent(world, first), "it is sent")

    world.host()
    world.host()
    until(lambda: (relay.tell(), world.is_done(session))[1], "the session is worked off")

    check_done_once(world, session)
    check_claimed_by_its_message(world, first)
    found = world.store.read(engines.engine)
    assert found is not None and found.version is not None and found.queues == world.place.queues


def test_a_relay_that_begins_anew_sends_the_same_offer_and_it_is_claimed_once(world: World) -> None:
    session = world.offered()
    (offer,) = world.store.read(queries.standing_offers)
    with world.relaying():
        until(lambda: sent(world, offer), "it is sent")
    with world.relaying() as second:
        until(lambda: (offer.task, offer.epoch) in second.sent, "it is sent again")

    assert message(world, offer.task, offer.epoch) == ("RUNNING", None)
    world.host(execute=lambda live: make.finish(world.store, live.row, own_session=True).next)
    until(lambda: stories(world, session)["RESEARCH-001"] == ["completed"], "it is claimed")
    check_claimed_by_its_message(world, offer)


def test_an_offer_that_another_host_has_claimed_ends_its_message_without_a_run(world: World) -> None:
    session = world.offered()
    (offer,) = world.store.read(queries.standing_offers)
    with world.relaying():
        until(lambda: sent(world, offer), "it is sent")
    make.make_host(world.store, "h-quick")
    row = make.claim(world.store, "h-quick")
    assert row is not None and row.id == offer.task

    world.host()

    assert until(lambda: message(world, offer.task, offer.epoch)[1], "the message ends") == "gone"
    assert stories(world, session)["RESEARCH-001"] == [None]


def test_hosts_claim_for_themselves_while_the_engine_is_down_and_take_deliveries_when_it_is_back(
    world: World,
) -> None:
    relay = world.relay()
    host = world.host()
    until(lambda: world.store.read(engines.delivers), "the engine is up")
    world.server.kill()
    try:
        session = world.offered()
        until(lambda: world.is_done(session), "the session is worked off without the engine", 60)
        assert "cannot be reached" in until(lambda: why_away(world), "it is noted")
    finally:
        world.server.start()
    until(lambda: host.goes_on_in_session() and world.store.read(engines.delivers), "it is back")

    world.caplog.clear()
    second = world.offered("Build a chat server")
    (offer,) = world.store.read(queries.standing_offers)
    relay.tell()
    until(lambda: (relay.tell(), world.is_done(second))[1], "the second session is worked off")

    check_done_once(world, session)
    check_done_once(world, second)
    check_claimed_by_its_message(world, offer)


def test_an_engine_that_restarts_still_has_what_was_sent(world: World) -> None:
    session = world.offered()
    (offer,) = world.store.read(queries.standing_offers)
    with world.relaying():
        until(lambda: sent(world, offer), "it is sent")
    world.server.kill()
    world.server.start()
    world.note(world.place, "1", "")

    world.host(execute=lambda live: make.finish(world.store, live.row, own_session=True).next)

    until(lambda: stories(world, session)["RESEARCH-001"] == ["completed"], "it is claimed")
    check_claimed_by_its_message(world, offer)


@pytest.mark.scale
def test_an_engine_that_has_lost_everything_is_sent_the_offers_again(world: World) -> None:
    relay = world.relay()
    session = world.offered()
    (offer,) = world.store.read(queries.standing_offers)
    relay.tell()
    until(lambda: sent(world, offer), "it is sent")

    world.server.kill()
    for file in world.server.folder.glob("engine.db*"):
        file.unlink()
    world.server.start()

    until(lambda: sent(world, offer), "it is sent again")
    world.host()
    until(lambda: (relay.tell(), world.is_done(session))[1], "the session is worked off")
    check_done_once(world, session)


def test_a_message_that_a_person_ended_is_sent_again_while_its_offer_stands(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.coordinator.relay.AGAIN_SECONDS", 0.5)
    relay = world.relay()
    session = world.offered()
    (offer,) = world.store.read(queries.standing_offers)
    relay.tell()
    until(lambda: sent(world, offer), "it is sent")

    world.server.run("activity", "terminate", "--activity-id", world.place.message(*offer[:2]))

    world.host()
    until(lambda: (relay.tell(), world.is_done(session))[1], "the session is worked off")
    check_done_once(world, session)


def test_a_queue_that_is_paused_at_the_engine_delivers_nothing_until_it_is_not(world: World) -> None:
    relay = world.relay()
    session = world.offered()
    (offer,) = world.store.read(queries.standing_offers)
    queue = world.place.queue(offer.role)
    config = ("task-queue", "config", "set", "--task-queue", queue, "--task-queue-type", "activity")
    world.server.run(*config, "--queue-rps-limit", "0")
    relay.tell()
    until(lambda: sent(world, offer), "it is sent")
    host = world.host()
    other = world.store.write(lambda tx: tx.now)
    until(
        lambda: world.store.read(lambda tx: tx.now) > other + 2 * leases.SECOND, "hosts had time to take it"
    )
    assert host.goes_on_in_session(), "the host counts on the engine"
    assert stories(world, session)["RESEARCH-001"] == []

    world.server.run(*config, "--queue-rps-limit", "default")

    until(lambda: (relay.tell(), world.is_done(session))[1], "the session is worked off", 60)
    check_done_once(world, session)


def test_what_is_more_urgent_is_delivered_first(world: World) -> None:
    sessions = [world.offered(f"Build thing {number}") for number in range(8)]
    make.execute(
        world.store,
        f"UPDATE tasks SET priority = 1 WHERE session_id = '{sessions[7]}' AND offered_at IS NOT NULL",
    )
    with world.relaying():
        until(lambda: waiting(world, "analyst") == 8, "all wait to be handed out")
    order: list[str] = []

    def note(live: LiveRun) -> None:
        order.append(live.row.session_id)
        make.finish(world.store, live.row, roles=(), own_session=True)

    world.note(world.place, "1", "")
    world.host(slots=1, execute=note)

    until(lambda: len(order) >= 8, "all are claimed")
    assert order[0] == sessions[7], order


def test_what_a_busy_host_was_given_goes_to_one_with_a_free_slot(world: World) -> None:
    relay = world.relay()
    release = threading.Event()
    begun = threading.Event()

    def wait(live: LiveRun) -> Run | None:
        begun.set()
        assert release.wait(patient(60))
        return make.finish(world.store, live.row, own_session=True).next

    world.host(slots=1, execute=wait)
    first = world.offered()
    relay.tell()
    assert begun.wait(patient(30)), "the first host is busy"

    second = world.offered("Build a chat server")
    relay.tell()
    world.host()

    try:
        until(lambda: (relay.tell(), world.is_done(second))[1], "the second host has worked it off", 60)
    finally:
        release.set()
    until(lambda: (relay.tell(), world.is_done(first))[1], "so has the first", 60)
    check_done_once(world, first)
    check_done_once(world, second)


def test_what_two_hosts_have_swallowed_comes_to_a_third_soon(world: World) -> None:
    """They are cut off, or stopped, with a poll open: the engine hands the message to each of them."""
    world.note(world.place, "1", "")
    queue = world.place.queue("analyst")

    async def swallow() -> None:
        engine = await Engine.connect(world.place, "stopped")
        for _ in range(2):
            async with asyncio.timeout(patient(60)):
                while await engine.poll(queue) is None:
                    pass

    with world.relaying() as relay, ThreadPoolExecutor() as pool:
        swallowed = pool.submit(asyncio.run, swallow())
        session = world.offered()
        relay.tell()
        begun = time.monotonic()
        swallowed.result(patient(90))
        again = time.monotonic() - begun
        world.host()
        until(lambda: (relay.tell(), world.is_done(session))[1], "the session is worked off", 60)

    check_done_once(world, session)
    assert again < patient(7), "it came a second time, long before a lease is over"


def test_where_no_relay_can_send_hosts_claim_though_they_reach_the_engine(world: World) -> None:
    world.note(world.place, None, "it is cut off from the coordinator")
    host = world.host()

    session = world.offered()

    until(lambda: world.is_done(session), "the session is worked off")
    check_done_once(world, session)
    assert not host.goes_on_in_session()


def test_an_engine_at_a_wrong_address_is_said_to_be_away(world: World, tmp_path: Path) -> None:
    world.place = replace(world.place, address=f"127.0.0.1:{free_port()}")
    world.relay()

    assert "cannot be reached" in until(lambda: why_away(world), "it is noted")


def test_a_namespace_that_is_not_there_is_said(world: World) -> None:
    world.place = replace(world.place, namespace="nobodys")
    world.relay()

    assert "nobodys" in until(lambda: why_away(world), "it is noted")


def test_a_message_of_a_stranger_ends_and_disturbs_nothing(world: World) -> None:
    relay = world.relay()
    world.host()

    async def send() -> str:
        client = await Client.connect(world.server.address)
        handle = await client.start_activity(
            "deliver",
            args=["rm -rf /"],
            id=f"stranger-{uuid.uuid4().hex}",
            task_queue=world.place.queue("analyst"),
            start_to_close_timeout=timedelta(seconds=10),
        )
        with pytest.raises(ActivityFailureError) as failed:
            await handle.result()
        return str(failed.value.cause)

    assert "names no offer" in asyncio.run(send())
    session = world.offered()
    relay.tell()
    until(lambda: (relay.tell(), world.is_done(session))[1], "the session is worked off")

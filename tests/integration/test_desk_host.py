"""What a host asks at the door, on each database: done, asked again, for another's run, after the lease."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from orchestrator.domain.errors import LeaseLost, NotAllowedNow
from orchestrator.door.desk import Desk, Renewed, Run, Taken, new_run_id
from orchestrator.store import claims, engines, leases, queries
from orchestrator.store.rows import Engine
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants
from tests.desk_world import ROLES, START, DeskWorld
from tests.factories import SetClock


@pytest.fixture
def clock() -> SetClock:
    return SetClock(START)


@pytest.fixture
def world(
    make_store: Callable[..., Store], make_desk: Callable[..., Desk], clock: SetClock
) -> Iterator[DeskWorld]:
    store = make_store(clock=clock)
    yield DeskWorld(store, clock, make_desk(store, clock))
    invariants.check_store(store)
    store.close()


@pytest.fixture
def store(world: DeskWorld) -> Store:
    return world.store


@pytest.fixture
def desk(world: DeskWorld) -> Desk:
    return world.desk


def lease_of(store: Store, run: Run) -> int:
    found = store.read(lambda tx: claims.open_run(tx, run.run, run.host))
    assert found is not None
    return found.lease_until


def test_a_host_is_registered_once(world: DeskWorld, desk: Desk, store: Store, clock: SetClock) -> None:
    world.host()
    clock.micros += 5_000_000
    world.host()

    (host,) = store.read(leases.live_hosts)

    assert (host.incarnation, host.lease_until) == ("h-1", START + 20_000_000)


def test_another_process_cannot_take_the_name_of_a_host(world: DeskWorld, store: Store) -> None:
    world.host()

    with pytest.raises(NotAllowedNow, match="h-1 is another process"):
        make.make_host(store, "h-1", pid=1)

    assert [host.incarnation for host in store.read(leases.live_hosts)] == ["h-1"]


def test_a_host_that_said_goodbye_is_not_revived_by_what_it_said_before(
    world: DeskWorld, desk: Desk, store: Store
) -> None:
    world.host()
    desk.bye("h-1")
    desk.bye("h-1")
    world.host()

    assert store.read(leases.live_hosts) == []
    assert desk.renew("h-1", [], lease_seconds=20, draining=False) == Renewed(alive=False)


def test_a_goodbye_ends_the_leases_of_its_own_runs_alone(world: DeskWorld, desk: Desk, store: Store) -> None:
    world.host()
    world.host("h-2")
    world.offered()
    world.offered("Build a chat server")
    ours, theirs = world.claimed(), world.claimed("h-2")

    desk.bye("h-1")

    overdue = {row.id for row, _ in store.read(leases.overdue_runs)}
    assert overdue == {ours.run}
    assert theirs.run not in overdue


def test_a_renewal_extends_the_named_runs_alone(
    world: DeskWorld, desk: Desk, store: Store, clock: SetClock
) -> None:
    world.host()
    world.offered()
    world.offered("Build a chat server")
    named, forgotten = world.claimed(), world.claimed()
    clock.micros += 10_000_000

    first = desk.renew("h-1", [named.run], lease_seconds=20, draining=False)
    again = desk.renew("h-1", [named.run], lease_seconds=20, draining=False)

    assert first == again == Renewed(alive=True)
    assert lease_of(store, named) == START + 30_000_000
    assert lease_of(store, forgotten) == START + 20_000_000


def test_a_renewal_tells_which_runs_are_not_the_hosts_own(world: DeskWorld, desk: Desk, store: Store) -> None:
    world.host()
    world.host("h-2")
    world.offered()
    theirs = world.claimed("h-2")
    before = lease_of(store, theirs)

    told = desk.renew("h-1", [theirs.run, "nobody's"], lease_seconds=60, draining=False)

    assert told.alive and sorted(told.gone) == sorted([theirs.run, "nobody's"])
    assert lease_of(store, theirs) == before


def test_a_host_whose_lease_is_over_renews_and_claims_nothing(
    world: DeskWorld, desk: Desk, store: Store, clock: SetClock
) -> None:
    world.host()
    world.offered()
    world.offered("Build a chat server")
    run = world.claimed()
    clock.micros += 20_000_000  # the very end

    assert desk.renew("h-1", [run.run], lease_seconds=20, draining=False) == Renewed(False, (run.run,))
    assert desk.claim("h-1", ROLES, new_run_id()) is None


def test_a_claim_opens_the_run_that_was_named(world: DeskWorld, desk: Desk, store: Store) -> None:
    world.host()
    assert desk.claim("h-1", ROLES, new_run_id()) is None
    session = world.offered()
    id = new_run_id()

    run = desk.claim("h-1", ROLES, id)

    assert run is not None and (run.run, run.session_id, run.host) == (id, session, "h-1")


def test_a_claim_asked_again_opens_no_other_run(world: DeskWorld, desk: Desk, store: Store) -> None:
    world.host()
    first, second = world.offered(), world.offered("Build a chat server")
    id = new_run_id()

    run = desk.claim("h-1", ROLES, id)
    again = desk.claim("h-1", ROLES, id)

    assert run is not None and run == again
    opened = [each.id for s in (first, second) for each in store.read(lambda tx, s=s: queries.runs_of(tx, s))]  # type: ignore[misc]
    assert opened == [id]


def test_a_claim_asked_again_when_nothing_is_offered_any_more(
    world: DeskWorld, desk: Desk, store: Store
) -> None:
    world.host()
    world.offered()
    id = new_run_id()
    run = desk.claim("h-1", ROLES, id)

    assert desk.claim("h-1", ROLES, id) == run


def test_a_claim_under_the_name_of_anothers_or_a_closed_run_is_refused(
    world: DeskWorld, desk: Desk, store: Store
) -> None:
    world.host()
    world.host("h-2")
    world.offered()
    second = world.offered("Build a chat server")
    run = world.claimed()

    with pytest.raises(LeaseLost):
        desk.claim("h-2", ROLES, run.run)
    make.fail(store, run)
    with pytest.raises(LeaseLost):
        desk.claim("h-1", ROLES, run.run)

    assert store.read(lambda tx: queries.runs_of(tx, second)) == []


def test_a_draining_host_claims_nothing(world: DeskWorld, desk: Desk, store: Store) -> None:
    world.host()
    world.offered()

    desk.renew("h-1", [], lease_seconds=20, draining=True)

    assert desk.claim("h-1", ROLES, new_run_id()) is None


def offer_of(store: Store) -> tuple[int, int]:
    (found,) = store.read(queries.standing_offers)
    return found.task, found.epoch


def test_a_delivered_offer_is_taken_once_under_the_run_that_was_named(
    world: DeskWorld, desk: Desk, store: Store
) -> None:
    world.host()
    world.host("h-2")
    world.offered()
    offer, id = offer_of(store), new_run_id()

    first = desk.take("h-1", ROLES, id, *offer)
    again = desk.take("h-1", ROLES, id, *offer)
    others = desk.take("h-2", ROLES, new_run_id(), *offer)

    assert first.run is not None and first == again
    assert (first.run.run, first.run.opened_by, first.run.epoch) == (id, "offer", offer[1])
    assert others == Taken(None, stands=False)
    with pytest.raises(LeaseLost):
        desk.take("h-2", ROLES, id, *offer)


def test_an_offer_of_another_epoch_is_not_taken(world: DeskWorld, desk: Desk, store: Store) -> None:
    world.host()
    world.offered()
    task, epoch = offer_of(store)

    assert desk.take("h-1", ROLES, new_run_id(), task, epoch - 1) == Taken(None, stands=False)
    assert desk.take("h-1", ROLES, new_run_id(), task, epoch + 1) == Taken(None, stands=False)
    assert offer_of(store) == (task, epoch)


def test_an_offer_that_a_host_may_not_have_stands_for_others(
    world: DeskWorld, desk: Desk, store: Store
) -> None:
    world.host()
    world.host("h-2")
    world.offered()
    offer = offer_of(store)

    desk.renew("h-1", [], lease_seconds=20, draining=True)

    assert desk.take("h-1", ROLES, new_run_id(), *offer) == Taken(None, stands=True)
    assert desk.take("h-2", ("tester",), new_run_id(), *offer) == Taken(None, stands=True)
    assert desk.take("h-2", ROLES, new_run_id(), *offer).run is not None


def test_offers_are_delivered_while_the_engine_is_up_and_somebody_leads(
    world: DeskWorld, desk: Desk, store: Store, clock: SetClock
) -> None:
    assert not desk.is_delivered()
    store.write(lambda tx: engines.note(tx, "127.0.0.1:7233", "lifecycle/p", "1.32", ""))
    assert not desk.is_delivered()
    make.lead(store, seconds=60)
    assert desk.is_delivered()

    store.write(lambda tx: engines.note(tx, "127.0.0.1:7233", "lifecycle/p", None, "refused"))

    assert not desk.is_delivered()


def test_since_when_an_engine_is_away_is_kept(store: Store, clock: SetClock) -> None:
    store.write(lambda tx: engines.note(tx, "a:1", "q", "1.32", ""))
    clock.micros += 1_000_000
    store.write(lambda tx: engines.note(tx, "a:1", "q", None, "refused"))
    clock.micros += 1_000_000
    store.write(lambda tx: engines.note(tx, "a:1", "q", None, "reset"))

    assert store.read(engines.engine) == Engine("a:1", "q", None, START + 1_000_000, "reset")
    store.write(lambda tx: engines.note(tx, "b:1", "q", None, "reset"))
    assert store.read(engines.engine) == Engine("b:1", "q", None, START + 2_000_000, "reset")
    store.write(engines.forget)
    assert store.read(engines.engine) is None


def test_only_closed_runs_are_over(world: DeskWorld, desk: Desk, store: Store) -> None:
    world.host()
    world.offered()
    world.offered("Build a chat server")
    closed, open_one = world.claimed(), world.claimed()
    make.fail(store, closed)

    assert desk.over([closed.run, open_one.run, "nobody's"]) == [closed.run]
    assert desk.over([]) == []


def test_a_project_is_led_while_its_leader_lives(desk: Desk, store: Store, clock: SetClock) -> None:
    assert not desk.is_led()
    make.lead(store, seconds=10)
    assert desk.is_led()
    clock.micros += 10_000_000
    assert not desk.is_led()

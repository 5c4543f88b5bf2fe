"""What a report reads at once before it starts a successor: who else waits, what the successor waited for, and its host."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.model import AdvanceKind
from orchestrator.store import leases, tasks, transitions
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests import invariants


@pytest.fixture
def store(make_store: Callable[..., Store]) -> Iterator[Store]:
    found = make_store()
    make.make_host(found)
    yield found
    invariants.check_store(found)
    found.close()


@pytest.fixture
def lead(store: Store) -> Leadership:
    return make.lead(store)


def begun(store: Store, lead: Leadership) -> Run:
    """The first run of a new session."""
    make.one_beat(store, make.make_session(store), lead)
    row = make.claim(store, "h-1")
    assert row is not None and row.key == "RESEARCH-001"
    return row


def test_a_successor_that_waited_for_the_reported_task_alone_is_started(
    store: Store, lead: Leadership
) -> None:
    row = begun(store, lead)

    reported = make.finish(store, row)

    assert reported.advance.kind == AdvanceKind.FAST
    assert reported.next is not None and reported.next.key == "DRAFT-001"
    assert reported.next.lease_until == row.lease_until


def test_a_successor_is_offered_while_an_older_offer_of_another_session_waits(
    store: Store, lead: Leadership
) -> None:
    row = begun(store, lead)
    make.one_beat(store, other := make.make_session(store, "Build a shop"), lead)

    reported = make.finish(store, row)

    assert reported.advance.kind == AdvanceKind.YIELD
    assert reported.next is not None and reported.next.session_id == other


def test_a_successor_that_waited_for_others_too_is_left_to_a_beat(store: Store, lead: Leadership) -> None:
    row = begun(store, lead)

    def also_waits(tx: Tx) -> None:
        successor = tasks.task(tx, row.session_id, "DRAFT-001")
        assert successor is not None
        values = {"key": "EXTRA-001", "seq": 99, "role": "analyst", "prefix": "RESEARCH", "phase": "spec"}
        made = transitions.add_task(tx, row.session_id, {**values, "payload": {}, "max_attempts": 3})
        transitions.add_edge(tx, row.session_id, successor.id, made)

    store.write(also_waits, about=row.session_id)
    assert make.finish(store, row, draining=True).next is None
    make.one_beat(store, row.session_id, lead)
    extra = make.claim(store, "h-1")
    assert extra is not None and extra.key == "EXTRA-001"

    reported = make.finish(store, extra)

    assert (reported.advance.kind, reported.next) == (AdvanceKind.REPORT, None)
    assert "joins other branches" in reported.advance.why
    assert make.keys(store, row.session_id)["DRAFT-001"] == "pending"


def test_a_host_that_was_told_to_drain_starts_no_successor(store: Store, lead: Leadership) -> None:
    row = begun(store, lead)
    store.write(lambda tx: leases.renew(tx, "h-1", [row.run], make.LEASE, draining=True))

    reported = make.finish(store, row)

    assert reported.next is None
    assert make.keys(store, row.session_id)["DRAFT-001"] == "pending"

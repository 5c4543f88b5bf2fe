"""Each guard of a statement on its own: between a look and the change, another transaction may have come.

SQLite's one writer hides that, so the look is made earlier here, as it happens where several write at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.commands import advise, manage, resume, rework
from orchestrator.coordinator import reconcile
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.errors import NotAllowedNow, NotLeader
from orchestrator.domain.model import Gate, RunOutcome
from orchestrator.domain.pauses import ADVISED, PauseReason
from orchestrator.lifecycle import report
from orchestrator.store import claims, leases, sessions, tasks, transitions
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests.model import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    found = make.make_store(tmp_path, clock=clock)
    make.make_host(found)
    yield found
    found.close()


def look_early(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next claim decide by the offer that is there now."""
    seen = store.read(lambda tx: tasks.oldest_offer(tx, make.ALL_ROLES))
    assert seen is not None
    monkeypatch.setattr(claims, "oldest_offer", lambda *_, **__: seen)


def test_an_offer_withdrawn_since_it_was_seen_is_not_claimed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make.make_session(store)
    make.one_beat(store, session, make.lead(store))
    look_early(store, monkeypatch)

    manage.pause(store, session, who="ann")
    resume.resume(store, session, resume.Answer("ann"), more_attempts=3)

    assert make.claim(store, "h-1") is None


def test_an_offer_made_anew_since_it_was_seen_is_not_claimed_under_its_old_epoch(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make.make_session(store)
    by = make.lead(store)
    make.one_beat(store, session, by)
    look_early(store, monkeypatch)

    manage.pause(store, session, who="ann")
    resume.resume(store, session, resume.Answer("ann"), more_attempts=3)
    make.one_beat(store, session, by)

    assert make.claim(store, "h-1") is None


def test_an_offer_whose_session_was_paused_since_it_was_seen_is_not_claimed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make.make_session(store)
    make.one_beat(store, session, make.lead(store))
    look_early(store, monkeypatch)

    with sqlite3.connect(store.path) as connection:  # a pause that has not yet come to the offers
        connection.execute("UPDATE sessions SET status = 'paused', pause_reason = 'user'")
    connection.close()

    assert make.claim(store, "h-1") is None


def test_a_run_closed_since_it_was_seen_is_not_closed_once_more(store: Store) -> None:
    session = make.make_session(store)
    make.one_beat(store, session, make.lead(store))
    row = make.claim(store, "h-1")
    assert row is not None
    make.finish(store, row, draining=True)

    def lose(tx: Tx) -> object:
        return transitions.revoke(tx, row.run, row.id, RunOutcome.LOST, "late", counted=True)

    assert store.write(lose) is None
    assert make.keys(store, session)["RESEARCH-001"] == "completed"


def test_a_draining_host_claims_nothing(store: Store) -> None:
    session = make.make_session(store)
    make.one_beat(store, session, make.lead(store))

    store.write(lambda tx: leases.renew(tx, "h-1", [], make.LEASE, draining=True))

    assert make.claim(store, "h-1") is None


def test_nothing_is_started_directly_before_its_retry_is_due(store: Store) -> None:
    session = make.make_session(store)
    make.one_beat(store, session, make.lead(store))
    row = make.claim(store, "h-1")
    assert row is not None
    store.write(lambda tx: report.fail(tx, row, "died", counted=True, backoff=(60,), timings={}))

    task = store.read(lambda tx: tasks.task(tx, session, row.key))
    assert task is not None

    assert store.write(lambda tx: claims.start_directly(tx, task, "h-1", "fast", None)) is None


def test_a_new_blocker_withdraws_the_offer_of_what_waits_for_it(store: Store) -> None:
    session = make.make_session(store)
    by = make.lead(store)
    make.one_beat(store, session, by)
    row = make.claim(store, "h-1")
    assert row is not None
    make.finish(store, row, draining=True)
    assert make.one_beat(store, session, by).offered == ("DRAFT-001",)

    rework.revise(store, session, "RESEARCH-001", "more", force=False, who="ann", max_attempts=3)

    assert store.read(lambda tx: tasks.oldest_offer(tx, make.ALL_ROLES)) is None


def test_a_run_whose_lease_ended_is_not_revived_though_its_host_lives(store: Store, clock: Clock) -> None:
    row = begun(store)
    clock.pass_seconds(make.LEASE / 2)
    store.write(lambda tx: leases.renew(tx, "h-1", [], make.LEASE))  # it does not name the run
    clock.pass_seconds(make.LEASE / 2)

    alive, gone = store.write(lambda tx: leases.renew(tx, "h-1", [row.run], make.LEASE))

    assert (alive, gone) == (True, [row.run])
    assert [run.id for run, _ in store.read(leases.overdue_runs)] == [row.run]


def test_a_host_that_says_goodbye_gives_up_its_open_runs_at_once(store: Store) -> None:
    row = begun(store)

    store.write(lambda tx: leases.end_host(tx, "h-1"))

    assert [run.id for run, _ in store.read(leases.overdue_runs)] == [row.run]


def test_a_deposed_leader_is_not_taken_for_its_namesake(store: Store, clock: Clock) -> None:
    session = make.make_session(store)
    old = make.lead(store, "d", seconds=30)
    clock.pass_seconds(30)

    new = make.lead(store, "d", seconds=30)

    with pytest.raises(NotLeader):
        make.one_beat(store, session, old)
    with pytest.raises(NotLeader):
        store.write(lambda tx: leases.keep_lead(tx, old.holder, old.epoch, 30))
    assert make.one_beat(store, session, new).offered == ("RESEARCH-001",)


def test_a_renewal_does_not_extend_the_run_of_another_host(store: Store, clock: Clock) -> None:
    row = begun(store)
    clock.pass_seconds(make.LEASE / 2)
    make.make_host(store, "h-2")

    alive, gone = store.write(lambda tx: leases.renew(tx, "h-2", [row.run], make.LEASE))
    clock.pass_seconds(make.LEASE / 2)

    assert (alive, gone) == (True, [row.run])
    assert [run.id for run, _ in store.read(leases.overdue_runs)] == [row.run]


def test_a_deposed_leader_takes_no_run_away(store: Store, clock: Clock) -> None:
    make.one_beat(store, make.make_session(store), make.lead(store))
    row = make.claim(store, "h-1")
    assert row is not None
    deposed = Leadership("d-gone", 0)
    clock.pass_seconds(make.LEASE)

    with pytest.raises(NotLeader):
        reconcile.reap(store, deposed)

    assert [run.id for run, _ in store.read(leases.overdue_runs)] == [row.run]


def test_a_failed_gate_is_passed_by_force_alone(store: Store) -> None:
    session = make.make_session(store)

    def fail_the_gate(tx: Tx) -> None:
        sessions.set_gate(tx, session, Gate.FAIL, 40.0)
        sessions.pause(tx, session, PauseReason.CHECKPOINT, {})

    store.write(fail_the_gate)

    with pytest.raises(NotAllowedNow, match="FAIL"):
        resume.resume(store, session, resume.Answer("ann"), more_attempts=3)
    before = store.read(lambda tx: sessions.get(tx, session))
    resume.resume(store, session, resume.Answer("ann", force=True), more_attempts=3)
    after = store.read(lambda tx: sessions.get(tx, session))

    assert before is not None and after is not None
    assert (before.status, after.status) == ("paused", "active")


def test_a_unit_that_has_only_read_keeps_others_from_writing_already(store: Store) -> None:
    other = sqlite3.connect(store.path, isolation_level=None, timeout=0)

    def unit(tx: Tx) -> None:
        sessions.all_sessions(tx)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")

    store.write(unit)
    other.close()


def begun(store: Store) -> Run:
    make.one_beat(store, make.make_session(store), make.lead(store))
    row = make.claim(store, "h-1")
    assert row is not None
    return row


@pytest.mark.parametrize("reason", list(PauseReason))
def test_advice_starts_while_a_person_decides_about_content_and_nothing_else_does(
    store: Store, reason: PauseReason
) -> None:
    session = make.make_session(store)
    by = make.lead(store)
    advise.advise(store, session, advise.asked("Is it sound?", None, None), who="ann", max_attempts=3)
    store.write(lambda tx: sessions.pause(tx, session, reason, {}))

    make.one_beat(store, session, by)
    offered = store.read(lambda tx: [row.key for row in tasks.all_tasks(tx, session) if row.offered_at])
    make.make_host(store, "h-2", roles=("architect",))
    claimed = make.claim(store, "h-2", ("architect",))

    assert offered == (["ARCH-CONSULT-001"] if reason in ADVISED else [])
    assert (claimed.key if claimed else None) == ("ARCH-CONSULT-001" if reason in ADVISED else None)
    rows = store.read(lambda tx: tasks.all_tasks(tx, session))
    assert not any(store.write(lambda tx, row=row: transitions.offer(tx, row.id)) for row in rows)  # type: ignore[misc]


def test_advice_that_was_offered_is_not_claimed_in_a_pause_that_starts_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make.make_session(store)
    advise.advise(store, session, advise.asked("Is it sound?", None, None), who="ann", max_attempts=3)
    store.write(lambda tx: sessions.pause(tx, session, PauseReason.CHECKPOINT, {}))
    make.one_beat(store, session, make.lead(store))
    make.make_host(store, "h-2", roles=("architect",))
    seen = store.read(lambda tx: tasks.oldest_offer(tx, ("architect",)))
    assert seen is not None
    monkeypatch.setattr(claims, "oldest_offer", lambda *_, **__: seen)

    store.write(lambda tx: sessions.resume(tx, session, PauseReason.CHECKPOINT))
    store.write(lambda tx: sessions.pause(tx, session, PauseReason.BUDGET, {}))

    assert make.claim(store, "h-2", ("architect",)) is None

"""The store's guarded transitions: claims, fences, leases, retries, revisions, pauses."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from orchestrator.commands import manage, resume, rework
from orchestrator.coordinator import reconcile
from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import DatabaseBusy, LeaseLost, NotAllowedNow, NotLeader, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pauses import PauseReason
from orchestrator.lifecycle import report
from orchestrator.store import copying, decisions, leases, messages, queries, sessions, tasks, transitions
from orchestrator.store.backends import sqlite_backend
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup
from orchestrator.views.why import why
from tests import factories as make
from tests import invariants

ANSWER = resume.Answer(who="ann")


class FakeClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.wall_micros = 1_750_000_000_000_000
        self.lease_micros = 5_000_000_000

    def wall(self) -> int:
        self.wall_micros += 1
        return self.wall_micros

    def monotonic(self) -> int:
        return self.lease_micros

    def pass_seconds(self, seconds: float) -> None:
        self.lease_micros += int(seconds * 1_000_000)
        self.wall_micros += int(seconds * 1_000_000)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(make_store: Callable[..., Store], clock: FakeClock) -> Iterator[Store]:
    found = make_store(clock=clock)
    yield found
    invariants.check_store(found)
    found.close()


def story(store: Store, session: str, key: str) -> list[str | None]:
    """The outcomes of a task's runs, in order."""
    return [run.outcome for run in store.read(lambda tx: queries.runs_of(tx, session)) if run.task == key]


def test_what_is_asked_for_soon_is_what_was_there_when_it_was_asked(store: Store) -> None:
    session = make.make_session(store)

    def say(tx: Tx) -> tuple[int, int, int]:
        before = sessions.session_state_soon(tx, session)
        messages.say(tx, session, "user", "log", "one more")
        tx.flush()
        after = sessions.session_state(tx, session)
        return before().messages, after.messages, before().messages

    before, after, again = store.write(say, about=session)
    assert (after, again) == (before + 1, before)


def test_what_is_foreseen_is_found_and_so_is_all_else(store: Store) -> None:
    here, other = make.make_session(store), make.make_session(store, "Build a shop")

    def asks(tx: Tx) -> list[object]:
        return [
            *(ask(tx, session) for session in (here, other) for ask in (sessions.get, tasks.all_tasks)),
            *(sessions.get(tx, session) for session in (here, other, "nobody")),
        ]

    def foreseen(tx: Tx) -> list[object]:
        tx.foresee(
            lambda: sessions.get(tx, here),
            lambda: sessions.get(tx, "nobody"),
            lambda: tasks.all_tasks(tx, here),
        )
        return asks(tx)

    assert store.read(foreseen) == store.read(asks)
    store.read(lambda tx: tx.foresee(lambda: sessions.get(tx, here), lambda: None))  # which nobody wants then
    assert store.read(foreseen) == store.read(asks)


def run_until(store: Store, session: str, key: str, *, host: str = "h-1") -> object:
    """Complete everything before `key` and return its open run."""
    by = make.lead(store) if store.read(leases.leader) is None else None
    if by is not None:
        make.one_beat(store, session, by)
    row = make.claim(store, host)
    while row is not None and row.key != key:
        row = make.finish(store, row).next
    assert row is not None
    return row


def test_six_tasks_cost_one_offer_and_five_advances(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)

    row = run_until(store, session, "QUALITY-001")
    make.finish(store, row)

    events = [row for row in store.read(lambda tx: messages.after(tx, session)) if row.kind == "event"]
    assert [e.data["offered"] for e in events if e.type == "beat"] == [["RESEARCH-001"]]
    assert [e.data["kind"] for e in events if e.type == "advance"] == ["fast", "loop", "loop", "loop", "fast"]


def test_one_offer_is_claimed_once(store: Store) -> None:
    session = make.make_session(store)
    by = make.lead(store)
    make.make_host(store, "h-1")
    make.make_host(store, "h-2")
    make.one_beat(store, session, by)

    claims = [make.claim(store, "h-1"), make.claim(store, "h-2")]

    assert [claim is not None for claim in claims] == [True, False]


def test_a_host_claims_only_tasks_of_its_roles(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store, roles=("writer",))
    make.one_beat(store, session, make.lead(store))

    assert make.claim(store, "h-1", ("writer",)) is None


@pytest.mark.parametrize(("seconds", "claims"), [(29.999999, True), (30.0, False)])
def test_a_host_whose_lease_is_over_claims_nothing(
    store: Store, clock: FakeClock, seconds: float, claims: bool
) -> None:
    session = make.make_session(store)
    make.make_host(store, seconds=30)
    make.one_beat(store, session, make.lead(store))
    clock.pass_seconds(seconds)

    assert (make.claim(store, "h-1") is not None) is claims


@pytest.mark.parametrize(("seconds", "held"), [(29.999999, True), (30.0, False)])
def test_a_report_at_the_end_of_its_lease_is_refused(
    store: Store, clock: FakeClock, seconds: float, held: bool
) -> None:
    session = make.make_session(store)
    make.make_host(store, seconds=30)
    row = run_until(store, session, "RESEARCH-001")
    clock.pass_seconds(seconds)

    if held:
        make.finish(store, row)
    else:
        with pytest.raises(LeaseLost):
            make.finish(store, row)

    assert make.keys(store, session)["RESEARCH-001"] == ("completed" if held else "in_progress")


def test_a_lost_run_changes_nothing_afterwards_and_another_finishes_the_task_once(
    store: Store, clock: FakeClock
) -> None:
    session = make.make_session(store)
    make.make_host(store, "h-1", seconds=30)
    zombie = run_until(store, session, "RESEARCH-001")
    clock.pass_seconds(31)
    by = make.Leadership("d-test", 1)
    reconcile.reap(store, by)
    make.make_host(store, "h-2")
    make.one_beat(store, session, by)

    with pytest.raises(LeaseLost):
        make.finish(store, zombie)
    second = make.claim(store, "h-2")
    assert second is not None
    with pytest.raises(LeaseLost):
        make.finish(store, zombie)
    make.finish(store, second)

    assert story(store, session, "RESEARCH-001") == ["lost", "completed"]


def test_renewing_extends_only_the_named_runs_and_returns_those_that_are_gone(
    store: Store, clock: FakeClock
) -> None:
    first, second = (
        make.make_session(store, "Build one thing"),
        make.make_session(store, "Build another thing"),
    )
    by = make.lead(store)
    make.make_host(store, seconds=30)
    for session in (first, second):
        make.one_beat(store, session, by)
    kept, forgotten = make.claim(store, "h-1"), make.claim(store, "h-1")
    clock.pass_seconds(20)

    alive, gone = store.write(lambda tx: leases.renew(tx, "h-1", [kept.run, "nobody"], 30))
    clock.pass_seconds(15)
    lost = reconcile.reap(store, by)

    assert alive and gone == ["nobody"]
    assert [each.run for each in lost] == [forgotten.run]


@pytest.mark.parametrize(("seconds", "alive"), [(29.999999, True), (30.0, False)])
def test_a_lease_that_ended_is_never_revived(
    store: Store, clock: FakeClock, seconds: float, alive: bool
) -> None:
    make.make_host(store, seconds=30)
    clock.pass_seconds(seconds)

    renewed, _ = store.write(lambda tx: leases.renew(tx, "h-1", [], 30))

    assert renewed is alive


def test_an_hour_on_the_wall_clock_ends_no_lease(store: Store, clock: FakeClock) -> None:
    session = make.make_session(store)
    make.make_host(store)
    row = run_until(store, session, "RESEARCH-001")

    for jump in (3_600_000_000, -7_200_000_000):
        clock.wall_micros += jump
        assert reconcile.reap(store, make.Leadership("d-test", 1)) == []
    clock.wall_micros += 7_200_000_000

    make.finish(store, row)


def test_a_failed_attempt_waits_for_its_backoff_and_the_third_pauses_the_session(
    store: Store, clock: FakeClock
) -> None:
    session = make.make_session(store)
    make.make_host(store, seconds=100_000)
    by = make.lead(store, seconds=100_000)
    waits = []
    for _ in range(3):
        make.one_beat(store, session, by)
        row = make.claim(store, "h-1")
        assert row is not None
        store.write(
            lambda tx, row=row: report.fail(tx, row, "boom", counted=True, backoff=(5, 20, 80), timings={})
        )
        assert make.claim(store, "h-1") is None
        due = make.one_beat(store, session, by).retry_at
        waits.append(None if due is None else round((due - clock.wall_micros) / 1e6))
        clock.pass_seconds(100)

    found = store.read(lambda tx: sessions.get(tx, session))
    assert waits == [5, 20, None]
    assert (found.status, found.pause_reason) == ("paused", "task_failed")
    assert make.keys(store, session)["RESEARCH-001"] == "failed"


def test_a_released_attempt_is_not_charged(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)
    row = run_until(store, session, "RESEARCH-001")

    store.write(lambda tx: report.fail(tx, row, "drained", counted=False, backoff=(5,), timings={}))

    found = store.read(lambda tx: tasks.task(tx, session, "RESEARCH-001"))
    assert (found.status, found.attempts, found.not_before) == ("pending", 0, None)
    assert story(store, session, "RESEARCH-001") == ["released"]


def test_resume_after_task_failed_allows_three_more_and_keeps_the_count(
    store: Store, clock: FakeClock
) -> None:
    session = make.make_session(store)
    make.make_host(store, seconds=100_000)
    by = make.lead(store, seconds=100_000)
    for _ in range(3):
        make.one_beat(store, session, by)
        row = make.claim(store, "h-1")
        store.write(lambda tx, row=row: report.fail(tx, row, "boom", counted=True, backoff=(), timings={}))

    resume.resume(store, None, ANSWER, more_attempts=3)

    found = store.read(lambda tx: tasks.task(tx, session, "RESEARCH-001"))
    assert (found.status, found.attempts, found.max_attempts) == ("pending", 3, 6)
    assert make.one_beat(store, session, by).offered == ("RESEARCH-001",)


def test_a_running_task_without_a_coordinator_says_what_starts_one(store: Store, clock: FakeClock) -> None:
    session = make.make_session(store)
    make.make_host(store, seconds=100_000)
    by = make.lead(store, seconds=10)
    make.one_beat(store, session, by)
    assert make.claim(store, "h-1") is not None

    def said() -> JsonObject:
        return store.read(
            lambda tx: why(tx, lookup.session(tx, session), tasks.task(tx, session, "RESEARCH-001"))
        )

    led = said()
    clock.pass_seconds(1_000)
    alone = said()

    assert (led["state"], alone["state"]) == ("running", "running")
    assert not [each for each in led["because"] if "coordinator" in each]
    assert led["commands"] == ["lifecycle log -f"]
    assert "no coordinator is running" in alone["because"][-1]
    assert alone["commands"] == ["lifecycle resume", "lifecycle daemon start"]


def test_a_failed_task_of_a_cancelled_session_ended_when_the_session_did(
    store: Store, clock: FakeClock
) -> None:
    session = make.make_session(store)
    make.make_host(store, seconds=100_000)
    by = make.lead(store, seconds=100_000)
    for _ in range(3):
        make.one_beat(store, session, by)
        row = make.claim(store, "h-1")
        store.write(lambda tx, row=row: report.fail(tx, row, "boom", counted=True, backoff=(), timings={}))
    clock.pass_seconds(100)

    manage.cancel(store, session, who="ann")

    found = store.read(lambda tx: lookup.session(tx, session, finished=True))
    failed = store.read(lambda tx: tasks.task(tx, session, "RESEARCH-001"))
    said = store.read(lambda tx: why(tx, found, failed))
    assert (failed.status, failed.finished_at) == ("cancelled", found.finished_at)
    assert said["because"] == [f"the session was cancelled at {stamp(found.finished_at)}"]


def test_skip_satisfies_the_successors(store: Store) -> None:
    session = make.make_session(store)
    by = make.lead(store)
    manage.pause(store, session, who="ann")

    resume.resume(store, session, resume.Answer(who="ann", skip="RESEARCH-001"), more_attempts=3)

    assert make.one_beat(store, session, by).offered == ("DRAFT-001",)


def test_a_pause_withdraws_offers_and_open_runs_finish(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)
    row = run_until(store, session, "DRAFT-001")

    manage.pause(store, session, who="ann")
    reported = make.finish(store, row)

    assert reported.next is None and reported.advance.why == "the session is user"
    assert make.one_beat(store, session, make.Leadership("d-test", 1)).offered == ()
    with pytest.raises(NotAllowedNow, match="already paused"):
        manage.pause(store, session, who="bob")


def test_cancel_takes_open_runs_away_and_cancels_every_unfinished_task(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)
    row = run_until(store, session, "DRAFT-001")

    done = manage.cancel(store, session, who="ann")

    assert done.stopped == (row.run,)
    with pytest.raises(LeaseLost):
        make.finish(store, row)
    assert set(make.keys(store, session).values()) == {"completed", "cancelled"}


def test_a_completed_session_cannot_be_cancelled_and_stays_as_it_is(store: Store) -> None:
    session = make.make_session(store)
    store.write(lambda tx: (transitions.cancel_all(tx, session), sessions.complete(tx, session)))

    with pytest.raises(NotAllowedNow, match="is completed: nothing is under way") as refused:
        manage.cancel(store, session, who="ann")

    assert refused.value.fix and "archive" in refused.value.fix
    assert store.read(lambda tx: lookup.session(tx, session)).status == "completed"


def test_a_high_verdict_makes_a_revision_before_the_successors(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)
    row = run_until(store, session, "DRAFT-002")

    reported = make.finish(store, row, discussed=make.discussed(row, {"product": 1, "quality": 2}))

    state = {found.key: found for found in store.read(lambda tx: tasks.all_tasks(tx, session))}
    assert reported.next is None
    assert state["DRAFT-002-R1"].blocked_by == ("DRAFT-002",)
    assert set(state["DRAFT-003"].blocked_by) == {"DRAFT-002", "DRAFT-002-R1"}
    assert state["DRAFT-002-R1"].payload["remarks"]
    make.one_beat(store, session, make.Leadership("d-test", 1))
    revision = make.claim(store, "h-1")
    assert revision.key == "DRAFT-002-R1"
    assert make.finish(store, revision).next.key == "DRAFT-003"


def test_a_high_verdict_on_a_revision_pauses_and_resume_accepts_it(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)
    row = run_until(store, session, "DRAFT-002")
    make.finish(store, row, discussed=make.discussed(row, {"product": 1, "quality": 2}))
    make.one_beat(store, session, make.Leadership("d-test", 1))
    revision = make.claim(store, "h-1")

    make.finish(store, revision, discussed=make.discussed(revision, {"product": 1, "quality": 2}))

    found = store.read(lambda tx: sessions.get(tx, session))
    assert found.pause_reason == "revision_exhausted"
    resume.resume(store, None, ANSWER, more_attempts=3)
    assert make.one_beat(store, session, make.Leadership("d-test", 1)).offered == ("DRAFT-003",)
    decided = store.read(lambda tx: decisions.decisions_of(tx, session))
    assert decided[-1].subject == "accept_revision DRAFT-002-R1" and len(decided[-1].digest) == 64


def test_a_high_verdict_at_sign_off_pauses_and_resume_completes_the_session(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)
    row = run_until(store, session, "QUALITY-001")

    make.finish(store, row, discussed=make.discussed(row, {"risk": 3}, risk_level="critical"))

    assert store.read(lambda tx: sessions.get(tx, session)).pause_reason == "signoff_blocked"
    assert make.keys(store, session)["QUALITY-001"] == "completed"
    resume.resume(store, None, ANSWER, more_attempts=3)
    assert make.one_beat(store, session, make.Leadership("d-test", 1)).ended == "completed"


def complete_session(store: Store) -> str:
    session = make.make_session(store)
    make.make_host(store)
    make.finish(store, run_until(store, session, "QUALITY-001"))
    make.one_beat(store, session, make.Leadership("d-test", 1))
    return session


def test_revise_on_a_finished_session_runs_the_chain_in_order(store: Store) -> None:
    session = complete_session(store)

    rework.revise(store, session, "DRAFT-002", "also export CSV", force=False, who="ann", max_attempts=3)

    make.one_beat(store, session, make.Leadership("d-test", 1))
    order, row = [], make.claim(store, "h-1")
    while row is not None:
        order.append(row.key)
        row = make.finish(store, row, files={f"spec/{row.key}.md": row.key.encode()}).next
    assert order == ["DRAFT-002-R1", "DRAFT-003-R1", "DRAFT-004-R1", "QUALITY-001-R1"]
    assert make.one_beat(store, session, make.Leadership("d-test", 1)).ended == "completed"


def test_revise_with_a_running_descendant_releases_it(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)
    running = run_until(store, session, "DRAFT-003")

    done = rework.revise(store, session, "DRAFT-002", "more", force=False, who="ann", max_attempts=3)

    assert done.released == (running.run,) and done.made == ("DRAFT-002-R1",)
    with pytest.raises(LeaseLost):
        make.finish(store, running)
    found = store.read(lambda tx: tasks.task(tx, session, "DRAFT-003"))
    assert (found.status, found.attempts, found.unmet) == ("pending", 0, 1)


def test_a_third_revision_is_refused_and_force_allows_it(store: Store) -> None:
    session = complete_session(store)
    for _ in range(2):
        rework.revise(store, session, "QUALITY-001", "", force=False, who="ann", max_attempts=3)
        make.one_beat(store, session, make.Leadership("d-test", 1))
        row = make.claim(store, "h-1")
        make.finish(store, row, files={f"spec/{row.key}.md": row.key.encode()})
        make.one_beat(store, session, make.Leadership("d-test", 1))

    with pytest.raises(NotAllowedNow, match="revised 2 times"):
        rework.revise(store, session, "QUALITY-001", "", force=False, who="ann", max_attempts=3)
    done = rework.revise(store, session, "QUALITY-001", "", force=True, who="ann", max_attempts=3)

    assert done.made == ("QUALITY-001-R3",)


def test_feedback_goes_to_the_document_its_words_name(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store)
    running = run_until(store, session, "DRAFT-003")

    added, _ = rework.feedback(store, session, "make the stories smaller", who="ann", max_attempts=3)
    restarted, _ = rework.feedback(
        store, session, "the architecture needs a queue", who="ann", max_attempts=3
    )

    payloads = {row.key: row.payload for row in store.read(lambda tx: tasks.all_tasks(tx, session))}
    assert payloads["DRAFT-004"]["feedback"] == ["make the stories smaller"] and not added.released
    assert payloads["DRAFT-003"]["feedback"] == ["the architecture needs a queue"] and restarted.released == (
        running.run,
    )


def test_the_same_key_makes_one_session_and_another_request_is_refused(store: Store) -> None:
    first = make.make_session(store, key="k1")

    again = make.make_session(store, key="k1")

    assert again == first
    with pytest.raises(UsageError, match="used for another command"):
        make.make_session(store, "Something else entirely", key="k1")


def test_twenty_sessions_share_four_slots_and_every_one_starts_before_any_finishes(store: Store) -> None:
    names = [make.make_session(store, f"Build thing number {n}") for n in range(20)]
    by = make.lead(store)
    make.make_host(store)
    for name in names:
        make.one_beat(store, name, by)
    slots = [make.claim(store, "h-1") for _ in range(4)]
    started, order = {row.session_id for row in slots}, []
    waiting: dict[str, int] = {}

    while any(slots):
        for index, row in enumerate(slots):
            if row is None:
                continue
            reported = make.finish(store, row)
            order.append((row.session_id, row.key))
            slots[index] = reported.next or make.claim(store, "h-1")
            if slots[index] is not None:
                started.add(slots[index].session_id)
            if row.key == "QUALITY-001":
                assert started == set(names), "a session finished before another had started"
    for name in names:
        positions = [index for index, (session, _) in enumerate(order) if session == name]
        waiting[name] = max(b - a for a, b in pairwise(positions))

    assert max(waiting.values()) <= 20 + 4  # invariant 31: at most k + s completions of others


def test_a_deposed_leader_acts_no_more(store: Store, clock: FakeClock) -> None:
    session = make.make_session(store)
    old = make.lead(store, "d-old", seconds=30)
    clock.pass_seconds(30)

    new = make.lead(store, "d-new")

    assert new.epoch == old.epoch + 1
    with pytest.raises(NotLeader):
        make.one_beat(store, session, old)
    with pytest.raises(NotLeader):
        store.write(lambda tx: leases.keep_lead(tx, old.holder, old.epoch, 30))
    assert make.one_beat(store, session, new).offered == ("RESEARCH-001",)


def test_a_second_daemon_cannot_lead_beside_the_first(store: Store) -> None:
    make.lead(store, "d-one")

    with pytest.raises(AssertionError):
        make.lead(store, "d-two")


def test_a_stalled_session_names_the_unmet_edge(store: Store) -> None:
    session = make.make_session(store)
    make.execute(store, "UPDATE tasks SET status='cancelled', finished_at=1 WHERE key='RESEARCH-001'")

    make.one_beat(store, session, make.lead(store))

    found = store.read(lambda tx: sessions.get(tx, session))
    assert found.pause_reason == PauseReason.STALLED
    assert found.pause_detail["unmet"][0] == "DRAFT-001 waits for RESEARCH-001"


def test_writes_of_many_threads_lose_no_update(store: Store) -> None:
    session = make.make_session(store)
    before = store.read(lambda tx: sessions.get(tx, session)).messages
    threads = [
        threading.Thread(
            target=lambda: [
                store.write(lambda tx: messages.say(tx, session, "writer", "state_update", "x"))
                for _ in range(50)
            ]
        )
        for _ in range(8)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert store.read(lambda tx: sessions.get(tx, session)).messages == before + 400


def test_a_locked_database_is_waited_for_and_then_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make.make_store(tmp_path)
    session = make.make_session(store)
    monkeypatch.setattr(sqlite_backend, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    try:
        with pytest.raises(DatabaseBusy, match="write lock"):
            store.write(lambda tx: sessions.request_beat(tx, session))
        assert store.read(lambda tx: sessions.get(tx, session)) is not None  # readers never wait for a writer
    finally:
        other.execute("ROLLBACK")
        other.close()
    store.write(lambda tx: sessions.request_beat(tx, session))


def test_a_read_unit_cannot_write(store: Store) -> None:
    session = make.make_session(store)

    with pytest.raises(Exception, match=r"readonly|read-only|cannot be written"):
        store.read(lambda tx: sessions.request_beat(tx, session))


def test_a_failing_unit_leaves_nothing(store: Store) -> None:
    session = make.make_session(store)
    before = store.read(lambda tx: sessions.get(tx, session)).messages

    def unit(tx: object) -> None:
        messages.say(tx, session, "writer", "state_update", "half")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        store.write(unit)

    assert store.read(lambda tx: sessions.get(tx, session)).messages == before


def test_a_process_of_another_container_is_not_known_dead_and_one_of_another_boot_is(store: Store) -> None:
    make.make_host(store)
    row = store.read(leases.live_hosts)[0]
    gone = lambda pid: None  # noqa: E731 - no process has that pid here

    assert leases.is_gone(row, row.boot, gone)
    assert not leases.is_gone(row._replace(pid_space="pid:[1]"), row.boot, gone)
    assert leases.is_gone(row._replace(pid_space="pid:[1]"), "another boot", gone)


def test_a_dead_host_does_not_count_as_live_while_its_lease_runs(store: Store) -> None:
    make.make_host(store)
    make.execute(store, "UPDATE hosts SET process_start = 1")

    assert store.read(leases.live_hosts) == []


@pytest.mark.parametrize(("seconds", "lost"), [(29.999999, 0), (30.0, 1)])
def test_a_run_is_lost_at_the_very_end_of_its_lease(
    store: Store, clock: FakeClock, seconds: float, lost: int
) -> None:
    make.make_session(store)
    by = make.lead(store, seconds=1_000)
    make.make_host(store, seconds=30)
    make.one_beat(store, store.read(sessions.needing_beat)[0], by)
    make.claim(store, "h-1")
    clock.pass_seconds(seconds)

    assert len(reconcile.reap(store, by)) == lost


def test_a_pause_takes_back_what_is_offered_and_resume_offers_it_again(store: Store) -> None:
    session = make.make_session(store)
    by = make.lead(store)
    make.make_host(store)
    make.one_beat(store, session, by)

    manage.pause(store, session, who="ann")
    taken_back = make.claim(store, "h-1")
    invariants.check_store(store)
    resume.resume(store, session, ANSWER, more_attempts=3)

    assert taken_back is None
    assert make.one_beat(store, session, by).offered == ("RESEARCH-001",)
    row = make.claim(store, "h-1")
    assert row is not None and row.epoch == 2


def test_nothing_offered_is_claimed_while_its_session_is_paused(store: Store) -> None:
    session = make.make_session(store)
    by = make.lead(store)
    make.make_host(store)
    make.one_beat(store, session, by)
    # as if a pause had left the offer standing
    make.execute(store, "UPDATE sessions SET status = 'paused', pause_reason = 'user'")

    claimed = make.claim(store, "h-1")

    make.execute(store, "UPDATE sessions SET status = 'active', pause_reason = NULL")
    assert claimed is None


def test_a_namesake_cannot_write_for_another_hosts_run(store: Store) -> None:
    session = make.make_session(store)
    make.make_host(store, "h-1")
    make.make_host(store, "h-2")
    row = run_until(store, session, "RESEARCH-001")

    with pytest.raises(LeaseLost):
        make.finish(store, row._replace(host="h-2"))

    make.finish(store, row)
    assert story(store, session, "RESEARCH-001") == ["completed"]


def test_a_refused_resume_changes_nothing_though_an_attempt_is_lost(store: Store, clock: FakeClock) -> None:
    session = make.make_session(store)
    make.make_host(store, seconds=30)
    make.one_beat(store, session, make.lead(store))
    make.claim(store, "h-1")
    clock.pass_seconds(31)
    before = dump(store)

    with pytest.raises(UsageError, match="--decide"):
        resume.resume(store, session, resume.Answer(who="ann", decide="yes"), more_attempts=3)

    assert dump(store) == before
    assert resume.resume(store, session, ANSWER, more_attempts=3).recovered == ("RESEARCH-001",)


def dump(store: Store) -> list[object]:
    """Every row of every table."""
    return store.read(lambda tx: [row for table in copying.TABLES for page in table.read(tx) for row in page])


def test_what_a_unit_asks_once_is_read_again_where_it_may_have_changed(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    session = make.make_session(store)
    task = store.read(lambda tx: tasks.all_tasks(tx, session))[0].key

    same = store.read(lambda tx: tasks.all_tasks(tx, session) is tasks.all_tasks(tx, session))
    counted: list[int] = []
    store.write(lambda tx: [tx.once(task, lambda: counted.append(1)) for _ in range(2)], about=session)
    store.close()

    assert same
    assert counted == [1, 1]

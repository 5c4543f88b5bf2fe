"""What a run asks at the door, on each database: done, asked again, for another's run, after the lease."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from orchestrator.coordinator.projector import project
from orchestrator.coordinator.reconcile import reap
from orchestrator.domain.errors import LeaseLost, StoreError
from orchestrator.domain.model import AdvanceKind
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.prices import Cost, Usage
from orchestrator.door.desk import (
    CallBegin,
    CallEnd,
    CallHandle,
    Desk,
    Ended,
    GivenCritique,
    NoBudget,
    RateLimit,
    Run,
    RunProducts,
)
from orchestrator.store import artifacts, edits, messages, queries, rate_limits, records, sessions, work
from orchestrator.store import tasks as task_rows
from orchestrator.store.files import UnsafePath
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants
from tests.desk_world import ROLES, START, DeskWorld, Write, done

MADE = RunProducts("digest", "claude", {"summary": "s"}, {"spec/a.md": (b"one", "document")})
REPLY = GivenCritique("risk", "claude", {"rating": 4}, ("a note",))


def asking(**given: Any) -> CallBegin:
    """A call that is to begin; each has an id of its own."""
    return CallBegin("claude", "draft", None, "digest", **{"metered": True, "account": "ours", **given})


def failed(run: Run, **given: Any) -> Ended:
    values: dict[str, Any] = {"error": "it broke", "counted": True, "timings": {}, **given}
    return Ended(row=run, **values)


WRITES: dict[str, Write] = {
    "phase": lambda desk, run: desk.phase(run, "discuss"),
    "begin_call": lambda desk, run: desk.begin_call(run, asking()),
    "produced": lambda desk, run: desk.produced(run, MADE),
    "add_record": lambda desk, run: desk.add_record(run, MADE.files),
    "keep_critiques": lambda desk, run: desk.keep_critiques(run, [REPLY]),
    "add_check": lambda desk, run: desk.add_check(run, "t" * 40, "tests", "all", "passed", {}),
    "report": lambda desk, run: desk.report(done(run), ROLES, draining=False),
    "end": lambda desk, run: desk.end(failed(run)),
}


@pytest.fixture
def world(
    make_store: Callable[..., Store], make_desk: Callable[..., Desk], named_sessions: None
) -> Iterator[DeskWorld]:
    clock = make.SetClock(START)
    store = make_store(clock=clock)
    found = DeskWorld(store, clock, make_desk(store, clock))
    found.host()
    yield found
    invariants.check_store(store)
    store.close()


@pytest.fixture
def desk(world: DeskWorld) -> Desk:
    return world.desk


@pytest.fixture
def run(world: DeskWorld) -> Run:
    world.offered()
    return world.claimed()


def paused_for(world: DeskWorld, session: str) -> str | None:
    """Why the session is paused."""
    return world.store.read(lambda tx: sessions.session_state(tx, session)).pause_reason


# the fence


def test_of_a_run_that_is_over_no_large_content_is_kept(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.end(Ended(run, "failed", counted=True, timings={}))
    large = {"spec/large.md": (b"x" * (2 * artifacts.IN_DATABASE), "document")}

    with pytest.raises(LeaseLost):
        desk.produced(run, RunProducts("digest", "builtin", {}, large))
    with pytest.raises(LeaseLost):
        desk.add_record(run, large)

    assert not [path for path in (world.store.workflow / "contents").rglob("*") if path.is_file()]


def test_nothing_is_written_of_a_run_whose_lease_is_over(world: DeskWorld, run: Run) -> None:
    world.pass_lease()
    world.refuses(WRITES, run)


def test_nothing_is_written_of_another_hosts_run(world: DeskWorld, run: Run) -> None:
    world.refuses(WRITES, run._replace(host=world.host("h-2")))


def test_nothing_is_written_of_a_run_that_nobody_opened(world: DeskWorld, run: Run) -> None:
    world.refuses(WRITES, run._replace(run="0" * 32))


def test_nothing_is_written_of_a_run_that_was_revoked(world: DeskWorld, run: Run) -> None:
    world.pass_lease()
    reap(world.store, None)
    world.host("h-2")
    world.refuses(WRITES, run)


def test_nothing_is_written_of_a_task_that_another_host_has_now(world: DeskWorld, run: Run) -> None:
    world.pass_lease()
    reap(world.store, None)
    world.beat(run.session_id)
    world.host("h-2")
    again = world.claimed("h-2")

    assert (again.id, again.epoch) == (run.id, run.epoch + 1)
    world.refuses(WRITES, run)
    assert world.desk.attempts_before(again) == [run.run]


# what a run knows


def test_the_context_is_all_that_every_task_reads(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.produced(run, MADE)
    following = desk.report(done(run, wisdom=[("decisions", "keep it small")]), ROLES, draining=False).next
    assert following is not None

    known = desk.context(following)

    assert known.session.id == run.session_id
    assert known.snapshot["roles"]
    assert {path: row.sha256 for path, row in known.artifacts.items()} == {
        "spec/a.md": artifacts.digest_of(b"one")
    }
    assert [entry.data for entry in known.wisdom] == ["keep it small"]
    assert desk.content(known.artifacts["spec/a.md"].sha256) == b"one"
    assert desk.texts_of(run.session_id, "spec/a.md") == ["one"]
    assert [task.key for task in desk.tasks(run.session_id)][:2] == [run.key, following.key]


def test_what_a_person_edited_is_in_the_context(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.produced(run, MADE)
    following = desk.report(done(run), ROLES, draining=False).next
    assert following is not None
    project(world.store, run.session_id, lambda _: None)  # as one who leads does
    file = edits.session_directory(world.store.workflow, run.session_id) / "spec" / "a.md"
    assert desk.is_ours(file)
    file.write_text("mine")
    assert not desk.is_ours(file)

    known = desk.context(following)

    assert desk.content(known.artifacts["spec/a.md"].sha256) == b"mine"
    assert desk.texts_of(run.session_id, "spec/a.md") == ["one", "mine"]
    assert desk.context(following) == known, "asked again it is taken in once"


def test_a_content_that_is_not_there_is_said_to_be_missing(desk: Desk) -> None:
    with pytest.raises(StoreError):
        desk.content("0" * 64)


def test_without_a_plan_nothing_was_specified_or_approved(desk: Desk, run: Run) -> None:
    assert desk.specified(run.session_id) is None
    assert desk.changed_since_approval(run.session_id) is None


# what a run writes


def test_a_phase_is_noted(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.phase(run, "discuss")
    before = world.rows()
    desk.phase(run, "discuss")

    assert world.rows() == before
    (open_run,) = world.store.read(lambda tx: task_rows.open_runs(tx, run.session_id))
    assert open_run.phase == "discuss"


def test_products_take_the_place_of_those_before(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.produced(run, MADE)
    desk.produced(run, MADE)
    desk.add_record(run, {"spec/a.md": (b"two", "document"), "discussions/d.md": (b"said", "discussion")})

    products = world.store.read(lambda tx: artifacts.products_of(tx, run.run))

    assert [(row.path, row.kind) for row in products] == [
        ("discussions/d.md", "discussion"),
        ("spec/a.md", "document"),
    ]
    assert desk.produced_before(run, "digest") is None, "the run has not ended"


def test_what_an_ended_run_made_is_found_with_its_critiques(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.produced(run, MADE)
    desk.keep_critiques(run, [REPLY])
    desk.add_record(run, {**MADE.files, "discussions/d.md": (b"said", "discussion")})
    desk.end(failed(run))
    world.beat(run.session_id)
    again = world.claimed()

    found = desk.produced_before(again, "digest")

    assert found is not None
    assert (found.run, found.note, found.files) == (run.run, MADE.note, MADE.files)
    assert desk.produced_before(again, "another") is None
    adopted = RunProducts("digest", "claude", found.note, found.files, earlier=found.run)
    for _ in range(2):
        desk.produced(again, adopted)
        (reply,) = desk.critiques(again.run)
        assert (reply.perspective, reply.reply, reply.notes) == ("risk", {"rating": 4}, ["a note"])


def test_a_path_that_leads_out_of_the_session_is_refused(world: DeskWorld, desk: Desk, run: Run) -> None:
    before = world.rows()

    with pytest.raises(UnsafePath):
        desk.produced(run, RunProducts("digest", "claude", {}, {"../a.md": (b"x", "document")}))

    assert world.rows() == before


def test_of_each_perspective_the_first_reply_stays(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.keep_critiques(run, [REPLY])
    desk.keep_critiques(
        run, [GivenCritique("risk", "codex", {"rating": 1}), GivenCritique("ux", "codex", {})]
    )

    assert [(row.perspective, row.agent) for row in desk.critiques(run.run)] == [
        ("risk", "claude"),
        ("ux", "codex"),
    ]


def test_the_first_check_of_a_tree_stays(world: DeskWorld, desk: Desk, run: Run) -> None:
    world.store.write(lambda tx: work.begin(tx, run.session_id, "repository", "b" * 40), about=run.session_id)
    first = desk.add_check(run, "t" * 40, "tests", "all", "passed", {"n": 1}, 2.0)
    again = desk.add_check(run, "t" * 40, "tests", "all", "failed", {"n": 2}, 3.0)

    assert again == first
    assert desk.check(run.session_id, "t" * 40, "tests", ("all", "near")) == {"all": first}
    assert desk.checks(run.session_id) == [first]
    assert desk.links(run.session_id) == []


# calls


def begun(desk: Desk, run: Run, call: CallBegin | None = None) -> CallHandle:
    found = desk.begin_call(run, call or asking())
    assert isinstance(found, CallHandle)
    return found


def ended(outcome: str = "answered", **given: Any) -> CallEnd:
    return CallEnd(outcome, Usage(tokens_in=10, tokens_out=5), Cost(1_000, "reported"), **given)


def test_a_call_is_noted_from_its_begin_to_its_end(world: DeskWorld, desk: Desk, run: Run) -> None:
    call = begun(desk, run)
    assert [row.outcome for row in desk.calls(run.session_id)] == [None]

    desk.end_call(run, call, ended())
    before = world.rows()
    desk.end_call(run, call, ended("failed"))

    assert world.rows() == before, "the first end stays"
    (row,) = desk.calls(run.session_id)
    assert (row.agent, row.outcome, row.tokens_in, row.cost_micros) == ("claude", "answered", 10, 1_000)


@pytest.mark.parametrize("call", [asking(), asking(metered=False)], ids=["metered", "free"])
def test_a_call_asked_again_is_the_same_call(world: DeskWorld, desk: Desk, run: Run, call: CallBegin) -> None:
    first = desk.begin_call(run, call)
    before = world.rows()

    again = desk.begin_call(run, call)

    assert again == first
    assert world.rows() == before


def test_a_call_of_another_run_cannot_be_ended(world: DeskWorld, desk: Desk, run: Run) -> None:
    world.offered("Build a chat server")
    other = world.claimed()
    call = begun(desk, run)
    before = world.rows()

    with pytest.raises(LeaseLost):
        desk.end_call(other, call, ended())
    with pytest.raises(LeaseLost):
        desk.end_call(run._replace(host=world.host("h-2")), call, ended())

    assert world.rows() == before


def test_the_end_of_a_call_is_noted_after_the_lease(world: DeskWorld, desk: Desk, run: Run) -> None:
    call = begun(desk, run)
    world.pass_lease()

    desk.end_call(run, call, ended())

    assert [row.outcome for row in desk.calls(run.session_id)] == ["answered"]


def test_a_limit_holds_the_account_however_often_it_is_told(world: DeskWorld, desk: Desk, run: Run) -> None:
    call, free = begun(desk, run), CallBegin("builtin", "draft", None, "digest", metered=False)
    met = ended("limited", fault="weekly limit", limited=True, until=(START + 900_000_000) / 1e6)

    first = desk.end_call(run, call, met)
    again = desk.end_call(run, call, met)

    assert first.until == again.until == START + 900_000_000
    held = desk.begin_call(run, asking())
    assert isinstance(held, RateLimit)
    assert (held.name, held.limited_until, held.guesses) == ("ours", START + 900_000_000, 0)
    assert begun(desk, run, free).account is None
    assert len(desk.calls(run.session_id)) == 2, "nothing is noted of the call that was held"
    assert len(world.store.read(rate_limits.limited_now)) == 1


def test_a_call_without_room_in_the_budget_pauses_the_session(world: DeskWorld, desk: Desk) -> None:
    session = world.offered(budget={"session": {"turns": 1}})
    run = world.claimed()
    desk.end_call(run, begun(desk, run), ended())

    refused = desk.begin_call(run, asking())
    before = world.rows()

    assert isinstance(refused, NoBudget) and "budget is used up" in refused.words
    assert paused_for(world, session) == PauseReason.BUDGET
    assert isinstance(desk.begin_call(run, asking()), NoBudget)
    assert world.rows()["agent_calls"] == before["agent_calls"]


# the report


def test_a_report_opens_its_successor_under_the_name_that_it_gives(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    given = done(run)

    reported = desk.report(given, ROLES, draining=False)

    assert reported.next is not None and reported.next.run == given.next
    assert reported.advance.kind in (AdvanceKind.FAST, AdvanceKind.LOOP)


def test_a_report_that_is_sent_again_has_the_same_answer_and_changes_nothing(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    while True:
        given = done(run)
        first = desk.report(given, ROLES, draining=False)
        before = world.rows()

        again = desk.report(given, ROLES, draining=False)

        assert world.rows() == before
        assert (again.next, again.advance.kind, again.advance.task, again.paused) == (
            first.next,
            first.advance.kind,
            first.advance.task,
            first.paused,
        )
        assert again.advance.wake, "a beat may have been wanted"
        if first.next is None:
            break
        run = first.next
    assert world.store.read(lambda tx: [row.outcome for row in queries.runs_of(tx, run.session_id)])


def test_a_report_that_went_on_with_another_session_does_so_when_it_is_sent_again(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    other = world.offered("Build a chat server")
    world.clock.micros += 1_000_000
    given = done(run)

    first = desk.report(given, ROLES, draining=False)
    again = desk.report(given, ROLES, draining=False)

    assert first.next is not None and again.next == first.next
    assert (first.next.session_id, first.next.run) == (other, given.next)
    assert len(world.store.read(lambda tx: queries.runs_of(tx, other))) == 1


def test_a_successor_that_was_closed_meanwhile_is_not_given_again(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    given = done(run)
    following = desk.report(given, ROLES, draining=False).next
    assert following is not None
    make.fail(world.store, following)

    assert desk.report(given, ROLES, draining=False).next is None


def test_a_report_that_is_sent_again_is_known_when_the_lease_is_over(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    given = done(run)
    first = desk.report(given, ROLES, draining=False)
    world.pass_lease()

    assert desk.report(given, ROLES, draining=False).next == first.next


def test_a_report_of_a_run_that_failed_or_was_anothers_is_refused(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    following = desk.report(done(run), ROLES, draining=False).next
    assert following is not None

    with pytest.raises(LeaseLost):
        desk.report(done(run._replace(host=world.host("h-2"))), ROLES, draining=False)
    with pytest.raises(LeaseLost):
        desk.end(failed(run))

    desk.end(failed(following))
    with pytest.raises(LeaseLost):
        desk.report(done(following), ROLES, draining=False)


# the end of an attempt


def test_an_attempt_that_failed_counts_once(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.end(failed(run, backoff=(5.0,)))
    before = world.rows()
    desk.end(failed(run, backoff=(5.0,)))

    assert world.rows() == before
    (task, *_) = desk.tasks(run.session_id)
    assert (task.status, task.attempts, task.not_before) == ("pending", 1, START + 5_000_000)


def test_an_attempt_that_was_released_does_not_count(world: DeskWorld, desk: Desk, run: Run) -> None:
    desk.end(failed(run, counted=False))
    before = world.rows()
    desk.end(failed(run, counted=False))

    assert world.rows() == before
    (task, *_) = desk.tasks(run.session_id)
    assert (task.status, task.attempts) == ("pending", 0)


def test_a_question_of_a_discussion_is_asked_once(world: DeskWorld, desk: Desk, run: Run) -> None:
    options = [{"label": "go on"}]
    asked = failed(
        run,
        counted=False,
        pause=PauseReason.DISCUSSION_BLOCKED,
        detail={"options": options},
        asks=("the perspectives disagree", options),
    )

    desk.end(asked)
    desk.end(asked)

    said = world.store.read(lambda tx: messages.after(tx, run.session_id))
    questions = [row for row in said if row.type == "discussion_blocked"]
    assert [(row.summary, row.data) for row in questions] == [
        ("[analyst] the perspectives disagree", {"options": options})
    ]
    assert paused_for(world, run.session_id) == PauseReason.DISCUSSION_BLOCKED


def test_no_other_attempt_is_made_where_only_rules_were_asked(world: DeskWorld, desk: Desk, run: Run) -> None:
    call = begun(desk, run, CallBegin("builtin", "draft", None, "digest", metered=False))
    desk.end_call(run, call, CallEnd("failed", Usage(), Cost(None, "unknown"), fault="no"))

    desk.end(failed(run, by_agent=True))

    assert desk.tasks(run.session_id)[0].status == "failed"
    assert not world.store.read(lambda tx: records.cost_of(tx, run.session_id)).unpriced


AWAY = "the server at %s cannot be reached; it is the %d. time; try again"


def test_what_is_released_for_one_cause_again_and_again_counts(
    world: DeskWorld, desk: Desk, run: Run
) -> None:
    """Else a paid attempt that cannot be handed in would be made for ever."""
    attempts: list[int] = []
    for number in range(12):
        desk.end(failed(run, counted=False, error=AWAY % ("a", number)))
        task = desk.tasks(run.session_id)[0]
        attempts.append(task.attempts)
        assert ("so this attempt counts" in (task.error or "")) is (number in (4, 9))
        world.beat(run.session_id)
        run = world.claimed()

    assert attempts == [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("given", "cause"),
    [({"by_agent": True}, "a"), ({"pause": PauseReason.DISK}, "a"), ({}, None)],
    ids=["a limit", "a pause", "other causes"],
)
def test_what_an_agent_or_a_person_ends_is_released_as_often_as_it_comes(
    world: DeskWorld, desk: Desk, run: Run, given: dict[str, Any], cause: str | None
) -> None:
    for number in range(12):
        desk.end(failed(run, counted=False, error=AWAY % (cause or number, number), **given))
        world.store.write(lambda tx: sessions.resume(tx, run.session_id, PauseReason.DISK))  # noqa: B023
        world.beat(run.session_id)
        run = world.claimed()

    assert desk.tasks(run.session_id)[0].attempts == 0

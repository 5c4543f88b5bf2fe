"""Rework: revise, HIGH, recheck, improve, feedback (docs/domain.md, section 6; invariants 26 and 27)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.config import load_pack
from orchestrator.domain import ids, revisions
from orchestrator.domain.errors import NotAllowedNow, UnknownName
from orchestrator.domain.feedback import feedback_target, questions_in
from orchestrator.domain.graph import topological
from orchestrator.domain.model import SATISFIED, UNFINISHED, TaskState, TaskStatus
from orchestrator.domain.pipelines import expand
from orchestrator.domain.revisions import RevisionPlan, plan_high

PACK = load_pack(None, {"LIFECYCLE_CONFIG_DIR": str(Path(__file__).parent / "none")})
Graph = dict[str, TaskState]

plan_improve = partial(revisions.plan_improve, catalogue=PACK.documents)
plan_recheck = partial(revisions.plan_recheck, catalogue=PACK.documents)
plan_revision = partial(revisions.plan_revision, catalogue=PACK.documents)


def graph(mode: str = "spec-only", done: str | None = None, discuss: str = "inline") -> Graph:
    """The tasks of a mode, completed up to and including `done` (all of them when None)."""
    tasks = expand(PACK, mode, discuss).tasks  # type: ignore[arg-type]
    last = len(tasks) if done is None else [task.key for task in tasks].index(done) + 1
    return {
        task.key: TaskState(
            key=task.key,
            role=task.role,
            prefix=task.prefix,
            status=TaskStatus.COMPLETED if index < last else TaskStatus.PENDING,
            blocked_by=task.blocked_by,
            round=task.round,
            phase=task.phase,
            checkpoint_after=task.checkpoint_after,
            seq=index,
        )
        for index, task in enumerate(tasks)
    }


def applied(before: Mapping[str, TaskState], plan: RevisionPlan) -> Graph:
    """The graph after a plan, as the store would have it."""
    after = dict(before)
    for task in plan.tasks:
        assert task.key not in after
        after[task.key] = replace(task, seq=len(after))
    for task_key, blocker in plan.extra_edges:
        after[task_key] = replace(after[task_key], blocked_by=(*after[task_key].blocked_by, blocker))
    for task_key in plan.release:
        after[task_key] = replace(after[task_key], status=TaskStatus.PENDING)
    return after


def with_status(before: Mapping[str, TaskState], status: TaskStatus, *keys: str) -> Graph:
    return {key: replace(state, status=status) if key in keys else state for key, state in before.items()}


def finished(before: Mapping[str, TaskState]) -> Graph:
    return {key: replace(state, status=TaskStatus.COMPLETED) for key, state in before.items()}


def chain(plan: RevisionPlan) -> list[str]:
    return [f"{task.key}<{','.join(task.blocked_by)}" for task in plan.tasks]


def test_revise_reworks_everything_completed_behind_it_one_after_the_other() -> None:
    plan = plan_revision(graph(), "DRAFT-002")

    assert chain(plan) == [
        "DRAFT-002-R1<DRAFT-002",
        "DRAFT-003-R1<DRAFT-002-R1",
        "DRAFT-004-R1<DRAFT-003-R1",
        "QUALITY-001-R1<DRAFT-004-R1",
    ]
    assert plan.extra_edges == ()
    assert [task.round for task in plan.tasks] == ["DISCUSS-003", "DISCUSS-004", "DISCUSS-005", "DISCUSS-006"]
    assert [task.role for task in plan.tasks] == ["writer", "writer", "writer", "reviewer"]
    assert {(task.status, task.revision_no) for task in plan.tasks} == {(TaskStatus.PENDING, 1)}
    assert [task.made_for for task in plan.tasks] == [True, False, False, False]


def test_revise_before_the_quality_check_makes_the_pending_check_the_recheck() -> None:
    plan = plan_revision(graph(done="DRAFT-004"), "DRAFT-003")

    assert chain(plan) == ["DRAFT-003-R1<DRAFT-003", "DRAFT-004-R1<DRAFT-003-R1"]
    assert plan.extra_edges == (("QUALITY-001", "DRAFT-004-R1"),)


def test_revise_releases_a_running_descendant_which_then_waits() -> None:
    running = with_status(graph(done="DRAFT-002"), TaskStatus.IN_PROGRESS, "DRAFT-003")

    plan = plan_revision(running, "DRAFT-002")

    assert chain(plan) == ["DRAFT-002-R1<DRAFT-002"]
    assert plan.release == ("DRAFT-003",)
    assert {task for task, blocker in plan.extra_edges} == {"DRAFT-003", "DRAFT-004", "QUALITY-001"}


def test_revise_withdraws_the_offer_of_a_descendant() -> None:
    offered = graph(done="DRAFT-002")
    offered["DRAFT-003"] = replace(offered["DRAFT-003"], offered=True)

    assert plan_revision(offered, "DRAFT-001").withdraw == ("DRAFT-003",)


def test_revise_at_the_checkpoint_holds_the_implementation_behind_the_recheck() -> None:
    plan = plan_revision(graph("full-lifecycle", done="QUALITY-001"), "DRAFT-004")

    assert chain(plan) == ["DRAFT-004-R1<DRAFT-004", "QUALITY-001-R1<DRAFT-004-R1"]
    assert plan.tasks[-1].checkpoint_after
    assert {task for task, _ in plan.extra_edges} == {"PLAN-001", "IMPL-001", "TEST-001", "REVIEW-001"}
    assert {blocker for _, blocker in plan.extra_edges} == {"QUALITY-001-R1"}


def test_revise_in_a_finished_lifecycle_ends_in_the_recheck() -> None:
    assert chain(plan_revision(graph("full-lifecycle"), "DRAFT-004")) == [
        "DRAFT-004-R1<DRAFT-004",
        "QUALITY-001-R1<DRAFT-004-R1",
    ]
    assert chain(plan_revision(graph("full-lifecycle"), "IMPL-001")) == [
        "IMPL-001-R1<IMPL-001",
        "TEST-001-R1<IMPL-001-R1",
        "REVIEW-001-R1<IMPL-001-R1",  # both judge what it landed, neither waits for the other
    ]


def test_revise_in_the_standalone_form_repeats_the_discussions() -> None:
    plan = plan_revision(graph("full-lifecycle", "DISCUSS-006", "standalone"), "DRAFT-004")

    assert [task.key for task in plan.tasks] == [
        "DRAFT-004-R1",
        "DISCUSS-005-R1",
        "QUALITY-001-R1",
        "DISCUSS-006-R1",
    ]
    assert [task.checkpoint_after for task in plan.tasks] == [False, False, False, True]


def test_revising_the_discussion_that_signs_off_scores_and_discusses_once_more() -> None:
    plan = plan_revision(graph("full-lifecycle", "DISCUSS-006", "standalone"), "DISCUSS-006")

    assert chain(plan) == ["QUALITY-001-R1<QUALITY-001", "DISCUSS-006-R1<QUALITY-001-R1"]
    assert [task.made_for for task in plan.tasks] == [False, True]


def test_revising_a_revision_means_its_original_and_numbers_go_on() -> None:
    once = finished(applied(graph(), plan_revision(graph(), "DRAFT-003")))

    plan = plan_revision(once, "DRAFT-003-R1")

    assert chain(plan) == [
        "DRAFT-003-R2<DRAFT-003",
        "DRAFT-004-R2<DRAFT-003-R2",
        "QUALITY-001-R2<DRAFT-004-R2",
    ]


def test_a_chain_passes_each_original_once_however_often_it_was_revised() -> None:
    twice = finished(applied(graph(), plan_revision(graph(), "DRAFT-003")))

    assert [task.key for task in plan_revision(twice, "DRAFT-002").tasks] == [
        "DRAFT-002-R1",
        "DRAFT-003-R2",
        "DRAFT-004-R2",
        "QUALITY-001-R2",
    ]


def test_revise_while_a_later_chain_waits_puts_that_chain_behind_it() -> None:
    waiting = applied(graph(), plan_revision(graph(), "DRAFT-003"))

    plan = plan_revision(waiting, "DRAFT-002")

    assert chain(plan) == ["DRAFT-002-R1<DRAFT-002"]
    assert {task for task, _ in plan.extra_edges} == {"DRAFT-003-R1", "DRAFT-004-R1", "QUALITY-001-R1"}


@pytest.mark.parametrize("status", [TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.FAILED])
def test_revise_of_an_unfinished_task_names_its_state(status: TaskStatus) -> None:
    with pytest.raises(NotAllowedNow, match=f"DRAFT-004 is {status}"):
        plan_revision(with_status(graph(), status, "DRAFT-004"), "DRAFT-004")


def test_revise_of_a_task_whose_revision_is_unfinished_names_that_revision() -> None:
    with pytest.raises(NotAllowedNow, match="DRAFT-004-R1 is pending"):
        plan_revision(applied(graph(), plan_revision(graph(), "DRAFT-004")), "DRAFT-004")


def test_revise_of_an_unknown_task_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName) as refused:
        plan_revision(graph(), "DRAFT-009")

    assert "DRAFT-004" in refused.value.why


def test_the_third_revision_made_for_a_task_needs_force() -> None:
    now = graph()
    for _ in range(2):
        now = finished(applied(now, plan_revision(now, "DRAFT-003")))

    with pytest.raises(NotAllowedNow) as refused:
        plan_revision(now, "DRAFT-003")

    assert "--force" in refused.value.fix
    assert plan_revision(now, "DRAFT-003", force=True).tasks[0].key == "DRAFT-003-R3"
    assert plan_revision(now, "DRAFT-004").tasks[0].key == "DRAFT-004-R3"  # cascaded ones did not count


def test_the_revision_of_a_high_verdict_counts_to_the_limit() -> None:
    now = finished(applied(graph(), plan_high(graph(), "DRAFT-003")))
    now = finished(applied(now, plan_revision(now, "DRAFT-003")))

    with pytest.raises(NotAllowedNow):
        plan_revision(now, "DRAFT-003")


def test_a_high_verdict_makes_one_revision_before_the_direct_successors() -> None:
    plan = plan_high(graph(done="DRAFT-002"), "DRAFT-002")

    assert chain(plan) == ["DRAFT-002-R1<DRAFT-002"]
    assert plan.tasks[0].made_for
    assert plan.tasks[0].round == "DISCUSS-003"
    assert plan.extra_edges == (("DRAFT-003", "DRAFT-002-R1"),)


def test_recheck_makes_the_next_quality_revision() -> None:
    plan = plan_recheck(graph("full-lifecycle", done="QUALITY-001"))

    assert chain(plan) == ["QUALITY-001-R1<QUALITY-001"]
    assert not plan.tasks[0].made_for
    assert ("PLAN-001", "QUALITY-001-R1") in plan.extra_edges


def test_recheck_and_improve_need_a_quality_check_that_has_run() -> None:
    for plan in (plan_recheck, lambda now: plan_improve(now, "depth", {})):
        with pytest.raises(NotAllowedNow, match="needs a readiness report"):
            plan(graph(done="DRAFT-004"))


def test_a_recheck_that_waits_already_is_not_doubled() -> None:
    waiting = applied(graph(), plan_recheck(graph()))

    with pytest.raises(NotAllowedNow, match="QUALITY-001-R1 is already pending"):
        plan_recheck(waiting)


@pytest.mark.parametrize(
    ("dimension", "documents"),
    [
        ("completeness", "1 2 3 4"),
        ("consistency", "1 2 3 4"),
        ("traceability", "2 3 4"),
        ("depth", "1 2 3 4"),
        ("coverage", "2"),
    ],
)
def test_improve_works_on_the_documents_of_its_dimension_and_scores_again(
    dimension: str, documents: str
) -> None:
    plan = plan_improve(graph(), dimension, {})

    assert chain(plan) == [
        f"IMPROVE-{dimension}-001<QUALITY-001",
        f"QUALITY-001-R1<QUALITY-001,IMPROVE-{dimension}-001",
    ]
    assert plan.documents == tuple(f"DRAFT-00{number}" for number in documents.split())
    assert (plan.tasks[0].role, plan.tasks[0].prefix, plan.tasks[0].round) == ("writer", "IMPROVE", None)


def test_improve_takes_the_documents_the_scores_point_at() -> None:
    assert plan_improve(graph(), "depth", {}, weak_documents=["DRAFT-003"]).documents == ("DRAFT-003",)


def test_improve_without_a_dimension_takes_the_lowest_score() -> None:
    scores = {
        "completeness": 90.0,
        "consistency": 70.0,
        "traceability": 40.5,
        "depth": 60.0,
        "coverage": 41.0,
    }

    assert plan_improve(graph(), None, scores).dimension == "traceability"


def test_improve_has_no_limit_and_its_numbers_go_on() -> None:
    now = graph()
    for number in (1, 2, 3):
        plan = plan_improve(now, "depth", {})
        assert [task.key for task in plan.tasks] == [f"IMPROVE-depth-00{number}", f"QUALITY-001-R{number}"]
        now = finished(applied(now, plan))


def test_a_second_improvement_joins_the_recheck_that_waits() -> None:
    waiting = applied(graph(), plan_improve(graph(), "depth", {}))

    plan = plan_improve(waiting, "coverage", {})

    assert [task.key for task in plan.tasks] == ["IMPROVE-coverage-001"]
    assert plan.extra_edges == (("QUALITY-001-R1", "IMPROVE-coverage-001"),)


def test_an_improvement_waits_for_everything_that_is_being_written() -> None:
    revising = applied(graph(), plan_revision(graph(), "DRAFT-004"))
    improving = applied(revising, plan_improve(revising, "depth", {}))

    second = plan_improve(improving, "coverage", {})

    assert improving["IMPROVE-depth-001"].blocked_by == ("QUALITY-001", "DRAFT-004-R1")
    assert second.tasks[0].blocked_by == ("QUALITY-001", "DRAFT-004-R1", "IMPROVE-depth-001")


def test_an_improvement_can_be_revised_and_is_scored_again() -> None:
    now = finished(applied(graph(), plan_improve(graph(), "depth", {})))

    assert chain(plan_revision(now, "IMPROVE-depth-001")) == [
        "IMPROVE-depth-001-R1<IMPROVE-depth-001",
        "QUALITY-001-R2<IMPROVE-depth-001-R1",
    ]
    assert [task.key for task in plan_revision(now, "DRAFT-004").tasks] == ["DRAFT-004-R1", "QUALITY-001-R2"]


def test_revising_while_an_improvement_waits_shares_its_recheck() -> None:
    waiting = applied(graph(), plan_improve(graph(), "depth", {}))

    plan = plan_revision(waiting, "DRAFT-004")

    assert chain(plan) == ["DRAFT-004-R1<DRAFT-004"]
    assert {task for task, _ in plan.extra_edges} == {"IMPROVE-depth-001", "QUALITY-001-R1"}


def test_an_improvement_does_not_wait_for_what_waits_for_its_score() -> None:
    later = TaskState("RESEARCH-002", "analyst", "RESEARCH", TaskStatus.PENDING, blocked_by=("QUALITY-001",))
    now = graph() | {later.key: later}

    plan = plan_improve(now, "depth", {})

    assert plan.tasks[0].blocked_by == ("QUALITY-001",)
    assert plan.extra_edges == (("RESEARCH-002", "QUALITY-001-R1"),)


def test_an_unknown_dimension_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="dimension 'style'"):
        plan_improve(graph(), "style", {})


@pytest.mark.parametrize(
    ("words", "document"),
    [
        ("the vision is too small", "DRAFT-001"),
        ("think of the market", "DRAFT-001"),
        ("leave this out of the MVP", "DRAFT-001"),
        ("the scope is too wide", "DRAFT-001"),
        ("two requirements contradict each other", "DRAFT-002"),
        ("add a feature for export", "DRAFT-002"),
        ("NFRs are missing", "DRAFT-002"),
        ("more user stories please", "DRAFT-002"),
        ("the architecture is too heavy", "DRAFT-003"),
        ("write an ADR on storage", "DRAFT-003"),
        ("split this component", "DRAFT-003"),
        ("another tech stack", "DRAFT-003"),
        ("this epic is too large", "DRAFT-004"),
        ("one story a day", "DRAFT-004"),
        ("plan two sprints", "DRAFT-004"),
        ("change the priority", "DRAFT-004"),
        ("架构太重", "DRAFT-003"),
        ("缺少一个需求", "DRAFT-002"),
        ("the architecture ignores a requirement", "DRAFT-002"),  # the earliest of two
        ("REQ-003 is wrong, and so is the scope", "DRAFT-002"),  # an id goes before a word
        ("STORY-001-002: too large", "DRAFT-004"),
        ("as DRAFT-003-R1 says", "DRAFT-003"),
        ("drop G-001", "DRAFT-001"),
        ("The problem is double-booked rooms; it costs ten minutes per meeting.", "DRAFT-001"),
        ("Problem: new features break the old ones", "DRAFT-001"),  # a label goes before a word
        ("The office staff (about 200 people) are users too", "DRAFT-001"),
        ("Target users: cleaners", "DRAFT-001"),
        ("Our main goal is fewer double bookings", "DRAFT-001"),
        ("Constraints: Python and SQLite", "DRAFT-001"),
        ("Dependencies: the calendar of the town", "DRAFT-001"),
        ("Budget: 5,000 euros", "DRAFT-001"),
        ("Risks: nobody uses it", "DRAFT-001"),
        ("Personas: Anna, receptionist", "DRAFT-001"),
        ("Performance: the page opens in 1 s", "DRAFT-002"),
        ("问题：会议室经常被重复预订", "DRAFT-001"),
        ("主要的问题是会议室经常被重复预订", "DRAFT-001"),
        ("保安也是用户。", "DRAFT-001"),
        ("Decision: keep the files on disk", "DRAFT-003"),
        ("The data model is too small", "DRAFT-003"),
        ("Order: logins before exports", "DRAFT-004"),
    ],
)
def test_the_words_of_feedback_find_its_document(words: str, document: str) -> None:
    target = feedback_target(words, graph(), PACK.documents)

    assert (target.action, target.task) == ("revise", document)


@pytest.mark.parametrize(
    ("words", "document"),
    [
        ("The short names can wait.", "DRAFT-001"),
        ("Thank you! Links should be gone after two weeks, not thirty days.", "DRAFT-002"),
        ("I do not like it", None),
        ("It should also print labels", "DRAFT-002"),
        ("Drop the star ratings, nobody will use them.", "DRAFT-002"),
        ("At most 3 messages per day.", "DRAFT-002"),
        ("Let users rename a room", "DRAFT-002"),
        ("Thanks, that looks great!", None),
        ("I'd love it if members could pay by invoice", "DRAFT-002"),
        ("It would be nice to print labels", "DRAFT-002"),
        ("I would like to know who reads this", None),
        ("We love it", None),
    ],
)
def test_feedback_finds_the_document_that_says_what_it_speaks_of(words: str, document: str | None) -> None:
    pages = {
        "spec/product-brief.md": "# Brief\n\n- Members can pick their own short name.\n",
        "spec/requirements/_index.md": "# Requirements\n\nLinks are gone after thirty days.\n",
    }

    target = feedback_target(words, graph(), PACK.documents, pages=pages)

    assert (target.action, target.task) == (("revise", document) if document else ("ask", None))


@pytest.mark.parametrize(
    ("status", "action"),
    [(TaskStatus.PENDING, "add"), (TaskStatus.FAILED, "add"), (TaskStatus.IN_PROGRESS, "restart")],
)
def test_feedback_on_a_document_in_work_becomes_its_input(status: TaskStatus, action: str) -> None:
    now = with_status(graph(done="DRAFT-002"), status, "DRAFT-003")

    assert feedback_target("the architecture", now, PACK.documents).action == action
    named = feedback_target("hm", now, PACK.documents, "DRAFT-003")
    assert (named.action, named.task) == (action, "DRAFT-003")


def test_feedback_on_a_document_in_revision_goes_to_the_revision() -> None:
    now = applied(graph(), plan_revision(graph(), "DRAFT-003"))

    target = feedback_target("the architecture", now, PACK.documents)

    assert (target.action, target.task) == ("add", "DRAFT-003-R1")


@pytest.mark.parametrize("words", ["I do not like it", "HTTP-404 and SHA-256", "DRAFT-0021", ""])
def test_feedback_that_names_no_document_asks_which_of_those_that_take_it(words: str) -> None:
    target = feedback_target(words, graph(), PACK.documents)

    assert (target.action, target.task) == ("ask", None)
    assert target.documents == ("RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003", "DRAFT-004")
    assert target.likeliest is None


@pytest.mark.parametrize(
    ("words", "likeliest"),
    [
        ("This is not my goal", "DRAFT-001"),
        ("Put the API behind a login", "DRAFT-003"),
        ("Users are logged out after 30 minutes", None),
        ("Office staff book rooms", None),
        ("用户可以修改标题", None),
        ("保留接口", "DRAFT-003"),
    ],
)
def test_unclear_feedback_says_which_document_is_likeliest(words: str, likeliest: str | None) -> None:
    target = feedback_target(words, graph(), PACK.documents)

    assert (target.action, target.likeliest) == ("ask", likeliest)


def test_unclear_feedback_goes_to_the_only_document_there_is() -> None:
    only = {"RESEARCH-001": graph()["RESEARCH-001"]}

    assert feedback_target("hm", only, PACK.documents).task == "RESEARCH-001"


def test_feedback_during_the_implementation_is_only_recorded() -> None:
    target = feedback_target("the vision", graph("full-lifecycle", done="PLAN-001"), PACK.documents)
    waiting = feedback_target("the vision", graph("full-lifecycle", done="QUALITY-001"), PACK.documents)

    assert (target.action, target.task) == ("record", None)
    assert (waiting.action, waiting.task) == ("revise", "DRAFT-001")


COMMANDS = st.lists(
    st.tuples(
        st.sampled_from(["revise", "high", "recheck", "improve", "finish", "start", "skip"]),
        st.integers(0, 40),
    ),
    min_size=1,
    max_size=12,
)


def ready(now: Graph) -> list[str]:
    return [
        key
        for key, state in now.items()
        if state.status is TaskStatus.PENDING
        and all(now[blocker].status in SATISFIED for blocker in state.blocked_by)
    ]


def step(now: Graph, command: str, number: int) -> Graph:
    """Do one thing to the session, or nothing when it is refused."""
    pick: Iterable[str]
    if command in ("finish", "start", "skip"):
        running = [key for key, state in now.items() if state.status is TaskStatus.IN_PROGRESS]
        pick = {"finish": running, "start": ready(now), "skip": ready(now)}[command]
        status = {"finish": "completed", "start": "in_progress", "skip": "skipped"}[command]
        keys = list(pick)
        return with_status(now, TaskStatus(status), keys[number % len(keys)]) if keys else now
    completed = [key for key, state in now.items() if state.status is TaskStatus.COMPLETED]
    try:
        match command:
            case "revise":
                return applied(now, plan_revision(now, completed[number % len(completed)], force=True))
            case "recheck":
                return applied(now, plan_recheck(now))
            case "improve":
                return applied(now, plan_improve(now, None, {"depth": float(number)}))
            case _:
                key = completed[number % len(completed)]
                fresh = now[key].revision_of is None and f"{key}-R1" not in now
                behind = [
                    s for s in now.values() if key in s.blocked_by and s.status is not TaskStatus.PENDING
                ]
                return applied(now, plan_high(now, key)) if fresh and not behind else now
    except NotAllowedNow:
        return now


@given(
    st.sampled_from(["spec-only", "full-lifecycle", "fullstack"]),
    st.sampled_from(["inline", "standalone"]),
    st.integers(0, 15),
    COMMANDS,
)
@settings(max_examples=150, deadline=None)
def test_whatever_is_reworked_the_graph_stays_sound(
    mode: str, discuss: str, progress: int, commands: list[tuple[str, int]]
) -> None:
    tasks = expand(PACK, mode, discuss).tasks  # type: ignore[arg-type]
    now = graph(mode, tasks[min(progress, len(tasks) - 1)].key, discuss)

    for command, number in commands:
        before, now = now, step(now, command, number)

        assert len(topological(now.values())) == len(now)  # acyclic, and no edge to nothing
        for key, state in now.items():
            assert (
                state.status is not TaskStatus.COMPLETED
                or key not in before
                or state == before[key]
                or (command == "finish")
            )
            if state.status is TaskStatus.IN_PROGRESS:
                assert all(now[blocker].status in SATISFIED for blocker in state.blocked_by)
        for original in {state.revision_of for state in now.values() if state.revision_of}:
            numbers = sorted(s.revision_no for s in now.values() if s.revision_of == original)
            assert numbers == list(range(1, len(numbers) + 1))
        if command == "revise" and now is not before:
            new = [state for key, state in now.items() if key not in before]
            checks = {key for key in now if ids.parse_key(key).base == "QUALITY-001"}
            unfinished = [now[key] for key in checks if now[key].status in UNFINISHED]
            spec = new[0].phase == "spec"
            assert not spec or unfinished or now["QUALITY-001"].status is TaskStatus.SKIPPED


@pytest.mark.parametrize(
    ("words", "task"),
    [
        ("Who will use it? Parents.", "DRAFT-001"),
        ("Which observation shows it? A new address within a minute.", "DRAFT-002"),
        ("它为谁解决什么问题？家长。", "DRAFT-001"),
        ("Who pays for it? The club.", None),
    ],
)
def test_feedback_that_answers_a_question_goes_to_the_document_that_asks_it(
    words: str, task: str | None
) -> None:
    pages = {
        "spec/product-brief.md": "Nothing is known. Open question: Who will use it?\n- 它为谁解决什么问题？",
        "spec/requirements/REQ-001-a.md": "- Which observation shows it?",
        "spec/readiness-report.md": "- Who pays for it?",
    }

    assert feedback_target(words, graph(), PACK.documents, pages=pages).task == task


@pytest.mark.parametrize("text", ["a" * 100_000, "a:" * 50_000, "a?" * 50_000])
def test_looking_for_questions_takes_as_long_as_the_text(text: str) -> None:
    assert questions_in(text) == []

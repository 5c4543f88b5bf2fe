"""What follows from an audit of the frontend: two more tasks, and who waits for them (docs/frontend.md)."""

from dataclasses import replace

from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.revisions import superseded
from orchestrator.lifecycle.audit_rounds import NextRound, begun_anew, fix_number, next_round, round_of
from orchestrator.lifecycle.fix_rounds import Judgement, decide

DONE, WAITS = TaskStatus.COMPLETED, TaskStatus.PENDING
HEAD = "c" * 40


def task(key: str, prefix: str, *blockers: str, status: TaskStatus = DONE) -> TaskState:
    return TaskState(key, prefix.lower(), prefix, status, blockers, phase="impl")


FULLSTACK = {
    each.key: each
    for each in (
        task("PLAN-001", "PLAN"),
        task("IMPL-001", "IMPL", "PLAN-001"),
        task("DEV-FE-001", "DEV-FE", "PLAN-001"),
        task("DEV-FE-002", "DEV-FE", "PLAN-001"),
        task("TEST-001", "TEST", "IMPL-001"),
        task("QA-FE-001", "QA-FE", "DEV-FE-001", "DEV-FE-002"),
        task("REVIEW-001", "REVIEW", "TEST-001", "QA-FE-001", status=WAITS),
    )
}


def made() -> NextRound:
    found = next_round(FULLSTACK, "QA-FE-001")
    assert found is not None
    return found


def test_both_tasks_have_the_next_numbers_and_the_review_waits_for_the_second_audit() -> None:
    found = made()

    assert [(each.key, each.role, each.blocked_by, each.status) for each in found.tasks] == [
        ("DEV-FE-003", "dev-fe", ("QA-FE-001",), WAITS),
        ("QA-FE-002", "qa-fe", ("DEV-FE-003",), WAITS),
    ]
    assert found.edges == (("REVIEW-001", "QA-FE-002"),)


def test_who_has_begun_waits_for_nothing_more() -> None:
    begun = {**FULLSTACK, "REVIEW-001": replace(FULLSTACK["REVIEW-001"], status=TaskStatus.IN_PROGRESS)}

    found = next_round(begun, "QA-FE-001")

    assert found is not None and found.edges == ()


def test_without_a_developer_nothing_is_made() -> None:
    assert next_round({"QA-FE-001": task("QA-FE-001", "QA-FE")}, "QA-FE-001") is None


def test_an_audit_that_a_fix_round_repeats_is_in_the_last_round() -> None:
    assert (round_of({}, None), round_of({"audit_round": 2}, None), round_of({}, "QA-FE-001")) == (1, 2, 2)


def test_an_audit_of_work_that_a_person_asked_for_has_both_rounds_and_the_later_one_judges() -> None:
    again = replace(FULLSTACK["QA-FE-001"], key="QA-FE-001-R1", revision_of="QA-FE-001", revision_no=1)
    state = {**FULLSTACK, again.key: again}

    found = next_round(state, again.key)

    assert found is not None
    assert (fix_number(FULLSTACK), fix_number({**state, **{each.key: each for each in found.tasks}})) == (
        1,
        2,
    )
    assert round_of(begun_anew("QA-FE"), "QA-FE-001") == 1 and begun_anew("REVIEW") == {}
    assert [(each.key, each.blocked_by) for each in found.tasks] == [
        ("DEV-FE-003", ("QA-FE-001-R1",)),
        ("QA-FE-002", ("DEV-FE-003",)),
    ]
    assert superseded({**state, **{each.key: each for each in found.tasks}}) == {"QA-FE-001"}


def test_fix_rounds_repeat_the_last_audit_alone() -> None:
    state = {**FULLSTACK, **{each.key: replace(each, status=DONE) for each in made().tasks}}
    state["REVIEW-001"] = replace(state["REVIEW-001"], status=DONE)
    blocked = Judgement("REVIEW-001", "BLOCK", HEAD, ())

    found = decide(state, [blocked], None, HEAD)

    assert superseded(state) == {"QA-FE-001"}
    assert [each.key for each in found.tasks] == [
        "IMPL-fix-001",
        "TEST-001-R1",
        "REVIEW-001-R1",
        "QA-FE-002-R1",
    ]


def test_nothing_is_decided_while_the_second_round_is_under_way() -> None:
    state = {**FULLSTACK, **{each.key: each for each in made().tasks}}

    assert decide(state, [Judgement("TEST-001", "FIX_REQUIRED", HEAD, ())], None, HEAD).tasks == ()

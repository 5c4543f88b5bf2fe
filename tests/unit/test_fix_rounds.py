"""What follows from the verdicts of tests and review (docs/evidence.md)."""

from dataclasses import replace

from orchestrator.domain.evidence import Finding
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.lifecycle.fix_rounds import (
    NAMED,
    Before,
    Decision,
    Judgement,
    decide,
    fingerprints,
    rebase_tasks,
)

DONE, OPEN = TaskStatus.COMPLETED, TaskStatus.IN_PROGRESS
HEAD = "c" * 40
REGRESSION = Finding(
    "tests", "critical", "regression", "t.py::a passed before the change and fails now", "t.py"
)
SECRET = Finding("secrets", "critical", "key", "a key was added", "app.py", 3)


def task(
    key: str, role: str, prefix: str, *blockers: str, status: TaskStatus = DONE, **more: object
) -> TaskState:
    return TaskState(key, role, prefix, status, blockers, phase="impl", **more)  # type: ignore[arg-type]


def numbered(*made: TaskState, after: dict[str, TaskState] | None = None) -> dict[str, TaskState]:
    """The tasks in the order in which they were made."""
    before = dict(after or {})
    return {**before, **{each.key: replace(each, seq=len(before) + n) for n, each in enumerate(made, 1)}}


STATE = numbered(
    task("PLAN-001", "planner", "PLAN"),
    task("IMPL-001", "executor", "IMPL", "PLAN-001"),
    task("TEST-001", "tester", "TEST", "IMPL-001"),
    task("REVIEW-001", "reviewer", "REVIEW", "IMPL-001"),
)
PASSED = Judgement("TEST-001", "PASS", HEAD, ())
APPROVED = Judgement("REVIEW-001", "APPROVE", HEAD, ())
BLOCKED = Judgement("REVIEW-001", "BLOCK", HEAD, (SECRET,))
BROKEN = Judgement("TEST-001", "FIX_REQUIRED", HEAD, (REGRESSION,))


def decided(
    *judgements: Judgement,
    state: dict[str, TaskState] = STATE,
    before: tuple[Finding, ...] = (),
    head: str = "b" * 40,
) -> Decision:
    begun = Before(fingerprints(before), head) if before else None
    return decide(state, judgements, begun, HEAD)


def test_nothing_follows_while_a_verdict_is_missing() -> None:
    waiting = {**STATE, "TEST-001": replace(STATE["TEST-001"], status=OPEN)}

    assert decided(BLOCKED, state=waiting) == Decision()


def test_nothing_follows_from_good_verdicts() -> None:
    assert decided(PASSED, APPROVED) == Decision()


def test_one_fix_task_collects_all_findings_and_both_look_again() -> None:
    found = decided(BROKEN, BLOCKED)

    assert [(each.key, each.blocked_by) for each in found.tasks] == [
        ("IMPL-fix-001", ("TEST-001", "REVIEW-001")),
        ("TEST-001-R1", ("IMPL-fix-001",)),
        ("REVIEW-001-R1", ("IMPL-fix-001",)),
    ]
    assert found.findings == (REGRESSION, SECRET)
    assert found.tasks[0].role == "executor"


def test_findings_that_are_to_be_fixed_make_a_round_though_the_verdict_does_not_block() -> None:
    high = Finding("quality", "high", "rule", "a handle is never closed", "app.py", 9)

    found = decided(PASSED, Judgement("REVIEW-001", "CONDITIONAL", HEAD, (high,)))

    assert [each.key for each in found.tasks] == ["IMPL-fix-001", "TEST-001-R1", "REVIEW-001-R1"]
    assert found.findings == (high,)


def test_a_rebase_waits_for_the_newest_verdicts_and_both_look_again() -> None:
    state = {
        **STATE,
        "IMPL-fix-001": task("IMPL-fix-001", "executor", "IMPL", "TEST-001"),
        "TEST-001-R1": replace(STATE["TEST-001"], key="TEST-001-R1", revision_of="TEST-001", revision_no=1),
    }

    number, tasks = rebase_tasks(state)
    after = {**state, **{each.key: replace(each, status=DONE) for each in tasks}}

    assert [(each.key, each.blocked_by) for each in tasks] == [
        ("IMPL-rebase-001", ("TEST-001-R1", "REVIEW-001")),
        ("TEST-001-R2", ("IMPL-rebase-001",)),
        ("REVIEW-001-R1", ("IMPL-rebase-001",)),
    ]
    assert number == 1 and rebase_tasks(after)[0] == 2
    assert decided(BROKEN, APPROVED, state=after).number == 2  # the rebase is no fix round


def revision(key: str, number: int) -> TaskState:
    return replace(STATE[key], key=f"{key}-R{number}", revision_of=key, revision_no=number)


def after_rounds(*numbers: int, state: dict[str, TaskState] = STATE) -> dict[str, TaskState]:
    for number in numbers:
        fix = task(f"IMPL-fix-00{number}", "executor", "IMPL", "TEST-001")
        judged = (revision("TEST-001", number), revision("REVIEW-001", number))
        state = numbered(fix, *judged, after=state)
    return state


def test_the_third_round_is_a_persons_decision() -> None:
    found = decided(PASSED, BLOCKED, state=after_rounds(1, 2))

    assert found.tasks == ()
    assert found.exhausted == "2 fix rounds are over"
    assert found.findings == (SECRET,)


def test_work_that_was_added_has_two_rounds_of_its_own_under_new_numbers() -> None:
    revised = numbered(revision("IMPL-001", 1), after=after_rounds(1, 2))
    rebased = numbered(task("IMPL-rebase-001", "executor", "IMPL"), after=after_rounds(1, 2))
    fix_revised = numbered(
        replace(revised["IMPL-fix-002"], key="IMPL-fix-002-R1", revision_of="IMPL-fix-002", revision_no=1),
        after=after_rounds(1, 2),
    )

    assert decided(PASSED, BLOCKED, state=revised).tasks[0].key == "IMPL-fix-003"
    assert decided(PASSED, BLOCKED, state=after_rounds(3, state=revised)).tasks[0].key == "IMPL-fix-004"
    assert decided(PASSED, BLOCKED, state=after_rounds(3, 4, state=revised)).exhausted
    assert decided(PASSED, BLOCKED, state=rebased).exhausted
    assert decided(PASSED, BLOCKED, state=fix_revised).tasks[0].key == "IMPL-fix-003"


def test_a_round_that_changed_nothing_is_the_last_one() -> None:
    state = numbered(task("IMPL-fix-001", "executor", "IMPL", "TEST-001"), after=STATE)

    assert decided(PASSED, BLOCKED, state=state, before=(SECRET,)).exhausted
    assert decided(BROKEN, BLOCKED, state=state, before=(SECRET,)).exhausted, "it added a fault"
    assert decided(PASSED, BLOCKED, state=state, before=(SECRET, REGRESSION)).tasks


def test_a_round_after_which_the_head_is_the_same_is_the_last_one() -> None:
    state = numbered(task("IMPL-fix-001", "executor", "IMPL", "TEST-001"), after=STATE)

    assert decided(PASSED, BLOCKED, state=state, before=(REGRESSION,), head=HEAD).exhausted
    assert decided(PASSED, BLOCKED, state=state, before=(REGRESSION,), head="").tasks, "it was not noted"


def test_more_findings_than_a_fix_task_is_given_are_known_again() -> None:
    many = tuple(replace(SECRET, path=f"app_{n}.py") for n in range(3 * NAMED))
    state = numbered(task("IMPL-fix-001", "executor", "IMPL", "TEST-001"), after=STATE)
    blocked = replace(BLOCKED, findings=many)

    assert decided(PASSED, blocked, state=state, before=many).exhausted
    assert decided(PASSED, blocked, state=state, before=(REGRESSION, *many)).tasks


def test_what_the_tester_landed_after_the_review_is_reviewed() -> None:
    earlier = "b" * 40
    found = decided(PASSED, replace(APPROVED, head=earlier))

    assert [(each.key, each.blocked_by) for each in found.tasks] == [("REVIEW-001-R1", ("REVIEW-001",))]
    assert found.since == earlier


FRONTEND = numbered(
    task("PLAN-001", "planner", "PLAN"),
    task("IMPL-001", "executor", "IMPL", "PLAN-001", status=TaskStatus.SKIPPED),
    task("DEV-FE-001", "fe-developer", "DEV-FE", "PLAN-001"),
    task("TEST-001", "tester", "TEST", "DEV-FE-001"),
    task("REVIEW-001", "reviewer", "REVIEW", "DEV-FE-001"),
)


def test_where_only_a_frontend_is_built_its_developer_mends_and_rebases() -> None:
    both = {**FRONTEND, "IMPL-001": replace(FRONTEND["IMPL-001"], status=DONE)}

    for state, role, key in (
        (FRONTEND, "fe-developer", "DEV-FE-fix-001"),
        (both, "executor", "IMPL-fix-001"),
    ):
        found = decided(PASSED, BLOCKED, state=state).tasks[0]
        assert (found.key, found.role, found.prefix) == (key, role, key.removesuffix("-fix-001"))
        rebased = rebase_tasks(state)[1][0]
        assert (rebased.key, rebased.role) == (key.replace("fix", "rebase"), role)
    again = numbered(decided(PASSED, BLOCKED, state=FRONTEND).tasks[0], after=FRONTEND)
    assert decided(PASSED, BLOCKED, state=again).tasks[0].key == "DEV-FE-fix-002"


def test_all_tests_run_on_the_last_head_where_something_landed_beside_them() -> None:
    late = replace(PASSED, head="b" * 40)

    found = decided(late, APPROVED)

    assert [(each.key, each.blocked_by) for each in found.tasks] == [
        ("TEST-001-R1", ("TEST-001", "REVIEW-001"))
    ]
    assert (found.number, found.since) == (0, "")
    assert decided(PASSED, APPROVED) == Decision()
    assert decided(replace(late, head=""), APPROVED) == Decision(), "nobody noted where they ran"


def test_testers_that_land_beside_each_other_look_again_once_at_most() -> None:
    state = numbered(task("TEST-002", "tester", "TEST", "IMPL-001"), after=STATE)
    older, other = replace(PASSED, head="b" * 40), replace(PASSED, task="TEST-002")

    both_late = decided(older, replace(other, head="d" * 40), APPROVED, state=state)

    assert [each.key for each in both_late.tasks] == ["TEST-001-R1"]
    assert decided(older, other, APPROVED, state=state) == Decision(), "all tests ran on the head"


def test_a_session_that_builds_nothing_has_no_fix_round() -> None:
    state = {key: each for key, each in STATE.items() if key != "IMPL-001"}

    assert decided(PASSED, BLOCKED, state=state) == Decision()

"""Whether criteria are met: by a passing test, by the words of the change, or by nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.plan import Criterion, Plan, PlanTask, Uncovered
from orchestrator.domain.review_verdicts import review_verdict
from orchestrator.store.checks import Link
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.criteria_review import (
    MET,
    PARTIAL,
    UNMET,
    criteria_findings,
    review_criteria,
    uncovered_requirements,
)

TEXT = "Expired links answer with status gone"
PLAN = Plan("p", tasks=(PlanTask("TASK-001", "t", criteria=(Criterion("TASK-001-C1", TEXT, ("REQ-001",)),)),))


def added(text: str) -> Changes:
    return Changes([ChangedFile("x.py", "A", None, text.encode(), "x.py")])


def link(verified: int) -> Link:
    check = 1 if verified else None
    return Link(
        "criterion", "TASK-001-C1", None, "test", "t.py::test_gone", None, "test", verified, check, "r"
    )


def record(verified: str) -> dict[str, object]:
    return {"criteria": [{"id": "TASK-001-C1", "verified": verified, "claimed": {"files": ["x.py"]}}]}


@pytest.mark.parametrize(
    ("links", "records", "code", "met"),
    [
        ([link(1)], [], "pass", MET),
        ([link(0)], [], "pass", UNMET),
        ([], [record("change")], "pass", PARTIAL),
        ([], [record("none")], "pass", UNMET),
        ([], [record("change")], "# expired links answer with the status gone", PARTIAL),
        ([], [], "# expired links answer", PARTIAL),
        ([], [], "# expired", UNMET),
    ],
)
def test_a_criterion_is_met_by_what_shows_it(
    links: list[Link], records: list[dict[str, object]], code: str, met: str
) -> None:
    (found,) = review_criteria(PLAN, records, links, added(code))

    assert found.met == met
    shown = [(each.severity, each.rule) for each in criteria_findings([found])]
    unproved = [] if links and links[0].verified else [("medium", "criterion_unproved")]
    assert shown == ([("high", "criterion_unmet")] if met == UNMET else unproved)


KEPT: dict[str, object] = {
    "baseline": 4,
    "passed": 5,
    "regressions": [],
    "missing": [],
    "fewer": 0,
    "unverified": None,
}


@pytest.mark.parametrize(
    ("text", "tests", "met"),
    [
        ("The tests that passed before are run again and succeed.", KEPT, MET),
        ("All existing tests still pass", KEPT, MET),
        ("重新运行之前通过的测试，结果成功。", KEPT, MET),
        ("The new tests pass", KEPT, UNMET),
        ("All existing tests still pass", {**KEPT, "regressions": ["t.py::test_old"]}, UNMET),
        ("All existing tests still pass", {**KEPT, "missing": ["t.py::test_old"]}, UNMET),
        ("All existing tests still pass", {**KEPT, "unverified": "no runner"}, UNMET),
        ("All existing tests still pass", {**KEPT, "baseline": None}, UNMET),
    ],
)
def test_that_earlier_tests_still_pass_is_shown_by_their_runs(
    text: str, tests: dict[str, object], met: str
) -> None:
    task = replace(PLAN.tasks[0], criteria=(Criterion("TASK-001-C1", text, ("REQ-001",)),))
    records = [{"plan_task": "TASK-001", "tests": tests, "criteria": []}]

    (found,) = review_criteria(replace(PLAN, tasks=(task,)), records, [], added("pass"))

    assert (found.met, found.is_proved) == (met, met == MET)


def test_of_a_criterion_whose_tests_pass_without_the_change_that_is_said() -> None:
    held = {"files": [], "tests": ["t.py::test_older"]}
    records = [{"criteria": [{"id": "TASK-001-C1", "verified": "held", "claimed": held}]}]

    (found,) = review_criteria(PLAN, records, [], added("pass"))

    assert (found.met, found.is_proved) == (UNMET, False)
    (finding,) = criteria_findings([found])
    assert (finding.rule, finding.severity) == ("criterion_unmet", "high")
    assert finding.text.startswith(
        "TASK-001-C1 is shown only by tests that pass without the change, too (t.py::test_older)"
    )
    (later,) = review_criteria(PLAN, [*records, record("none")], [], added("pass"))
    assert "without the change" not in later.by
    (shown,) = review_criteria(PLAN, records, [link(1)], added("pass"))
    assert shown.met == MET and shown.is_proved


def test_words_of_a_change_never_approve_it_and_the_reason_is_said() -> None:
    (found,) = review_criteria(PLAN, [], [], added("# expired links answer with the status gone"))

    findings = criteria_findings([found], "no sandbox")

    assert found.met == PARTIAL
    assert review_verdict(findings) == "CONDITIONAL"
    assert "no tests could be run: no sandbox" in findings[0].text


def test_a_change_of_documents_shows_a_criterion_of_documentation() -> None:
    task = replace(PLAN.tasks[0], kind="docs")

    (found,) = review_criteria(replace(PLAN, tasks=(task,)), [record("change")], [], added("pass"))

    assert found.met == MET and criteria_findings([found]) == []


@pytest.mark.parametrize(
    ("landed", "uncovered", "missing"),
    [(set(), (), True), ({"TASK-001"}, (), False), (set(), (Uncovered("REQ-001", "not now"),), False)],
)
def test_a_must_requirement_without_change_and_test_is_critical(
    landed: set[str], uncovered: tuple[Uncovered, ...], missing: bool
) -> None:
    plan = Plan("p", tasks=PLAN.tasks, uncovered=uncovered)
    criteria = review_criteria(plan, [], [], added("pass"))

    found = uncovered_requirements(plan, {"REQ-001": "Links expire."}, criteria, landed)

    assert [each.severity for each in found] == (["critical"] if missing else [])


@pytest.mark.parametrize(
    ("refs", "rules"), [(("REQ-001",), []), ((), []), (("REQ-002",), ["requirement_unproved"])]
)
def test_a_must_requirement_that_no_criterion_is_about_is_not_shown_by_the_change_of_its_task(
    refs: tuple[str, ...], rules: list[str]
) -> None:
    criterion = replace(PLAN.tasks[0].criteria[0], refs=refs)
    plan = Plan("p", tasks=(replace(PLAN.tasks[0], criteria=(criterion,), refs=("REQ-001", "REQ-002")),))
    criteria = review_criteria(plan, [], [link(1)], added("pass"))

    found = uncovered_requirements(plan, {"REQ-001": "Links expire."}, criteria, {"TASK-001"})

    assert [each.rule for each in found] == rules

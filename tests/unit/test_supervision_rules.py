"""What a supervisor's checks come to, and what each of them finds in documents and plans."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.plan import (
    Complexity,
    Criterion,
    Plan,
    PlanDecision,
    PlannedFile,
    PlanTask,
    Uncovered,
)
from orchestrator.domain.plan_checks import Ground
from orchestrator.domain.supervision import (
    BLOCK,
    FAIL,
    PASS,
    WARN,
    Check,
    Evidence,
    graded,
    mean_of,
    risks_of,
    verdict_of,
)
from workers.documents.content import (
    Adr,
    Architecture,
    Brief,
    Component,
    Content,
    Epic,
    Epics,
    Goal,
    Requirement,
    Requirements,
    Statement,
    Story,
)
from workers.documents.lint import Sources, read_specification
from workers.roles.supervision_checks import Supervised, checks_by_rule


@pytest.mark.parametrize(
    ("results", "decisive", "mean", "verdict"),
    [
        ("", "", 1.0, PASS),
        ("pppp", "", 1.0, PASS),
        ("ppppf", "", 0.8, PASS),
        ("pppw", "", 0.875, PASS),
        ("pppf", "", 0.75, WARN),
        ("pwww", "", 0.625, WARN),
        ("ww", "", 0.5, WARN),
        ("pf", "", 0.5, WARN),
        ("pwff", "", 0.375, BLOCK),
        ("f", "", 0.0, BLOCK),
        ("ppppp", "w", 0.917, PASS),
        ("ppppp", "f", 0.833, BLOCK),
    ],
)
def test_a_verdict_follows_from_the_mean_and_a_decisive_failure_blocks(
    results: str, decisive: str, mean: float, verdict: str
) -> None:
    names = {"p": PASS, "w": WARN, "f": FAIL}
    checks = [Check("c", names[each], "") for each in results]
    checks += [Check("d", names[each], "", decisive=True) for each in decisive]

    assert (round(mean_of(checks), 3), verdict_of(checks)) == (mean, verdict)


@pytest.mark.parametrize(
    ("count", "of", "result"),
    [(0, 5, PASS), (1, 5, WARN), (1, 1, FAIL), (2, 8, WARN), (3, 8, FAIL), (0, 0, PASS)],
)
def test_a_share_that_is_missing_warns_before_it_fails(count: int, of: int, result: str) -> None:
    assert graded(count, of) == result


def test_a_risk_names_what_was_found_and_where() -> None:
    checks = [
        Check("goals", PASS, "all"),
        Check("scope", WARN, "one item", (Evidence("REQ-1", "Pay", "no payment"),)),
    ]

    assert risks_of(checks) == ["scope: one item (REQ-1: Pay | no payment)"]


# documents


def requirement(number: int, text: str, **more: object) -> Requirement:
    given: dict[str, object] = {"goals": ["G-001"], **more}
    return Requirement.model_validate(
        {"id": f"REQ-{number:03d}", "title": text[:40], "statement": text, **given}
    )


def brief(*, out: str = "", goals: int = 1) -> Brief:
    found = [Goal(id=f"G-{n:03d}", text=f"Deliver parcels of kind {n}") for n in range(1, goals + 1)]
    return Brief(
        title="Parcels",
        vision=Statement(text="Parcels arrive"),
        situation="Parcels are lost",
        goals=found,
        out_of_scope=[Statement(text=out)] if out else [],
    )


KEEP = "The locker must keep an uncollected parcel for 3 days"
NOTIFY = "The locker must notify the recipient by SMS when a parcel arrives"


def results(
    *contents: tuple[str, Content], exists: bool = True, errors: int = 0, plan: Plan | None = None
) -> dict[str, Check]:
    given = Supervised(
        read_specification(dict(contents), Sources()),
        lambda _: exists,
        {"writer": errors},
        plan,
        Ground(frozenset({"src/app.py"}), frozenset({"REQ-001"}), frozenset({"REQ-001"})),
    )
    return {each.name: each for each in checks_by_rule(given)}


def documents(*items: Requirement, **kwargs: object) -> tuple[tuple[str, Content], tuple[str, Content]]:
    return ("brief", brief(**kwargs)), ("requirements", Requirements(items=list(items)))  # type: ignore[arg-type]


def test_documents_that_agree_pass_every_check() -> None:
    found = results(*documents(requirement(1, KEEP), requirement(2, NOTIFY), out="Payment by card"))

    assert {name: each.result for name, each in found.items()} == dict.fromkeys(
        ("goals", "terms", "scope", "contradictions", "errors"), PASS
    )


@pytest.mark.parametrize(
    ("other", "result"),
    [
        ("The locker must keep an uncollected parcel for 7 days", FAIL),
        ("The locker must not keep an uncollected parcel for 3 days", FAIL),
        ("The locker should keep an uncollected parcel for 3 days", WARN),
        ("The locker must keep a damaged door closed until it is repaired", PASS),
        ("The locker must print a label for 7 parcels", PASS),
        ("The locker must keep an uncollected parcel; it must print 7 labels", PASS),
        ("The locker must keep an uncollected parcel for…", PASS),
    ],
)
def test_a_contradiction_is_found_by_its_words_and_both_sides_are_shown(other: str, result: str) -> None:
    found = results(*documents(requirement(1, KEEP), requirement(2, other)))["contradictions"]

    assert found.result == result
    if result == FAIL:
        (shown,) = found.evidence
        assert {shown.place, shown.other.partition(":")[0]} == {"REQ-001", "REQ-002"}
        assert verdict_of([found]) == BLOCK


def test_chinese_statements_contradict_each_other_too() -> None:
    items = requirement(1, "储物柜必须保留未取包裹3天"), requirement(2, "储物柜必须保留未取包裹7天")

    assert results(*documents(*items))["contradictions"].result == FAIL


def test_what_the_brief_rules_out_and_a_requirement_asks_for_fails() -> None:
    found = results(*documents(requirement(1, "Recipients pay by card"), out="Pay by card"))["scope"]

    assert (found.result, found.decisive, found.evidence[0].place) == (FAIL, True, "REQ-001")


def test_what_will_not_be_done_is_no_breach_of_the_scope() -> None:
    found = results(*documents(requirement(1, "Recipients pay by card", moscow="Won't"), out="Pay by card"))

    assert found["scope"].result == PASS


@pytest.mark.parametrize(("goals", "result"), [(1, PASS), (2, WARN), (3, FAIL)])
def test_goals_without_a_requirement_are_counted(goals: int, result: str) -> None:
    assert results(*documents(requirement(1, KEEP), goals=goals))["goals"].result == result


def test_a_term_in_two_spellings_warns() -> None:
    items = requirement(1, "The drop-box opens"), requirement(2, "The dropbox closes")

    assert results(*documents(*items))["terms"].result == WARN


def test_files_that_are_not_there_and_musts_that_nobody_builds_are_named() -> None:
    design = Architecture(
        overview="One service",
        components=[Component(name="Depot", responsibility="keeps parcels", files=["src/depot.py"])],
    )
    epics = Epics(items=[Epic(id="EPIC-001", title="Keep", goal="Parcels are kept", stories=[])])
    pages = documents(requirement(1, KEEP))

    found = results(*pages, ("architecture", design), ("epics", epics), exists=False)

    assert (found["files"].result, found["must"].result) == (FAIL, FAIL)
    assert {each.place for each in found["must"].evidence} == {"REQ-001"}


def test_decisions_are_held_against_requirements() -> None:
    adr = Adr(
        id="ADR-001",
        title="Time",
        context="x",
        decision="The locker must keep an uncollected parcel for 9 days",
    )
    design = Architecture(overview="One service", adrs=[adr])

    found = results(*documents(requirement(1, KEEP)), ("architecture", design))["contradictions"]

    assert (found.result, "ADR-001" in str(found.evidence[0])) == (FAIL, True)


@pytest.mark.parametrize(("errors", "result"), [(2, PASS), (3, FAIL)])
def test_a_role_that_failed_three_times_is_doubted(errors: int, result: str) -> None:
    assert results(*documents(requirement(1, KEEP)), errors=errors)["errors"].result == result


def test_a_story_that_repeats_its_requirement_contradicts_nothing() -> None:
    story = Story(id="STORY-001-001", title="Keep", as_a="courier", i_want=KEEP, requirements=["REQ-001"])
    epics = Epics(
        items=[Epic(id="EPIC-001", title="Keep", goal=KEEP, requirements=["REQ-001"], stories=[story])]
    )

    assert results(*documents(requirement(1, KEEP)), ("epics", epics))["contradictions"].result == PASS


# plans

TASK = PlanTask(
    "TASK-001",
    "Keep parcels",
    files=(PlannedFile("src/app.py", "modify"),),
    criteria=(Criterion("TASK-001-C1", "Given a parcel, it is kept for 3 days", ("REQ-001",)),),
    refs=("REQ-001",),
)
PLAN = Plan("Parcels", complexity=Complexity(2, "Medium"), tasks=(TASK,))


def test_a_plan_that_fits_passes() -> None:
    found = results(*documents(requirement(1, KEEP), out="Payment by card"), plan=PLAN)

    assert {name: each.result for name, each in found.items()} == dict.fromkeys(
        ("graph", "must", "files", "complexity", "scope", "contradictions", "errors"), PASS
    )


@pytest.mark.parametrize(
    ("plan", "check", "result"),
    [
        (replace(PLAN, tasks=(replace(TASK, refs=("REQ-009",)),)), "graph", FAIL),
        (
            replace(PLAN, tasks=(replace(TASK, refs=(), criteria=(Criterion("TASK-001-C1", "returns 3"),)),)),
            "must",
            FAIL,
        ),
        (
            replace(
                PLAN,
                uncovered=(Uncovered("REQ-001", "there already"),),
                tasks=(replace(TASK, refs=(), criteria=(Criterion("TASK-001-C1", "returns 3"),)),),
            ),
            "must",
            WARN,
        ),
        (replace(PLAN, tasks=(replace(TASK, files=(PlannedFile("src/gone.py", "modify"),)),)), "files", FAIL),
        (
            replace(
                PLAN,
                tasks=(replace(TASK, files=tuple(PlannedFile(f"new/{n}.py", "create") for n in range(9))),),
            ),
            "complexity",
            WARN,
        ),
        (replace(PLAN, complexity=Complexity(5, "High")), "complexity", WARN),
        (replace(PLAN, tasks=(replace(TASK, title="Pay by card"),)), "scope", FAIL),
        (replace(PLAN, decisions=(PlanDecision(KEEP.replace("3", "5")),)), "contradictions", FAIL),
    ],
)
def test_what_a_plan_does_otherwise_is_found(plan: Plan, check: str, result: str) -> None:
    found = results(*documents(requirement(1, KEEP), out="Pay by card"), plan=plan)

    assert found[check].result == result
    assert found[check].evidence

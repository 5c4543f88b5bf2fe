"""The points and the verdict of an audit of the frontend (docs/frontend.md)."""

import pytest

from orchestrator.domain.evidence import Finding
from orchestrator.domain.frontend_audit import WEIGHTS, audit_verdict, dimension_of, score


def findings(*given: tuple[str, str]) -> list[Finding]:
    return [Finding(check, severity, "rule", "text") for check, severity in given]


@pytest.mark.parametrize(
    ("given", "has_tokens", "overall"),
    [
        ((), True, 10.0),
        ((("quality", "high"),), True, 9.38),
        ((("quality", "low"), ("delivery", "medium")), True, 9.72),
        ((("accessibility", "critical"),), True, 8.25),  # 6 left, capped at 3
        ((("accessibility", "critical"),), False, 7.81),  # the same of 80 percent
        ((("experience", "high"),) * 5, True, 8.5),  # no dimension goes below nothing
        ((("design", "high"),), False, 10.0),
    ],
)
def test_points_are_deducted_by_severity_and_weighed(
    given: tuple[tuple[str, str], ...], has_tokens: bool, overall: float
) -> None:
    assert score(findings(*given), has_tokens=has_tokens).overall == overall


def test_without_tokens_the_design_has_no_points() -> None:
    assert score([], has_tokens=False).by_dimension["design"] is None
    assert set(score([], has_tokens=True).by_dimension.values()) == {10.0}
    assert sum(WEIGHTS.values()) == 100


@pytest.mark.parametrize(
    ("overall", "has_critical", "is_last", "verdict"),
    [
        (8.0, False, False, "PASS"),
        (7.99, False, False, "NEEDS_FIX"),
        (9.0, True, False, "NEEDS_FIX"),
        (8.0, False, True, "PASS"),
        (7.99, False, True, "PASS_WITH_WARNINGS"),
        (6.0, False, True, "PASS_WITH_WARNINGS"),
        (5.99, False, True, "FAIL"),
        (9.0, True, True, "FAIL"),
    ],
)
def test_the_verdict_of_a_round(overall: float, has_critical: bool, is_last: bool, verdict: str) -> None:
    assert audit_verdict(overall, has_critical=has_critical, is_last=is_last) == verdict


def test_an_agent_may_call_a_dimension_by_another_name() -> None:
    assert [dimension_of(word) for word in ("A11y", " ux", "tokens", "nonsense")] == [
        "accessibility",
        "experience",
        "design",
        "quality",
    ]

"""What an audit of frontend work comes to: the scores of five dimensions, and the verdict of a round (docs/frontend.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, Finding
from orchestrator.domain.json_types import Json

PASS, NEEDS_FIX, PASS_WITH_WARNINGS, FAIL = "PASS", "NEEDS_FIX", "PASS_WITH_WARNINGS", "FAIL"
QUALITY, ACCESSIBILITY, DESIGN, EXPERIENCE, DELIVERY = (
    "quality",
    "accessibility",
    "design",
    "experience",
    "delivery",
)
WEIGHTS = {QUALITY: 25, ACCESSIBILITY: 25, DESIGN: 20, EXPERIENCE: 15, DELIVERY: 15}  # percent
DEDUCTIONS = {CRITICAL: 4.0, HIGH: 2.5, MEDIUM: 1.0, LOW: 0.5}  # of the ten points of a dimension
MOST, CAP = 10.0, 3.0  # points of a dimension; of one with a critical finding
GOOD, ENOUGH = 8.0, 6.0  # overall: to pass; to pass with warnings in the last round
ROUNDS = 2  # the last one decides

_WORDS = {
    QUALITY: ("quality", "code", "code quality", "correctness", "maintainability", "performance", "security"),
    ACCESSIBILITY: ("accessibility", "a11y", "wcag", "aria", "contrast", "keyboard"),
    DESIGN: ("design", "design compliance", "tokens", "consistency", "visual", "theming"),
    EXPERIENCE: ("experience", "ux", "usability", "interaction", "responsive", "layout"),
    DELIVERY: ("delivery", "pre-delivery", "predelivery", "readiness", "polish"),
}
_DIMENSION = {word: dimension for dimension, words in _WORDS.items() for word in words}


@dataclass(frozen=True, slots=True)
class Scores:
    """Points from 0 to 10; a dimension that could not be judged has none, and the weights of the others are scaled."""

    by_dimension: Mapping[str, float | None]
    overall: float


def is_audit(data: Mapping[str, Json]) -> bool:
    """Whether a stored verdict of a review is that of an audit."""
    return "audit" in data


def dimension_of(word: str) -> str:
    """The dimension that an agent's word means; quality for one that is not known."""
    return _DIMENSION.get(word.strip().lower(), QUALITY)


def score(findings: Iterable[Finding], *, has_tokens: bool) -> Scores:
    """The scores by the findings that count; without design tokens nothing says what the design should be."""
    listed = list(findings)
    judged = [name for name in WEIGHTS if has_tokens or name != DESIGN]
    by_dimension = {
        name: _points([each.severity for each in listed if each.check == name]) for name in judged
    }
    weight = sum(WEIGHTS[name] for name in judged)
    overall = sum(points * WEIGHTS[name] for name, points in by_dimension.items()) / weight
    return Scores({name: by_dimension.get(name) for name in WEIGHTS}, round(overall, 2))


def _points(severities: list[str]) -> float:
    left = max(0.0, MOST - sum(DEDUCTIONS[severity] for severity in severities))
    return min(left, CAP) if CRITICAL in severities else left


def audit_verdict(overall: float, *, has_critical: bool, is_last: bool) -> str:
    """PASS, or what the round leads to: NEEDS_FIX makes another one; after the last one a person decides on FAIL."""
    if overall >= GOOD and not has_critical:
        return PASS
    if not is_last:
        return NEEDS_FIX
    return PASS_WITH_WARNINGS if overall >= ENOUGH and not has_critical else FAIL

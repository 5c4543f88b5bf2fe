"""The verdict of a code review, by the severities of the findings that count (docs/review.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, SEVERITIES, Finding

BLOCK, CONDITIONAL, APPROVE = "BLOCK", "CONDITIONAL", "APPROVE"
UNVERIFIED = "UNVERIFIED"  # of a test round: no tests could be run
QUALITY, SECURITY, ARCHITECTURE, REQUIREMENTS = "quality", "security", "architecture", "requirements"
DIMENSIONS = (QUALITY, SECURITY, ARCHITECTURE, REQUIREMENTS)
MODE = "review"  # of sessions that review commits of the user's
FIX = "fix"  # of a session's options: `high` where high findings make a fix round too
OPTION = "review"  # of such a session's options: base, head, and the digest of a patch
PATCH = "qa/change.patch"  # the artifact that holds the patch

_WORDS = {
    CRITICAL: ("critical", "blocker", "blocking", "severe", "fatal", "p0"),
    HIGH: ("high", "major", "error", "important", "serious", "p1"),
    MEDIUM: ("medium", "moderate", "warning", "warn", "normal", "p2"),
    LOW: ("low", "minor", "info", "informational", "note", "nit", "trivial", "style", "suggestion", "p3"),
}
_SEVERITY = {word: severity for severity, words in _WORDS.items() for word in words}
_KINDS = {
    QUALITY: (
        "quality",
        "correctness",
        "bug",
        "logic",
        "performance",
        "readability",
        "maintainability",
        "testing",
        "tests",
        "lint",
        "compile",
        "bite",
        "tests_edited",
        "tree",
    ),
    SECURITY: ("security", "safety", "privacy", "secrets", "tampering"),
    ARCHITECTURE: ("architecture", "design", "structure", "paths", "dependencies"),
    REQUIREMENTS: ("requirements", "requirement", "criteria", "acceptance", "completeness", "spec"),
}
_DIMENSION = {word: dimension for dimension, words in _KINDS.items() for word in words}


def severity_of(word: str) -> str:
    """The severity that an agent's word means; medium for one that is not known."""
    return _SEVERITY.get(word.strip().strip("*_`[]():.!").lower(), MEDIUM)


def dimension_of(word: str) -> str:
    """The dimension of an agent's word or of a check's name; quality for one that is not known."""
    return _DIMENSION.get(word.strip().lower(), QUALITY)


def review_verdict(findings: Iterable[Finding]) -> str:
    """BLOCK with a critical finding, CONDITIONAL with a high or medium one, else APPROVE."""
    found = {each.severity for each in findings}
    if CRITICAL in found:
        return BLOCK
    return CONDITIONAL if found & {HIGH, MEDIUM} else APPROVE


def to_fix(findings: Sequence[Finding], fix: str) -> list[Finding]:
    """The findings that make a fix round: none without a critical one, or with `fix` high without a high one."""
    bad = (CRITICAL, HIGH) if fix == HIGH else (CRITICAL,)
    if not any(each.severity in bad for each in findings):
        return []
    return [each for each in findings if each.severity in (CRITICAL, HIGH)]


def counted(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings there are of each severity, the worst first; severities without any are left out."""
    listed = [each.severity for each in findings]
    return {severity: listed.count(severity) for severity in SEVERITIES if severity in listed}

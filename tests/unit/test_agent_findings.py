"""What an agent claims about a change counts only where its file and its quote are found."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, Finding
from orchestrator.domain.review_verdicts import (
    APPROVE,
    BLOCK,
    CONDITIONAL,
    counted,
    dimension_of,
    review_verdict,
    severity_of,
    to_fix,
)
from workers.evidence.agent_findings import AgentFinding, Noted, is_still_there, merged, verify
from workers.evidence.changed_files import ChangedFile, Changes

BEFORE = "def total(rows):\n    check(rows)\n    return sum(rows)\n"
AFTER = "def total(rows):\n    result = 0\n    for row in rows:\n        result  +=  row\n    return result\n\n\nx = 1\n"
CHANGES = Changes(
    [
        ChangedFile("shop/total.py", "M", BEFORE.encode(), AFTER.encode(), "shop/total.py"),
        ChangedFile("new/name.py", "R", b"one = 1\n", b"one = 2\n", "old/name.py"),
    ]
)


def claimed(quote: str, *, path: str = "shop/total.py", line: int = 0, **more: Any) -> AgentFinding:
    words = {"dimension": "quality", "severity": "high", "text": "it is wrong", **more}
    return AgentFinding(path=path, line=line, quote=quote, **words)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        (claimed("result += row", line=4), 4),
        (claimed("    result  +=  row", line=90), 4),  # the only such line, wherever it was said to be
        (claimed("+        result += row", line=4), 4),  # as the diff shows it
        (claimed("     4 | result += row", line=4), 4),  # with its number
        (claimed("for row in rows:\n    result += row", line=3), 3),
        (claimed("check(rows)", line=2), 0),  # it was removed
        (claimed("x = 1", path="./shop/total.py", line=8), 8),
        (claimed("x = 1", path="b/shop/total.py:8", line=8), 8),
        (claimed("one = 2", path="old/name.py", line=1), 1),
    ],
)
def test_a_quote_that_is_in_the_change_gives_the_place(given: AgentFinding, place: int) -> None:
    found = verify(given, CHANGES)

    assert isinstance(found, Finding)
    assert (found.line, found.source) == (place, "agent")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (claimed("x = 1", path="shop/other.py"), "changed files"),
        (claimed("x = 1", path="../../etc/passwd"), "changed files"),
        (claimed("eval(rows)", line=2), "quotes"),
        (claimed("", line=2), "quotes"),
        (claimed("= 1", line=8), "quotes"),  # too short to be a part of a line
        (claimed("x = 1", line=8, text=" "), "what is wrong"),
    ],
)
def test_a_claim_without_its_file_or_quote_is_a_note(given: AgentFinding, why: str) -> None:
    found = verify(given, CHANGES)

    assert isinstance(found, Noted)
    assert why in found.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("`x` is not defined, so that it fails", "x is defined in line 8"),
        ("undefined name total", "total is defined in line 1"),
        ("this line is a syntax error", "can read the file"),
        ("`result` is not defined where rows are empty", ""),  # it is local: code cannot tell
        ("`gone` is not defined", ""),
        ("rows are not defined by anybody", ""),
    ],
)
def test_a_claim_that_code_can_refute_is_a_note(text: str, why: str) -> None:
    found = verify(claimed("result += row", line=4, text=text), CHANGES)

    assert isinstance(found, Noted) is bool(why)
    if isinstance(found, Noted):
        assert why in found.why


def test_a_verified_finding_shows_the_line_of_the_file_and_not_what_the_agent_made_of_it() -> None:
    found = verify(claimed("+ result += row", line=4, rule="Off By One!", severity="Major"), CHANGES)

    assert isinstance(found, Finding)
    assert (found.quote, found.rule, found.severity) == ("result += row", "agent:off_by_one", HIGH)


def test_a_finding_is_kept_once_with_its_worst_severity() -> None:
    rule = Finding("security", MEDIUM, "eval", "runs text", "a.py", 3)
    said = Finding("security", CRITICAL, "eval", "runs text", "a.py", 3, source="agent")
    other = Finding("quality", LOW, "agent:finding", "is slow", "a.py", 3, source="agent")

    kept = merged([said, rule, other, other])

    assert [(each.source, each.severity) for each in kept] == [("tool", CRITICAL), ("agent", LOW)]


def test_findings_of_one_rule_about_a_whole_file_stay_apart() -> None:
    found = [Finding("tests", CRITICAL, "regression", f"test {n} fails", "test_a.py") for n in range(3)]

    assert merged(found) == found


@pytest.mark.parametrize(
    ("finding", "there"),
    [
        (Finding("quality", HIGH, "agent:x", "wrong", "shop/total.py", 4, "result += row"), True),
        (Finding("quality", HIGH, "agent:x", "wrong", "shop/total.py", 2, "result = None"), False),
        (Finding("quality", HIGH, "agent:x", "wrong", "shop/gone.py", 2, "x = 1"), False),
    ],
)
def test_a_finding_is_open_as_long_as_its_line_is_there(finding: Finding, there: bool) -> None:
    assert is_still_there(finding, CHANGES) is there


@pytest.mark.parametrize(
    ("severities", "verdict"),
    [
        ([], APPROVE),
        ([LOW, LOW], APPROVE),
        ([LOW, MEDIUM], CONDITIONAL),
        ([HIGH], CONDITIONAL),
        ([LOW, CRITICAL, HIGH], BLOCK),
    ],
)
def test_the_worst_severity_decides(severities: list[str], verdict: str) -> None:
    found = [Finding("quality", severity, "rule", "text") for severity in severities]

    assert review_verdict(found) == verdict
    assert sum(counted(found).values()) == len(severities)


@pytest.mark.parametrize(
    ("severities", "fix", "fixed"),
    [
        ([HIGH, MEDIUM], CRITICAL, []),
        ([HIGH, MEDIUM], HIGH, [HIGH]),
        ([MEDIUM], HIGH, []),
        ([LOW, CRITICAL, HIGH], CRITICAL, [CRITICAL, HIGH]),
        ([LOW, CRITICAL, HIGH], HIGH, [CRITICAL, HIGH]),
    ],
)
def test_what_a_fix_round_gets_follows_from_the_severity_that_was_chosen(
    severities: list[str], fix: str, fixed: list[str]
) -> None:
    found = [Finding("quality", severity, "rule", "text") for severity in severities]

    assert [each.severity for each in to_fix(found, fix)] == fixed


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("Critical", CRITICAL),
        ("**blocker**", CRITICAL),
        ("ERROR", HIGH),
        ("nit", LOW),
        ("catastrophic-ish", MEDIUM),
    ],
)
def test_words_for_severities_are_understood(word: str, severity: str) -> None:
    assert severity_of(word) == severity


def test_checks_belong_to_dimensions() -> None:
    given = ["secrets", "tests_edited", "dependencies", "criteria", "Performance", "whatever"]

    assert [dimension_of(word) for word in given] == [
        "security",
        "quality",
        "architecture",
        "requirements",
        "quality",
        "quality",
    ]

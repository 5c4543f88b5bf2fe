"""Weaknesses under other names, without words, and entries that say there are none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.test_critiques_read import CRITICAL, PASSWORDS, read
from workers.agents.replies import parse
from workers.documents.content import Critique, Weakness


@pytest.mark.parametrize("name", ["weakness", "Issues", "problems", "concerns", "findings"])
@pytest.mark.parametrize("own", [{}, {"weaknesses": []}, {"weaknesses": ["wordy"]}])
def test_weaknesses_are_taken_under_other_names_too(name: str, own: dict[str, Any]) -> None:
    critique, lost = read({"rating": 5, **own, name: [CRITICAL]})

    assert critique.weaknesses[-1] == Weakness(text=PASSWORDS, severity="critical")
    assert (len(critique.weaknesses), lost) == (1 + len(own.get("weaknesses", [])), ())


@pytest.mark.parametrize("unknown", [[CRITICAL], {"auth": {"text": PASSWORDS}}, [PASSWORDS]])
def test_words_under_an_unknown_name_are_asked_for_again(unknown: Any) -> None:
    parsed = parse(json.dumps({"rating": 5, "showstoppers": unknown}), Critique)

    assert not parsed.good
    assert parsed.lost[0].startswith("showstoppers: ")


def test_what_has_no_words_under_an_unknown_name_is_passed_over() -> None:
    _, lost = read(
        {"rating": 5, "usage": {"tokens": 12}, "blockers": [], "gaps": ["none"], "summary": "good"}
    )

    assert lost == ()


@pytest.mark.parametrize(
    ("entry", "severity"),
    [
        ({"severity": "critical", "text": True}, "critical"),
        ({"severity": "high", "text": [{"n": 1}]}, "high"),
        ({"severity_level": "critical"}, "critical"),
    ],
)
def test_a_grave_weakness_without_words_counts_and_is_asked_for_again(entry: Any, severity: str) -> None:
    critique, lost = read({"rating": 5, "weaknesses": [entry]})

    assert [weakness.severity for weakness in critique.weaknesses] == [severity]
    assert lost[0].startswith("weaknesses.0.text: ")


@pytest.mark.parametrize("entry", [{"text": "a", "effort": "low"}, {"text": "a", "info": "see page 3"}])
def test_a_mark_of_something_else_makes_no_weakness_milder(entry: Any) -> None:
    critique, _ = read({"rating": 4, "weaknesses": [entry]})

    assert critique.weaknesses[0].severity == "medium"


@pytest.mark.parametrize(
    "none",
    ["No critical issues found", "No weaknesses.", "no major or critical concerns", "None", "Nothing critical.",
     "There are no serious problems at this stage", "No issues were identified.", "没有严重问题", "无重大问题。"],
)  # fmt: skip
@pytest.mark.parametrize("form", [str, lambda text: {"text": text}, lambda text: {"critical": text}])
def test_an_entry_that_says_there_is_none_is_no_weakness(none: str, form: Any) -> None:
    critique, lost = read({"rating": 5, "weaknesses": [form(none)]})

    assert (critique.weaknesses, lost) == ([], ())


@pytest.mark.parametrize(
    "text",
    ["No problem statement", "No issue tracker is named", "No high availability", "No authentication",
     "No critical issues, but no backup", "Nothing is encrypted", "No critical path",
     f"None{'.' * 90}but no backup"],
)  # fmt: skip
def test_an_entry_that_says_something_is_missing_is_a_weakness(text: str) -> None:
    critique, _ = read({"rating": 5, "weaknesses": [text]})

    assert [weakness.text for weakness in critique.weaknesses] == [text]

"""Fix rounds as plan tasks: each has an id of its own, and so have its criteria, which tests are linked to."""

from __future__ import annotations

import pytest

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import Plan
from workers.landing.work_plans import fix_task

FOUND = [
    {"severity": "high", "path": "app.py", "line": 3, "text": "a handle is never closed", "fix": "close it"},
    {"severity": "low", "path": "", "line": 0, "text": "no test shows C2", "fix": ""},
]


@pytest.mark.parametrize(
    ("given", "id"),
    [
        ({"round": 2}, "FIX-002"),
        ({"round": 1, "of": "QA-FE", "number": 1}, "FIX-FE-001"),
        ({"round": 1, "of": "QA-FE", "number": 3}, "FIX-FE-003"),
        ({"round": 1, "of": "QA-FE"}, "FIX-FE-001"),
    ],
)
def test_a_fix_round_and_its_criteria_have_ids_of_their_own(given: JsonObject, id: str) -> None:
    task = fix_task(Plan(summary=""), {**given, "findings": FOUND})

    assert task.id == id
    assert [(each.id, each.text) for each in task.criteria] == [
        (f"{id}-C1", "[high] app.py:3: a handle is never closed (close it)"),
        (f"{id}-C2", "[low] no test shows C2"),
    ]


@pytest.mark.parametrize(("rule", "kind"), [("requirement_missing", "feature"), ("regression", "refactor")])
def test_a_fix_round_that_builds_what_is_missing_is_shown_by_tests_as_a_feature_is(
    rule: str, kind: str
) -> None:
    found = [*FOUND, {**FOUND[0], "rule": rule}]

    assert fix_task(Plan(summary=""), {"round": 1, "findings": found}).kind == kind

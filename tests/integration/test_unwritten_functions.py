"""One test that is named for everything: criteria of functions that nobody wrote are not met."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cli.apply import _warn_unmet
from orchestrator.cli.report import print_review
from orchestrator.views import reviews
from tests import invariants
from tests.work.editing import Editing, building
from tests.work.lanes import lanes

NAMES = ("say", "mumble", "whisper")
SHARED = "tests/test_part_1.py::Part::test_it_says_its_number"


def test_a_test_named_for_several_criteria_shows_only_those_whose_code_it_mentions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = lanes(1)
    listed = [
        {
            "id": f"TASK-001-C{number}",
            "text": f"Add a function {name}(text) that gives 1",
            "refs": ["REQ-001"],
        }
        for number, name in enumerate(NAMES, 1)
    ]
    task = {**one.tasks[0], "convergence": {"criteria": listed}}
    claims = [{"id": each["id"], "files": ["parts/part_1.py"], "tests": [SHARED]} for each in listed]
    answers = {"TASK-001": {**one.answer("TASK-001"), "criteria": claims}}
    agent = Editing(replace(one, tasks=(task,)), answers=answers)
    harness = building(tmp_path, agent)

    harness.run(harness.until("REVIEW-001"))

    record = json.loads(harness.text("qa/impl-IMPL-001.json"))["criteria"]
    assert [(each["verified"], each["not_mentioned"]) for each in record] == [
        ("test", []),
        ("change", ["mumble"]),
        ("change", ["whisper"]),
    ]
    review = json.loads(harness.text("qa/review-REVIEW-001.json"))
    assert [each["met"] for each in review["criteria"]] == ["met", "unmet", "unmet"]
    assert "named test does not mention `mumble`" in review["criteria"][1]["by"]
    assert review["verdict"] == "CONDITIONAL"
    assert [each["rule"] for each in review["findings"] if each["severity"] == "high"] == 2 * [
        "criterion_unmet"
    ]
    rows = [
        line for line in harness.text("qa/pull-request.md").split("\n") if line.startswith("| TASK-001-C")
    ]
    assert ["does not mention" in row for row in rows] == [False, True, True]
    unmet = harness.store.read(lambda tx: reviews.unmet(tx, harness.session))
    assert [each["id"] for each in unmet] == ["TASK-001-C2", "TASK-001-C3"]
    overview = harness.store.read(lambda tx: reviews.newest(tx, harness.session))
    assert overview is not None and overview["must"]["criteria"] == 3
    print_review(overview)
    shown = capsys.readouterr().out
    assert "unmet: 2 of 3 Must" in " ".join(shown.split())
    page = harness.text("qa/pull-request.md")
    told, _, left = page.partition("## Review\n")[2].partition("## Open\n")
    assert [line[:20] for line in told.split("\n") if "C2" in line or "C3" in line] == [
        "- high: TASK-001-C2 ",
        "- high: TASK-001-C3 ",
    ]
    assert "TASK-001-C2" not in left and "TASK-001-C3" not in left
    _warn_unmet(unmet)
    assert "TASK-001-C2: Add a function mumble(text)" in capsys.readouterr().err
    invariants.check(harness.store.path)

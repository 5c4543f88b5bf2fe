"""From a plan to landed commits: real repositories, real test runs, agents that edit as a test tells them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import invariants
from tests.git_world import as_left, git
from tests.work.editing import Editing, building, landed, until_idle, without_review
from tests.work.repositories import COMMON


@pytest.mark.parametrize("name", ["python-unittest", pytest.param("python-flat", marks=pytest.mark.long)])
def test_each_plan_task_lands_as_one_commit_with_its_evidence(tmp_path: Path, name: str) -> None:
    fixture = COMMON[name]
    harness = building(tmp_path, Editing(fixture))
    without_review(harness)
    before = as_left(harness.project)

    done = until_idle(harness)

    assert harness.state().status == "completed", harness.state().pause_detail
    assert done[0] == "PLAN-001"
    assert sorted(landed(harness)) == sorted(str(task["title"]) for task in fixture.tasks)
    record = json.loads(harness.text("qa/impl-IMPL-001.json"))
    assert record["tests"]["regressions"] == []
    assert record["tests"]["bites"] is True
    assert {each["verified"] for each in record["criteria"]} == {"test"}
    assert as_left(harness.project) == before
    branch = f"lifecycle/{harness.session}"
    git(harness.project, "clone", "-q", "--branch", branch, ".", str(tmp_path / "clone"))
    invariants.check(harness.store.path)

"""From a plan to landed commits: real repositories, real test runs, agents that edit as a test tells them."""

from __future__ import annotations

import json
from pathlib import Path

from orchestrator.store import tasks, transitions
from tests import invariants
from tests.git_world import as_left, git
from tests.runtime_harness import RuntimeHarness
from tests.work.editing import Editing, building, landed, until_idle
from tests.work.repositories import COMMON

FLAT = COMMON["python-flat"]


def without_review(harness: RuntimeHarness) -> None:
    row = harness.store.read(lambda tx: tasks.task(tx, harness.session, "REVIEW-001"))
    assert row is not None
    assert harness.store.write(lambda tx: transitions.skip(tx, row.id))


def test_each_plan_task_lands_as_one_commit_with_its_evidence(tmp_path: Path) -> None:
    harness = building(tmp_path, Editing(FLAT))
    without_review(harness)
    before = as_left(harness.project)

    done = until_idle(harness)

    assert harness.state().status == "completed", harness.state().pause_detail
    assert done[0] == "PLAN-001"
    assert landed(harness) == [FLAT.task(key)["title"] for key in FLAT.order()]
    record = json.loads(harness.text("qa/impl-IMPL-001.json"))
    assert record["tests"]["regressions"] == []
    assert record["tests"]["bites"] is True
    assert {each["verified"] for each in record["criteria"]} == {"test"}
    assert as_left(harness.project) == before
    branch = f"lifecycle/{harness.session}"
    git(harness.project, "clone", "-q", "--branch", branch, ".", str(tmp_path / "clone"))
    invariants.check(harness.store.path)

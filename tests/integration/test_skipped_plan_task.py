"""A session goes on without a plan task that a person has skipped: its criteria are said, and make no fix round."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.commands.resume import Answer, resume
from tests.runtime_harness import RuntimeHarness
from tests.work.editing import Editing, building, landed, until_idle
from tests.work.lanes import lanes


def skipping(folder: Path, count: int, options: dict[str, str]) -> RuntimeHarness:
    """The session whose first plan task never passes its checks, after a person has skipped it, to its end."""
    agent = Editing(lanes(count), turns={"TASK-001": [{"parts/part_1.py": "def say():\n    return 1\n"}]})
    harness = building(folder, agent)
    row = harness.until("IMPL-001")
    harness.sql(f"UPDATE sessions SET options = '{json.dumps(options)}'")
    harness.sql("UPDATE tasks SET max_attempts = 1 WHERE key = 'IMPL-001'")
    harness.run(row._replace(max_attempts=1))
    until_idle(harness)
    assert (harness.state().status, harness.state().pause_reason) == ("paused", "task_failed")
    resume(harness.store, None, Answer("ann", skip="IMPL-001"), more_attempts=3)
    until_idle(harness)
    return harness


@pytest.mark.parametrize(("count", "subjects"), [(1, []), (2, ["Part 2"])])
@pytest.mark.parametrize("options", [{}, {"fix": "high"}])
def test_a_session_goes_on_without_a_skipped_plan_task(
    tmp_path: Path, count: int, subjects: list[str], options: dict[str, str]
) -> None:
    harness = skipping(tmp_path, count, options)

    keys = [key for (key,) in harness.rows("SELECT key FROM tasks")]
    assert not [key for key in keys if "fix" in key], keys
    assert (harness.state().status, landed(harness) if subjects else []) == ("completed", subjects)
    review = json.loads(harness.text("qa/review-REVIEW-001.json"))
    told = {each["rule"]: each for each in review["findings"]}
    assert review["verdict"] == "CONDITIONAL"
    assert told["criterion_skipped"]["text"].startswith("TASK-001-C1 is not met, since ann skipped TASK-001")
    assert {"requirement_missing", "criterion_unmet"}.isdisjoint(told)
    assert review["criteria"][0]["met"] == "skipped"

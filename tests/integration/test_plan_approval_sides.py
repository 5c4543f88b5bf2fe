"""A plan of both sides that waits for a person: approved, or edited, each side gets its own tasks (docs/frontend.md)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.coordinator.projector import project
from tests import invariants
from tests.integration.test_plan_approval import SECOND, answer, carried_out, edit, reject, rows
from tests.plans import changes, content, planning, told
from tests.runtime_harness import RuntimeHarness

FILES = {
    "README.md": "# Names\n",
    "src/app.py": "def find(name):\n    return None\n",
    "web/index.html": "<!doctype html>\n<title>Names</title>\n",
}
BACK = changes(1, "src/app.py", side="backend")
FRONT = changes(2, "web/index.html", side="frontend")


def waiting(folder: Path, mode: str, *plans: object) -> RuntimeHarness:
    harness = planning(folder, told(*plans), files=FILES, mode=mode, approve_plan=True)
    harness.run()
    assert harness.state().pause_reason == "plan_approval"
    assert carried_out(harness) == {}
    return harness


def test_approval_of_a_plan_of_both_sides_gives_each_its_tasks_and_judges(tmp_path: Path) -> None:
    harness = waiting(tmp_path, "fullstack", content(BACK, FRONT))

    answer(harness)

    made = rows(harness)
    assert carried_out(harness) == {"IMPL-001": "TASK-001", "DEV-FE-001": "TASK-002"}
    assert {made[key].role for key in ("IMPL-001", "DEV-FE-001")} == {"executor", "fe-developer"}
    assert "DEV-FE-001" in made["QA-FE-001"].blocked_by
    assert {"IMPL-001", "DEV-FE-001"}.isdisjoint(key for key, row in made.items() if row.status != "pending")
    invariants.check(harness.store.path)


def test_a_side_that_was_edited_by_hand_is_the_one_that_is_approved(tmp_path: Path) -> None:
    harness = waiting(tmp_path, "fullstack", content(BACK, FRONT))
    project(harness.store, harness.session)
    edit(harness, SECOND, side="backend")

    answer(harness, token=True)

    assert carried_out(harness) == {"IMPL-001": "TASK-001", "IMPL-002": "TASK-002"}
    assert (rows(harness)["DEV-FE-001"].status, rows(harness)["QA-FE-001"].status) == ("skipped", "pending")
    invariants.check(harness.store.path)


@pytest.mark.parametrize(
    ("mode", "second", "made"),
    [
        ("fullstack", [BACK], {"IMPL-001": "TASK-001"}),
        ("fullstack", [FRONT], {"DEV-FE-001": "TASK-002"}),
        ("fe-only", [FRONT], {"DEV-FE-001": "TASK-002"}),
    ],
)
def test_a_rejected_plan_makes_nothing_and_the_next_one_is_asked_about_again(
    tmp_path: Path, mode: str, second: list[dict[str, object]], made: dict[str, str]
) -> None:
    first = content(FRONT) if mode == "fe-only" else content(BACK, FRONT)
    harness = waiting(tmp_path, mode, first, content(*second))

    reject(harness, "only one side")
    harness.run()

    assert harness.state().pause_reason == "plan_approval" and carried_out(harness) == {}
    answer(harness)
    assert carried_out(harness) == made
    invariants.check(harness.store.path)
    assert json.loads(harness.text("plan/plan.json"))["task_ids"] == sorted(made.values())

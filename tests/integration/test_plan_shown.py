"""What `check` shows of a plan that waits for approval agrees with itself, and with the plan as it is edited by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from orchestrator.cli.drawing_plan import plan_lines
from orchestrator.domain.plan import PLAN
from orchestrator.store import edits
from orchestrator.views.session_plan import plan_view, session_plan
from tests.integration.test_plan_approval import FIRST, TWO, edit, waiting
from tests.plans import changes, content
from tests.runtime_harness import RuntimeHarness
from tests.work.editing import Editing, building, until_idle
from tests.work.lanes import lanes
from workers.agents.protocol import AgentReply, AgentRequest, Usage

UNKNOWN = "names no files, so no other task runs beside it"


def shown(harness: RuntimeHarness) -> dict[str, Any]:
    edited = harness.store.read(lambda tx: edits.edited(tx, harness.session))
    found = harness.store.read(lambda tx: session_plan(tx, harness.session, edited))
    assert found is not None
    return harness.store.read(lambda tx: plan_view(tx, found))


def notes(harness: RuntimeHarness) -> list[str]:
    return [text for label, text in plan_lines(shown(harness)) if label == "Note" and UNKNOWN in text]


def test_a_warning_is_said_once_and_not_any_more_when_an_edit_has_settled_it(tmp_path: Path) -> None:
    harness = waiting(tmp_path, content(changes(1), changes(2, "src/app.py")))
    before = notes(harness)

    edit(harness, FIRST, files=[{"path": "src/other.py", "action": "modify"}])

    assert before == [f"TASK-001 {UNKNOWN}"]
    assert notes(harness) == []
    assert UNKNOWN in harness.text("plan/plan.md")


def test_an_unknown_key_is_a_fault_that_names_the_near_one(tmp_path: Path) -> None:
    harness = waiting(tmp_path, TWO)

    edit(harness, FIRST, filez=[{"path": "src/other.py", "action": "modify"}])
    edit(harness, PLAN, test={"comands": ["make"]})

    faults = " ".join(shown(harness)["faults"])
    assert "unknown key 'filez'; did you mean 'files'?" in faults
    assert "unknown key 'comands'; did you mean 'commands'?" in faults


def test_of_a_task_that_was_added_by_hand_it_is_said_who_adds_one(tmp_path: Path) -> None:
    harness = waiting(tmp_path, content(changes(1, "src/app.py")))
    folder = harness.store.workflow / ".team" / harness.session / "plan/.task"
    added = {**json.loads((folder / "TASK-001.json").read_text()), "id": "TASK-002"}
    (folder / "TASK-002.json").write_text(json.dumps(added))

    edit(harness, PLAN, task_ids=["TASK-001", "TASK-002"])

    (fault,) = shown(harness)["faults"]
    assert "a task cannot be added by hand" in fault and 'lifecycle feedback "..."' in fault


class Paid(Editing):
    """Its work has a price."""

    def work(self, request: AgentRequest) -> AgentReply:
        found = super().work(request)
        return AgentReply(found.text, found.data, self.name, usage=Usage("m", 10, 10, cost_usd=0.5))


def test_the_estimate_comes_from_what_tasks_of_plans_have_cost(tmp_path: Path) -> None:
    harness = building(tmp_path, Paid(lanes(2)))
    harness.run()
    before = shown(harness)["estimate"]

    until_idle(harness)

    after = shown(harness)["estimate"]
    assert (before["usd"], before["seen"]) == (None, 0)
    assert (after["usd"], after["seen"]) == (1.0, 2)

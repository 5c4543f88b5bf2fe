"""A person's words for a plan and the built-in planner: they reach the task that they are for, and nothing else changes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.commands import rework
from orchestrator.coordinator.projector import project
from orchestrator.views.impact import impact
from tests import invariants
from tests.integration.test_plan_approval import edit
from tests.plans import planning
from tests.runtime_harness import RuntimeHarness
from tests.work.editing import Editing, building, until_idle
from tests.work.lanes import lanes
from tests.work.repositories import apply
from workers.agents.protocol import AgentReply, AgentRequest
from workers.builtin import BuiltinAgent

TWO = lanes(2)
FIRST, SECOND = "plan/.task/TASK-001.json", "plan/.task/TASK-002.json"
SAID = "part_2 must say 12 instead of 2"


@dataclass
class ByRule(Editing):
    """Plans that follow another are made by rule."""

    def ask(self, request: AgentRequest) -> AgentReply:
        if request.kind == "plan" and request.task != "PLAN-001":
            self.requests.append(request)
            return BuiltinAgent().ask(request)
        return super().ask(request)


def twelve(tree: Path) -> None:
    """Makes part 2 as planned, and says 12 where it is there already."""
    is_there = (tree / "parts/part_2.py").is_file()
    apply(TWO.gold["TASK-002"], tree)
    if is_there:
        for path, old in (("parts/part_2.py", "return 2"), ("tests/test_part_2.py", "say(), 2")):
            file = tree / path
            file.write_text(file.read_text().replace(old, old.replace("2", "12")))


def by_rule() -> ByRule:
    return ByRule(TWO, turns={"TASK-002": [twelve]})


def built(folder: Path, agent: ByRule) -> RuntimeHarness:
    harness = building(folder, agent)
    until_idle(harness)
    assert harness.state().status == "completed"
    return harness


def tell(harness: RuntimeHarness, words: str) -> list[str]:
    """Revise the plan with these words; the tasks that ran."""
    rework.revise(harness.store, None, "PLAN-001", words, force=True, who="ann", max_attempts=3)
    return until_idle(harness)


def task(harness: RuntimeHarness, path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(harness.text(path))
    return found


def promised(harness: RuntimeHarness, words: str) -> dict[str, Any]:
    session = harness.state()
    return harness.store.read(lambda tx: impact(tx, session, "PLAN-001", harness.project, words))


def test_words_for_a_plan_that_is_carried_out_reach_the_task_that_they_are_for(tmp_path: Path) -> None:
    agent = by_rule()
    harness = built(tmp_path, agent)
    first, second = harness.text(FIRST), task(harness, SECOND)
    promise = promised(harness, SAID)

    ran = tell(harness, SAID)

    now = task(harness, SECOND)
    assert harness.text(FIRST) == first
    assert now["description"].startswith(second["description"]) and SAID in now["description"]
    old, new = now["convergence"]["criteria"]
    assert [old] == second["convergence"]["criteria"]
    assert new["text"] == f"Asked for by a person: {SAID}"
    assert [each["path"] for each in now["files"]] == [each["path"] for each in second["files"]]
    (asked,) = [each.prompt for each in agent.requests if each.task == "IMPL-002-R1"]
    assert SAID in asked
    assert ran[:2] == ["PLAN-001-R1", "IMPL-002-R1"] and "IMPL-001-R1" not in ran
    assert [each["task"] for each in promise["runs"]] == ran
    assert [each["task"] for each in promise["kept"]] == ["IMPL-001"]
    assert not [text for kind, text in harness.said() if "Not done, because" in str(text)]
    invariants.check(harness.store.path)


def test_words_that_the_plan_has_already_change_nothing(tmp_path: Path) -> None:
    harness = built(tmp_path, by_rule())
    tell(harness, SAID)
    before = harness.text(FIRST), harness.text(SECOND)

    ran = tell(harness, SAID)

    assert ran == ["PLAN-001-R2"]
    assert (harness.text(FIRST), harness.text(SECOND)) == before
    assert "the plan is unchanged" in str([text for _, text in harness.said()])
    assert harness.state().status == "completed"


def test_feedback_on_a_plan_keeps_what_was_edited_by_hand(tmp_path: Path) -> None:
    harness = planning(
        tmp_path, request="Show the name. It must return 404 for an unknown name.", approve_plan=True
    )
    harness.run()
    project(harness.store, harness.session)
    files = [{"path": "src/app.py", "action": "modify", "change": "find()"}]
    edit(harness, FIRST, title="Find names", files=files)

    rework.feedback(harness.store, None, "it must return 410 for a deleted name", who="ann", max_attempts=3)
    until_idle(harness)

    now = task(harness, FIRST)
    assert (now["title"], now["files"]) == ("Find names", files)
    assert "it must return 410 for a deleted name" in now["description"]
    texts = [each["text"] for each in now["convergence"]["criteria"]]
    assert any("404" in text for text in texts) and any("410" in text for text in texts)
    assert harness.state().pause_reason == "plan_approval"

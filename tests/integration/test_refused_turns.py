"""What refused the turns of an attempt is kept, and a change that was refused before ends its attempt at once."""

from __future__ import annotations

import json
from pathlib import Path

from orchestrator.commands.resume import Answer, resume
from orchestrator.views.cost import run_views
from tests.work.editing import Editing, building, until_idle
from tests.work.lanes import lanes

ONE = lanes(1)
WRONG = {**ONE.gold["TASK-001"], "parts/part_1.py": "def say():\n    return 'nothing of it'\n"}
UNTESTED = {"parts/part_1.py": "def say():\n    return 1\n"}


def test_what_refused_each_turn_is_told_with_what_the_tests_printed(tmp_path: Path) -> None:
    agent = Editing(
        ONE, turns={"TASK-001": [WRONG, {**WRONG, "parts/more.py": ""}, {**WRONG, "parts/other.py": ""}]}
    )
    harness = building(tmp_path, agent)

    harness.run(harness.until("IMPL-001"))

    (view,) = harness.store.read(lambda tx: run_views(tx, harness.session, "IMPL-001"))
    assert (view["outcome"], view["agent"]) == ("failed", "editing")
    assert [each["turn"] for each in view["refused"]] == [1, 2, 3]
    first = view["refused"][0]
    assert first["findings"][0]["rule"] == "new_test_fails" and first["agent"] == "editing"
    assert "'nothing of it' != 1" in first["printed"]


def test_a_change_that_was_refused_before_ends_each_further_attempt_after_one_turn(tmp_path: Path) -> None:
    agent = Editing(ONE, turns={"TASK-001": [UNTESTED]})
    harness = building(tmp_path, agent)
    harness.run(harness.until("IMPL-001"))

    done = until_idle(harness)

    errors = [
        error for (error,) in harness.rows("SELECT error FROM runs WHERE task_id IS NOT NULL AND error != ''")
    ]
    assert done == ["IMPL-001", "IMPL-001"]
    said = harness.rows("SELECT data FROM messages WHERE type = 'error' ORDER BY number")
    assert [json.loads(data)["retry_in_seconds"] for (data,) in said] == [0, 0, None], "no wait between them"
    assert (harness.state().status, harness.state().pause_reason) == ("paused", "task_failed")
    assert "a repair changed nothing" in errors[0]
    assert all("after 1 turn; the same change was refused before" in each for each in errors[1:])
    asked = [each.prompt for each in agent.requests if each.edits]
    assert len(asked) == 4
    assert ["no_test_shows_it" in each for each in asked] == [False, True, True, True]

    resume(harness.store, None, Answer("me", retry="IMPL-001"), more_attempts=3)

    assert until_idle(harness) == ["IMPL-001"] * 3, "at once"
    assert sum(each.edits for each in agent.requests) == 7

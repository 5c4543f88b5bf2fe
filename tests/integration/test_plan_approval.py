"""A plan that waits for a person: approved as shown or as edited, refused with its faults, made anew (docs/planning.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands import rework
from orchestrator.commands.resume import Answer, resume
from orchestrator.commands.reworked import Reworked
from orchestrator.commands.specification import Specification
from orchestrator.coordinator.projector import project
from orchestrator.domain.approvals import parse_token
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.plan import PLAN
from orchestrator.store import artifacts, decisions, sessions, tasks
from orchestrator.store.rows import Task
from orchestrator.views import approvals
from orchestrator.views.check import overview
from tests import invariants
from tests.plans import changes, content, planning, told
from tests.runtime_harness import RuntimeHarness, Told

FIRST, SECOND = "plan/.task/TASK-001.json", "plan/.task/TASK-002.json"
TWO = content(changes(1, "src/app.py"), changes(2, "src/other.py"))


def waiting(folder: Path, plan: Any = TWO, **more: Any) -> RuntimeHarness:
    """A session whose plan waits for approval, its files written."""
    harness = planning(folder, Told("planning", {"plan": plan}), approve_plan=True, **more)
    harness.run()
    project(harness.store, harness.session)
    assert harness.state().pause_reason == "plan_approval"
    return harness


def edit(harness: RuntimeHarness, path: str, **change: Any) -> None:
    file = harness.store.workflow / ".team" / harness.session / path
    value = json.loads(file.read_text())
    file.write_text(json.dumps({**value, **change}, indent=2))


def answer(harness: RuntimeHarness, *, token: bool = False, **given: Any) -> list[str]:
    """Resume; its warnings."""
    expect = None
    if token:
        found = harness.store.read(lambda tx: approvals.approval(tx, harness.state()))
        assert found is not None
        expect = parse_token(found.token)
    done = resume(harness.store, None, Answer("ann", expect=expect, **given), more_attempts=3)
    return list(done.warnings)


def reject(harness: RuntimeHarness, words: str, task: str | None = None) -> None:
    rework.feedback(harness.store, None, words, who="ann", max_attempts=3, task=task)


def rows(harness: RuntimeHarness) -> dict[str, Task]:
    return {row.key: row for row in harness.store.read(lambda tx: tasks.all_tasks(tx, harness.session))}


def carried_out(harness: RuntimeHarness) -> dict[str, str]:
    return {key: row.payload["plan_task"] for key, row in rows(harness).items() if "plan_task" in row.payload}


def test_approval_makes_the_tasks_from_the_approved_digest(tmp_path: Path) -> None:
    harness = waiting(tmp_path)
    assert carried_out(harness) == {}

    answer(harness)

    (decision,) = harness.store.read(lambda tx: decisions.decisions_of(tx, harness.session))
    assert carried_out(harness) == {"IMPL-001": "TASK-001", "IMPL-002": "TASK-002"}
    assert {row.payload["plan_digest"] for key, row in rows(harness).items() if key.startswith("IMPL")} == {
        decision.digest
    }
    assert decision.subject == "approve_plan PLAN-001"
    assert harness.state().status == "active"
    assert "plan_approved" in [kind for kind, _ in harness.said()]
    invariants.check(harness.store.path)


def test_an_edit_by_hand_is_read_and_carried_out(tmp_path: Path) -> None:
    harness = waiting(tmp_path)
    edit(harness, SECOND, files=[{"path": "src/app.py", "action": "modify", "change": "also here"}])

    with pytest.raises(NotAllowedNow, match="has changed since it paused"):
        answer(harness)
    warnings = answer(harness, token=True)

    assert any("edited by hand" in text for text in warnings)
    assert rows(harness)["IMPL-002"].blocked_by == (
        "PLAN-001",
        "IMPL-001",  # both change src/app.py now
        "ARCH-001",
    )
    invariants.check(harness.store.path)


def test_a_task_that_was_taken_out_by_hand_is_not_made(tmp_path: Path) -> None:
    harness = waiting(tmp_path)
    edit(harness, PLAN, task_ids=["TASK-002"])

    answer(harness, token=True)

    assert carried_out(harness) == {"IMPL-001": "TASK-002"}


@pytest.mark.parametrize(
    ("path", "change", "said"),
    [
        (FIRST, {"files": [{"path": "src/gone.py", "action": "modify"}]}, "src/gone.py is not there"),
        (FIRST, {"files": [{"path": "../x", "action": "create"}]}, "'.' or '..' part"),
        (FIRST, {"refs": ["REQ-001"]}, "cites 'REQ-001'"),
        (FIRST, {"depends_on": [{"id": "TASK-002"}], "kind": "magic"}, "unknown kind"),
        (SECOND, {"depends_on": [{"id": "TASK-002"}]}, "waits for itself"),
        (PLAN, {"base_commit": "0" * 40}, "the work starts from it"),
        (PLAN, {"spec_digest": "x"}, "is not that of the specification"),
    ],
)
def test_a_faulty_edit_is_refused_with_its_line_and_changes_nothing(
    tmp_path: Path, path: str, change: dict[str, Any], said: str
) -> None:
    harness = waiting(tmp_path)
    edit(harness, path, **change)
    before = harness.rows("SELECT max(number) FROM messages")

    with pytest.raises(NotAllowedNow) as refused:
        answer(harness, token=True)

    text = "\n".join(refused.value.lines())
    assert said in text
    line = int(text.split(f"{path}:")[1].split(":")[0])
    assert line > 1
    assert refused.value.exit_code == 2
    assert harness.rows("SELECT max(number) FROM messages") == before
    assert harness.state().pause_reason == "plan_approval"
    assert carried_out(harness) == {}


def test_an_edit_that_is_no_json_names_its_line(tmp_path: Path) -> None:
    harness = waiting(tmp_path)
    file = harness.store.workflow / ".team" / harness.session / PLAN
    file.write_text(file.read_text().replace('"summary":', '"summary"', 1))

    with pytest.raises(NotAllowedNow) as refused:
        answer(harness, token=True)

    assert "is no JSON" in refused.value.why
    assert f"{PLAN}:" in refused.value.why


def test_rejection_has_the_plan_made_anew_twice_and_no_third_time(tmp_path: Path) -> None:
    agent = Told("planning", {"plan": TWO})
    harness = planning(tmp_path, agent, approve_plan=True)
    harness.run()

    for number in (1, 2):
        reject(harness, f"smaller steps {number}")
        assert harness.state().status == "active"
        assert rows(harness)["IMPL-001"].unmet == 1
        harness.run()
        assert harness.state().pause_reason == "plan_approval"

    assert "smaller steps 1" in agent.requests[2].prompt
    assert "smaller steps 2" in agent.requests[2].prompt
    assert "plan_revision" in [kind for kind, _ in harness.said()]
    with pytest.raises(NotAllowedNow, match="made anew 2 times"):
        reject(harness, "again")
    commands = [each["command"] for each in shown(harness)["pause"]["actions"]]
    assert [each.split()[1] for each in commands] == ["resume", "cancel"]

    answer(harness)

    assert set(rows(harness)["IMPL-002"].blocked_by) == {
        "PLAN-001",
        "PLAN-001-R1",
        "PLAN-001-R2",
        "ARCH-001",
    }
    assert harness.state().status == "active"
    invariants.check(harness.store.path)


def test_feedback_that_names_another_task_is_refused(tmp_path: Path) -> None:
    harness = waiting(tmp_path)

    with pytest.raises(NotAllowedNow, match="about the plan of PLAN-001"):
        reject(harness, "smaller", task="IMPL-001")


def revise(harness: RuntimeHarness, words: str) -> Reworked:
    return rework.revise(harness.store, None, "PLAN-001", words, force=False, who="ann", max_attempts=3)


def test_a_plan_that_is_carried_out_has_nothing_to_follow_without_a_change(tmp_path: Path) -> None:
    harness = waiting(tmp_path)
    answer(harness)
    before = rows(harness)

    with pytest.raises(NotAllowedNow, match="nothing to follow"):
        revise(harness, "")

    assert rows(harness) == before


def test_a_plan_that_is_to_be_approved_is_rejected_and_not_revised(tmp_path: Path) -> None:
    harness = planning(tmp_path, Told("planning", {"plan": TWO}), approve_plan=True)
    row = harness.claim()
    harness.store.write(lambda tx: sessions.pause(tx, harness.session, PauseReason.USER, {}))
    harness.run(row)

    with pytest.raises(NotAllowedNow, match="waits for your approval"):
        rework.revise(harness.store, None, "PLAN-001", "x", force=False, who="ann", max_attempts=3)
    answer(harness)

    assert harness.state().pause_reason == "plan_approval"
    assert carried_out(harness) == {}
    answer(harness)
    assert len(carried_out(harness)) == 2
    invariants.check(harness.store.path)


SPEC = "# Names\n\n- REQ-001 (Must): find() must return a name.\n- REQ-002 (Must): x must be 1.\n"


def test_after_a_rejected_plan_the_next_one_follows_the_one_that_was_carried_out(tmp_path: Path) -> None:
    first, second = changes(1, "src/app.py", refs=["REQ-001"]), changes(2, "src/other.py", refs=["REQ-002"])
    gone = changes(3, "src/other.py", action="delete", kind="remove", refs=["REQ-002"])
    more = changes(4, "README.md", refs=["REQ-001"])
    agent = told(content(first, second), content(gone, more), content(gone))
    harness = planning(
        tmp_path, agent, approve_plan=True, spec=Specification("s", {"spec/s.md": SPEC.encode()})
    )
    harness.run()
    answer(harness)
    carry_out(harness)
    withdrawn = "".join(SPEC.splitlines(keepends=True)[:-1]).encode()
    harness.store.write(lambda tx: brought(tx, harness.session, "spec/s.md", withdrawn))
    revise(harness, "")
    harness.run()
    assert json.loads(harness.text(PLAN))["task_ids"] == ["TASK-001", "TASK-003", "TASK-004"]

    reject(harness, "only take it out")
    harness.run()

    prompt = agent.requests[-1].prompt
    assert "REQ-002 withdrawn" in prompt and "only take it out" in prompt
    assert json.loads(harness.text(PLAN))["task_ids"] == ["TASK-001", "TASK-003"]
    detail = harness.state().pause_detail
    assert detail is not None
    assert detail["delta"] == {
        "kept": ["TASK-001"],
        "changed": [],
        "new": ["TASK-003"],
        "dropped": ["TASK-002"],
    }
    answer(harness)
    assert carried_out(harness)["IMPL-003"] == "TASK-003"


def test_a_task_that_a_rejected_plan_changed_is_written_as_it_was(tmp_path: Path) -> None:
    first, second = changes(1, "src/app.py"), changes(2, "src/other.py")
    louder = {**second, "title": "x in words"}
    agent = told(content(first, second), content(first, louder), content({**first, "title": "first"}, second))
    harness = planning(tmp_path, agent, approve_plan=True)
    harness.run()
    answer(harness)
    carry_out(harness)
    accepted = json.loads(harness.text(SECOND))["title"]
    revise(harness, "louder")
    harness.run()
    assert json.loads(harness.text(SECOND))["title"] == "x in words"

    reject(harness, "the first one")
    harness.run()

    assert json.loads(harness.text(SECOND))["title"] == accepted
    answer(harness)
    made = carried_out(harness)
    assert made["IMPL-001-R1"] == "TASK-001" and "IMPL-002-R1" not in made


def carry_out(harness: RuntimeHarness) -> None:
    """All tasks are done, whoever did them."""
    harness.sql("UPDATE tasks SET status = 'completed', finished_at = created_at WHERE status != 'completed'")


def shown(harness: RuntimeHarness) -> Any:
    return harness.store.read(lambda tx: overview(tx, harness.state()))


def test_check_shows_the_plan_with_its_edges_and_faults(tmp_path: Path) -> None:
    plan = content(changes(1, "src/app.py"), changes(2, "src/app.py"), risks=["late"])
    harness = waiting(tmp_path, plan)

    before = shown(harness)["plan"]
    edit(harness, SECOND, title="")
    after = shown(harness)["plan"]

    assert [each["waits_for"] for each in before["tasks"]] == [
        [],
        [{"task": "TASK-001", "source": "overlap"}],
    ]
    assert before["tasks"][0]["files"] == [{"path": "src/app.py", "action": "modify"}]
    assert (before["faults"], before["estimate"]["usd"]) == ([], None)
    assert "title: is missing" in after["faults"][0]


def test_a_plan_is_shown_only_while_it_waits(tmp_path: Path) -> None:
    harness = waiting(tmp_path)

    answer(harness)

    assert shown(harness)["plan"] is None


def test_a_changed_specification_needs_force(tmp_path: Path) -> None:
    harness = waiting(tmp_path)
    harness.store.write(lambda tx: brought(tx, harness.session))

    with pytest.raises(NotAllowedNow, match="specification has changed"):
        answer(harness)
    answer(harness, force=True)

    assert len(carried_out(harness)) == 2


def brought(tx: Any, session: str, path: str = "spec/new.md", body: bytes = b"# New\n") -> None:
    artifacts.register(
        tx,
        session,
        path,
        artifacts.put(tx, body),
        len(body),
        "document",
        author="user",
        task=None,
        run=None,
    )

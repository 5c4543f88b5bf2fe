"""The planner: from a request to a plan's files and its tasks, on a real store and repository (docs/planning.md)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands.resume import Answer, resume
from orchestrator.coordinator import projector
from orchestrator.domain.approvals import parse_token
from orchestrator.domain.errors import NotAllowedNow, StoreError
from orchestrator.domain.plan import PLAN, Complexity, read_plan
from orchestrator.store import artifacts, checks, edits, tasks
from orchestrator.views import approvals
from tests import invariants
from tests.conftest import ROOT
from tests.git_world import as_left, git, write
from tests.plans import changes, content, files, planning, told, two_tasks
from tests.runtime_harness import RuntimeHarness
from workers.context.planned import is_as_approved, planned_task
from workers.documents.plan_content import plan_of
from workers.run.runtime import _produce

TWO = two_tasks()
BRIEF = "spec/product-brief.md"


def payloads(harness: RuntimeHarness) -> dict[str, dict[str, Any]]:
    rows = harness.store.read(lambda tx: tasks.all_tasks(tx, harness.session))
    return {row.key: row.payload for row in rows}


def waits(harness: RuntimeHarness) -> dict[str, tuple[str, ...]]:
    rows = harness.store.read(lambda tx: tasks.all_tasks(tx, harness.session))
    return {row.key: tuple(sorted(row.blocked_by)) for row in rows}


def test_a_plan_becomes_files_and_tasks_and_leaves_the_project_as_it_was(tmp_path: Path) -> None:
    harness = planning(tmp_path, told(TWO))
    before = as_left(harness.project)

    harness.run()

    plan = json.loads(harness.text(PLAN))
    assert plan["task_ids"] == ["TASK-001", "TASK-002"]
    assert plan["complexity"]["level"] == "High"
    assert json.loads(harness.text("plan/.task/TASK-001.json"))["files"][0]["path"] == "src/app.py"
    angles = json.loads(harness.text("plan/explorations-manifest.json"))["angles"]
    assert [each["source"] for each in angles] == ["new"] * 5
    assert "| TASK-002 |" in harness.text("plan/plan.md")
    assert waits(harness) == {
        "PLAN-001": (),
        "IMPL-001": ("ARCH-001", "PLAN-001"),
        "ARCH-001": ("PLAN-001",),
        "IMPL-002": ("ARCH-001", "PLAN-001"),
        "TEST-001": ("IMPL-001", "IMPL-002"),
        "REVIEW-001": ("IMPL-001", "IMPL-002"),
    }
    assert [payloads(harness)[key]["plan_task"] for key in ("IMPL-001", "IMPL-002")] == [
        "TASK-001",
        "TASK-002",
    ]
    assert "plan_ready" in [kind for kind, _ in harness.said()]
    assert as_left(harness.project) == before
    invariants.check(harness.store.path)


def test_tasks_on_one_file_wait_for_each_other(tmp_path: Path) -> None:
    harness = planning(tmp_path, told(content(changes(1, "src/app.py"), changes(2, "src/app.py"))))

    harness.run()

    assert waits(harness)["IMPL-002"] == ("ARCH-001", "IMPL-001", "PLAN-001")
    edges = json.loads(harness.text("plan/.task/TASK-002.json"))["depends_on"]
    assert edges == [{"id": "TASK-001", "source": "overlap"}]


def test_a_faulty_plan_is_asked_for_again_with_its_faults(tmp_path: Path) -> None:
    agent = told(content(changes(1, "src/gone.py")), TWO)
    harness = planning(tmp_path, agent)

    harness.run()

    assert harness.task("PLAN-001").status == "completed"
    assert "src/gone.py is not there" not in agent.requests[0].prompt
    assert "src/gone.py is not there" in agent.requests[1].prompt
    assert len(json.loads(harness.text(PLAN))["task_ids"]) == 2


def test_a_plan_that_stays_faulty_fails_the_attempt(tmp_path: Path) -> None:
    bad = content(changes(1, "../outside", action="create"))
    harness = planning(tmp_path, told(bad, bad))

    harness.run()

    task = harness.task("PLAN-001")
    assert (task.status, task.attempts) == ("pending", 1)
    assert "'.' or '..' part" in str(task.error)
    assert waits(harness)["IMPL-001"] == ("PLAN-001",)


def test_the_built_in_agent_plans_one_task_for_a_simple_request(tmp_path: Path) -> None:
    harness = planning(tmp_path, request="Show the name. It must return 404 for an unknown name.")

    harness.run()

    plan = json.loads(harness.text(PLAN))
    assert (plan["task_ids"], plan["complexity"]["level"]) == (["TASK-001"], "Low")
    criteria = json.loads(harness.text("plan/.task/TASK-001.json"))["convergence"]["criteria"]
    assert any("404" in each["text"] for each in criteria)


def test_uncommitted_files_are_counted_in_the_notes(tmp_path: Path) -> None:
    harness = planning(tmp_path, told(TWO))
    write(harness.project, {"src/app.py": "changed\n", "new.txt": "new\n"})

    harness.run()

    assert "2 changed file(s) are not in it" in "\n".join(json.loads(harness.text(PLAN))["notes"])


def test_uncommitted_files_are_in_the_base_where_the_session_includes_them(tmp_path: Path) -> None:
    harness = planning(tmp_path, told(TWO), include_dirty=True)
    write(harness.project, {"src/app.py": "changed\n", "new.txt": "new\n"})

    harness.run()

    plan = json.loads(harness.text(PLAN))
    store = harness.project.parent / ".workflow" / "work" / f"{harness.session}.git"
    assert "are not in it" not in "\n".join(plan["notes"])
    assert git(store, "show", f"{plan['base_commit']}:src/app.py") == "changed"
    assert git(store, "show", f"{plan['base_commit']}:new.txt") == "new"


def test_a_folder_without_git_is_planned_from_a_snapshot(tmp_path: Path) -> None:
    harness = planning(tmp_path, told(content(changes(1, "a.txt"))), files=None)
    write(harness.project, {"a.txt": "a\n"})

    harness.run()

    assert "snapshot" in "\n".join(json.loads(harness.text(PLAN))["notes"])


def test_an_unknown_agent_of_a_task_is_dropped_and_a_known_one_asked_first(tmp_path: Path) -> None:
    plan = content(
        changes(1, "src/app.py", executor="nobody"), changes(2, "src/other.py", executor="planning")
    )
    harness = planning(tmp_path, told(plan))

    harness.run()

    assert "agent" not in payloads(harness)["IMPL-001"]
    assert payloads(harness)["IMPL-002"]["agent"] == "planning"
    assert "there is no agent 'nobody'" in "\n".join(json.loads(harness.text(PLAN))["notes"])


def test_what_a_plan_is_checked_against_is_kept_for_edits_of_it(tmp_path: Path) -> None:
    harness = planning(tmp_path, told(TWO))

    harness.run()

    (found,) = harness.store.read(lambda tx: checks.checks_of(tx, harness.session))
    assert found.data["paths"] == ["README.md", "src/app.py", "src/other.py"]


def test_a_run_that_dies_before_its_report_is_taken_up_without_another_question(tmp_path: Path) -> None:
    agent = told(TWO)
    harness = planning(tmp_path, agent)
    row = harness.claim()
    calls = harness.agent_calls(row)
    _produce(calls)
    harness.lose(row.run)
    harness.run()

    assert len(agent.requests) == 1
    assert waits(harness)["TEST-001"] == ("IMPL-001", "IMPL-002")
    invariants.check(harness.store.path)


def test_whatever_an_agent_may_deliver_can_be_read_back() -> None:
    line, text = "x" * 2_000, "y" * 20_000
    refs = ["REQ-001"] * 20
    full = {
        **changes(
            1, "a" * 500, description=text, executor="e", new_dependencies=[line] * 20, refs=["R"] * 500
        ),
        "files": [{"path": f"{n}/{'a' * 400}", "change": line} for n in range(100)],
        "criteria": [{"text": line, "refs": refs}] * 30,
        "tests_may_change": [{"path": "t", "reason": line, "refs": refs}] * 50,
    }
    given = content(
        full,
        summary=line,
        approach=text,
        risks=[line] * 30,
        stack=[line] * 30,
        conventions=[line] * 30,
        decisions=[{"decision": line, "rationale": line, "adr": line}] * 30,
        uncovered=[{"id": line, "reason": line}] * 500,
    )

    plan, _ = plan_of(given, complexity=Complexity(), base_commit="b", spec_digest="s", agents=["e"])
    again, faults = read_plan(files(plan))

    assert faults == []
    assert again == plan


def test_a_run_finds_the_task_of_the_plan_that_it_carries_out(tmp_path: Path) -> None:
    harness = planning(tmp_path, told(TWO))
    context = harness.context(harness.claim())
    with pytest.raises(StoreError, match="PLAN-001 has no task of a plan"):
        planned_task(context)
    harness.run(context.row)
    digest = payloads(harness)["IMPL-002"]["plan_digest"]
    newest = {row.path: row for row in harness.store.read(lambda tx: artifacts.newest(tx, harness.session))}
    row = context.row._replace(payload={"plan_task": "TASK-002", "plan_digest": digest})
    later = replace(context, artifacts=newest, live=harness.live(row))

    plan, task = planned_task(later)

    assert (task.id, task.files[0].path, len(plan.tasks)) == ("TASK-002", "src/other.py", 2)
    assert is_as_approved(later)
    assert not is_as_approved(replace(later, artifacts={**newest, PLAN: newest["plan/plan.md"]}))


def test_hostile_words_of_an_agent_stay_text(tmp_path: Path) -> None:
    words = "# Heading\n<script>x</script> | [a](http://x) `code`"
    plan = content(changes(1, "src/app.py", title=words, description=words), summary=words, risks=[words])
    harness = planning(tmp_path, told(plan))

    harness.run()

    page = harness.text("plan/plan.md")
    assert "<script>" not in page
    assert not any(line.startswith("# Heading") for line in page.splitlines())


@pytest.mark.parametrize("approve", [False, True])
def test_a_plan_waits_for_approval_only_where_it_is_asked_for(tmp_path: Path, approve: bool) -> None:
    harness = planning(tmp_path, told(TWO), approve_plan=approve)

    harness.run()

    state = harness.state()
    assert (state.status, state.pause_reason) == (
        ("paused", "plan_approval") if approve else ("active", None)
    )
    assert ("IMPL-002" in payloads(harness)) is not approve
    assert ("plan_task" in payloads(harness)["IMPL-001"]) is not approve
    invariants.check(harness.store.path)


@pytest.mark.parametrize(
    "place",
    [
        "report.before_commit",
        pytest.param("produced.registered", marks=pytest.mark.long),
        pytest.param("report.after_commit", marks=pytest.mark.long),
    ],
)
def test_a_process_that_dies_at_the_report_leaves_all_tasks_of_the_plan_or_none(
    tmp_path: Path, place: str
) -> None:
    died = subprocess.run(
        [sys.executable, "-m", "tests.plans", str(tmp_path)],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "LIFECYCLE_FAILPOINT": f"{place}=kill"},
        capture_output=True,
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr[-2_000:]
    invariants.check(tmp_path / ".workflow" / "lifecycle.db")
    agent = told()  # is not asked again
    harness = planning(tmp_path, agent, again=True)
    made = place == "report.after_commit"
    assert ("IMPL-002" in payloads(harness)) is made
    assert ("plan_task" in payloads(harness)["IMPL-001"]) is made

    if not made:
        harness.lose(harness.rows("SELECT id FROM runs")[0][0])
        harness.run()

    assert waits(harness)["TEST-001"] == ("IMPL-001", "IMPL-002")
    assert agent.requests == []
    assert harness.task("PLAN-001").status == "completed"
    invariants.check(harness.store.path)


@pytest.mark.parametrize("taken_in", [False, True])
def test_a_plan_is_made_of_the_approved_specification_alone(tmp_path: Path, taken_in: bool) -> None:
    request = "Show the name. It must return 404 for an unknown name."
    harness = planning(tmp_path, request=request, mode="full-lifecycle", discuss="off")
    following = None
    while harness.state().pause_reason is None:
        following = harness.run(following)
    resume(harness.store, None, Answer("ann", force=True), more_attempts=3)
    begun = harness.claim() if taken_in else None  # before the edit
    edits_brief(harness, taken_in=taken_in)

    if begun is None:
        harness.beat()
    else:
        harness.run(begun)

    state, task = harness.state(), harness.task("PLAN-001")
    found = harness.store.read(lambda tx: approvals.approval(tx, state))
    assert (state.pause_reason, task.status, task.attempts) == ("checkpoint", "pending", 0)
    assert "has changed since you approved it" in state.pause_detail["why"]
    assert [(each.path, each.by) for each in found.changes] == [(BRIEF, "user")]
    with pytest.raises(NotAllowedNow, match="has changed since it paused"):
        resume(harness.store, None, Answer("ann", force=True), more_attempts=3)
    token = parse_token(found.token)
    resume(harness.store, None, Answer("ann", force=True, expect=token), more_attempts=3)
    harness.run()
    assert harness.task("PLAN-001").status == "completed"
    invariants.check(harness.store.path)


def edits_brief(harness: RuntimeHarness, *, taken_in: bool) -> None:
    """A person edits a document in its file, which is taken in at once or only by whoever looks next."""
    projector.project(harness.store, harness.session)
    file = edits.session_directory(harness.store.workflow, harness.session) / BRIEF
    file.write_text(file.read_text() + "\nMine.\n")
    if taken_in:
        edits.adopt(harness.store, harness.session)


@pytest.mark.long
@pytest.mark.parametrize("approve", [False, True])
def test_the_built_in_agent_takes_a_request_to_its_plan(tmp_path: Path, approve: bool) -> None:
    request = (
        "Build an API for clinics with a database. Patients must be able to book a slot. "
        "Staff must be able to cancel a slot. "
        "The service must answer within 2 seconds. It must integrate with the billing system across multiple sites."
    )
    harness = planning(tmp_path, request=request, mode="full-lifecycle", approve_plan=approve, discuss="off")
    following = None
    while harness.state().pause_reason is None:
        following = harness.run(following)
    assert harness.state().pause_reason == "checkpoint"
    resume(harness.store, None, Answer("ann", force=True), more_attempts=3)

    harness.run()

    plan = json.loads(harness.text(PLAN))
    assert plan["complexity"]["level"] == "Medium"
    assert harness.task("PLAN-001").status == "completed"
    refs = {
        name for id in plan["task_ids"] for name in json.loads(harness.text(f"plan/.task/{id}.json"))["refs"]
    }
    assert "REQ-001" in refs
    assert ("plan_task" in payloads(harness)["IMPL-001"]) is not approve
    invariants.check(harness.store.path)

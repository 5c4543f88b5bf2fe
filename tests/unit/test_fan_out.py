"""A plan becomes tasks: who does what, who waits for whom (docs/planning.md)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from orchestrator.config import load_pack
from orchestrator.domain.graph import topological
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.pipelines import expand
from orchestrator.domain.plan import PlanTask
from orchestrator.domain.plan_checks import with_overlaps
from orchestrator.lifecycle.fan_out import FanOut, plan_fan_out
from tests.plans import task

PACK = load_pack(None, {"LIFECYCLE_CONFIG_DIR": str(Path(__file__).parent / "none")})


def graph(mode: str = "impl-only") -> dict[str, TaskState]:
    """A session whose plan is made, and nothing behind it has begun."""
    return {
        each.key: TaskState(
            each.key,
            each.role,
            each.prefix,
            TaskStatus.COMPLETED if each.phase == "spec" or each.key == "PLAN-001" else TaskStatus.PENDING,
            each.blocked_by,
            phase=each.phase,
        )
        for each in expand(PACK, mode).tasks
    }


def applied(state: dict[str, TaskState], made: FanOut) -> dict[str, TaskState]:
    after = {**state, **{each.key: each for each in made.tasks}}
    for key, blocker in made.edges:
        after[key] = replace(after[key], blocked_by=(*after[key].blocked_by, blocker))
    return after


def fanned(
    state: dict[str, TaskState], *tasks: PlanTask, adviser: TaskState | None = None
) -> dict[str, TaskState]:
    after = applied(state, plan_fan_out(state, with_overlaps(tasks), adviser=adviser))
    assert len(topological(after.values())) == len(after)  # no circle, and every edge leads to a task
    return after


def test_one_task_takes_the_placeholder_and_makes_none() -> None:
    found = plan_fan_out(graph(), [task(1)])

    assert found == FanOut({"IMPL-001": "TASK-001"}, ("IMPL-001",))


def test_independent_tasks_wait_for_the_plan_alone() -> None:
    after = fanned(graph(), task(1), task(2), task(3))

    assert after["IMPL-002"].blocked_by == after["IMPL-003"].blocked_by == ("PLAN-001",)
    for key in ("TEST-001", "REVIEW-001"):
        assert set(after[key].blocked_by) == {"IMPL-001", "IMPL-002", "IMPL-003"}


def test_edges_of_the_plan_and_of_shared_files_become_edges() -> None:
    same = {"src/app.py": "modify"}

    after = fanned(graph(), task(1, touches=same), task(2, waits=[1]), task(3, touches=same))

    assert after["IMPL-002"].blocked_by == ("PLAN-001", "IMPL-001")
    assert after["IMPL-003"].blocked_by == ("PLAN-001", "IMPL-001")


def test_the_placeholder_may_wait_for_a_later_task() -> None:
    after = fanned(graph(), task(1, waits=[3]), task(2), task(3))

    assert after["IMPL-001"].blocked_by == ("PLAN-001", "IMPL-003")
    assert plan_fan_out(graph(), [task(1, waits=[3]), task(2), task(3)]).carried_out == {
        f"IMPL-00{n}": f"TASK-00{n}" for n in (1, 2, 3)
    }


def test_new_tasks_wait_for_a_revised_plan_too() -> None:
    state = graph()
    state["PLAN-001-R1"] = replace(
        state["PLAN-001"], key="PLAN-001-R1", revision_of="PLAN-001", revision_no=1, blocked_by=("PLAN-001",)
    )
    state["IMPL-001"] = replace(state["IMPL-001"], blocked_by=("PLAN-001", "PLAN-001-R1"))

    assert fanned(state, task(1), task(2))["IMPL-002"].blocked_by == ("PLAN-001", "PLAN-001-R1")


def test_sides_go_to_their_own_tasks_where_the_pipeline_has_both() -> None:
    plan = (task(1), task(2, side="frontend"), task(3), task(4, side="frontend", waits=[1]))

    found = plan_fan_out(graph("fullstack"), plan)
    after = fanned(graph("fullstack"), *plan)

    assert found.carried_out == {
        "IMPL-001": "TASK-001",
        "DEV-FE-001": "TASK-002",
        "IMPL-002": "TASK-003",
        "DEV-FE-002": "TASK-004",
    }
    assert after["DEV-FE-002"].blocked_by == ("PLAN-001", "IMPL-001")
    assert after["DEV-FE-002"].role == "fe-developer"
    assert set(after["TEST-001"].blocked_by) == {"IMPL-001", "IMPL-002"}
    assert set(after["QA-FE-001"].blocked_by) == {"DEV-FE-001", "DEV-FE-002"}


def test_a_pipeline_of_one_side_does_both_with_it() -> None:
    assert plan_fan_out(graph("fe-only"), [task(1)]).carried_out == {"DEV-FE-001": "TASK-001"}


def test_a_placeholder_without_work_is_named() -> None:
    assert plan_fan_out(graph("fullstack"), [task(1)]).unused == ("DEV-FE-001",)


def test_an_adviser_comes_between_the_plan_and_its_tasks() -> None:
    adviser = TaskState("ARCH-001", "architect", "ARCH", TaskStatus.PENDING, ("PLAN-001",), phase="impl")

    after = fanned(graph(), task(1), task(2), adviser=adviser)

    assert after["IMPL-001"].blocked_by == after["IMPL-002"].blocked_by == ("PLAN-001", "ARCH-001")


def test_a_plan_whose_tasks_have_begun_makes_none() -> None:
    state = graph()
    state["IMPL-001"] = replace(state["IMPL-001"], status=TaskStatus.IN_PROGRESS)

    assert plan_fan_out(state, [task(1), task(2)]) == FanOut({})


def test_a_plan_that_is_supervised_becomes_tasks_behind_its_supervision() -> None:
    state = {
        each.key: TaskState(
            each.key, each.role, each.prefix, TaskStatus.PENDING, each.blocked_by, phase=each.phase
        )
        for each in expand(PACK, "impl-only", supervise=True).tasks
    }
    adviser = TaskState("ARCH-001", "architect", "ARCH", TaskStatus.COMPLETED, ("PLAN-001",), phase="impl")

    after = fanned({**state, "ARCH-001": adviser}, task(1), task(2), adviser=adviser)

    assert after["IMPL-001"].blocked_by == ("SUPERVISE-003", "ARCH-001")
    assert after["IMPL-002"].blocked_by == ("SUPERVISE-003", "ARCH-001")

"""The session's plan, for a run that carries out one of its tasks."""

from __future__ import annotations

from orchestrator.domain.approvals import digest_of
from orchestrator.domain.errors import StoreError
from orchestrator.domain.plan import FOLDER, PLAN, Plan, PlanTask, is_plan_file, read_plan
from orchestrator.domain.plan_marks import PLAN_DIGEST, PLAN_TASK
from workers.context.run_context import RunContext


def current_plan(context: RunContext) -> Plan | None:
    """The plan as it is now, with what a person edited; None where there is none. Raises StoreError for a faulty one."""
    if PLAN not in context.artifacts:
        return None
    plan, faults = read_plan({path: context.json(path) for path in context.artifacts if is_plan_file(path)})
    if faults:
        raise StoreError(
            "the plan cannot be read any more",
            why="; ".join(map(str, faults[:5])),
            fix=f"`lifecycle diff {PLAN}` shows the edit",
        )
    return plan


def planned_task(context: RunContext) -> tuple[Plan, PlanTask]:
    """The plan, and the task of it that the run carries out. Raises StoreError where there is none."""
    plan = current_plan(context)
    name = str(context.payload.get(PLAN_TASK, ""))
    task = plan.task(name) if plan else None
    if plan is None or task is None:
        raise StoreError(
            f"{context.row.key} has no task of a plan to carry out",
            why=f"the plan has no {name}" if name else "its plan was skipped, or became no tasks",
            fix=f"lifecycle resume --skip {context.row.key}",
        )
    return plan, task


def is_as_approved(context: RunContext) -> bool:
    """Whether the plan's files are those that became tasks; False after a person's edit."""
    now = digest_of((FOLDER,), {path: row.sha256 for path, row in context.artifacts.items()})
    return now == context.payload.get(PLAN_DIGEST)

"""Words by which plans, their tasks and those who carry them out are marked in payloads, options and reports."""

from __future__ import annotations

PLANS = "PLAN"  # the prefix of whoever makes a plan
CARRIES_OUT = {
    "backend": "IMPL",
    "frontend": "DEV-FE",
}  # side of a plan task -> prefix of the task that does it
ADVISES = "ARCH-001"  # at High complexity, where the session has an architect
HIGH = "High"
APPROVE_PLAN = "approve_plan"  # of a session's options: its plan becomes tasks only when a person approves it
AGENT = "agent"  # of a session's options: who is asked first for the work of every role
PLAN_TASK = "plan_task"  # of a payload: what the task carries out
PLAN_DIGEST = "plan_digest"  # of a payload: the plan as it was approved
TASK_DIGEST = "task_digest"  # of a payload: of the plan task alone
DELTA = "delta"  # of what a plan that follows another reports: what becomes of each task (`PlanDelta`)

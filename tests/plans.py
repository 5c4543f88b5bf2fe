"""Plans made with only what a test is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.domain.plan import PLAN, Criterion, Dependency, Plan, PlannedFile, PlanTask

BASE = ("README.md", "src/app.py", "src/other.py", "tests/test_app.py")


def criterion(of: int, number: int, text: str = "Given an empty name, it returns 400") -> Criterion:
    return Criterion(f"TASK-{of:03d}-C{number}", text, ("REQ-001",))


def task(
    number: int,
    *,
    touches: Mapping[str, str] | None = None,
    waits: Sequence[int] = (),
    refs: Sequence[str] = ("REQ-001",),
    side: str = "backend",
) -> PlanTask:
    made = {f"src/made_{number}.py": "create"} if touches is None else touches
    return PlanTask(
        id=f"TASK-{number:03d}",
        title=f"Task {number}",
        side=side,
        files=tuple(PlannedFile(path, action) for path, action in made.items()),
        criteria=(Criterion(f"TASK-{number:03d}-C1", "Given an empty name, it returns 400"),),
        depends_on=tuple(Dependency(f"TASK-{each:03d}") for each in waits),
        refs=tuple(refs),
    )


def planned(*tasks: PlanTask, summary: str = "What is done") -> Plan:
    return Plan(summary=summary, tasks=tasks)


def files(plan: Plan) -> dict[str, Any]:
    """The plan's files, parsed."""
    return {PLAN: plan.as_json(), **{each.path: each.as_json() for each in plan.tasks}}

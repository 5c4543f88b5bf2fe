"""Plans made with only what a test is about."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from orchestrator.domain.pipelines import Pack
from orchestrator.domain.plan import PLAN, Criterion, Dependency, Plan, PlannedFile, PlanTask
from orchestrator.domain.workable import BUILT
from tests import factories as make
from tests.git_world import repository
from tests.runtime_harness import RuntimeHarness, Told
from workers.documents.plan_content import PlanContent

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


REQUEST = "Refactor the API across multiple services. It must return 404 for an unknown name."
CODE = {
    "README.md": "# Names\n",
    "src/app.py": "def find(name):\n    return None\n",
    "src/other.py": "x = 1\n",
}


def content(*tasks: Mapping[str, Any], **more: Any) -> PlanContent:
    """What an agent delivers."""
    listed = [{"title": each["id"], "criteria": [{"text": "It returns 404"}], **each} for each in tasks]
    return PlanContent.model_validate({"summary": "Two services, one API", "tasks": listed, **more})


def changes(number: int, *paths: str, action: str = "modify", **more: Any) -> dict[str, Any]:
    return {"id": f"TASK-{number:03d}", "files": [{"path": p, "action": action} for p in paths], **more}


@cache
def coding_pack() -> Pack:
    """The shipped pack with every role of an implementation, and impl-only for a request alone."""
    pack = make.shipped_pack()
    roles = {name: replace(role, installed=True) for name, role in pack.roles.items() if name in BUILT}
    direct = replace(pack.pipelines["impl-only"], needs_spec=False)
    return replace(pack, roles={**pack.roles, **roles}, pipelines={**pack.pipelines, "impl-only": direct})


def planning(
    folder: Path, *agents: Any, request: str = REQUEST, files: Any = CODE, **wishes: Any
) -> RuntimeHarness:
    """A session whose first task is its plan, in a repository of these files; `spec`: what it is given."""
    given = wishes.pop("spec", None)
    if given is not None:
        wishes = {**wishes, "spec": given.digest, "specification": given}
    wishes = {"mode": "impl-only", "pack": coding_pack(), **wishes}
    trees = {"work": {"trees": str(folder / "trees")}}
    harness = RuntimeHarness(folder, *agents, request=request, settings=trees, **wishes)
    if files and not wishes.get("again"):
        repository(harness.project, files)
    return harness


def told(*answers: Any) -> Told:
    """An agent that gives these plans, one after the other."""
    left = list(answers)
    return Told("planning", {"plan": lambda _: left.pop(0)})


def two_tasks() -> PlanContent:
    return content(changes(1, "src/app.py"), changes(2, "src/other.py"))


if __name__ == "__main__":  # a process that a test lets die: `python -m tests.plans FOLDER`
    planning(Path(sys.argv[1]), told(two_tasks())).run()

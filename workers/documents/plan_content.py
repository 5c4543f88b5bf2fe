"""What an agent delivers as a plan, and the plan that becomes of it: code allots the criteria's ids and the overlaps."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from orchestrator.domain.dataclass import replace
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import (
    LINE,
    PLANNED,
    Complexity,
    Criterion,
    Dependency,
    Plan,
    PlanDecision,
    PlannedFile,
    PlanTask,
    TestChange,
    Uncovered,
)
from orchestrator.domain.plan_checks import with_overlaps
from workers.documents.content import Content, Line, Text

PlanTaskId = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^TASK-[0-9]{3}$")]
Short = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LINE)]  # may be empty
PathText = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class FileChange(Content):
    """One file that a task creates, modifies or deletes, with what changes in it."""

    path: PathText
    action: Literal["create", "modify", "delete"] = "modify"
    change: Short = ""


class DoneWhen(Content):
    """Something one can test that holds when the task is done."""

    text: Line
    refs: list[Line] = Field(default=[], max_length=20)


class ChangedTest(Content):
    path: PathText
    reason: Line
    refs: list[Line] = Field(default=[], max_length=20)


class PlannedTask(Content):
    id: PlanTaskId
    title: Line
    description: Text = ""
    kind: Literal["feature", "fix", "refactor", "test", "docs", "remove"] = "feature"
    side: Literal["backend", "frontend"] = "backend"
    files: list[FileChange] = Field(default=[], max_length=100)
    criteria: list[DoneWhen] = Field(default=[], max_length=30)
    depends_on: list[PlanTaskId] = Field(default=[], max_length=20)
    refs: list[Line] = Field(default=[], max_length=500)  # REQ, NFR, ADR and story ids
    tests_may_change: list[ChangedTest] = Field(default=[], max_length=50)
    new_dependencies: list[Line] = Field(default=[], max_length=20)
    executor: Short = ""  # the name of an agent, where one should do it
    size: Literal["S", "M", "L", "XL"] = "M"


class DecisionTaken(Content):
    decision: Line
    rationale: Short = ""
    adr: Short = ""


class LeftOut(Content):
    """A required item that no task carries."""

    id: Line
    reason: Line


class PlanContent(Content):
    summary: Line
    approach: Text = ""
    tasks: list[PlannedTask] = Field(min_length=1, max_length=20)
    decisions: list[DecisionTaken] = Field(default=[], max_length=30)
    stack: list[Line] = Field(default=[], max_length=30)
    conventions: list[Line] = Field(default=[], max_length=30)
    uncovered: list[LeftOut] = Field(default=[], max_length=500)
    executor: Short = ""
    risks: list[Line] = Field(default=[], max_length=30)


def plan_of(
    content: PlanContent,
    *,
    complexity: Complexity,
    base_commit: str,
    spec_digest: str,
    agents: Collection[str],
    test_commands: Collection[str] = (),
    test_report: str | None = None,
) -> tuple[Plan, list[str]]:
    """The plan, and notes of what was left out of it: agents that are not among `agents`."""
    notes: list[str] = []

    def agent(name: str, where: str) -> str | None:
        if name and name not in agents:
            notes.append(f"{where}: there is no agent {name[:60]!r}; the usual ones are asked")
        return name if name in agents else None

    plan = Plan(
        summary=content.summary,
        approach=content.approach,
        complexity=complexity,
        base_commit=base_commit,
        spec_digest=spec_digest,
        tasks=with_overlaps([_task(each, agent(each.executor, each.id)) for each in content.tasks]),
        decisions=tuple(
            PlanDecision(each.decision, each.rationale, each.adr or None) for each in content.decisions
        ),
        stack=tuple(content.stack),
        conventions=tuple(content.conventions),
        uncovered=tuple(Uncovered(each.id, each.reason) for each in content.uncovered),
        test_commands=tuple(test_commands),
        test_report=test_report,
        executor=agent(content.executor, "the plan"),
        risks=tuple(content.risks),
    )
    return plan, notes


def with_notes(plan: Plan, notes: Collection[str]) -> Plan:
    """The plan with notes behind those that it has."""
    return replace(plan, notes=(*plan.notes, *notes))


def content_of(plan: Plan) -> PlanContent:
    """A plan as an agent would have delivered it, to be shown to one that revises it."""
    return PlanContent.model_validate(
        {
            "summary": plan.summary,
            "approach": plan.approach,
            "decisions": [
                {"decision": d.decision, "rationale": d.rationale, "adr": d.adr or ""} for d in plan.decisions
            ],
            "stack": plan.stack,
            "conventions": plan.conventions,
            "uncovered": [{"id": u.id, "reason": u.reason} for u in plan.uncovered],
            "executor": plan.executor or "",
            "risks": plan.risks,
            "tasks": [given_task(task.as_json()) for task in plan.tasks],
        }
    )


def given_task(task: JsonObject) -> PlannedTask:
    """A plan's task (`PlanTask.as_json`) as an agent would have delivered it."""
    return PlannedTask.model_validate(
        {
            **task,
            "criteria": [
                {"text": each["text"], "refs": each["refs"]} for each in task["convergence"]["criteria"]
            ],
            "depends_on": [each["id"] for each in task["depends_on"] if each["source"] == PLANNED],
            "executor": task["executor"] or "",
        }
    )


def _task(given: PlannedTask, executor: str | None) -> PlanTask:
    return PlanTask(
        id=given.id,
        title=given.title,
        description=given.description,
        kind=given.kind,
        side=given.side,
        files=tuple(PlannedFile(each.path, each.action, each.change) for each in given.files),
        criteria=tuple(
            Criterion(f"{given.id}-C{number}", each.text, tuple(each.refs))
            for number, each in enumerate(given.criteria, 1)
        ),
        depends_on=tuple(Dependency(each) for each in dict.fromkeys(given.depends_on)),
        refs=tuple(dict.fromkeys(given.refs)),
        tests_may_change=tuple(
            TestChange(each.path, each.reason, tuple(each.refs)) for each in given.tests_may_change
        ),
        new_dependencies=tuple(given.new_dependencies),
        executor=executor,
        size=given.size,
    )

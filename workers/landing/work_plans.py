"""What a run carries out: the session's plan, one of its tasks, or a fix round."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain import ids
from orchestrator.domain.dynamic_session import TEAM_TASK
from orchestrator.domain.json_types import Json
from orchestrator.domain.plan import Criterion, Plan, PlanTask
from orchestrator.domain.revisions import AUDITS
from orchestrator.lifecycle.fix_rounds import REBASE
from workers.context.planned import current_plan, planned_task
from workers.context.run_context import RunContext
from workers.evidence.criteria_review import REQUIREMENT_MISSING
from workers.evidence.declared import Declared


def plan_of(context: RunContext) -> Plan:
    """The session's plan as it is now; an empty one where it has none. Raises StoreError for files that are no plan."""
    return current_plan(context) or Plan(summary="")


def task_of(context: RunContext, plan: Plan) -> PlanTask:
    """The plan task that the run carries out, or its fix round or rebase as one. Raises StoreError where there is none."""
    if "fix" in context.payload:
        return fix_task(plan, context.payload["fix"])
    if REBASE in context.payload:
        return _rebase_task(plan, context.payload[REBASE])
    if TEAM_TASK in context.payload:
        return team_task(context.row.key, context.payload[TEAM_TASK])
    return planned_task(context)[1]


def fix_task(plan: Plan, given: Mapping[str, Json]) -> PlanTask:
    """What tests and review found, or an audit, as a task; tests that the plan let change may change again."""
    findings = given["findings"]
    of_audit = given.get("of") == AUDITS
    found_by = "the audit of the frontend" if of_audit else "the tests and the review"
    number = int(given.get("number", given["round"]))  # rounds of an audit begin anew where work was revised
    id = f"{'FIX-FE' if of_audit else 'FIX'}-{number:03d}"
    return PlanTask(
        id=id,
        title=f"Mend what {found_by} found, round {given['round']}",
        description="\n".join(_line(each) for each in findings),
        # Work that nobody has done yet is shown as any other; what shows the rest are the tests and the review, again.
        kind="feature" if any(each.get("rule") == REQUIREMENT_MISSING for each in findings) else "refactor",
        criteria=tuple(Criterion(f"{id}-C{n}", _line(each)) for n, each in enumerate(findings, 1)),
        tests_may_change=tuple(each for task in plan.tasks for each in task.tests_may_change),
        new_dependencies=tuple(name for task in plan.tasks for name in task.new_dependencies),
    )


def _rebase_task(plan: Plan, given: Mapping[str, Json]) -> PlanTask:
    """All of the session's work on the user's branch; what the plan's tasks may do, it may."""
    number, name = int(given["number"]), given["name"]
    return PlanTask(
        id=f"REBASE-{number:03d}",
        title=f"Bring the work onto {name} at {str(given['onto'])[:12]}",
        description=(
            f"The user's branch {name} has {given['commits']} commits that this work was not made with. Both are merged in "
            "the current folder. What the user changed stays as it is; adapt this work to it."
        ),
        kind="refactor",  # what shows it are the tests and the review, which look again
        files=tuple(each for task in plan.tasks for each in task.files),
        tests_may_change=tuple(each for task in plan.tasks for each in task.tests_may_change),
        new_dependencies=tuple(name for task in plan.tasks for name in task.new_dependencies),
    )


def team_task(key: str, given: Mapping[str, Json]) -> PlanTask:
    """What the request of dynamic mode, or a gap, asks to be coded, as a task of a plan that nobody had to write."""
    title, id = (
        str(given["title"]),
        f"REQUEST-{ids.parse_key(key).base[-3:]}",
    )  # each task its own, a revision the same
    return PlanTask(
        id=id,
        title=title,
        description=str(given["description"]),
        kind=str(given["kind"]),
        criteria=(Criterion(f"{id}-C1", title),),
    )


def _line(finding: Mapping[str, Json]) -> str:
    place = f"{finding['path']}:{finding['line']}: " if finding.get("path") else ""
    fix = f" ({finding['fix']})" if finding.get("fix") else ""
    return f"[{finding['severity']}] {place}{finding['text']}{fix}"


def declared_by(task: PlanTask) -> Declared:
    """What the plan task allows its candidate to do."""
    return Declared(
        files=frozenset(each.path for each in task.files),
        tests_may_change={each.path: each.reason for each in task.tests_may_change},
        new_dependencies=frozenset(task.new_dependencies),
    )

"""What `start --plan` shows beside the tasks: what the work starts from and how it is tested, what is sent, what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan_marks import APPROVE_PLAN
from orchestrator.domain.review_verdicts import FIX
from orchestrator.project import Project, has_database, open_for_reading
from orchestrator.store import checks
from orchestrator.views.layout import Plan

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings
    from orchestrator.domain.estimate import Past

USUAL_FIX = "critical"
CODE = frozenset({"IMPL", "DEV-FE"})  # prefixes of tasks that make code


def work_ahead(
    project: Project, planned: Plan, settings: Settings, chosen: Mapping[str, Json]
) -> JsonObject | None:
    """What the session's work would start from, how it is tested, and how long that took last; None where none is done."""
    from orchestrator.dispatch.asking import have_done

    prefixes = {task.prefix for task in planned.pipeline.tasks}
    if not prefixes & CODE:
        return None
    try:
        found = have_done("work-preview", project.root)
    except LifecycleError as error:
        return {"fault": f"{error.what}: {error.why}" if error.why else error.what}
    key = found.pop("tests_key")
    last = None
    if has_database(project):
        store = open_for_reading(project)
        try:
            last = store.read(lambda tx: checks.newest_check(tx, "tests", key))
        finally:
            store.close()
    return {
        **found,
        "fault": None,
        "last_seconds": None if last is None else last.seconds,
        "include_dirty": planned.options.include_dirty,
        "approve_plan": bool(chosen.get(APPROVE_PLAN)),
        "fix": str(chosen.get(FIX, USUAL_FIX)),
        "required": settings.work.required,
    }


def cost_ahead(project: Project, planned: Plan, settings: Settings) -> JsonObject:
    """The plan of `start`, with its estimated cost by the project's history."""
    from orchestrator.views.plan import paid_agents, past, plan_view

    agents = paid_agents(planned, settings)
    if not agents:
        return plan_view(planned, settings)
    from orchestrator.config import load_prices

    before: Past = {}
    if has_database(project):
        store = open_for_reading(project)
        try:
            before = store.read(lambda tx: past(tx, agents))
        finally:
            store.close()
    return plan_view(planned, settings, before, load_prices(settings))

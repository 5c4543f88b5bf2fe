"""The page of a plan for people: plan/plan.md, printed from the values of plan.json and its tasks."""

from __future__ import annotations

from orchestrator.domain.plan import PAGE, PLAN, Plan
from workers.documents.frame import RenderContext, front_of, printer_for

TEMPLATE = "plan.md.j2"


def plan_page(plan: Plan, context: RenderContext) -> bytes:
    """The Markdown of the plan. Raises jinja2.TemplateError for a template that cannot be printed."""
    printer = printer_for(None, context)
    front = front_of(context, "plan", [PLAN, *(task.path for task in plan.tasks)])
    return printer.page(PAGE, TEMPLATE, front, plan=plan, name=context.title)

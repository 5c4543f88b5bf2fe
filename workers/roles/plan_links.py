"""What belongs to what, as it is when a plan is made: goal to requirement to decision and story to plan task.

Each link holds the digest of what its plan was made of, so that a later change of it is seen (orchestrator/domain/impact.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.plan import Plan
from orchestrator.domain.spec_items import SpecItem
from orchestrator.door.desk import Link


def plan_links(plan: Plan, items: Mapping[str, SpecItem], run: str) -> tuple[Link, ...]:
    """The links of the specification's items to each other and to the plan's tasks."""
    found = []
    for item in items.values():
        for name in sorted(item.refs):
            if not item.withdrawn and name in items:
                above = items[name]
                found.append(
                    Link("item", name, above.digest, "item", item.id, item.digest, "spec", 0, None, run)
                )
    for task in plan.tasks:
        for name in sorted(task.cited):
            digest = items[name].digest if name in items else None
            found.append(Link("item", name, digest, "plan_task", task.id, task.digest, "plan", 0, None, run))
    return tuple(found)

"""A plan by rule that follows another: what is affected as it is now, what is new, and what is to be taken out."""

from __future__ import annotations

from typing import Any

from orchestrator.domain.plan import Complexity, Plan
from orchestrator.domain.plan_checks import Ground, check_plan
from orchestrator.domain.plan_delta import merged
from tests.unit.builtin_chain import ask, chain
from workers.documents.plan_content import plan_of

REQUEST = (
    "Refactor the API of the tool library across multiple services. It must list all tools by name. It must refuse a loan "
    "of a tool that is lent already with 409. Members should see due dates."
)


def plan(content: Any) -> Plan:
    return plan_of(content, complexity=Complexity(), base_commit="", spec_digest="", agents=())[0]


def test_only_what_is_affected_is_given_and_it_passes_every_check() -> None:
    facts = chain(REQUEST)
    items = facts["requirements"].items
    planned: dict[str, Any] = {
        "level": "High",
        "most": 7,
        "paths": frozenset(),
        "ids": [item.id for item in items],
    }
    before = plan(ask("plan", **facts, planned=planned))
    gone, stale = items[0].id, [task.id for task in before.tasks if items[0].id in task.refs]
    kept = facts["requirements"].model_copy(
        update={"items": [*items[1:], items[0].model_copy(update={"id": "REQ-009"})]}
    )
    follows = {
        "tasks": [task.as_json() for task in before.tasks],
        "stale": stale,
        "new": ["REQ-009"],
        "withdrawn": [gone],
        "removed": [gone],
        "landed": [],
    }

    given = plan(ask("plan", **{**facts, "requirements": kept}, planned={**planned, "follows": follows}))
    after, delta, notes = merged(before, given, stale, [task.id for task in before.tasks])

    ids = (
        frozenset(item.id for item in kept.items)
        | {gone}
        | {name for task in before.tasks for name in task.cited}
    )
    ground = Ground(
        ids=ids, removed=frozenset({gone}), must=frozenset(i.id for i in kept.items if i.moscow == "Must")
    )
    assert check_plan(after, ground).faults == ()
    assert notes == []  # nothing was given for what stays
    assert set(delta.kept) == {task.id for task in before.tasks} - set(stale)
    assert [task.kind for task in after.tasks if gone in task.cited] == ["remove"]
    assert [task.id for task in after.tasks if "REQ-009" in task.cited] == [delta.new[0]]

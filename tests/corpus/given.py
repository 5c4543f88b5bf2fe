"""What the built-in agent gives for a request, as items that can be held against labels.

The discovery, brief and requirements are asked for with the facts of a run and get their identifiers as in a run;
tests/e2e/test_corpus_as_run.py holds both against each other.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.commands.requests import read_request
from tests.corpus.matching import contains, similarity
from tests.factories import make_plan
from tests.unit.builtin_chain import ask
from workers.documents.content import Brief, Discovery, Requirements
from workers.documents.fates import book
from workers.documents.identifiers import allot

KIND = {
    "functional": "requirement",
    "nonfunctional": "nfr",
    "constraint": "constraint",
    "exclusion": "non_goal",
}


@dataclass(frozen=True, slots=True)
class Item:
    kind: str  # as in README.md
    text: str
    metric: str = ""
    target: str = ""
    priority: str = ""
    nfr: str = ""
    parent: str = ""  # the statement that a criterion belongs to


@dataclass(frozen=True, slots=True)
class Given:
    items: tuple[Item, ...]
    unread: int | None = None  # blocks of the request without a fate; None while there is no ledger to say it


def given(path: Path) -> Given:
    """What one document is read as, asked for as `lifecycle start @path` does in an empty folder."""
    request = read_request(f"@{path}", path.parent, os.environ)
    asked: dict[str, Any] = {"request": request, "language": make_plan(request).language, "codebase": None}
    discovery = book(request, ask("discovery", **asked)).discovery
    brief = allot(ask("brief", **asked, discovery=discovery))[0].content
    requirements = allot(ask("requirements", **asked, discovery=discovery, brief=brief))[0].content
    assert isinstance(brief, Brief)
    assert isinstance(requirements, Requirements)
    return read_as(request, discovery, brief, requirements)


def read_as(request: str, discovery: Discovery, brief: Brief, requirements: Requirements) -> Given:
    """What three documents take from the request; what they propose or ask beyond it is not held against them."""
    fates = getattr(discovery, "fates", None)
    items = [
        *_goals(discovery, brief),
        *(Item("user", user.name) for user in discovery.target_users if user.source == "stated"),
        *_needs(discovery),
        *(Item("dependency", text) for text in discovery.dependencies),
        *(Item("risk", _text(row)) for row in getattr(discovery, "risks", ())),
        *(Item("open_question", text) for text in discovery.open_questions if contains(request, text)),
        *_criteria(request, discovery, requirements),
    ]
    return Given(tuple(items), fates.unread if fates is not None and fates.blocks else None)


def _text(row: Any) -> str:
    """The words of a statement, which may be a plain text."""
    return row if isinstance(row, str) else row.text


def _goals(discovery: Discovery, brief: Brief) -> list[Item]:
    stated = [goal for goal in brief.goals if goal.source == "stated"]
    said = {goal.text for goal in stated}
    return [
        *(Item("goal", goal.text, goal.metric, goal.target) for goal in stated),
        *(Item("goal", text) for text in map(_text, discovery.goals) if text not in said),
    ]


def _needs(discovery: Discovery) -> list[Item]:
    """Everything asked for or left out; limits and exclusions stand in two lists, and count once."""
    said = {row.text for row in discovery.requirements}
    return [
        *(
            Item(KIND[row.kind], row.text, priority=row.moscow, nfr=row.category)
            for row in discovery.requirements
        ),
        *(Item("constraint", text) for text in discovery.constraints if text not in said),
        *(Item("non_goal", text) for text in discovery.exclusions if text not in said),
    ]


def _criteria(request: str, discovery: Discovery, requirements: Requirements) -> list[Item]:
    """Criteria in the request's words; one that repeats its own statement, or is made up, is none of them."""
    statements = {getattr(row, "id", ""): row.text for row in discovery.requirements}
    stated = [
        Item("acceptance", row.text, parent=statements.get(row.parent, row.parent))
        for row in getattr(discovery, "acceptance", ())
    ]
    said = {item.text for item in stated}
    return [
        *stated,
        *(
            Item("acceptance", text, parent=row.statement)
            for row in requirements.items
            for text in row.acceptance_criteria
            if text not in said and contains(request, text) and similarity(text, row.statement) < 1
        ),
    ]

"""What a new version of a document changed is told in items, and in short."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.builtin_chain import ask, chain, numbered
from workers.documents.version_changes import version_changes

REQUEST = (
    "# Depot\n\n## Goals\n\n- Drivers wait under 5 minutes at the gate\n\n## Requirements\n\n"
    "- Drivers must book a slot online.\n- Tours are closed after 14 days.\n- The depot must print a gate pass.\n\n"
    "## Constraints\n\n- The budget is 30 000 EUR.\n"
)


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    return chain(REQUEST)


def revised(facts: dict[str, Any], kind: str, words: str) -> list[str]:
    """What a revision of a document by these words is told to have changed."""
    after = numbered(ask(kind, **{**facts, "previous": facts[kind], "feedback": [words], "said": (words,)}))
    return version_changes(facts[kind], after)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("REQ-003 is a Could", ["REQ-003: Must -> Could"]),
        ("Drop the gate pass", ["REQ-003: Must -> Won't"]),
        ("Tours are closed after 30 days", ["REQ-002: 14 -> 30 days"]),
        ("Rename REQ-001 to Slots", ["REQ-001: Drivers book a slot online -> Slots"]),
        ("Please shorten the titles", []),
        (
            "Guards must see every tour. REQ-003 is a Should",
            ["REQ-003: Must -> Should", "REQ-004 added: Guards see every tour"],
        ),
        ("REQ-003: done when a pass lies in the tray", ["REQ-003: acceptance criteria changed"]),
    ],
)
def test_changes_of_requirements_are_told_by_item(facts: dict[str, Any], words: str, told: list[str]) -> None:
    assert revised(facts, "requirements", words) == told


def test_changes_of_a_brief_are_told_by_goal_and_by_the_part_that_differs(facts: dict[str, Any]) -> None:
    brief = facts["brief"]
    goal = brief.goals[0].model_copy(update={"text": "Drivers wait under 2 minutes at the gate"})
    limit = brief.constraints[0].model_copy(update={"text": "The budget is 20 000 EUR."})
    more = limit.model_copy(update={"text": "It runs at the gate."})

    assert version_changes(brief, brief) == []
    assert version_changes(brief, brief.model_copy(update={"goals": [goal], "constraints": [limit]})) == [
        "G-001: 5 -> 2 minutes",
        "constraints: 30 000 -> 20 000 EUR",
    ]
    assert version_changes(brief, brief.model_copy(update={"constraints": [*brief.constraints, more]})) == [
        "constraints: “It runs at the gate.” added"
    ]
    assert version_changes(brief, brief.model_copy(update={"goals": []})) == [
        "G-001 withdrawn: Drivers wait under 5 minutes at the gate"
    ]


def test_a_question_that_is_answered_is_no_change(facts: dict[str, Any]) -> None:
    known = facts["requirements"]

    assert version_changes(known, known.model_copy(update={"open_questions": ["Who pays?"]})) == []


def test_an_epic_in_which_only_a_story_differs_is_told_by_the_story(facts: dict[str, Any]) -> None:
    first, *others = facts["epics"].items
    story, *more = first.stories
    larger = story.model_copy(update={"size": "XL"})
    now = [first.model_copy(update={"stories": [larger, *more]}), *others]

    assert version_changes(facts["epics"], facts["epics"].model_copy(update={"items": now})) == [
        f"{story.id}: {story.size} -> XL"
    ]

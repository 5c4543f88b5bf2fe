"""What a document before the requirements still says of what a revision of these has dropped or changed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.builtin_chain import ask, chain, numbered
from workers.documents.still_said import still_said

REQUEST = (
    "# Ferry desk\n\n## Goals\n\n- Skippers keep a logbook and fewer trips are lost\n\n## Requirements\n\n"
    "- Skippers must write a logbook.\n- Tickets are void after 14 days.\n- The desk must print a boarding list.\n"
    "- The desk must show a list of delays.\n\n"
    "## Out of scope\n\n- No loyalty cards.\n"
)


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    return chain(REQUEST)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "Drop the logbook.",
            ["Skippers keep a logbook and fewer trips are lost", "Skippers must write a logbook."],
        ),
        ("Drop the boarding list.", ["The desk must print a boarding list."]),
        ("Remove REQ-003", ["The desk must print a boarding list."]),
        ("Tickets are void after 30 days", ["Tickets are void after 14 days."]),
        ("REQ-001 can wait", []),
        ("The desk must sell maps", []),
        ("Please shorten the titles", []),
    ],
)
def test_brief_says_still_what_the_requirements_say_no_more(
    facts: dict[str, Any], words: str, said: list[str]
) -> None:
    was = facts["requirements"]
    now = numbered(ask("requirements", **{**facts, "previous": was, "feedback": [words], "said": (words,)}))

    found = still_said(was, now, facts["brief"], [words])

    assert sorted(found) == sorted(said)


def test_brief_that_follows_says_it_no_more_but_for_a_goal_that_was_stated(facts: dict[str, Any]) -> None:
    words = "Drop the boarding list. Tickets are void after 30 days."
    was = facts["requirements"]
    now = numbered(ask("requirements", **{**facts, "previous": was, "feedback": [words], "said": (words,)}))

    brief = ask("brief", **{**facts, "previous": facts["brief"], "feedback": [words], "said": (words,)})

    assert len(still_said(was, now, facts["brief"], [words])) == 2
    assert still_said(was, now, brief, [words]) == []

"""What a person orders of a requirement that they name is carried out on it, and is no requirement of its own."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from tests.unit.test_builtin_revision import revised
from workers.builtin.orders import is_order, restates

REQUEST = """# Desk

## Requirements

- Readers must be able to reserve a book.
- The desk must print a slip.
- The desk must list all loans.
"""
RANKS = [
    ("make REQ-002 a Could", "Could"),
    ("REQ-002: make it Could", "Could"),
    ("REQ-002: make it a Should please", "Should"),
    ("Please make req-2 optional", "Could"),
    ("Change the priority of REQ-002 to Could", "Could"),
    ("set REQ-002's priority to Could", "Could"),
    ("REQ-002 should become a Should", "Should"),
    ("Downgrade REQ-002 to Should", "Should"),
    ("remove REQ-002", "Won't"),
    ("REQ-002: drop it", "Won't"),
    ("REQ-002 is no longer needed", "Won't"),
    ("We don't need REQ-002 any more.", "Won't"),
    ("REQ-002：改为可选", "Could"),
]
TITLES = [
    "rename REQ-002 to Print slips",
    'REQ-002: rename it to "Print slips"',
    "Call REQ-002 “Print slips”.",
    "change the title of REQ-002 to Print slips",
    "REQ-002 should be called Print slips",
]
WORDINGS = [
    "change REQ-002 to: The desk must print two slips.",
    "REQ-002: The desk must print two slips.",
    "REQ-002 should read: The desk must print two slips.",
    "reword REQ-002 as The desk must print two slips.",
]


def changed(words: str) -> tuple[list[tuple[str, str, str, str]], list[str]]:
    """(id, priority, title, statement) of each requirement that a revision changes or adds, and what it asks besides."""
    facts = chain(REQUEST)
    before, after = facts["requirements"], revised("requirements", facts, words)
    rows = [(one.id, one.moscow, one.title, one.statement) for one in after.items if one not in before.items]
    return rows, [text for text in after.open_questions if text not in before.open_questions]


@pytest.mark.parametrize(("words", "rank"), RANKS)
def test_priority_is_given_to_the_requirement_that_is_named(words: str, rank: str) -> None:
    rows, asked = changed(words)

    assert [row[:2] for row in rows] == [("REQ-002", rank)]
    assert asked == []


@pytest.mark.parametrize("words", TITLES)
def test_requirement_that_is_named_gets_another_title(words: str) -> None:
    assert changed(words) == ([("REQ-002", "Must", "Print slips", "The desk must print a slip.")], [])


@pytest.mark.parametrize("words", WORDINGS)
def test_requirement_that_is_named_gets_other_words(words: str) -> None:
    rows, asked = changed(words)

    assert [(row[0], row[3].rstrip(".")) for row in rows] == [("REQ-002", "The desk must print two slips")]
    assert asked == []


def test_sentence_about_something_else_behind_an_identifier_is_a_wish_of_its_own() -> None:
    rows, _ = changed("REQ-002: Readers must be able to pay by card at home.")

    assert [row[0] for row in rows] == ["new"]


def test_order_for_a_requirement_that_is_not_there_is_answered() -> None:
    rows, asked = changed("rename REQ-009 to Print slips")

    assert rows == []
    assert "REQ-009" in asked[0]


def test_wish_that_speaks_of_renaming_is_no_order() -> None:
    assert not is_order("Rename the export button to Download")
    assert not restates("REQ-002: the desk is open. It must close at six.")

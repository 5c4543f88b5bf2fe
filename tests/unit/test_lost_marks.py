"""Text copied from a rendered page, whose lists and headings have lost their marks."""

from __future__ import annotations

import pytest

from workers.documents.lost_marks import with_marks

TEXT = """Kennel planner
Draft of 3 May

1. Summary

The planner tells the kennel which dog eats what, and
which walks are left for the day.
2. Goals

The first version aims to:

Cut the forgotten meals.
Show each walk once.
3. Who uses it
Kennel hand
Owner of a dog

Each of them sees other things.

4. Not in it

Invoices
Vet records"""
COPIED = TEXT.splitlines()


def test_headings_and_lists_get_their_marks_back() -> None:
    said = [line for line in with_marks(COPIED) if line]

    assert [line for line in said if line.startswith("## ")] == [
        "## Summary",
        "## Goals",
        "## Who uses it",
        "## Not in it",
    ]
    assert [line for line in said if line.startswith("- ")] == [
        "- Cut the forgotten meals.",
        "- Show each walk once.",
        "- Kennel hand",
        "- Owner of a dog",
        "- Invoices",
        "- Vet records",
    ]
    assert "which walks are left for the day." in said  # a wrapped paragraph is no list
    assert said[:2] == COPIED[:2]


@pytest.mark.parametrize(
    "lines",
    [
        ["1. Open the kennel", "2. Feed the dogs", "3. Walk the dogs", "4. Close the kennel"],
        [*COPIED, "- a marked item", "- another one", "- a third one"],
        [line.replace("Kennel hand", "3.1 Kennel hand").replace("Owner", "3.2 Owner") for line in COPIED],
    ],
    ids=["a numbered list", "lists with marks", "numbered statements"],
)
def test_text_that_has_marks_or_is_a_list_stays_as_it_is(lines: list[str]) -> None:
    assert with_marks(lines) == lines

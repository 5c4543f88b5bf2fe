"""Comparisons of texts by line and by word."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.domain.text_diff import (
    CONTEXT,
    MOST_LINES,
    MOST_TOLD,
    Line,
    counts,
    hunks,
    in_short,
    rewording,
)

LINES = st.lists(st.sampled_from(["a", "b", "c d", "c e", "# one", "", "长 文"]), max_size=30)


def text_of(line: Line) -> str:
    return "".join(text for text, _ in line.parts)


@settings(max_examples=150)
@given(LINES, LINES)
def test_a_comparison_turns_one_text_into_the_other(before: list[str], after: list[str]) -> None:
    made, at = [], 0
    for hunk in hunks(before, after):
        made += before[at : hunk.old - 1]
        assert len(made) == hunk.new - 1
        at = hunk.old - 1
        for line in hunk.lines:
            if line.kind != "added":
                assert text_of(line) == before[at]
                at += 1
            if line.kind != "removed":
                made.append(text_of(line))

    assert made + before[at:] == after


def test_only_the_words_that_differ_are_marked() -> None:
    (hunk,) = hunks(["Links expire after 30 days."], ["Links never expire after 45 days."])

    assert [(line.kind, [text for text, marked in line.parts if marked]) for line in hunk.lines] == [
        ("removed", ["30"]),
        ("added", [" never", "45"]),
    ]


def test_a_line_that_became_something_else_is_not_compared_by_words() -> None:
    (hunk,) = hunks(["Everything is stored for a year."], ["- REQ-7"])

    assert not any(marked for line in hunk.lines for _, marked in line.parts)


def test_a_hunk_names_the_heading_above_it_and_keeps_a_little_context() -> None:
    before = ["# Top", *"abcdefgh", "## Limits", "x", *"ijklmnop", "y"]

    found = hunks(before, [*before[:10], "changed x", *before[11:-1], "changed y"])

    assert [hunk.heading for hunk in found] == ["Limits", "Limits"]
    assert [line.kind for line in found[0].lines].count("same") == 2 * CONTEXT
    assert counts(found) == (2, 2)


def test_texts_that_are_the_same_have_no_hunks() -> None:
    assert hunks(["a"] * 100, ["a"] * 100) == []


def test_very_many_changed_lines_are_not_matched() -> None:
    before = [f"line {number}" for number in range(MOST_LINES + 1)]

    (hunk,) = hunks(before, before[::-1])

    assert counts([hunk]) == (MOST_LINES + 1, MOST_LINES + 1)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Links expire after 30 days.", "Links expire after 60 days.", "30 -> 60 days"),
        ("Answers within 1.5 s", "Answers within 2.5 s", "1.5 -> 2.5 s"),
        ("at most 3 seconds", "at most 5 minutes", "3 seconds -> 5 minutes"),
        ("The desk prints one slip", "The office prints one slip", "desk -> office"),
        ("链接在30天后过期", "链接在60天后过期", "30 -> 60天"),
        ("Print slips; print maps; fold", "Print slips; fold", "without “print maps”"),
        ("Print slips", "Print slips at night", "with “at night”"),
        (
            "Print slips",
            f"Everything else: {'a word ' * 40}",
            "now “" + ("Everything else: " + "a word " * 40)[:119] + "…”",
        ),
    ],
)
def test_a_rewording_is_told_by_the_place_that_differs_where_it_is_short(
    old: str, new: str, said: str
) -> None:
    assert rewording(old, new) == said


def test_changes_are_told_in_one_line_up_to_a_number_and_none_are_said_too() -> None:
    lines = [f"REQ-{number:03d}: Must -> Could" for number in range(MOST_TOLD + 2)]

    assert in_short(lines[:2]) == "REQ-000: Must -> Could; REQ-001: Must -> Could"
    assert in_short(lines).endswith("; and 2 more")
    assert in_short([]) == "nothing changed"

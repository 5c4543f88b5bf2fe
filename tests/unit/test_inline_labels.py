"""Labels part a text on one line as line breaks would; a wish behind what a label says is a wish."""

from __future__ import annotations

import pytest

from workers.builtin.request import analyse_request
from workers.builtin.revision import lines_of
from workers.builtin.said_sections import section_rows
from workers.documents.inline_labels import parted_labels

ADD = "Add a function abbreviate(string, limit=10) that shortens words."
ALSO = "Also extend dasherize() to keep digits."
NAMED = "Users: library developers. Problem: titles are too long for tables. Goal: short labels in tables."


def wanted(text: str) -> list[tuple[str, str]]:
    return [(need.kind, need.text) for need in analyse_request(text).needs]


def test_request_in_one_line_states_what_its_labels_name_and_asks_for_its_wishes() -> None:
    found = analyse_request(f"{NAMED} {ADD} {ALSO} Constraints: no new dependency.")

    assert [(need.kind, need.text) for need in found.needs] == [
        ("functional", ADD),
        ("functional", "Extend dasherize() to keep digits."),
        ("constraint", "no new dependency."),
    ]
    assert [goal.text for goal in found.goals] == ["short labels in tables."]
    assert [actor.name for actor in found.actors] == ["library developers"]
    assert found.situation == ("titles are too long for tables.",)


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        (f"Goal: short labels in tables. {ADD}", [("functional", ADD)]),
        (f"Problem: tables are too wide; Goal: short labels. {ADD}", [("functional", ADD)]),
        (
            f"{ADD} Users: library developers. Constraints: no new dependency.",
            [("functional", ADD), ("constraint", "no new dependency.")],
        ),
        (
            "用户：库的开发者。目标：表格里的短标签。增加函数 abbreviate(string)，用于缩短单词。约束：不新增依赖。",
            [("functional", "增加函数 abbreviate(string)，用于缩短单词。"), ("constraint", "不新增依赖。")],
        ),
        (
            "Write a tool that counts words. Out of scope: PDF. Goal: faster writing; Users: editors.",
            [("functional", "Write a tool that counts words."), ("exclusion", "PDF.")],
        ),
    ],
)
def test_wish_before_or_behind_labels_is_asked_for(text: str, needs: list[tuple[str, str]]) -> None:
    assert wanted(text) == needs


def test_feedback_in_one_line_names_sections_and_wishes() -> None:
    said = f"Users: Library developers. Goal: short labels in tables. {ADD}"

    assert lines_of([said]) == [ADD]
    assert [(row.role, row.text) for row in section_rows([said])] == [
        ("user", "Library developers."),
        ("goal", "short labels in tables."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Add an export. It has a goal: speed.",  # no label: it stands within a sentence
        "Read https://example.org. Support SSO: it is due.",
        'Add `initials(string)`. Example: `initials("x y")` -> `"XY"`',
        "Goals\nUsers: editors. Goal: speed. Add an export.",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert parted_labels(text.split("\n")) == text.split("\n")


def test_steps_of_a_label_that_asks_stay_with_it() -> None:
    assert parted_labels(["Acceptance: Add a book. Show the shelf. Users: readers."]) == [
        "Acceptance: Add a book. Show the shelf.",
        "",
        "Users: readers.",
    ]

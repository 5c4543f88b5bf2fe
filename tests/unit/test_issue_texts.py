"""What templates and comments of an issue hold beside the request: prompts that were left, and who wrote when."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin import analyse_request
from workers.documents.passages import passages
from workers.documents.threads import parted

DARK = """**Is your feature request related to a problem? Please describe.**
It would be nice to have dark mode available in the product.

**Describe the solution you'd like**
Dark mode toggle - the usual sun/moon button at the top of screen. persistent across usage for signed in user etc.

**Describe alternatives you've considered**
nothing currently

**Additional context**
Add any other context, documentation links, or screenshots about the feature request here.
"""
THREAD = """Feature request: csv data export

endel · 2015-01-14
It would be very useful to have an export button on list view, to export the entire result-set.

fzaninotto · 2015-01-14
My 2c:

- use filters (users expect, if the list displays 5 results among 500, to download only these 5)
- don't use pagination (users expect, if the list displays 5 pages, to download all pages in a single file)

endel · 2015-01-15
The same configuration of fields could be used for that.
"""


@pytest.mark.parametrize(
    "prompt",
    [
        "A clear and concise description of what the problem is. Ex. I'm always frustrated when [...]",
        "Add any other context or screenshots about the feature request here.",
        "If applicable, add screenshots to help explain your problem.",
        "Go to '...'",
        "OS: [e.g. iOS]",
        "No response",
        "I have searched the existing issues",
        "I agree to follow this project's Code of Conduct",
    ],
)
def test_a_prompt_of_the_template_that_was_left_is_a_placeholder(prompt: str) -> None:
    [read] = [one for one in passages(f"## Additional context\n\n{prompt}\n") if one.block.kind != "heading"]

    assert read.role == "template"


@pytest.mark.parametrize(
    "said", ["Add any item to the basket from the list.", "List the rooms that are free here and there."]
)
def test_what_is_asked_for_is_no_prompt(said: str) -> None:
    [read] = passages(said)

    assert read.role != "template"


def test_a_request_in_a_template_is_named_by_what_it_asks_for() -> None:
    found = analyse_request(DARK)

    assert found.title == "Dark mode toggle"
    assert [(need.kind, need.text) for need in found.needs] == [
        ("functional", "Dark mode toggle - the usual sun/moon button at the top of screen."),
        ("functional", "persistent across usage for signed in user etc."),
    ]


def test_the_first_line_of_a_thread_is_its_title_and_its_heads_say_nothing() -> None:
    found = analyse_request(THREAD)

    assert found.title == "Csv data export"
    assert not any("2015" in text for text in (*found.situation, *found.questions))
    assert not {"expect", "display"} & set(found.entities)
    story = chain(THREAD)["requirements"].items[0].user_story
    assert story.i_want == "csv data export"


@pytest.mark.parametrize(
    ("lines", "heads"),
    [
        (["ada · 2024-01-03", "We need it.", "", "bob · 2024-01-04", "Me too."], 2),
        (["@ada commented on Jan 3, 2024", "", "We need it.", "@bob commented 3 days ago", "Me too."], 2),
        (["ada, 2024-01-03", "We need it.", "ada, 2024-01-05", "Still."], 2),
        (["Kickoff - 2025-03-01", "All meet.", "Beta - 2025-04-01", "Some try it."], 0),
        (["ada · 2024-01-03", "We need it."], 0),
    ],
)
def test_heads_of_comments_stand_apart(lines: list[str], heads: int) -> None:
    said, found = parted(lines)

    assert len(found) == heads
    assert [line for line in said if line] == [line for line in lines if line and line not in found]


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ("# feat(api): add webhook signature verification\n\n## Problem\n\nNobody can verify it.\n\n## Proposed change\n\nSign the payloads with a secret of each hook.\n", "Add webhook signature verification"),
        ("Some words about us first.\n\nWe run a shop. It is small. Please implement this. Add a page with the opening hours.\n", "Add a page with the opening hours"),
    ],
)  # fmt: skip
def test_a_title_is_neither_a_section_nor_an_order_without_an_object(request_text: str, title: str) -> None:
    assert analyse_request(request_text).title == title

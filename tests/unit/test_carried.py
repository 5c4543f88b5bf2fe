"""Lines that a person wrote into a page or struck out, in a later version of that page."""

from __future__ import annotations

import pytest

from workers.documents.by_hand import ByHand, Line
from workers.documents.carried import (
    changed_headings,
    changed_lines,
    is_movable,
    missing,
    returned,
    with_lines,
    with_newer,
)

PAGE = """---
version: 1
---

# Architecture

Written by the agent builtin (task DRAFT-003, version 1).

<!-- section: data_model -->
## Data model

### Npm

- Relations: package

<!-- section: api -->
## API

<!-- empty -->

Nothing is known about this yet. Open question: Which operations does it offer?

<!-- section: decisions -->
## Decisions

| ID | Title |
| --- | --- |
| [ADR-001](ADR-001-x.md) | A queue |
"""
AT_API = "Open question: Which operations does it offer?\n"


def edited(*changes: tuple[str, str]) -> str:
    page = PAGE
    for old, new in changes:
        assert page.count(old) == 1, old
        page = page.replace(old, new)
    return page


def carried(now: str) -> str:
    wrote, struck = changed_lines(PAGE, now)
    new = [line for line in missing(wrote, [PAGE]) if is_movable(line)]
    page, left = with_lines(PAGE, ByHand(tuple(new), tuple(returned(struck, PAGE))))
    assert left == []
    return page


@pytest.mark.parametrize(
    "change",
    [
        ("- Relations: package\n", "- Relations: package\n- Attributes: name, version\n"),
        ("- Relations: package\n", "- Relations: package and team\n"),
        ("- Relations: package\n", "- Relations: package\n\n### Team\n\n- Attributes: quota\n"),
        ("### Npm\n", "A thought about all of the data.\n\n### Npm\n"),
        ("### Npm\n\n- Relations: package\n", ""),
    ],
)
def test_page_made_anew_is_as_the_person_left_it(change: tuple[str, str]) -> None:
    now = edited(change)

    assert _said(carried(now)) == _said(now)


def test_section_with_a_line_of_a_person_has_no_note_that_nothing_is_known() -> None:
    page = carried(edited((AT_API, f"{AT_API}\n- GET /metrics is what a scraper reads\n")))

    section = page[page.index("<!-- section: api -->") : page.index("<!-- section: decisions -->")]
    assert section == "<!-- section: api -->\n## API\n\n- GET /metrics is what a scraper reads\n\n"


def test_other_sections_stay_as_they_are() -> None:
    page = carried(edited(("- Relations: package\n", "- Relations: package\n- Attributes: name\n")))

    assert page[page.index("<!-- section: api -->") :] == PAGE[PAGE.index("<!-- section: api -->") :]


@pytest.mark.parametrize(
    "line",
    [
        "| [ADR-002](ADR-002-y.md) | A cache |",  # made of the decision
        "- see REQ-003",
        "- <b>bold</b>",
        "- [ours](other.md)",
    ],
)
def test_what_is_made_of_an_item_or_breaks_a_page_is_not_moved(line: str) -> None:
    assert not is_movable(Line("data_model", "Npm", line))


def test_line_that_stands_in_another_form_is_there_and_a_short_word_elsewhere_is_not() -> None:
    wrote = [Line("stack", "", "- Language: Go 1.22"), Line("data_model", "Team", "### Team")]
    new = PAGE.replace("| A queue |", "| language | Go 1.22 | hits per team |")

    assert missing(wrote, [new]) == [wrote[1]]


def test_line_without_a_place_is_left() -> None:
    line = Line("security", "", "- Only from the VPN")

    assert with_lines(PAGE, ByHand((line,))) == (PAGE, [line])


def test_lines_are_kept_as_plain_values() -> None:
    lines = ByHand((Line("api", "", "- x"),), (Line("api", "Y", "- z"),))

    assert ByHand.from_json(lines.to_json()) == lines
    with pytest.raises(ValueError, match="lines of a person"):
        ByHand.from_json({"written": 1})


def _said(page: str) -> list[str]:
    return [line for line in page.split("\n") if line.strip()]


def test_headings_that_a_person_changed_stand_in_a_later_version() -> None:
    now = edited(
        ("# Architecture\n", "# How it is built\n"), ("## API", "## What it offers"), ("# Decisions", "# Why")
    )
    later = PAGE.replace("version 1", "version 2").replace("A queue", "A table")

    page, _ = with_lines(later, ByHand(headings=changed_headings(PAGE, now)))

    assert page == now.replace("version 1", "version 2").replace("A queue", "A table")


def test_later_change_of_a_heading_replaces_the_earlier_one_and_others_stay() -> None:
    first = changed_headings(PAGE, edited(("## API", "## What it offers"), ("## Decisions", "## Why")))
    page, _ = with_lines(PAGE, ByHand(headings=first))
    second = with_newer(first, changed_headings(page, page.replace("## What it offers", "## Its calls")))

    again, _ = with_lines(PAGE, ByHand(headings=second))

    assert "## Its calls" in again and "## Why" in again


@pytest.mark.parametrize("heading", ["## <b>Calls</b>", "## [Calls](other.md)", "### Npm modules"])
def test_unsafe_heading_and_one_of_an_item_are_not_carried(heading: str) -> None:
    old = "### Npm" if heading.startswith("###") else "## API"

    assert changed_headings(PAGE, edited((f"{old}\n", f"{heading}\n"))) == ()


def test_kept_lines_of_an_earlier_version_have_no_headings() -> None:
    assert ByHand.from_json({"written": [], "struck": []}) == ByHand()
    with pytest.raises(ValueError):
        ByHand.from_json({"written": [], "struck": [], "headings": "x"})

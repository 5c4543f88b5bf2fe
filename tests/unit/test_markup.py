"""Requests in another markup than Markdown give the same blocks."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from workers.documents.markup import as_hashes
from workers.documents.outline import outline
from workers.documents.passages import passages

MARKDOWN = """# Ward board

## Goals

- Fewer notes are lost

## Requirements

### Handover

- Nurses must sign in with a card
- The board must show who is on duty

| ID | Feature | Priority |
|---|---|---|
| F-1 | Print a sheet | High |

## Out of scope

- A chat
"""


def headings(text: str, mark: Callable[[int, str], str]) -> str:
    return re.sub(r"(?m)^(#{1,6}) (.*)$", lambda m: mark(len(m[1]), m[2]), text)


def tabbed(text: str) -> str:
    rows = re.sub(r"(?m)^\|[-|]+\|\n", "", text)
    return re.sub(r"(?m)^\| (.*) \|$", lambda m: m[1].replace(" | ", "\t"), rows)


FORMS: dict[str, Callable[[str], str]] = {
    "Jira": lambda text: headings(text, lambda level, said: f"h{level}. {said}").replace("\n- ", "\n* "),
    "MediaWiki": lambda text: headings(text, lambda level, said: f"{'=' * level} {said} {'=' * level}"),
    "AsciiDoc": lambda text: headings(text, lambda level, said: f"{'=' * level} {said}"),
    "Org": lambda text: headings(text, lambda level, said: f"{'*' * level} {said}"),
    "reStructuredText": lambda text: headings(
        text, lambda level, said: f"{said}\n{'=-~'[level - 1] * len(said)}"
    ),
    "HTML headings": lambda text: headings(text, lambda level, said: f"<h{level}>{said}</h{level}>"),
    "HTML lists": lambda text: re.sub(r"(?m)^- (.*)$", r"<li>\1</li>", text),
    "without spaces": lambda text: headings(text, lambda level, said: f"{'#' * level}{said}"),
    "quoted": lambda text: re.sub(r"(?m)^", "> ", text),
    "indented but for its first line": lambda text: text.replace("\n", "\n    "),
    "tables of tabs": tabbed,
}


def told(text: str) -> list[tuple[str, str, str, str]]:
    return [(row.block.kind, row.role, row.text, row.priority) for row in passages(text)]


@pytest.mark.parametrize("form", FORMS)
def test_other_markup_is_read_as_markdown_is(form: str) -> None:
    written = FORMS[form](MARKDOWN)

    assert written != MARKDOWN
    assert told(written) == told(MARKDOWN)


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\n#1204 crash when the list is empty\n#1219 pages lost their bleed\n",
        "* one\n* two\n* three\n",
        "a\tb\n",
        "| a | b |\n|---|---|\n| <ul><li>x</li><li>y</li></ul> | z |\n",
    ],
)
def test_what_only_looks_like_other_markup_stays(text: str) -> None:
    assert [block.kind for block in outline(text) if block.kind == "heading"] == (
        ["heading"] if text.startswith("# ") else []
    )
    assert "\n## " not in as_hashes(text)


def test_list_in_a_cell_stays_in_its_row() -> None:
    text = "| Story | Acceptance |\n|---|---|\n| As a cook I want a plan | <ul><li>x is shown</li><li>y is kept</li></ul> |\n"

    (row,) = outline(text)

    assert row.cells[1][1] == "• x is shown • y is kept"

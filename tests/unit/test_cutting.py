"""Text cut to a budget: by sections, what asks for something stays, and the cut says what is missing."""

from __future__ import annotations

import pytest

from tests.corpus.long_request import long_request
from workers.documents.condensed import compact, condensed, listed, listed_text
from workers.documents.cutting import CUT, cut


def filler(words: str, size: int = 400) -> str:
    return (words + " ") * (size // (len(words) + 1)) + "\n\n"


DOCUMENT = (
    "# Links\n\nIn short.\n\n"
    + "## Background\n\n"
    + filler("long ago")
    + "## Requirements\n\n"
    + filler("the service must expire links")
    + "### Details\n\n"
    + filler("after thirty days")
    + "## Glossary\n\n"
    + filler("link: an address")
)


def test_what_fits_is_not_touched() -> None:
    assert cut(DOCUMENT, len(DOCUMENT)) == DOCUMENT


@pytest.mark.parametrize(
    ("limit", "gone"),
    [(1_500, ["Glossary"]), (1_000, ["Background", "Glossary"])],
)
def test_what_explains_goes_before_what_asks(limit: int, gone: list[str]) -> None:
    shown = cut(DOCUMENT, limit)

    assert "must expire links" in shown and "thirty days" in shown and "In short." in shown
    assert shown.splitlines()[-1].startswith(CUT)
    assert shown.splitlines()[-1].endswith(f"sections: {'; '.join(gone)}]")
    assert all(f"## {title}" not in shown for title in gone)


def test_a_chinese_document_is_cut_by_its_sections_too() -> None:
    text = "# 短链\n\n## 术语\n\n" + "词。" * 300 + "\n\n## 需求\n\n" + "必须过期。" * 50 + "\n"

    assert "必须过期" in cut(text, 500) and "词。" not in cut(text, 500)


def test_of_numbered_items_the_least_important_go_first() -> None:
    items = "".join(
        f"# REQ-{n:03}: A thing\n\n- Priority: {priority}\n\n{filler('words')}"
        for n, priority in enumerate(("Could", "Must", "Won't", "Should"), 1)
    )

    shown = cut("# Requirements\n\nAll of them.\n\n" + items, 1_000)

    assert "REQ-002" in shown and "REQ-004" in shown
    assert shown.endswith("sections: REQ-001: A thing; REQ-003: A thing]")


def test_no_line_is_cut_where_there_are_lines_and_code_has_no_headings() -> None:
    code = "# One\n\n```\n" + "# not a heading\n" * 100 + "```\n"

    shown = cut(code, 500).splitlines()

    assert set(shown[:-1]) == {"# One", "", "```", "# not a heading"}
    assert "the end of what is shown" in shown[-1]


@pytest.mark.parametrize("limit", [1_000, 20_000, 60_000])
def test_a_long_request_keeps_its_budget_whatever_that_is(limit: int) -> None:
    shown = cut(long_request(90), limit)

    assert len(shown) < limit + 1_000
    assert "## Goals" in shown


PAGE = """\
---
version: 3
generated_at: "2026-11-22T07:56:04Z"
---

# Requirements

<!-- section: goals -->
## Goals

- [G-001](../product-brief.md#g-001) Wait less, see [the port](https://port.example/x)
"""


def test_a_page_is_condensed_to_what_it_says() -> None:
    assert condensed(PAGE) == (
        "# Requirements\n\n## Goals\n\n- G-001 Wait less, see [the port](https://port.example/x)\n"
    )


def test_json_is_listed_a_line_an_entry_without_what_is_empty() -> None:
    value = {"title": "Links", "goals": [{"text": "fast", "metric": ""}], "risks": [], "ui": False}

    assert listed(value) == '## title\n\n- Links\n\n## goals\n\n- {"text": "fast"}\n\n## ui\n\n- false\n'
    assert listed_text("no json") == compact("no json") == "no json"
    assert compact('{ "a": [1, ""] }') == '{"a":[1,""]}'

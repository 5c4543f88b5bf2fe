"""The items of a specification are read from its pages, each with the digest of its own words."""

from __future__ import annotations

import pytest

from orchestrator.domain.spec_items import compared, digests, items_of_pages
from tests import factories as make

CATALOGUE = make.shipped_pack().documents
REQ = "spec/requirements/REQ-001-list.md"
PAGES = {
    "spec/product-brief.md": "# Product brief\n\n## Goals\n\n### G-001\n\nFewer calls.\n\n## Scope\n\n- REQ-001 later\n",
    REQ: '---\nid: "REQ-001"\nversion: 1\n---\n\n# REQ-001: List tools\n\nIt lists them.\n\n- Traces to: [G-001](../a.md)\n',
    "spec/architecture/_index.md": (
        "# Architecture\n\n<!-- section: components -->\n## Components\n\n### Shelf\n\nHolds REQ-001.\n\n"
        "<!-- section: stack -->\n## Stack\n\n### Python\n"
    ),
    "spec/epics/EPIC-001-loans.md": (
        "# EPIC-001: Loans\n\nFor REQ-001.\n\n## Stories\n\n### STORY-001-001: List\n\n- Traces to: REQ-001\n\n"
        "#### Criteria\n\n1. It returns 3.\n\n### STORY-001-002: Lend\n\nNothing yet.\n"
    ),
}


def read(**changed: str) -> dict[str, str]:
    """Identifier -> digest, with pages whose text is another: name in PAGES -> text."""
    return digests(items_of_pages({**PAGES, **changed}, CATALOGUE))


def test_items_are_found_with_what_they_refer_to() -> None:
    found = items_of_pages(PAGES, CATALOGUE)

    assert {id: sorted(item.refs) for id, item in found.items()} == {
        "G-001": [],
        "REQ-001": ["G-001"],
        "component:Shelf": ["REQ-001"],
        "EPIC-001": ["REQ-001"],
        "STORY-001-001": ["REQ-001"],
        "STORY-001-002": [],
    }
    assert found["REQ-001"].title == "List tools"


@pytest.mark.parametrize(
    ("path", "old", "new", "changed"),
    [
        (REQ, "It lists them.", "It lists them by name.", ["REQ-001"]),
        (REQ, "version: 1", "version: 2", []),  # who wrote it when says nothing of the item
        (REQ, "It lists them.\n", "It lists them.  \n", []),
        ("spec/epics/EPIC-001-loans.md", "It returns 3.", "It returns 4.", ["STORY-001-001"]),
        ("spec/epics/EPIC-001-loans.md", "Nothing yet.", "It lends.", ["STORY-001-002"]),
        ("spec/epics/EPIC-001-loans.md", "For REQ-001.", "For all.", ["EPIC-001"]),
        ("spec/product-brief.md", "Fewer calls.", "No calls.", ["G-001"]),
        ("spec/product-brief.md", "- REQ-001 later", "- REQ-001 now", []),  # its own page says what it is
        ("spec/architecture/_index.md", "Holds", "Keeps", ["component:Shelf"]),
    ],
)
def test_a_change_is_one_of_the_item_whose_words_it_is_in(
    path: str, old: str, new: str, changed: list[str]
) -> None:
    after = read(**{path: PAGES[path].replace(old, new)})

    assert PAGES[path] != PAGES[path].replace(old, new)
    assert compared(read(), after).changed == tuple(changed)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (REQ, PAGES[REQ].replace('id: "REQ-001"', 'status: "withdrawn"')),
        (
            REQ,
            f"# Requirements\n\n<!-- section: withdrawn -->\n## Withdrawn\n\n{PAGES[REQ][40:].replace('# REQ', '### REQ')}",
        ),
        (REQ, "# Nothing\n"),
    ],
)
def test_what_is_withdrawn_or_gone_is_not_in_force(path: str, text: str) -> None:
    assert compared(read(), read(**{path: text})).withdrawn == ("REQ-001",)


def test_lines_of_a_page_that_was_brought_along_are_items() -> None:
    page = "# Names\n\n- **REQ-001** (Must): It returns 404\n  for unknown names.\n- REQ-002: It lists.\n\nREQ-001 again.\n"

    before = digests(items_of_pages({"spec/specification.md": page}, CATALOGUE))
    after = digests(items_of_pages({"spec/specification.md": page.replace("unknown", "new")}, CATALOGUE))

    assert set(before) == {"REQ-001", "REQ-002"}
    assert compared(before, after).changed == ("REQ-001",)


def test_identifiers_in_code_and_of_unknown_kinds_are_no_items() -> None:
    page = "# HTTP-404 pages\n\n```\n# REQ-009: a comment\n```\n\nISO-8601 and XREQ-001.\n"

    assert items_of_pages({"spec/specification.md": page}, CATALOGUE).keys() <= {"REQ-009"}

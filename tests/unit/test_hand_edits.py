"""What a person writes on a page of a document holds in the content that later versions are made from."""

from __future__ import annotations

import pytest

from orchestrator.config import load_pack
from tests.unit.builtin_chain import chain, pages
from workers.documents.as_written import taken_over, written_contents
from workers.documents.content import Architecture, Brief, Content, Epics, Requirements
from workers.documents.hand_edits import changes, upheld
from workers.documents.identifiers import Registered, items_of
from workers.documents.reader import read

REQUEST = (
    "# Desk\n\n## Goals\n\n- Readers wait under 5 minutes at the desk\n\n## Users\n\n- Reader: reserves books\n\n"
    "## Requirements\n\n- Readers must reserve books online.\n"
    "- The desk must print a receipt.\n- The catalogue must list the author of every book.\n"
)
CHINESE = "# 书台\n\n## 需求\n\n- 读者必须在线预约图书。\n- 前台必须打印收据。\n"
FIRST = "spec/requirements/REQ-001.md"
INDEX = "spec/requirements/_index.md"
BRIEF = "spec/product-brief.md"


def written(kind: str, request: str, *edits: tuple[str, str, str]) -> tuple[Content, Content]:
    """The content of a document before and after edits, each a path with what was there and what is there now."""
    facts = chain(request)
    texts = pages(kind, facts)
    changed = dict(texts)
    for path, old, new in edits:
        assert old in changed[path], changed[path]
        changed[path] = changed[path].replace(old, new, 1)
    found = facts[kind]
    known = Registered(found, files={item.id: f"{item.id}.md" for item in items_of(found)})
    paths = [path for path in texts if changed[path] != texts[path]]
    return found, taken_over(known, [read(path, changed[path].encode()) for path in paths]).content


@pytest.mark.parametrize("kind", ["brief", "requirements", "architecture", "epics"])
@pytest.mark.parametrize("request_", [REQUEST, CHINESE, "Build a URL shortener with an admin dashboard"])
def test_pages_as_they_were_made_say_what_was_registered(kind: str, request_: str) -> None:
    facts = chain(request_)

    found = written_contents(
        {
            name: text
            for each in ("brief", "requirements", "architecture", "epics")
            for name, text in pages(each, facts).items()
        },
        load_pack(None, {}).documents,
    )

    assert changes(facts[kind], found[kind]) == []


@pytest.mark.parametrize(
    ("request_", "path", "old", "new", "told"),
    [
        (REQUEST, FIRST, "Priority: Must", "Priority: Could", "REQ-001: moscow = Could"),
        (REQUEST, FIRST, "Priority: Must", "Priority: should have", "REQ-001: moscow = Should"),
        (REQUEST, FIRST, "Priority: Must", "Priority: Must (v2)", "REQ-001: release = v2"),
        (
            REQUEST,
            FIRST,
            "Traces to: –",
            "Traces to: [G-001](../product-brief.md#g-001)",
            "REQ-001: goals = G-001",
        ),
        (CHINESE, FIRST, "优先级: Must", "优先级：可选", "REQ-001: moscow = Could"),
        (CHINESE, FIRST, "优先级: Must", "优先级：应该", "REQ-001: moscow = Should"),
        (
            REQUEST,
            FIRST,
            "I want to reserve books online",
            "I want to reserve a room",
            "REQ-001: user_story = to reserve a room",
        ),
        (REQUEST, FIRST, "# REQ-001: ", "# REQ-001: Web: ", "REQ-001: title = Web: "),
        (REQUEST, INDEX, "| Must | ", "| Could | ", "REQ-001: moscow = Could"),
    ],
)
def test_what_a_person_writes_on_a_page_of_requirements_holds(
    request_: str, path: str, old: str, new: str, told: str
) -> None:
    if path == INDEX:  # the row of the item, not the count above it
        facts = chain(request_)
        row = next(
            line
            for line in pages("requirements", facts)[INDEX].split("\n")
            if line.startswith("| [REQ-001](") and "Must" in line
        )
        old, new = row, row.replace(old, new)

    before, after = written("requirements", request_, (path, old, new))

    (line,) = changes(before, after)
    assert line.startswith(told)


def test_the_page_of_an_item_goes_before_an_index_that_still_says_what_it_said() -> None:
    before, after = written(
        "requirements",
        REQUEST,
        (FIRST, "Priority: Must", "Priority: Could"),
        (INDEX, "# ", "# My "),
    )

    assert changes(before, after) == ["REQ-001: moscow = Could"]


def test_story_of_an_epic_is_read_from_its_sentence() -> None:
    facts = chain(REQUEST)
    texts = pages("epics", facts)
    path = next(path for path in texts if "EPIC-001" in path)
    story = facts["epics"].items[0].stories[0]

    _, after = written(
        "epics", REQUEST, (path, f"I want {story.i_want}", "I want a shelf"), (path, "(MVP)", "")
    )

    assert isinstance(after, Epics)
    assert after.items[0].stories[0].i_want == "a shelf"
    assert after.items[0].stories[0].as_a == story.as_a
    assert after.items[0].mvp is False


@pytest.mark.parametrize(
    ("marker", "line"),
    [
        ("constraints", "- It must run without a network.\n"),
        ("constraints", "It must run without a network.\n"),
        ("constraints", "* It must run without a network.\n"),
    ],
)
@pytest.mark.parametrize("keeps_note", [True, False])
@pytest.mark.parametrize("request_", [REQUEST, CHINESE])
def test_what_a_person_writes_below_the_marker_of_an_empty_section_counts(
    request_: str, marker: str, line: str, keeps_note: bool
) -> None:
    page = pages("brief", chain(request_))[BRIEF]
    begin = page.index("<!-- empty -->", page.index(f"<!-- section: {marker} -->"))
    note = page[begin:].split("\n\n")[1]
    there = page[begin : begin + page[begin:].index(note) + len(note)]
    own = f"{there}\n\n{line}" if keeps_note else f"<!-- empty -->\n\n{line}"

    before, after = written("brief", request_, (BRIEF, there, own))

    assert isinstance(after, Brief)
    assert [row.text for row in after.constraints] == ["It must run without a network."]
    assert after.constraints[0].source == "stated"
    assert changes(before, after) == ["constraints = It must run without a network."]


def test_users_and_what_is_left_out_are_read_as_they_stand() -> None:
    page = pages("brief", chain(REQUEST))[BRIEF]
    user = next(line for line in page.split("\n") if line.startswith("- **Reader"))
    before, after = written(
        "brief",
        REQUEST,
        (BRIEF, user, f"{user}\n- **Treasurer**: sees all fees; exports them"),
        (BRIEF, "**Out of scope**\n\n- not stated", "**Out of scope**\n\n- Lending between libraries"),
    )

    assert isinstance(before, Brief) and isinstance(after, Brief)
    assert after.users[:-1] == before.users
    assert (after.users[-1].name, after.users[-1].needs) == ("Treasurer", ["sees all fees", "exports them"])
    assert [row.text for row in after.out_of_scope] == ["Lending between libraries"]
    assert after.in_scope == before.in_scope


def test_reply_that_sets_an_edit_back_does_not() -> None:
    before, after = written("requirements", REQUEST, (FIRST, "Priority: Must", "Priority: Could"))
    assert isinstance(before, Requirements)
    second = before.items[1].model_copy(update={"moscow": "Should"})
    reply = before.model_copy(update={"items": [before.items[0], second, *before.items[2:]]})

    kept, told = upheld(reply, before, after)
    free, none = upheld(reply, before, after, {"REQ-001"})

    assert isinstance(kept, Requirements)
    assert (kept.items[0].moscow, kept.items[1].moscow, told) == ("Could", "Should", ["REQ-001"])
    assert (free, none) == (reply, [])


DESIGN = "spec/architecture/_index.md"
STACKED = "# Desk\n\n## Requirements\n\n- The desk must store loans in PostgreSQL.\n- Readers must reserve books online.\n"


@pytest.mark.parametrize("label", ["", "**Situation**\n\n"])
def test_what_a_person_writes_below_problem_is_the_situation(label: str) -> None:
    page = pages("brief", chain(REQUEST))[BRIEF]
    there = page[page.index("<!-- section: problem -->") : page.index("<!-- section: target_users -->")]
    mine = f"<!-- section: problem -->\n## Problem\n\n{label}Loans take 25 minutes.\n\nNine are walking.\n\n"

    _, after = written("brief", REQUEST, (BRIEF, there, mine))

    assert isinstance(after, Brief)
    assert after.situation == "Loans take 25 minutes.\n\nNine are walking."
    assert after.impact == ""


def test_rows_of_the_stack_are_those_that_a_person_left() -> None:
    page = pages("architecture", chain(STACKED))[DESIGN]
    (row,) = (line for line in page.split("\n") if "PostgreSQL | named" in line)

    before, after = written(
        "architecture", STACKED, (DESIGN, row, "| language | Go 1.22 | we said so | stated |")
    )

    assert isinstance(after, Architecture)
    assert [(each.layer, each.choice, each.source) for each in after.stack] == [
        ("language", "Go 1.22", "stated")
    ]
    assert changes(before, after) == ["stack = Go 1.22"]


def test_operation_in_a_list_and_a_corrected_part_are_read_without_our_mark() -> None:
    facts = chain(STACKED)
    part = facts["architecture"].components[0]
    assert part.source == "proposed"

    _, after = written(
        "architecture",
        STACKED,
        (
            DESIGN,
            "<!-- section: decisions -->",
            "- GET /metrics: what a scraper reads\n\n<!-- section: decisions -->",
        ),
        (DESIGN, f"{part.responsibility} *(", "Keeps the loans *("),
    )

    assert isinstance(after, Architecture)
    assert (after.api[-1].name, after.api[-1].purpose) == ("GET /metrics", "what a scraper reads")
    assert after.components[0].responsibility == "Keeps the loans"


def test_words_behind_a_statement_of_a_list_are_part_of_it() -> None:
    limited = REQUEST + "\n## Constraints\n\n- It runs in one container\n"

    _, after = written(
        "brief", limited, (BRIEF, "- It runs in one container", "- It runs in one container on ARM")
    )

    assert isinstance(after, Brief)
    assert [row.text for row in after.constraints] == ["It runs in one container on ARM"]

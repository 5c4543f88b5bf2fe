"""How the structure and the grammar of a request are read: titles, labels, lines of facts, what others owe, who is listed."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from tests.unit.test_reading_rules import read_as
from workers.builtin import analyse_request
from workers.builtin.qualities import category_of
from workers.documents.lexicon import lexicon_of
from workers.documents.no_statement import beside, is_left_to_decide, is_logged
from workers.documents.passages import passages
from workers.documents.reading_words import column_of, is_done, role_of

GOALS = "\n\n## Goals\n\n- Fewer keys are lost\n\n## Out of scope\n\n- Locks\n\n## Requirements\n\n- Porters must sign for a key\n"


def users_of(text: str) -> list[str]:
    return [actor.name for actor in analyse_request(text).actors]


def role_of_text(request: str, text: str) -> str:
    return next(passage.role for passage in passages(request) if text in passage.text)


@pytest.mark.parametrize("title", ["CR-0457 – Key register", "Software Requirements Specification"])
def test_title_of_a_document_asks_for_nothing(title: str) -> None:
    request = f"# {title}\n\nPrepared in May.\n\n## Current process\n\n- A porter writes into a book.{GOALS}"

    assert read_as(request).get("A porter writes into a book.") is None
    assert title not in [need.text for need in analyse_request(request).needs]


@pytest.mark.parametrize(
    "heading", ["How to contribute", "Get involved", "Contributing to the register", "License"]
)
def test_how_to_take_part_in_a_project_asks_for_nothing(heading: str) -> None:
    request = f"# Register{GOALS}\n## {heading}\n\nYou can take part by:\n\n- Reporting bugs: open an issue\n"

    assert [need.text for need in analyse_request(request).needs if "bugs" in need.text] == []


def test_number_of_a_single_story_is_still_a_requirement() -> None:
    request = "# FEAT-12: Porters export the register\n\n## Acceptance criteria\n\n- The file opens in a spreadsheet\n"

    assert "Porters export the register" in [need.text for need in analyse_request(request).needs]


def test_labels_of_a_requirement_shell_are_what_they_name() -> None:
    request = (
        "# Keys\n\n## Functional requirements\n\n### REQ-1\n\n**Text:** The system shall list all keys.\n"
        "**Rationale:** Nobody counts them.\n**Fit criterion:** Ninety keys are listed in a second.\n"
    )

    read = analyse_request(request)

    assert [need.text for need in read.needs] == ["The system shall list all keys."]
    assert [row.text for row in read.criteria] == ["Ninety keys are listed in a second."]


def test_value_for_the_business_is_no_wish() -> None:
    request = "# Keys\n\n## Functional requirements\n\n### Lending\n\n- **Requirement**: Lend a key by its tag\n- **Business Value**: Fewer searches\n"

    assert [need.text for need in analyse_request(request).needs] == ["Lend a key by its tag"]


def test_one_word_that_opens_an_item_is_its_label() -> None:
    request = "# Keys\n\n## Scope of services\n\n1. **Lending.** The supplier shall connect the cabinet to the door.\n2. **Alarms.** The system shall ring when a door stays open.\n"

    assert [need.text for need in analyse_request(request).needs] == [
        "The supplier shall connect the cabinet to the door.",
        "The system shall ring when a door stays open.",
    ]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Raised by: porter · Impact: medium · Replaces: CR-12", "meta"),
        ("Legend — M must for launch · S should · C could", "meta"),
        ("S = one week, M = one month, L = split it", "meta"),
        ("1.2 [Users](#users)", "contents"),
        ("Porters lend keys · the office sees who has them", ""),
        ("Owner: the porter must sign · Key: it is copied", ""),
    ],
)
def test_lines_that_state_nothing(text: str, role: str) -> None:
    assert beside(text, {}) == role


def test_line_of_a_log_is_background() -> None:
    assert is_logged("2026-03-09 cabinet sent away")
    assert not is_logged("2026-03-09 the cabinet must be back")


@pytest.mark.parametrize(
    ("text", "left"),
    [("Colour of the tags: tbd", True), ("Owner: TBD", False), ("Fit criterion: TBD", False)],
)
def test_something_named_and_left_open_is_a_question(text: str, left: bool) -> None:
    assert is_left_to_decide(text) is left


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Gerda warns that the students leave in May.", "risk"),
        ("What can go wrong is that nobody returns a key.", "risk"),
        ("We do not know yet whether the cabinet is insured.", "question"),
        ("The vendor of the doors has to open the interface.", "dependency"),
        ("The reader software has to be installed separately.", "dependency"),
        ("Names of tenants come from the register Argo.", "dependency"),
        ("This needs RFC 12 to be merged first.", "dependency"),
        ("£7,000 all in.", "constraint"),
        ("We can spend 9,000 kroner now.", "constraint"),
        ("Six weeks, one designer, two programmers.", "constraint"),
        ("The season starts on 1 March, orders after that need the box.", "constraint"),
    ],
)
def test_prose_says_what_is_feared_owed_and_given(sentence: str, kind: str) -> None:
    read = read_as(f"# Keys{GOALS}\n\n## Remarks\n\n{sentence}\n")

    assert read[next(text for text in read if text in sentence or sentence in text)] == kind


def test_people_who_approve_act_in_a_requirement() -> None:
    read = read_as("# Keys\n\n## Requirements\n\n- Editors have to approve each key.\n")

    assert read["Editors have to approve each key."] == "functional"


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("User classes and characteristics", "user"),
        ("Budget, dates, people", "constraint"),
        ("Must have for non-technical users", "requirement"),
        ("User interfaces", "requirement"),
        ("Software interfaces", "dependency"),
        ("Current process", "background"),
        ("What scares us", "risk"),
        ("Limits and alarms (FR-2)", ""),
    ],
)
def test_standard_headings(heading: str, role: str) -> None:
    assert role_of(heading) == role


def test_preposition_names_no_column() -> None:
    assert column_of("what for") == ""
    assert column_of("for whom") == "user"


def test_check_mark_says_done() -> None:
    assert is_done("✔ signed 14 Oct")
    assert not is_done("started")


def test_users_are_told_from_other_names() -> None:
    assert users_of(
        f"# Keys\n\n## Users\n\n- Porters, cleaners, and drivers\n- £70\n- On our side{GOALS}"
    ) == [
        "Porters",
        "cleaners",
        "drivers",
    ]


def test_list_of_users_keeps_names_it_does_not_know() -> None:
    assert users_of(
        f"# Keys\n\n## Who it is for\n\nResearchers, our mounters and assistants, and the loans desk.{GOALS}"
    )[:4] == [
        "Researchers",
        "mounters",
        "assistants",
        "loans desk",
    ]


def test_role_of_a_stakeholder_that_names_nobody_is_no_name() -> None:
    request = f"# Keys\n\n## Stakeholder analysis\n\n### Primary stakeholders\n\n#### Porters\n\n- **Role**: Daily lending of keys\n- **Needs**: Speed{GOALS}"

    assert users_of(request) == ["Porters"]


def test_what_users_may_do_is_asked_for() -> None:
    request = f"# Keys\n\n## Users\n\n- Porters\n\n### Rights\n\n- R2.1.1 Lend every key of the house.\n- R2.1.2 See all keys that are out.{GOALS}"

    assert role_of_text(request, "Lend every key") == "requirement"
    assert users_of(request) == ["Porters"]


def test_story_that_needs_something_no_longer_is_no_exclusion() -> None:
    story = "As a porter, I want a tag on each key so that I do not need a book"

    assert read_as(f"# Keys\n\n## User stories\n\n- {story}\n")[story] == "functional"


def test_quality_is_quoted_with_its_measure() -> None:
    request = (
        "# Keys\n\n## Service levels\n\n| What | Level |\n|---|---|\n| Freshness | a minute after lending |\n"
    )

    assert [need.text for need in analyse_request(request).needs] == ["Freshness | a minute after lending"]


def test_test_and_what_is_expected_are_one_criterion() -> None:
    request = f"# Keys{GOALS}\n\n## Checks\n\n| No. | Test | Expected |\n|---|---|---|\n| T1 | Unplug the reader | an alarm |\n"

    assert [row.text for row in analyse_request(request).criteria] == ["Unplug the reader | an alarm"]


def test_table_between_ruled_lines_has_rows() -> None:
    request = "Keys\n====\n\nQuality\n-------\n\n========  ============\nQuantity  Value\n========  ============\nPower     2 W at most\nLife      15 years\n========  ============\n"

    assert [passage.text for passage in passages(request) if passage.block.kind == "row"] == [
        "Power | 2 W at most",
        "Life | 15 years",
    ]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Where somebody was picked up is forgotten after 7 days", "S"),
        ("VoiceOver and TalkBack throughout", "U"),
        ("A new pilot needs no explanation", "U"),
        ("24 hours on battery after the mains fail", "P"),
        ("On New Year's Eve ten times the usual", "SC"),
        ("手套湿的也能点得动", "U"),
        ("没信号也得能记", "SC"),
        ("No network access at all, not even for updates", "S"),
        ("After a power failure it shall resume without help", "SC"),
        ("Screen texts in a second language", "U"),
        ("Audit pages open within 2 seconds, also at 300 ms of delay", "P"),
    ],
)
def test_qualities_are_named_by_their_words(text: str, category: str) -> None:
    assert category_of(text, lexicon_of(text)) == category

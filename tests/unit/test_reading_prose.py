"""Requests told in paragraphs: what leads to code or a list, what is wanted among what is so, lines that are wrapped."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from workers.builtin import analyse_request
from workers.builtin.analysis import RequestAnalysis
from workers.documents.outline import outline

CODE = "\n\n```json\n{}\n```\n"


def asked(read: RequestAnalysis) -> list[str]:
    return [need.text for need in read.requirements]


@pytest.mark.parametrize(
    ("paragraph", "statements"),
    [
        ("The service must answer with the price of a stay:", ["The service must answer with the price of a stay"]),
        (
            "The price must be shown in the currency of the car park. For example:",
            ["The price must be shown in the currency of the car park."],
        ),
        (
            "Wardens must be able to replace all rates, which looks like this:",
            ["Wardens must be able to replace all rates"],
        ),
        ("We need an endpoint that replaces all rates:", ["We need an endpoint that replaces all rates"]),
        ("接口必须返回停车价格和币种，如下所示：", ["接口必须返回停车价格和币种"]),
    ],
)  # fmt: skip
def test_a_paragraph_above_code_is_read(paragraph: str, statements: list[str]) -> None:
    assert asked(analyse_request(f"# Parking\n\n{paragraph}{CODE}")) == statements


@pytest.mark.parametrize("paragraph", ["Example:", "Here is what it looks like today:", "Consider the following rates:"])  # fmt: skip
def test_what_only_leads_to_code_asks_for_nothing(paragraph: str) -> None:
    read = analyse_request(f"# Parking\n\nThe price must be shown.\n\n{paragraph}{CODE}")

    assert asked(read) == ["The price must be shown."]


def test_only_the_last_sentence_of_a_paragraph_leads_to_its_list() -> None:
    read = analyse_request(
        "# Parking\n\nA closed car park must not be offered. Wardens can close it for:\n\n- one day\n- several days\n"
    )

    assert "A closed car park must not be offered." in asked(read)


TICKETS = (
    "Our support team copies every ticket by hand into a spreadsheet. It takes two hours a day, and tickets get lost. "
    "We need a web app that turns each mail into a ticket. Agents should be able to close a ticket. "
    "If the mailbox cannot be reached, an administrator is told.\n"
)
WANTED = [
    "We need a web app that turns each mail into a ticket.",
    "Agents should be able to close a ticket.",
    "If the mailbox cannot be reached, an administrator is told.",
]


@pytest.mark.parametrize("heading", ["", "## Overview\n\n", "## Background\n\n", "## Problem\n\n", "## Summary\n\n"])  # fmt: skip
def test_prose_is_no_background_from_the_sentence_on_that_asks_for_the_thing(heading: str) -> None:
    read = analyse_request(f"# Tickets\n\n{heading}{TICKETS}")

    assert asked(read) == WANTED
    assert read.situation == (
        "Our support team copies every ticket by hand into a spreadsheet.",
        "It takes two hours a day, and tickets get lost.",
    )


def test_a_background_beside_requirements_stays_one() -> None:
    read = analyse_request(f"# Tickets\n\n## Background\n\n{TICKETS}\n## Requirements\n\n- Agents log in\n")

    assert "We need a web app that turns each mail into a ticket." in read.situation


@pytest.mark.parametrize(
    "wish",
    [
        "We want to export the list of scores as a spreadsheet.",
        "I'd like to see who has borrowed which score.",
        "We are looking for a tool that reminds members of their loans.",
        "This proposal would remove the field from the form.",
        "Not a huge deal, but sometimes I want to copy the number of a score.",
    ],
)
def test_a_wish_in_prose_is_asked_for(wish: str) -> None:
    read = analyse_request(f"Hi,\n\nwe lend scores. The app must run in a browser. {wish} Thank you.\n")

    assert wish in asked(read)


def test_what_an_author_aims_at_in_prose_is_a_goal() -> None:
    read = analyse_request(
        "Hi,\n\nwe lend scores. The app must run in a browser. We aim to give members one place for all scores.\n"
    )

    assert [goal.text for goal in read.goals] == ["We aim to give members one place for all scores."]


def test_nothing_may_is_a_must() -> None:
    read = analyse_request(
        "# Tickets\n\nThe app reads the mailbox. Nothing may be deleted from the mailbox.\n"
    )

    assert [need.moscow for need in read.requirements] == ["Must", "Must"]


def test_trouble_of_today_is_asked_for_by_nobody_where_no_wish_is_told() -> None:
    read = analyse_request(
        "# Scores\n\nMembers copy every loan by hand into a book. Each score has a shelf number.\n"
    )

    assert asked(read) == ["Each score has a shelf number."]


def test_a_list_that_background_leads_to_with_must_is_asked_for() -> None:
    read = analyse_request(
        "# Rooms\n\n## Context\n\nThere is a form. It is mandatory that members can:\n\n- cancel a booking\n"
    )

    assert asked(read) == ["cancel a booking"]


def test_a_numbered_list_on_one_line_is_one() -> None:
    read = analyse_request(
        "# Sync\n\n## Requirements\n\n1. A button syncs both folders. 2. Users can schedule a sync.\n"
    )

    assert asked(read) == ["A button syncs both folders.", "Users can schedule a sync."]


@pytest.mark.parametrize(
    "text",
    [
        "The API must respond to requests on port `5000`",
        "The page must link to https://example.org/secure",
        "Each employee must have a profile with service availability",
    ],
)
def test_words_of_a_quality_in_another_sense_make_no_nonfunctional_requirement(text: str) -> None:
    read = analyse_request(f"# Rates\n\n- {text}\n- It must show rates\n")

    assert [need.kind for need in read.requirements] == ["functional", "functional"]


@pytest.mark.parametrize(
    ("paragraph", "statements"),
    [
        (
            "The desk must export a list called `loans`. The exported list\nmust not hold names of pupils.",
            ["The desk must export a list called `loans`. The exported list must not hold names of pupils."],
        ),
        (
            "Wardens must be able to lend an instrument to a pupil of another school\nwith one tap, also\nin the hall.",
            [
                "Wardens must be able to lend an instrument to a pupil of another school with one tap, also in the hall."
            ],
        ),
        ("must run on tablets\nno pupil may see names", ["must run on tablets", "no pupil may see names"]),
    ],
)
def test_wrapped_prose_is_not_cut_at_the_ends_of_its_lines(paragraph: str, statements: list[str]) -> None:
    long = "This page is about the desk of the music school, at which instruments are lent to pupils of five schools."
    notes = "\n\n".join(
        f"{long}\nthe keeper is called {name}\nplease call before you come" for name in ("Ada", "Bo", "Cy")
    )

    read = outline(f"# Desk\n\n{notes}\n\n{paragraph}\n")

    assert [block.text for block in read if block.kind == "paragraph"][9:] == statements


@pytest.mark.parametrize(
    "open_point",
    [
        "I have not decided whether the labels are printed by us or ordered.",
        "We still haven't agreed who winds the bobbins.",
        "One point I cannot answer yet is whether apprentices count.",
    ],
)
def test_what_nobody_has_decided_is_an_open_question(open_point: str) -> None:
    read = analyse_request(f"We need a list of our looms.\n\nWeavers enter the cloth.\n\n{open_point}\n")

    assert open_point.rstrip(".") in [question.rstrip(".") for question in read.questions]


def test_what_was_decided_is_no_open_question() -> None:
    read = analyse_request("We need a list of our looms.\n\nThe guild has decided who winds the bobbins.\n")

    assert not any("bobbins" in question for question in read.questions)


def test_what_a_text_tells_its_reader_is_not_asked_for() -> None:
    read = analyse_request(
        "You are going to build Shuttle, a record of our looms. Read all of this twice before you start and ask me if it "
        "contradicts itself.\n\nRead this text before you start.\n\nWeavers must enter the cloth.\n"
    )

    assert not any("before you start" in text for text in asked(read)[1:])
    assert any("Shuttle" in text for text in asked(read))

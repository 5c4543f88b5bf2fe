"""Which statement a row, a list or a sentence makes: names beside statements, what is left out, undecided or finished."""

from __future__ import annotations

import pytest

from workers.builtin.request import analyse_request
from workers.documents.reading_words import role_of


def test_requirement_is_the_column_that_asks_rather_than_its_name() -> None:
    request = (
        "# Shed\n\n## Features\n\n| No. | Capability | Requirement | Priority / state |\n|---|---|---|---|\n"
        "| 1 | Bench plan | Members see which bench is free in the next seven days | Critical; open |\n"
        "| 2 | Key box | The box opens with the code of the booking | Critical; done |\n"
    )
    read = analyse_request(request)

    assert [need.text for need in read.needs] == ["Members see which bench is free in the next seven days"]
    assert read.done == ("The box opens with the code of the booking",)


@pytest.mark.parametrize("value", ["TBC", "tbd", "to be decided", "待定"])
def test_what_is_still_to_be_decided_is_a_question_wherever_it_stands(value: str) -> None:
    read = analyse_request(f"# Shed\n\n## Out of scope\n\n- Payment\n- Name of the shed: {value}\n")

    assert read.questions == (f"Name of the shed: {value}",)


@pytest.mark.parametrize(
    "heading", ["2.3User Classes and Characteristics", "2.3 User Classes and Characteristics"]
)
def test_number_that_touches_its_heading_is_left_out(heading: str) -> None:
    assert role_of(heading) == "user"


def test_last_sentence_before_a_list_says_what_it_is_of() -> None:
    request = (
        "# Gatelog\n\n## Product Scope\n\nGatelog replaces a paper book. The objectives are:\n\n"
        "* closing a day takes five minutes instead of thirty;\n* keepers know the level before they leave.\n"
    )

    assert [goal.target for goal in analyse_request(request).goals] == ["five minutes", ""]


def test_lettered_lines_are_items() -> None:
    request = "# Rolls\n\n## Objectives\n\nThe parish seeks to:\n\na) halve the visits;\nb) pay the portal by fees.\n"

    assert [goal.text.rstrip(";.") for goal in analyse_request(request).goals] == [
        "halve the visits",
        "pay the portal by fees",
    ]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Gatelog does not open the gates.", "exclusion"),
        ("It does not print tickets.", "exclusion"),
        ("dont build a chat", "exclusion"),
        ("Not in 2.1: an export to the archive.", "exclusion"),
        ("Password reset by mail", "functional"),
        ("The list has to work without a network", "nonfunctional"),
        ("Search has to answer within 2 seconds", "nonfunctional"),
        ("Keepers translate the notices of a lock", "functional"),
        ("Token usage of each keeper in the monthly table", "functional"),
        ("Personalised greeting on the first page", "functional"),
        ("Level readings signed by two keepers", "functional"),
        ("Availability calendar of the locks", "functional"),
        ("Commands to the gates are signed", "nonfunctional"),
    ],
)
def test_kind_of_a_statement(sentence: str, kind: str) -> None:
    request = (
        f"Gatelog is a log of lock gates for us keepers.\n\nEvery keeper can enter a level.\n\n{sentence}\n"
    )

    assert [need.kind for need in analyse_request(request).needs if need.text in sentence] == [kind]


@pytest.mark.parametrize(
    ("statement", "category"),
    [
        ("Protection of data: nothing is kept of a visit", "S"),
        ("Loss of power: nine hours from the cell", "SC"),
        ("Ease of use: a keeper enters a level in under a minute", "U"),
        ("Handhelds lock themselves after five minutes", "S"),
        ("A gauge that loses its signal keeps a week of levels", "SC"),
        ("Levels are synchronised later", "SC"),
        ("A new keeper needs no explanation", "U"),
    ],
)
def test_category_of_a_quality(statement: str, category: str) -> None:
    read = analyse_request(f"# Gatelog\n\n## Non-functional requirements\n\n- {statement}\n")

    assert [need.category for need in read.needs] == [category]


@pytest.mark.parametrize(
    "sentence", ["Anything above 20 a month is out.", "This page does not describe the hardware."]
)
def test_limit_and_what_a_text_says_of_itself_leave_nothing_out(sentence: str) -> None:
    read = analyse_request(
        f"Gatelog is a log for us keepers.\n\nEvery keeper can enter a level.\n\n{sentence}\n"
    )

    assert not [need.text for need in read.needs if need.kind == "exclusion"]

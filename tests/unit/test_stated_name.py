"""What a request calls the thing it asks for is its title; figures, colours and identifiers are not."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import ask
from workers.builtin import analyse_request
from workers.builtin.goals import goal_of
from workers.documents.fates import book
from workers.documents.lexicon import lexicon_of
from workers.documents.stated_name import called_name, labelled_name

WISH = "Nurses must be able to see free beds."


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Product name: BedBoard", "BedBoard"),
        ("**Project Name:** Bed Board", "Bed Board"),
        ("Name of the product: BedBoard", "BedBoard"),
        ("产品名称：床位看板", "床位看板"),
        ("Produktname: Bettentafel", "Bettentafel"),
        ("Product name: TBD", ""),
        ("Product name: [Your product]", ""),
        ("Product: a board that shows beds", ""),
        ("Column name: bed_id", ""),
    ],
)
def test_name_behind_its_label(line: str, name: str) -> None:
    assert labelled_name(line) == name


@pytest.mark.parametrize(
    "text",
    [
        f"# Product requirements\n\nProduct name: BedBoard\n\n## Requirements\n- {WISH}\n",
        f"| Field | Value |\n|---|---|\n| Product name | BedBoard |\n\n{WISH}\n",
        f'{WISH} The app is called "BedBoard".\n',
    ],
)
def test_stated_name_is_the_title_and_no_requirement(text: str) -> None:
    discovery = ask("discovery", request=text, language="en", codebase=None)

    assert discovery.title == "BedBoard"
    assert [row.text for row in discovery.requirements] == [WISH]
    assert book(text, discovery).ledger.fates.unread == 0


def test_colour_or_identifier_is_no_title() -> None:
    assert analyse_request(f"#336699\n\nREQ-12\n\n{WISH}").title.startswith("Nurses")
    assert called_name("The page is called by the browser.") == ""


@pytest.mark.parametrize(
    "text",
    [
        "Our brand colour is #336699",
        "The bakery opens at 6 in the morning",
        "Deliveries leave at 6 am",
        "Version 2.4 of the API",
        "ISO 27001 certified",
    ],
)
def test_colour_hour_and_number_of_a_name_are_no_target(text: str) -> None:
    assert goal_of(text, lexicon_of(text)).target == ""


@pytest.mark.parametrize(
    ("text", "target"), [("Reduce waiting to 5 minutes", "5 minutes"), ("Grow to 600 members by June", "600")]
)
def test_value_to_reach_is_a_target(text: str, target: str) -> None:
    assert goal_of(text, lexicon_of(text)).target == target


def test_what_a_label_says_not_to_do_is_left_out() -> None:
    found = analyse_request(f"## Requirements\n- {WISH}\n\nDon't:\n- send mails\n- store names\n")

    assert [need.text for need in found.exclusions] == ["send mails", "store names"]


@pytest.mark.parametrize("text", ["asdf qwer", "foo bar", "sdfsdf", "test 123"])
def test_letters_struck_at_random_ask_for_nothing_and_are_asked_about(text: str) -> None:
    discovery = ask("discovery", request=text, language="en", codebase=None)

    assert discovery.requirements == []
    assert text in discovery.open_questions[0]

"""A line that tells what its thing is for is taken apart into its clauses; any other line stays whole."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin.request import analyse_request

TOLD = {
    "I need a small tool for our ski club so that coaches can plan lessons and children see which lifts are open": [
        "Coaches can plan lessons",
        "Children see which lifts are open",
    ],
    "Build a web app so our helpers can sign up for shifts, and the coordinator gets a weekly summary by e-mail": [
        "Our helpers can sign up for shifts",
        "The coordinator gets a weekly summary by e-mail",
    ],
    "Make a simple trip diary where I can add trips, filter them, and see a monthly chart": [
        "Add trips",
        "Filter trips",
        "See a monthly chart",
    ],
    "Create a REST API for a museum: exhibits can be lent and returned, overdue loans are listed": [
        "Exhibits can be lent and returned",
        "Overdue loans are listed",
    ],
    "Build an app that lets parents book slots, cancel them and see the waiting list": [
        "Parents can book slots",
        "Parents can cancel slots",
        "Parents can see the waiting list",
    ],
    "Develop a tool to convert GPX files to CSV and validate them against a schema": [
        "Convert GPX files to CSV",
        "Validate GPX files against a schema",
    ],
    "I want a bot for our chess club that posts the weekly schedule and reminds players before each game": [
        "posts the weekly schedule",
        "reminds players before each game",
    ],
    "We need a tool for tracking soil samples, with barcode scanning and an audit log": [
        "barcode scanning",
        "an audit log",
    ],
}
WHOLE = [
    "Build a TODO app",
    "Write a script that renames photos by date",
    "Make the search faster so that members find books and do not leave",
    "We need a room where members can eat",
    "Build an app where users upload photos and don't pay",
    "Add a filter so that clerks find orders and leave early",
    "Build an app for people who ski, and who like it",
    "Build a calculator that adds two numbers: fast and small",
    "Add a button to the page so users can switch themes",
    "A website where neighbours lend each other tools",
    "Build a tool to search and replace text",
]


@pytest.mark.parametrize("line", TOLD)
def test_each_clause_of_what_the_thing_is_for_is_asked_for(line: str) -> None:
    whole, *parts = analyse_request(line).needs

    assert (whole.text, whole.kind) == (line, "functional")
    assert [part.text for part in parts] == TOLD[line]
    assert {part.quote for part in parts} == {whole.quote}


@pytest.mark.parametrize("line", WHOLE)
def test_line_that_tells_less_than_two_things_of_what_it_asks_for_stays_whole(line: str) -> None:
    assert [need.text for need in analyse_request(line).needs] == [line]


def test_documents_of_a_line_tell_its_clauses() -> None:
    facts = chain(
        "Build a booking page for our boats so that members can book a boat and the warden sees every booking"
    )

    items = facts["requirements"].items
    stories = [(item.title, item.user_story.as_a, item.user_story.i_want) for item in items]
    assert stories == [
        ("Booking page for our boats", "user", "a booking page for our boats"),
        ("Members can book a boat", "member", "to book a boat"),
        ("The warden sees every booking", "warden", "to see every booking"),
    ]
    assert [user.name for user in facts["brief"].users] == ["Members", "Warden"]
    assert [part.name for part in facts["architecture"].components] == ["Booking page for our boats"]

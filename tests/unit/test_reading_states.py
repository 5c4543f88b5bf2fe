"""How what a status says is read: of an item, a heading, a row, and at the right edge of plain text."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from workers.documents.passages import passages
from workers.documents.right_edge import without_edges
from workers.documents.states import state_of


def roles(request: str) -> dict[str, str]:
    return {" ".join(passage.text.split()).rstrip("."): passage.role for passage in passages(request)}


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("withdrawn 3 May, nobody asked for it", "non_goal"),
        ("~~P2~~ shelved in June", "non_goal"),
        ("NO", "non_goal"),
        ("❌", "non_goal"),
        ("100 % (accepted in March)", "done"),
        ("verified and signed", "done"),
        ("shipped, with one leftover", "done"),
        ("60 %", "open"),
        ("half done", "open"),
        ("🚧", "open"),
        ("◐", "open"),
        ("○", "open"),
        ("●", "done"),
        ("dropped coins are counted", ""),
        ("No charge for members", ""),
        ("Next train to the harbour", ""),
    ],
)
def test_status_says_whether_it_is_finished_left_out_or_open(status: str, state: str) -> None:
    assert state_of(status) == state


def test_no_is_a_state_only_where_a_state_stands_alone() -> None:
    assert state_of("no", alone=False) == ""


def test_marks_of_items_beat_the_state_of_their_heading() -> None:
    read = roles(
        "# Loom\n\n## Features\n\n### E1 Threading — SHIPPED\n\n- Count the heddles\n- 🚧 Print the tie-up\n\n"
        "### E2 Pedals — DOING\n\n- **E2-S1** (DONE) As a weaver, I want to number the pedals\n- **E2-S2** (NEXT) As a weaver, I want to lock a pedal\n"
        "- **E2-S3** (NO) Foot massage\n- Colour the pedals – scrapped in May\n- Show the next pedal (left or right)\n\n### E3 Loom sharing — DROPPED\n\nThe guild lends them already.\n"
    )

    assert read["Count the heddles"] == "done"
    assert read["Print the tie-up"] == "requirement"
    assert read["As a weaver, I want to number the pedals"] == "done"
    assert read["As a weaver, I want to lock a pedal"] == "requirement"
    assert read["Foot massage"] == read["Colour the pedals"] == read["Loom sharing"] == "non_goal"
    assert read["The guild lends them already"] == "removed"
    assert read["Show the next pedal (left or right)"] == "requirement"


@pytest.mark.parametrize(
    ("cells", "text", "role"),
    [
        ("Print a card | withdrawn, too dear", "Print a card", "non_goal"),
        ("Print a card – **done**, in use since March | ", "Print a card", "done"),
        ("Print a card – dropped in May, nobody reads it | ", "Print a card", "non_goal"),
        ("Print a card | 40 %", "Print a card", "requirement"),
        ("Print a card of no more than a page | new", "Print a card of no more than a page", "requirement"),
    ],
)
def test_row_is_what_its_state_says(cells: str, text: str, role: str) -> None:
    assert (
        roles(f"# Loom\n\n## Requirements\n\n| Requirement | Progress |\n|---|---|\n| {cells} |\n")[text]
        == role
    )


@pytest.mark.parametrize(
    ("header", "cell", "role"),
    [
        ("Done?", "no", "requirement"),
        ("Built?", "not yet", "requirement"),
        ("Done?", "half way", "requirement"),
        ("Done?", "yes, in use since May", "done"),
        ("Shipped", "yes", "done"),
        ("Done?", "yes, but only for two shafts", "requirement"),
        ("Done?", "thrown out, nobody asked", "non_goal"),
        ("Decision", "no", "requirement"),
        ("Status", "no", "non_goal"),
        ("Status", "✗", "non_goal"),
        ("Status", "–", "requirement"),
    ],
)
def test_column_that_asks_whether_it_is_finished_leaves_nothing_out(
    header: str, cell: str, role: str
) -> None:
    read = roles(f"# Loom\n\n| # | Feature | {header} |\n|---|---|---|\n| 1 | Count the heddles | {cell} |\n")

    assert read["Count the heddles"] == role


def test_states_at_the_right_edge_of_plain_text() -> None:
    read = roles(
        "LOOM -- LIST OF WORK\n\n--------------------\nEPIC 1  WARPING                             COMPLETE\n\n"
        " 1.1  As a weaver I enter the length of\n      the warp.                             DONE\n\n--------------------\nEPIC 2  WEAVING                             half done\n\n"
        " 2.1  The draft is drawn with a plan of\n      the pedals.                           in progress (Mia)\n 2.2  As a weaver I see how much yarn is\n      left.                                 DONE (v2)\n"
        " 2.3  Selvedge alarm by text message.       DROPPED\n      (nobody carries a phone)\n 2.4  Mistakes can be marked on the draft.\n"
    )

    assert read["As a weaver I enter the length of the warp"] == "done"
    assert read["The draft is drawn with a plan of the pedals"] == "requirement"
    assert read["As a weaver I see how much yarn is left"] == "done"
    assert read["Selvedge alarm by text message. (nobody carries a phone)"] == "non_goal"
    assert read["Mistakes can be marked on the draft"] == "requirement"


def test_sentences_with_gaps_have_no_states_at_their_edge() -> None:
    lines = ["- Members see when an order is      closed", "- Members can filter for      done"]

    assert without_edges(lines) == lines


def test_columns_that_hold_no_states_stay_as_they_are() -> None:
    lines = [
        "Weaver        works at the loom",
        "Dyer          works at the vat",
        "Open          the shop at nine",
    ]

    assert without_edges(lines) == lines


@pytest.mark.parametrize(
    ("item", "role"),
    [
        ("Refunds, finished in April", "done"),
        ("Search by date - already exists", "done"),
        ("Refunds, finished within a day", "requirement"),
        ("Show what is already there", "requirement"),
    ],
)
def test_words_behind_an_item_say_that_it_is_finished(item: str, role: str) -> None:
    read = roles(f"# Loom\n\n## Features\n\n- {item}\n- Print the tie-up\n")

    assert role in [found for text, found in read.items() if item.startswith(text) and text != "Loom"]

"""Requirements in places where a reader could take them for something else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from workers.builtin import analyse_request
from workers.documents.passages import passages

LABELS = Path(__file__).parents[2] / "config" / "labels"


def found(text: str) -> list[tuple[str, str, str]]:
    """Text, role and priority of what is no heading."""
    return [(each.text, each.role, each.priority) for each in passages(text) if each.block.kind != "heading"]


def test_an_appendix_may_hold_requirements() -> None:
    said = found(
        "# Tool hire\n\n## Appendix\n\n### Late returns\n- A late return must cost 2 EUR a day\n- Minutes of March\n\n"
        "### The ring\n| ID | Priority | Description |\n|---|---|---|\n| RING-01 | P0 | A ring shows the balance |\n\n"
        "### References\n- We must thank the library\n"
    )

    assert said == [
        ("A late return must cost 2 EUR a day", "requirement", ""),
        ("Minutes of March", "meta", ""),
        ("A ring shows the balance", "requirement", "Must"),
        ("We must thank the library", "meta", ""),
    ]


def test_a_label_in_a_cell_does_not_end_the_table() -> None:
    said = found(
        "## Requirements\n| Requirement | Priority | Description |\n|---|---|---|\n"
        "| LOCK-01 | P0 | A member opens a locker |\n| LOCK-02 | P1 | Fields: name, size |\n"
        "| LOCK-03 | P2 | A locker is shared |\n"
    )

    assert [priority for _, _, priority in said] == ["Must", "Should", "Could"]


def test_a_priority_before_a_colon_is_that_of_the_line() -> None:
    said = found(
        "# Invoices\n\nMust have: a list.\n\nShould have: a monthly sum.\n\nCould have: export to CSV.\n"
    )

    assert said == [
        ("a list.", "requirement", "Must"),
        ("a monthly sum.", "requirement", "Should"),
        ("export to CSV.", "requirement", "Could"),
    ]


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("A tool for our library branch to lend out board games", False),
        ("A crate rental service for people who move house", False),
        ("A webshop for a gem dealer", False),
        ("A package tracking app for couriers", False),
        ("A tool for our library, with reservations", False),
        ("Build a Python library for parsing CSV files", True),
        ("A library, without dependencies, that reads calendars", True),
        ("An SDK for our payment service", True),
    ],
)
def test_a_library_of_code_is_told_from_other_things_of_its_name(title: str, is_one: bool) -> None:
    asks = tomllib.loads((LABELS / "asks.toml").read_text())["library"]["en"]["words"]
    shape = tomllib.loads((LABELS / "shapes.toml").read_text())["library"]["words"]

    assert [re.search(words, title, re.IGNORECASE) is not None for words in (asks, shape)] == [is_one, is_one]


def test_rules_told_as_facts_are_asked_for() -> None:
    read = analyse_request(
        "Change the tariff of our car park. Every started hour costs 2.50 EUR. The first 15 minutes are free. "
        "A day never costs more than 18 EUR. Today it costs us two hours a week to count the money."
    )

    assert [need.text for need in read.needs] == [
        "Change the tariff of our car park.",
        "Every started hour costs 2.50 EUR.",
        "The first 15 minutes are free.",
        "A day never costs more than 18 EUR.",
    ]


def test_what_need_not_be_done_is_left_out_and_what_must_not_happen_is_not() -> None:
    read = analyse_request(
        "The fridges must be watched. Don't replace the hospital's system. Do not store passwords."
    )

    assert [(need.kind, need.text) for need in read.needs] == [
        ("functional", "The fridges must be watched."),
        ("exclusion", "Don't replace the hospital's system."),
        ("functional", "Do not store passwords."),
    ]

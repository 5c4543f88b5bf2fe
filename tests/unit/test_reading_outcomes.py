"""Goals, measures of success and what is left out, as whole documents write them."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from workers.builtin import analyse_request
from workers.documents.outline import outline

REST = "\n\n## Requirements\n\n- The warden must see every open lock\n"


def goals(text: str) -> list[tuple[str, str]]:
    return [(goal.metric or goal.text, goal.target) for goal in analyse_request(text + REST).goals]


@pytest.mark.parametrize(
    "list_",
    [
        "## Scope limitations\n\nThese parts are known but deferred to later releases of the lock book:\n\n- Tide tables\n- Toll export",
        "## Scope\n\nWhile the book covers a lot, some parts fall outside the project scope. These include:\n\n- Tide tables\n- Toll export",
        "## Out of scope 🚫\n\n- Tide tables\n- Toll export",
        "## Mögliche Erweiterungen\n\n1. Tide tables\n2. Toll export",
    ],
)
def test_list_that_its_lead_or_heading_rules_out_is_left_out(list_: str) -> None:
    read = analyse_request(f"# Locks\n\n{list_}{REST}")

    assert [need.text for need in read.exclusions] == ["Tide tables", "Toll export"]


def test_why_something_is_left_out_is_no_part_that_is_left_out() -> None:
    read = analyse_request(
        f"# Locks\n\n## Non-goals\n\n- Replacing the gate controllers\n  - The province renews these next year\n{REST}"
    )

    assert [need.text for need in read.exclusions] == ["Replacing the gate controllers"]


def test_table_with_a_cell_too_many_in_its_rule_is_a_table() -> None:
    rows = "| Metric | Target |\n|---|---|---|\n| Late boats | under 5 % |\n"

    assert [block.cells for block in outline(rows) if block.kind == "row"] == [
        (("Metric", "Late boats"), ("Target", "under 5 %"))
    ]
    assert goals(f"# Locks\n\n## Success metrics\n\n{rows}") == [("Late boats", "under 5 %")]


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("- **Adoption**: >80% of wardens using the book by spring", [("Adoption", ">80%")]),
        ("- Core: lockings per day, D7 returns", [("lockings per day", ""), ("D7 returns", "")]),
        (
            "- **Time to first lock**: How fast does a new warden open one?",
            [("Time to first lock: How fast does a new warden open one?", "")],
        ),
        (
            "- Share of boats that book ahead\n  - Count the forms of the web page",
            [("Share of boats that book ahead", "")],
        ),
        ("- At least 4 of 5 stars within the first two months", [("stars", "At least 4 of 5")]),
    ],
)
def test_item_of_success_metrics_is_a_measure(item: str, found: list[tuple[str, str]]) -> None:
    assert goals(f"# Locks\n\n## Success metrics\n\n{item}") == found


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("Summary", "The goal of the project is to reduce the waiting at the gates."),
        ("Summary", "This first version aims to replace the paper book of the wardens."),
        ("Why", "A book for all gates should make lockings faster and safer."),
        ("Présentation", "L'objectif du projet est de réduire l'attente aux écluses."),
        ("Hintergrund", "Ziel des Projekts ist es, die Wartezeit an den Schleusen zu verkürzen."),
    ],
)
def test_prose_that_says_what_the_whole_is_to_bring_about_is_a_goal(heading: str, said: str) -> None:
    read = analyse_request(f"# Locks\n\n## {heading}\n\n{said}{REST}")

    assert [goal.text.rstrip(".") for goal in read.goals] == [said.rstrip(".")]


def test_sentence_that_leads_to_goals_is_none() -> None:
    read = analyse_request(
        f"# Locks\n\n## Goals\n\n- The goals of the canal for the year are as follows:\n- Fewer late boats\n{REST}"
    )

    assert [goal.text for goal in read.goals] == ["Fewer late boats"]


def test_item_that_names_goals_heads_those_below_it() -> None:
    read = analyse_request(
        f"# Locks\n\n## First version\n\n- Goals\n  - Fewer late boats\n- Open a lock\n{REST}"
    )

    assert [goal.text for goal in read.goals] == ["Fewer late boats"]

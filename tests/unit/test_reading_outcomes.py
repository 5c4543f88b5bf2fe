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
        "## Release 1\n\nFor the first release of the lock book we will not build:\n\n- Tide tables\n- Toll export",
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
        ("Summary", "Sluicebook aims to cut the waiting at the gates."),
        ("Resumen", "El objetivo del proyecto es reducir la espera en las esclusas."),
        ("项目背景", "本项目的主要目标是缩短过闸的等待时间。"),
        ("Présentation", "L'objectif du projet est de réduire l'attente aux écluses."),
        ("Hintergrund", "Ziel des Projekts ist es, die Wartezeit an den Schleusen zu verkürzen."),
    ],
)
def test_prose_that_says_what_the_whole_is_to_bring_about_is_a_goal(heading: str, said: str) -> None:
    read = analyse_request(f"# Locks\n\n## {heading}\n\n{said}{REST}")

    assert [goal.text.rstrip(".。") for goal in read.goals] == [said.rstrip(".。")]


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


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("A minimum rating of 4 out of 5 stars within the first two months", "4 out of 5"),
        ("Weekly use of 12 % (90 boats)", "12 % (90 boats)"),
    ],
)
def test_target_is_the_value_and_not_the_time_it_is_given(said: str, target: str) -> None:
    assert [target for _, target in goals(f"# Locks\n\n## Success metrics\n\n- {said}")] == [target]


@pytest.mark.parametrize(
    ("said", "out"),
    [
        (
            "Search of gates only, no payment, no accounts: the warden writes a name.",
            ["no payment, no accounts"],
        ),
        ("Skip the tide tables, skip the tolls.", ["Skip the tide tables, skip the tolls."]),
    ],
)
def test_parts_that_a_first_version_does_without(said: str, out: list[str]) -> None:
    read = analyse_request(f"# Locks\n\n## Smallest version\n\n{said}{REST}")

    assert [need.text for need in read.exclusions] == out


def test_what_two_lists_leave_out_is_kept_once_at_its_fullest() -> None:
    read = analyse_request(
        f"# Locks\n\n## Non-goals\n\n- E-mails\n- Tolls\n\n# Version 1\n\n## Out of scope\n\n- E-mails about delays\n{REST}"
    )

    assert sorted(need.text for need in read.exclusions) == ["E-mails about delays", "Tolls"]


def test_prose_behind_what_is_excluded_only_explains_it() -> None:
    read = analyse_request(
        "# Locks\n\n## Exclusion of toll integration\n\n"
        f"Tolls will be excluded from the first version. Wrong sums could lead to fines.{REST}"
    )

    assert [need.text for need in read.exclusions] == ["Tolls will be excluded from the first version."]
    assert not read.dependencies


def test_struck_item_that_its_author_decided_against_is_left_out() -> None:
    read = analyse_request(
        f"# Locks\n\n## Wishes\n\n- ~~[ ] Tide tables, maybe?~~ I have decided against this.{REST}"
    )

    assert [need.text for need in read.exclusions] == ["Tide tables, maybe"]
    assert not read.questions


def test_steps_of_the_work_are_no_criteria() -> None:
    read = analyse_request(
        "# Locks\n\n## Requirements\n\n- The warden must see every open lock\n\n"
        "## Definition of done\n\n- PR reviewed\n- Tests written\n- A lock opened at 5:00 is shown at 5:01\n"
    )

    assert [criterion.text for criterion in read.criteria] == ["A lock opened at 5:00 is shown at 5:01"]


def test_criteria_below_prose_that_asks_for_nothing_are_requirements() -> None:
    read = analyse_request(
        "# Locks\n\n## MVP approach\n\nThe goal of the MVP is to reduce the waiting at the gates.\n\n"
        "### Acceptance criteria\n\n- Skippers can see the open locks\n- Skippers can cancel a passage\n"
    )

    assert [need.text for need in read.requirements] == [
        "Skippers can see the open locks",
        "Skippers can cancel a passage",
    ]
    assert not read.criteria


def test_risk_is_its_first_sentence_and_the_others_explain_it() -> None:
    read = analyse_request(
        f"# Locks\n\n## Risks\n\n- The book is of no value if nobody writes in it. Wardens have to be asked for that.\n- Codes. They are old.{REST}"
    )

    assert [risk.text for risk in read.risks] == [
        "The book is of no value if nobody writes in it.",
        "Codes. They are old.",
    ]


@pytest.mark.parametrize(
    ("heading", "said", "relied"),
    [
        ("Current state assessment", "Wardens rely on a paper book in each house.", False),
        ("Requirements", "Skippers wait less compared to the existing system.", False),
        ("Requirements", "Pending approval reminders", False),
        ("Background", "The agency will provide the tide data of all gates.", True),
        ("Constraints", "The chart API requires an account with billing", True),
    ],
)
def test_what_others_provide_is_relied_on_and_what_is_only_spoken_of_is_not(
    heading: str, said: str, relied: bool
) -> None:
    read = analyse_request(f"# Locks\n\n## {heading}\n\n- {said}\n{REST}")

    assert bool(read.dependencies) is relied

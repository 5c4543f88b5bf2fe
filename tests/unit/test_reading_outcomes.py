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


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("Lost keys go down to four a season at most", "four a season at most"),
        ("Bajar las averías de 90 a 12 por semana", "12 por semana"),
        ("The bell rings about 40 times a day instead of 90", "40 times a day"),
        ("180 boats a week after two months", "180 boats a week"),
        ("Faire passer le taux de retard de 48 % à 15 %", "15 %"),
        ("Que al menos el 60 % de las esclusas abra a su hora", "al menos el 60 %"),
        ("One passage in fifty starts late", "One passage in fifty"),
        ("Half of the skippers book ahead", "Half"),
        ("Wardens spend six hours a week on lists, and we want that to be one", "one"),
        ("The wait falls by a third (baseline: 35 min)", "by a third"),
        ("A skipper finds out within 5 minutes that a gate is shut", "within 5 minutes"),
        ("Halve the calls to the lock house, which were 4,100 in 2025", "Halve"),
        ("Bills go out the day after the passage, not at month end", "the day after the passage"),
        ("过闸时间从两小时缩短到半小时", "半小时"),
        ("一年内事故降到3起以下", "3起以下"),
    ],
)
def test_target_is_the_whole_value_that_is_to_be_reached(said: str, target: str) -> None:
    assert [target for _, target in goals(f"# Locks\n\n## Goals\n\n- {said}")] == [target]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "We want to get the calls down to 6, and we want boats through within 2 hours (it's 5 now).",
            [("calls", "6"), ("boats through (it's 5 now)", "within 2 hours")],
        ),
        (
            "Vogliamo portare i ritardi sotto i 90 all'anno e chiudere i reclami entro 4 giorni.",
            [("Vogliamo portare i ritardi", "sotto i 90 all'anno"), ("chiudere i reclami", "entro 4 giorni")],
        ),
        (
            "We reach 55 % on average and would like 70 % next season.",
            [("We reach 55 % on average and would like next season", "70 %")],
        ),
    ],
)
def test_sentence_with_two_values_to_reach_has_two_goals(said: str, found: list[tuple[str, str]]) -> None:
    assert goals(f"# Locks\n\n## Goals\n\n{said}") == found


@pytest.mark.parametrize(
    "said",
    [
        "The money spent on paint, last year £5,100 in all, ought to stay near £2,000.",
        "If 15 of the 20 wardens write in it by June, I shall be content.",
        "Se na Páscoa houver no máximo um atraso, já me dou por satisfeito.",
        "Wir sind zufrieden, wenn höchstens 5 Boote am Tag warten.",
    ],
)
def test_prose_that_wishes_for_another_value_than_that_of_today_is_a_goal(said: str) -> None:
    read = analyse_request(f"# Locks\n\nThe wardens keep a paper book. {said}{REST}")

    assert [goal.text for goal in read.goals] == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Last year 900 boats passed the locks in 40 days.",
        "We now have 12 locks and the wardens keep a book.",
        "If the book is lost, the wardens are content with a list.",
    ],
)
def test_prose_that_only_tells_of_values_is_no_goal(said: str) -> None:
    assert not analyse_request(f"# Locks\n\nThe wardens keep a paper book. {said}{REST}").goals


def test_sentences_behind_one_that_counts_what_should_change_are_goals() -> None:
    read = analyse_request(
        "# Locks\n\nThe wardens keep a paper book. Two things ought to be different next year. "
        "Bills go out on the Friday of the same week. And complaints are settled in three days. "
        f"The warden writes each passage down.{REST}"
    )

    assert [goal.text for goal in read.goals] == [
        "Bills go out on the Friday of the same week.",
        "And complaints are settled in three days.",
    ]


def test_sentences_behind_one_that_counts_things_to_show_are_no_goals() -> None:
    read = analyse_request(f"# Locks\n\nTwo things must be on the page. The gate. The hour.{REST}")

    assert not read.goals


def test_label_with_the_goal_of_a_sprint_is_a_goal() -> None:
    read = analyse_request(
        f"# Locks\n\n## Sprint 2\n\n**Sprint goal:** Skippers book without a phone call.{REST}"
    )

    assert [goal.text for goal in read.goals] == ["Skippers book without a phone call."]


@pytest.mark.parametrize(
    ("above", "found"),
    [
        ("Every skipper gets the hour he asked for, and boats wait less.", 2),
        ("Our goals for a better season are listed here.", 1),
        ("Instead the wardens write less by hand.", 1),
    ],
)
def test_sentence_above_a_list_of_goals_is_one_where_it_says_what_gets_better(above: str, found: int) -> None:
    assert (
        len(goals(f"# Locks\n\n## Product goal\n\n{above}\n\n- Wrong bills: from 9 to at most 1.")) == found
    )


@pytest.mark.parametrize("heading", ["Worum es geht", "Pourquoi ce projet"])
def test_section_that_tells_what_it_is_about_holds_no_goals(heading: str) -> None:
    said = {"W": "Wir betreiben 14 Schleusen an zwei Kanälen.", "P": "Nous exploitons 14 écluses."}

    assert not analyse_request(f"# Locks\n\n## {heading}\n\n{said[heading[0]]}{REST}").goals


@pytest.mark.parametrize(
    ("said", "goals"),
    [
        (
            "Two things should be different next year: fewer wrong deliveries. Drivers must confirm each order.",
            ["fewer wrong deliveries."],
        ),
        ("Some things need to be faster. Readers can order a file. Staff must stamp each file.", []),
        ("One thing has to change: staff must log in with a card. Doctors must sign each report.", []),
    ],
)
def test_what_somebody_has_to_do_is_no_change_that_was_announced(said: str, goals: list[str]) -> None:
    read = analyse_request(f"The archive is kept on paper. {said}")

    assert [goal.text for goal in read.goals] == goals
    assert any(need.text.split()[-1] in said and "must" in need.text for need in read.needs)

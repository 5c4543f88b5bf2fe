"""Stories as code or in quotes, parts that a sentence counts, headings within items, and steps of people."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin.phrases import upper_first
from workers.builtin.request import analyse_request
from workers.builtin.verb_forms import third_person


def asked(text: str) -> list[str]:
    return [need.text for need in analyse_request(text).needs if need.kind != "exclusion"]


@pytest.mark.parametrize(
    "story",
    [
        "```gherkin\nAs a beekeeper, I want to log a swarm, so that others can find it.\n```",
        '1. "As a beekeeper, I want to log a swarm, so that others can find it."',
    ],
)
def test_story_in_code_or_quotes_is_a_story(story: str) -> None:
    found = analyse_request(f"# Hives\n\n## User stories\n\n{story}\n")

    assert ["log a swarm" in need.text for need in found.needs] == [True]
    assert [actor.name for actor in found.actors] == ["beekeeper"]


def test_other_code_below_stories_stays_code() -> None:
    assert asked(
        "# Hives\n\n## User stories\n\n- A keeper can log a swarm.\n\n```\nswarm = log(keeper)\n```\n"
    ) == ["A keeper can log a swarm."]


def test_parts_that_a_sentence_counts_are_parts() -> None:
    text = (
        "A till for a flower stall that will let me: 1) Scan a bunch and find its price. 2) Print a receipt. "
        "3) At closing time run these reports: a) Sales of the day. b) Bunches left. c) Taxes. 4)Open the drawer."
    )

    found = asked(text)

    assert [
        part
        for part in ("Scan a bunch", "Print a receipt", "Sales of the day", "Bunches left", "Open the drawer")
        if not any(part in need for need in found)
    ] == []
    assert not any("2)" in need or "b)" in need for need in found)


def test_number_in_brackets_counts_nothing() -> None:
    assert asked("The pump must stop within 3 s (see 1) and 2) of the manual).") == [
        "The pump must stop within 3 s (see 1) and 2) of the manual)."
    ]


STEPS = """# Ferry

## Key user journeys

### Booking a crossing

1. The user opens the timetable
2. Picks a crossing with free places
3. Pays the fare by card
4. The system sends a ticket by mail
"""


def test_steps_of_people_ask_for_nothing() -> None:
    assert asked(STEPS) == ["The system sends a ticket by mail"]


def test_what_people_can_do_in_a_story_is_asked_for() -> None:
    text = "# Ferry\n\n## User stories\n\n- A steward can hold a cabin\n- Stewards are told when a cabin is free\n"

    assert len(asked(text)) == 2


CRITERIA = """# Backlog

## User stories

1. **As a steward, I want to hold a cabin, so that a guest can decide.**

   Story points: 3

   ###### Acceptance criteria:

   - The cabin is held for an hour
   - Nobody else can book it

2. **As a steward, I want to free a cabin, so that others can book it.**

   Acceptance criteria:

   - The cabin is offered at once
"""


def test_heading_or_lead_within_an_item_belongs_to_it_alone() -> None:
    found = analyse_request(CRITERIA)

    assert len(found.needs) == 2
    assert [row.text for row in found.criteria] == [
        "The cabin is held for an hour",
        "Nobody else can book it",
        "The cabin is offered at once",
    ]
    assert len({row.block for row in found.criteria}) == 2


def test_heading_over_code_alone_is_no_feature() -> None:
    text = (
        "# Hives\n\n## Features\n\n### Log a swarm\n\nKeepers can log a swarm.\n\n"
        "### Table of hives\n\n```sql\ncreate table hive (id int);\n```\n"
    )

    assert not any("Table of hives" in need for need in asked(text))


def test_lead_that_tells_who_wants_it_opens_a_list_of_wishes() -> None:
    text = (
        "# Reservas\n\n## Usuario cliente\n\n### Reserva\n\nComo cliente quiero:\n\n"
        "- Ver las mesas libres\n- Cancelar mi reserva\n"
    )

    assert asked(text) == ["Ver las mesas libres", "Cancelar mi reserva"]


def test_values_belong_to_the_statement_that_leads_them() -> None:
    found = asked(
        "# Hives\n\n## Requirements\n\nKeepers filter hives by:\n\n- Age\n- Last visit\n\n"
        "Keepers can:\n\n- Log a swarm\n- Move a hive\n"
    )

    assert [need for need in found if "Age" in need] == ["Keepers filter hives by: Age, Last visit"]
    assert {"Log a swarm", "Move a hive"} <= {*found}


def test_fields_ask_for_nothing_and_what_a_state_does_is_asked_for() -> None:
    fields = "A hive has:\n\n- `id` – unique identifier\n- `site`, where it stands\n"
    states = "During a window:\n\n- `drain` – running visits may end\n- `stop` – visits must end\n"

    assert not any("unique identifier" in need for need in asked(f"# Hives\n\n## Requirements\n\n{fields}"))
    assert sum("visits" in need for need in asked(f"# Hives\n\n## Requirements\n\n{states}")) == 2


def test_what_users_may_do_below_who_they_are_is_asked_for() -> None:
    text = "# Hives\n\n## Users\n\n### Keeper\n\n- Can log a swarm\n- Cannot delete a hive\n\n### Visitor\n\n- Reads\n"

    assert {"Can log a swarm", "Cannot delete a hive"} <= {need.text for need in analyse_request(text).needs}


def test_prompt_that_tasks_with_building_is_a_request() -> None:
    text = (
        "# Timer - Prompt\n\nYou are tasked with building a desktop timer.\n\n## Windows\n\n"
        "- You must keep one state.\n- You must never block.\n- You must show the time left.\n"
    )

    assert len(asked(text)) >= 2


def test_story_whose_parts_are_paragraphs_is_one() -> None:
    found = analyse_request(
        "# Hives\n\n## User story\n\nAs an IT administrator,\n\nI want to log a swarm,\n\nso that others find it.\n"
    )

    assert [need.text for need in found.needs] == [
        "As an IT administrator, I want to log a swarm, so that others find it."
    ]
    assert [actor.name for actor in found.actors] == ["IT administrator"]


def test_lead_to_what_somebody_can_do_names_a_user() -> None:
    found = analyse_request("# Hives\n\nKeepers can:\n\n- Log a swarm\n\nVisitors can:\n\n- Read the map\n")

    assert [actor.name for actor in found.actors] == ["Keepers", "Visitors"]


def test_topics_below_a_user_are_no_users() -> None:
    found = analyse_request(
        "# Reservas\n\n## Usuario cliente\n\n### Reserva de mesas\n\nComo cliente quiero:\n\n- Ver las mesas libres\n"
    )

    assert not any("Reserva" in actor.name for actor in found.actors)


def test_story_whose_parts_are_lines_is_one() -> None:
    found = analyse_request(
        "# Stories\n\n## US-1 Swarms\n\n**As a** bee inspector\n**I want** to see each swarm\n**So that** none is lost.\n\n"
        "**Acceptance criteria**\n\n- Each swarm is on the map\n"
    )

    assert [need.text for need in found.needs] == [
        "As a bee inspector, I want to see each swarm, So that none is lost."
    ]
    assert [actor.name for actor in found.actors] == ["bee inspector"]


@pytest.mark.parametrize("made", ["", "built ", "designed specifically "])
def test_sentence_that_says_what_the_product_is_names_whom_it_is_for(made: str) -> None:
    found = analyse_request(
        f"# Hivebook\n\nHivebook is a small phone app {made}for beekeepers, inspectors, and honey dealers.\n\n"
        "## Features\n\n- Log a swarm\n"
    )

    assert [actor.name for actor in found.actors] == ["beekeepers", "inspectors", "honey dealers"]


def test_what_a_product_is_for_is_nobody() -> None:
    found = analyse_request(
        "# Hivebook\n\nHivebook is a system for managing hives.\n\n## Features\n\n- Log a swarm\n"
    )

    assert found.actors == ()


def test_measures_in_one_line_are_goals_each() -> None:
    found = analyse_request(
        "# Hivebook\n\n## Goals & success metrics\n\n- **Use:** day-7 retention ≥ 35%, hives per keeper ≥ 3\n\n"
        "## Features\n\n- Log a swarm\n"
    )

    assert [(goal.metric, goal.target) for goal in found.goals] == [
        ("day-7 retention", "≥ 35%"),
        ("hives per keeper", "≥ 3"),
    ]


def test_rights_below_a_role_are_requirements_of_it() -> None:
    found = analyse_request(
        "# Hivebook\n\n## User roles & permissions\n\n### Keeper\n\n- Hive management\n\n### Visitor\n\n- Map access\n"
    )

    assert [actor.name for actor in found.actors] == ["Keeper", "Visitor"]
    assert [need.text for need in found.needs] == ["Hive management", "Map access"]


def test_number_with_a_comma_is_one() -> None:
    assert "₦900,000" in asked(
        "# Hives\n\n## Overview\n\n**Budget:** ₦900,000\n\n## Features\n\n- Log a swarm\n"
    )


def test_what_the_first_version_has_not_is_left_out() -> None:
    found = analyse_request(
        "# Hives\n\n## Platform\n\n- No web app, login, or sync in v1.\n\n## Features\n\n- Log a swarm\n"
    )

    assert [need.text for need in found.exclusions] == ["No web app, login, or sync in v1."]


def test_values_below_a_heading_that_names_them_are_no_features() -> None:
    text = "# Hives\n\n## Functional requirements\n\n### Hive types\n\n- Dadant\n- Warre\n\n### Swarms\n\n- Log a swarm\n"

    assert asked(text) == ["Log a swarm"]


def test_product_that_its_request_defines_is_called_so_and_the_vision_says_it() -> None:
    text = (
        "# Product spec\n\n## Product\n\nHivebook Pro is a small iPhone app for beekeepers and inspectors.\n\n"
        "## Features\n\n- iPhone first\n- Each swarm should still be checked at launch\n"
    )
    brief = chain(text)["brief"]

    assert analyse_request(text).title == "Hivebook Pro"
    assert brief.vision.text == "Hivebook Pro is a small iPhone app for beekeepers and inspectors."
    assert third_person("still be checked") == "still is checked"
    assert upper_first("iPhone first") == "iPhone first"


def test_lists_of_a_text_that_opens_with_a_wish_ask_for_what_they_tell() -> None:
    text = (
        "I want to create a small web app that hands out badges.\n\n## ADMIN\n\n- the admin page sets up badges\n"
        "- a default badge will be defined\n\n## FLOW\n\n- the system will host each badge\n\n## TECH\n\n- use bootstrap\n"
    )

    found = asked(text)

    assert {
        "the admin page sets up badges",
        "a default badge will be defined",
        "the system will host each badge",
    } <= {*found}


def test_kinds_of_users_are_users_and_no_values() -> None:
    found = analyse_request(
        "# Club\n\n## User personas\n\n### Key user types\n\n- Club members\n- Treasurers\n"
    )

    assert [actor.name for actor in found.actors] == ["Club members", "Treasurers"]


@pytest.mark.parametrize(
    ("list_", "parts"),
    [
        ("系统包括：\n\n- 会员管理\n- 课程预约\n- 导出报表", ["会员管理", "课程预约", "导出报表"]),
        (
            "The system has to work with:\n\n- Payment reminders\n- Room booking",
            ["Payment reminders", "Room booking"],
        ),
        ("### Account types\n\n- Password reset\n- Two-factor login", ["Password reset", "Two-factor login"]),
    ],
)
def test_parts_below_a_lead_that_names_no_values_are_requirements(list_: str, parts: list[str]) -> None:
    assert asked(f"# Hall\n\n## Requirements\n\n{list_}\n") == parts


def test_so_that_belongs_to_a_story_alone() -> None:
    found = analyse_request(
        "# Gate\n\n## Why\n\nSo that nobody waits at the gates.\n\n## Requirements\n\n- The clerk can print a ticket\n\n"
        "So that is all for now, thanks a lot.\n"
    )

    assert [need.text for need in found.needs] == ["The clerk can print a ticket"]
    assert "So that nobody waits at the gates." in found.situation


def test_example_in_code_is_no_story() -> None:
    found = analyse_request(
        "# Lint\n\n## Requirements\n\nThe linter must reject this input:\n\n```\nAs a hacker I want\n```\n"
    )

    assert [need.text for need in found.needs] == ["The linter must reject this input"]
    assert not any("As a hacker" in goal.text for goal in found.goals)


@pytest.mark.parametrize(
    "said", ["Postgres is a database that we run today.", "Maria is the owner of our shop."]
)
def test_what_is_no_product_gives_no_name(said: str) -> None:
    found = analyse_request(
        f"{said} We need a register of keys that the porter searches. It must print a slip."
    )

    assert found.title == "Register of keys"


@pytest.mark.parametrize(
    "text", ["As a as a as a as a as a as a as a as a", "x \ue0007\ue001 y must z", "用" * 200]
)
def test_odd_text_is_read_at_once_and_breaks_nothing(text: str) -> None:
    assert analyse_request(text).title

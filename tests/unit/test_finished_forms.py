"""What a request says in passing about its statements: finished already, of no user, reached when."""

from __future__ import annotations

import pytest

from workers.builtin.request import analyse_request
from workers.documents.quantities import quantities

ABOVE = "# Club tool\n\n## Requirements\n\n- Members book a court online\n"


def texts(request: str) -> list[str]:
    return [need.text for need in analyse_request(request).needs]


@pytest.mark.parametrize(
    "below",
    [
        "- Members see the bar list – already live",
        "- Members see the bar list, already live",
        "- Members see the bar list (already implemented in 0.9)",
        "- Members see the bar list. Status: done",
        "- Done – Members see the bar list",
        "- The bar list was finished last year",
        "- We already have a bar list",
        "\n### F3 Bar list (done)\n\nMembers see the bar list.",
        "\n### ✅ F3 Bar list\n\nMembers see the bar list.",
        "\n## Phase 1: Bar (complete)\n\n- Members see the bar list",
        "\n## Phase 1: Bar\n\n**Status:** Complete\n\n- Members see the bar list",
        "\n| Feature | Shipped |\n|---|---|\n| Members see the bar list | ✓ |\n| Members pay by card | |",
        "\n| Feature | Progress |\n|---|---|\n| Members see the bar list | 100 % |\n| Members pay by card | 20 % |",
        "\n| ID | Feature |\n|---|---|\n| F1 | ~~Members see the bar list~~ done |\n| F2 | Members pay by card |",
    ],
)
def test_what_is_said_to_be_finished_is_not_asked_for(below: str) -> None:
    found = texts(f"{ABOVE}{below}\n")

    assert "Members book a court online" in found
    assert not [text for text in found if "bar list" in text]


def test_states_that_a_thing_may_have_finish_nothing() -> None:
    found = texts(f"{ABOVE}- Each racket has a state: complete, parts missing, in repair\n")

    assert "Each racket has a state: complete, parts missing, in repair" in found


def test_parts_of_a_section_about_users_are_no_users() -> None:
    request = (
        "# Club tool\n\n## 3. User personas\n\n### 3.1 Key user types\n\n- Club members\n- Treasurers\n\n"
        "### 3.2 Role-based access\n\n- **Treasurer**: sees the fees\n\n## Requirements\n\n- Members book a court\n"
    )

    assert {actor.name.lower() for actor in analyse_request(request).actors} == {"club members", "treasurers"}


def test_who_does_not_use_it_is_no_user() -> None:
    request = (
        "# Club tool\n\n## Stakeholders\n\n| Who | Interest | Uses it? |\n|---|---|---|\n"
        "| Treasurer | fees | daily |\n| City council | grants | no |\n\n## Requirements\n\n- Courts are booked online\n"
    )

    assert [actor.name for actor in analyse_request(request).actors] == ["Treasurer"]


def test_actors_in_indented_columns_are_users_each() -> None:
    request = (
        "CLUB TOOL\n\n2  ACTORS\n  Treasurer      exports the fees\n  Head coach     plans the courts\n"
        "  Groundskeeper  closes courts\n\n3  FUNCTIONS\n  F-1  The tool shall list all courts.\n\n"
        "  F-2  The tool shall print the plan.\n"
    )

    names = {actor.name for actor in analyse_request(request).actors}

    assert {"Treasurer", "Head coach", "Groundskeeper"} <= names


@pytest.mark.parametrize(
    ("goal", "target"),
    [
        ("25 clubs stream at least one box (11 today)", "25"),
        ("Every hut reports its level twice a day", "twice a day"),
        ("The clerk hears of a fault on the same day", "the same day"),
        ("The director knows within 10 minutes that a glider is overdue", "within 10 minutes"),
    ],
)
def test_goal_has_the_value_that_is_to_be_reached(goal: str, target: str) -> None:
    found = analyse_request(
        f"# Tool\n\n## Goals\n\n- {goal}\n\n## Requirements\n\n- Courts are booked\n"
    ).goals

    assert found[0].target == target


def test_overdue_is_no_value() -> None:
    assert [match[0] for match in quantities("that a glider is overdue")] == []


def test_what_people_have_to_do_today_is_not_asked_for() -> None:
    request = f"# Tool\n\n## Current situation\n\n- The clerk must type every slip twice\n\n{ABOVE[13:]}"

    assert texts(request) == ["Members book a court online"]

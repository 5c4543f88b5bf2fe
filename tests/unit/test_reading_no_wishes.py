"""What stands among wishes and is none: values of a list, colours, names, steps of a flow, chores, what is said twice."""

from __future__ import annotations

import pytest

from workers.builtin import analyse_request
from workers.documents.no_statement import beside
from workers.documents.reading_words import clause_role, role_of


@pytest.mark.parametrize(
    ("lead", "items"),
    [
        ("The card of a lock must show:", ("water level", "opening hours", "name of the keeper on duty")),
        ("Supported boats:", ("Canoe", "Barge")),
        ("It reviews:", ("photos of the gate", "age", "reports and, when known, who wrote them")),
    ],
)
def test_things_that_a_clause_only_lists_belong_to_it(lead: str, items: tuple[str, ...]) -> None:
    listed = "\n".join(f"- {item}" for item in items)
    read = analyse_request(f"# Locks\n\n## Requirements\n\n### Card\n\n{lead}\n\n{listed}\n")

    assert [need.text for need in read.requirements] == [f"{lead} {', '.join(items)}"]


def test_wishes_below_a_clause_that_could_list_things_stay_wishes() -> None:
    read = analyse_request(
        "# Locks\n\n## Requirements\n\nThe board shows:\n\n- Keepers can close a gate\n- Export the list as CSV\n"
    )

    assert [need.text for need in read.requirements] == ["Keepers can close a gate", "Export the list as CSV"]


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("Accent: #e6edf3 (text on the gate)", "data"),
        ("Padding: 8px (tight), 16px (normal)", "data"),
        ("([Lock survey][2])", "meta"),
        ("Offline map: #783", ""),
        ("Text of at least 16px", ""),
        ("`locks export` writes the list", ""),
        ("Fix the gate of #3 (see the report)", ""),
        ("Boats are listed ([Lock survey][2])", ""),
    ],
)
def test_colours_sizes_and_citations_state_nothing(line: str, role: str) -> None:
    assert beside(line, {}) == role


def test_steps_that_users_take_in_a_flow_are_told() -> None:
    read = analyse_request(
        "# Locks\n\n## Requirements\n\n- The level must be shown\n\n## UX Flow\n\n1. Arrival: User opens the map\n"
        "2. **Step 2: Gate** — User picks a gate\n3. The system shows the level.\n4. User can go back.\n"
    )

    assert [need.text for need in read.requirements] == [
        "The level must be shown",
        "The system shows the level.",
        "User can go back.",
    ]


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("Nice, but I can live without it", "requirement"),
        ("What we leave without change", "non_goal"),
        ("Critères de sortie", "acceptance"),
        ("Makefile targets", "requirement"),
        ("Key targets", "goal"),
        ("Codebase statistics", "background"),
        ("下一步", "plan"),
    ],
)
def test_headings_are_read_whole(heading: str, role: str) -> None:
    assert (role_of(heading) or clause_role(heading)) == role


def test_chores_of_a_release_are_not_asked_for() -> None:
    read = analyse_request(
        "# Locks\n\n## Roadmap\n\n- [ ] Release v0.2.0.\n- [ ] Strive for v1.0 release\n- [ ] Engage with the community\n"
        "- [ ] Release boats from the lock\n- [ ] Publish the levels every hour\n"
    )

    assert [need.text for need in read.requirements] == [
        "Release boats from the lock",
        "Publish the levels every hour",
    ]


def test_names_above_paragraphs_are_no_wishes() -> None:
    read = analyse_request(
        "# Locks\n\n## Nonfunctional requirements\n\n* Sessions\n\nKeepers stay signed in for a week.\n\n"
        "* Speed\n\nA gate must be found within 2 seconds.\n"
    )

    assert [need.text for need in read.needs] == [
        "Keepers stay signed in for a week.",
        "A gate must be found within 2 seconds.",
    ]


def test_list_above_one_paragraph_stays_a_list_of_wishes() -> None:
    read = analyse_request(
        "# Locks\n\n## Requirements\n\n* Level log\n* Gate search\n\nThe log must be kept for a year.\n"
    )

    assert [need.text for need in read.needs] == [
        "Level log",
        "Gate search",
        "The log must be kept for a year.",
    ]


def test_item_that_a_numbered_statement_says_more_fully_is_a_summary() -> None:
    read = analyse_request(
        "# Locks\n\n## Product functions\n\n- Measure level and current\n- Draw the gates on a map\n\n"
        "## Functional requirements\n\n- FR-1: The buoy shall measure level and current every minute\n"
    )

    assert [need.text for need in read.needs] == [
        "Draw the gates on a map",
        "The buoy shall measure level and current every minute",
    ]


def test_what_another_part_ticks_off_is_done() -> None:
    read = analyse_request(
        "# Locks\n\n## Nice to have\n\n1. Offline map #7\n2. Offline search #8\n\n## By boat\n\n- [x] Offline map: #7\n"
    )

    assert [need.text for need in read.needs] == ["Offline search #8"]


def test_what_has_to_be_discussed_is_open_and_no_question_is_none() -> None:
    read = analyse_request(
        "# Locks\n\n## Requirements\n\n- Levels must be shown\n- (discuss) MQTT between buoy and server\n\n"
        "## Open questions\n\n- None — all was settled in May\n"
    )

    assert [need.text for need in read.needs] == ["Levels must be shown"]
    assert list(read.questions) == ["(discuss) MQTT between buoy and server"]


def test_what_the_thing_is_is_no_goal() -> None:
    read = analyse_request(
        "# Locks\n\n## Objective\n\nLockbook is a booking system for boats in busy towns.\n\n"
        "Boats wait less than 5 minutes.\n"
    )

    assert [goal.text for goal in read.goals] == ["Boats wait less than 5 minutes."]


def test_name_of_a_version_is_no_number_of_a_statement() -> None:
    read = analyse_request(
        "# 船闸\n\n## 功能需求\n\nV1 前台包含以下页面：\n\n- 水位页\n- 闸门搜索页\n\nR1 值班员必须看到水位\n"
    )

    assert [need.text for need in read.needs] == ["水位页", "闸门搜索页", "值班员必须看到水位"]


def test_steps_of_a_flow_without_a_subject_are_told() -> None:
    read = analyse_request(
        "# Locks\n\n## Requirements\n\n- Levels must be shown\n\n## User journey\n\n1. Open the map\n2. Select a gate\n"
        "3. The system sends a code.\n\n## Use cases\n\n- Select a gate by its name\n"
    )

    assert [need.text for need in read.needs] == [
        "Levels must be shown",
        "The system sends a code.",
        "Select a gate by its name",
    ]

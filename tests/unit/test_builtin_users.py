"""Who a request names as its users, and which value a sentence wants to reach."""

from __future__ import annotations

import pytest

from workers.builtin.goals import goal_of
from workers.builtin.people import actor_name, people_in, persona
from workers.builtin.request import analyse_request
from workers.documents.lexicon import lexicon_of


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Wardens should be able to check a licence at the water", ["Wardens"]),
        ("Let our support staff merge two records", ["support staff"]),
        ("A status page, updated by the skipper from his phone", ["skipper"]),
        ("The list names passengers by kind (adult, child, infant)", []),
        ("The collector SHALL read every meter", []),
        ("The server stores the members' addresses", []),
        ("Users can log in", []),
        ("Der Gerätewart scannt ein Kleidungsstück", ["Gerätewart"]),
        ("Le bibliothécaire voit l'historique", ["bibliothécaire"]),
        ("店长每周收到一份名单，回收员扫码入库", ["店长", "回收员"]),
    ],
)
def test_people_are_those_who_act(text: str, people: list[str]) -> None:
    assert people_in(text, lexicon_of(text)) == people


@pytest.mark.parametrize(
    ("heading", "occupation", "told", "name"),
    [
        ("Carla, 41, dispatcher", "", "", "dispatcher"),
        ("Ahmed (technician)", "", "", "technician"),
        ("Maria", "Ward nurse", "", "Ward nurse"),
        ("Ines", "", "Ines is a physiotherapist in a small practice.", "physiotherapist"),
        ("The tenant", "", "", "tenant"),
    ],
)
def test_persona_is_named_by_what_they_do(heading: str, occupation: str, told: str, name: str) -> None:
    assert persona(heading, occupation, told) == name


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Cut missed collections from 40 to under 10 per month", "under 10 per month"),
        ("90 % of catches are reported within 48 hours instead of 35 % today", "90 %"),
        ("We hope to bring that down to five parts or fewer", "five parts or fewer"),
        ("no-shows: 9 % now, she'd be happy with 4 %", "4 %"),
        ("O-1 A list is complete within 5 minutes", "within 5 minutes"),
        ("把空置地块从现在的30%降到10%以下", "10%以下"),
        ("to cut unpaid moorings from 20 % to at most 5 % of all", "at most 5 % of all"),
        ("Letters go out within two working days after the hearing", "within two working days"),
        ("Lost keys come to an end (2027: 14 keys)", ""),
        ("Litres per trip: down by a quarter", "down by a quarter"),
        ("Halve the calls about the tides", "Halve"),
        ("Double keys disappear", ""),
        ("Objective 2: Boats leave on time", ""),
        ("KR 2.1: 80 % of boats leave on time", "80 %"),
        ("We want cooks to throw away half of what they do today", "half of what they do today"),
    ],
)
def test_target_is_the_value_to_be_reached(text: str, target: str) -> None:
    assert goal_of(text, lexicon_of(text)).target == target


def test_those_on_the_list_of_users_are_not_named_again_by_the_requirements() -> None:
    request = (
        "# Hall\n\n## Users\n\n1. **Keeper** - hands out files; knows the stacks\n\n"
        "## Requirements\n\n- The keeper must lock the hall\n"
    )

    assert [actor.name for actor in analyse_request(request).actors] == ["Keeper"]


def test_columns_of_a_data_model_and_a_project_team_are_no_users() -> None:
    request = (
        "## Users\n\n| Field | Type |\n|---|---|\n| id | bigint |\n| phone | varchar |\n\n"
        "## Roles\n\n| Member | Role |\n|---|---|\n| Kim | tester |\n\n## Requirements\n\n- Porters must be able to ring\n"
    )

    assert [actor.name for actor in analyse_request(request).actors] == ["Porters"]


def test_chat_is_read_line_by_line_without_its_speakers() -> None:
    request = (
        "Nadia  10:02\nbakers need a list per oven\nalso no delivery please\n\n"
        "Joost  10:05\nassistants must mark a bag as collected\n\n"
        "Nadia  10:06\nI want wrong orders down from 6 a day to 1\n\nJoost  10:09\nok\n"
    )

    read = analyse_request(request)

    assert [need.text for need in read.requirements] == [
        "bakers need a list per oven",
        "assistants must mark a bag as collected",
    ]
    assert [need.text for need in read.exclusions] == ["no delivery please"]
    assert [goal.target for goal in read.goals] == ["1"]


@pytest.mark.parametrize(
    ("heading", "goals", "exclusions"),
    [
        ("How we will know it worked", 1, 0),
        ("What we leave for later", 0, 1),
        ("Browser support matrix for you", 0, 0),
    ],
)
def test_heading_that_is_a_clause_has_its_role_from_its_words(
    heading: str, goals: int, exclusions: int
) -> None:
    read = analyse_request(
        f"# Bell\n\n## {heading}\n\n- 90 % of rings are heard\n\n## Requirements\n\n- The porter must ring\n"
    )

    assert (len(read.goals), len(read.exclusions)) == (goals, exclusions)


def users_of(text: str) -> list[str]:
    """The names of the users that a request names."""
    return [actor.name for actor in analyse_request(text).actors]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("As Head of the Kiln Room, I need to see who booked a firing.", ["Head of the Kiln Room"]),
        ("As a Keeper of the Tidal Gate, I need to log each opening.", ["Keeper of the Tidal Gate"]),
        (
            "As a miller that rents hours, I want ovens listed. As a cook looking for an oven, I want to book.",
            ["miller", "cook"],
        ),
        ('1. "As a diver at Lake Orm, I want to see the water level so that I can plan."', ["diver"]),
        (
            "```gherkin\nAs a night diver, I want to set a lamp alarm, so that I am found.\n```",
            ["night diver"],
        ),
        ("As a user who forgot a lamp, I want a reminder. As a motivated user, I want a badge.", []),
    ],
)
def test_everybody_whose_story_is_told_is_a_user(text: str, named: list[str]) -> None:
    assert users_of(f"# Lake log\n\n## User Stories\n\n{text}\n") == named


def test_a_story_of_somebody_known_by_a_shorter_name_names_another() -> None:
    text = "# Port\n\n## Users\n\n- Operator\n\n## User stories\n\n- As a crane operator, I want to see the wind.\n"

    assert users_of(text) == ["Operator", "crane operator"]


def test_stakeholders_are_named_by_their_own_column_and_not_by_what_they_do_in_it() -> None:
    text = """# Ferry board

## Stakeholders

| Stakeholder | Role | Interest |
|---|---|---|
| Harbour Services Team | Budget owners | Fewer calls |
| Deck crew | Daily work | Tides at a glance |
"""

    assert users_of(text) == ["Harbour Services Team", "Deck crew"]


@pytest.mark.parametrize(
    ("heading", "below"), [("用户体验设计", "页面布局"), ("用户系统说明图", "登录界面"), ("用户界面", "颜色")]
)
def test_a_heading_that_merely_holds_the_word_for_users_lists_none(heading: str, below: str) -> None:
    assert users_of(f"# 渡船公告\n\n## {heading}\n\n### {below}\n\n按钮为蓝色。\n") == []


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("The Restless Angler 🎣", "Restless Angler"),
        ("Crew [as in the register]", "Crew"),
        ("a signed-in skipper", "skipper"),
    ],
)
def test_a_name_is_without_what_stands_around_it(phrase: str, name: str) -> None:
    assert actor_name(phrase) == name


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "## Who this is for\n\n- **Studios and small theatres** with lamps of their own\n",
            ["Studios and small theatres"],
        ),
        ("## Target users\n\n- Anyone who owns a rowing boat\n", ["Anyone who owns a rowing boat"]),
        (
            "## Users\n\n| Role | Uses |\n|---|---|\n| Stage Manager / Prompter | cues |\n",
            ["Stage Manager / Prompter"],
        ),
        (
            "## About\n\nThe main audience of Lamp Log is seasoned riggers, on-call crews, and stage managers.\n",
            ["seasoned riggers", "on-call crews", "stage managers"],
        ),
        ("## User stories for anglers (later)\n\n- I can buy a day ticket.\n", ["anglers"]),
        (
            "## User Stories\n\n### Dive Instructor\n\n- Want to be able to cancel a course.\n",
            ["Dive Instructor"],
        ),
        ("## Deck / bridge officers\n\nAs an officer I want to see the tide.\n", ["Deck / bridge officers"]),
        (
            "## User Stories\n\nAs a Lock Keeper, I...\n\n- Want to open the gate from my phone.\n",
            ["Lock Keeper"],
        ),
        ("## 用例\n\n下图包括参与出航的三种角色（船员、售票员、检票员）。\n", ["船员", "售票员", "检票员"]),
    ],
)
def test_users_are_named_where_a_document_presents_them(text: str, named: list[str]) -> None:
    assert users_of(f"# Lamp log\n\n{text}") == named


@pytest.mark.parametrize(
    "text",
    [
        "- Chat with a voice assistant about the tide\n- The AI coach answers in a minute\n",
        "- It is easy to author and run checks\n- Keepers' lamps are easy to author\n",
    ],
)
def test_programs_and_verbs_are_nobody(text: str) -> None:
    assert not {"voice assistant", "AI coach", "author"} & {*users_of(f"# Lamp log\n\n## Features\n\n{text}")}

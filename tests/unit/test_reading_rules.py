"""Rules of reading, each by the smallest text that shows it: what a statement is taken as."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from workers.builtin import analyse_request
from workers.builtin.goals import goal_of
from workers.documents.lexicon import lexicon_of

ASKS = "\n\n## Requirements\n\n- Nurses must sign in with a card\n"


def read_as(text: str) -> dict[str, str]:
    """What each statement of a request is taken as."""
    read = analyse_request(text + ("" if "must sign in" in text else ASKS))
    return {
        **{need.text: need.kind for need in read.needs},
        **{goal.text: "goal" for goal in read.goals},
        **{risk.text: "risk" for risk in read.risks},
        **{row.text: "criterion" for row in read.criteria},
        **dict.fromkeys(read.questions, "question"),
        **dict.fromkeys(read.dependencies, "dependency"),
        **dict.fromkeys(read.done, "done"),
    }


@pytest.mark.parametrize(
    ("heading", "statement", "kind"),
    [
        ("Things that could bite us", "Nurses lose their cards", "risk"),
        ("What we lean on", "The card printer of the ward", "dependency"),
        ("Points still to be clarified", "Who hands out the cards", "question"),
        ("Not the subject of this procurement", "Rosters of doctors", "exclusion"),
        ("Cosa vogliamo ottenere", "Meno appunti persi", "goal"),
        ("二、预期成效", "交接记录不再丢失", "goal"),
    ],
)
def test_heading_that_no_phrase_fits_is_read_by_its_words(heading: str, statement: str, kind: str) -> None:
    assert read_as(f"# Ward board\n\n## {heading}\n\n- {statement}\n")[statement] == kind


def test_heading_below_requirements_names_what_a_feature_is_about() -> None:
    read = read_as(f"# Ward board{ASKS}\n### Planning of tours\n\n- Tours must be shown\n")

    assert read["Tours must be shown"] == "functional"


@pytest.mark.parametrize(
    ("table", "statement", "kind"),
    [
        ("| Feature | Status |\n|---|---|\n| Print a sheet | dropped |", "Print a sheet", "exclusion"),
        ("| Feature | Status |\n|---|---|\n| Print a sheet | built |", "Print a sheet", "done"),
        ("| Feature | Notes |\n|---|---|\n| ~~Print a sheet~~ | - |", "Print a sheet", "exclusion"),
        ("| Type | Item |\n|---|---|\n| Risk | Cards get lost |", "Cards get lost", "risk"),
        (
            "| Attribute | Expectation |\n|---|---|\n| Speed | a sheet in 2 seconds |",
            "Speed | a sheet in 2 seconds",
            "nonfunctional",
        ),
        ("| Question | Status |\n|---|---|\n| Who prints? | open |", "Who prints?", "question"),
    ],
)
def test_row_is_what_its_columns_and_its_state_say(table: str, statement: str, kind: str) -> None:
    assert read_as(f"# Ward board{ASKS}\n### More\n\n{table}\n")[statement] == kind


def test_answered_question_and_placeholders_are_nothing() -> None:
    read = read_as(
        f"# Ward board{ASKS}- [requirement]\n- n/a\n\n## Open questions\n\n- ~~Who prints?~~ the clerk\n- Which paper? → A4\n"
        "\n| Feature | Priority |\n|---|---|\n| [feature] | [high/low] |\n"
    )

    assert list(read) == ["Nurses must sign in with a card"]


def test_answer_of_a_faq_is_read_and_its_question_is_not() -> None:
    read = read_as(f"# Ward board{ASKS}\n## FAQ\n\n**Can guests print?** Guests must not print sheets.\n")

    assert "Guests must not print sheets." in read and "question" not in read.values()


def test_table_of_properties_describes_the_statement_of_its_heading() -> None:
    rows = "| **ID** | FR-001 |\n| **Priority** | P0 |\n| **Description** | The board must list sheets |\n| **Acceptance Criteria** | Sheets of today come first |"
    request = f"# Ward\n\n## Functional Requirements\n\n### FR-001: Sheets\n\n| Attribute | Value |\n|---|---|\n{rows}\n"

    read = analyse_request(request)

    assert [(need.text, need.title, need.moscow) for need in read.needs] == [
        ("The board must list sheets", "Sheets", "Must")
    ]
    assert [row.text for row in read.criteria] == ["Sheets of today come first"]


def test_list_that_names_what_later_headings_tell_is_a_summary() -> None:
    request = (
        "# Ward\n\n## Scope\n\n- Sheets\n- Handover notes\n\n## Functional requirements\n\n### Sheets\n\n- Nurses must print sheets\n"
        "\n### Handover notes\n\n- Notes must be kept\n"
    )

    assert [need.text for need in analyse_request(request).needs] == [
        "Nurses must print sheets",
        "Notes must be kept",
    ]


def test_lines_that_their_author_ended_are_statements_of_their_own() -> None:
    request = (
        "i want a board for our ward, as soon as somebody finds the time for it\nmust run on the old tablets\nnurses must see who is on duty\n"
        "no chat please\nit must start within 2 seconds, we do this in the corridor all day long\n"
    )

    assert {
        text: kind
        for text, kind in read_as(request + "nurses must sign in with a card\n").items()
        if "chat" in text
    } == {"no chat please": "exclusion"}
    assert "nurses must see who is on duty" in read_as(request + "nurses must sign in with a card\n")


def test_wrapped_lines_stay_one_paragraph() -> None:
    request = "# Ward\n\nThe board must show who is on duty and which of the patients\nhave to be seen before noon, sorted by the room in which they\nlie, and it must do so without a network.\n"

    (first, *_) = analyse_request(request).needs
    assert first.text.startswith("The board must show who is on duty and which of the patients have")


def test_numbered_headings_of_a_flattened_text_are_headings() -> None:
    request = (
        "# Ward board ## 1. Goals - Fewer notes are lost ## 2. Requirements - Nurses must sign in with a card - The board must show who is on duty "
        "## 3. Out of scope - A chat between the wards of the house - Rosters of the doctors, which another program keeps since last year and will go on keeping for as long as the house pays for it"
    )

    kinds = read_as(request)
    assert (
        kinds["Fewer notes are lost"] == "goal"
        and kinds["A chat between the wards of the house"] == "exclusion"
    )


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("The hospital's treasurer downloads the list.", ["hospital's treasurer"]),
        ("Singers get a reminder.", ["Singers"]),
        ("The technicians (Ines and Bo) need a page.", ["technicians"]),
    ],
)
def test_who_does_something_is_a_user(text: str, users: list[str]) -> None:
    read = analyse_request(f"# Ward\n\n## Requirements\n\n- {text}\n")

    assert [actor.name for actor in read.actors] == users


def test_who_is_said_not_to_use_it_is_no_user() -> None:
    read = analyse_request(
        f"# Ward\n\n## Users\n\nNurses write notes. The district pays and will not log in.\n{ASKS}"
    )

    assert [actor.name for actor in read.actors] == ["Nurses"]


def test_table_with_a_column_for_each_persona_names_them() -> None:
    table = "| | **Nurse** | **Clerk** |\n|---|---|---|\n| Age | 40 | 30 |\n| Device | tablet | computer |\n"

    assert [actor.name for actor in analyse_request(f"# Ward\n\n## Personas\n\n{table}{ASKS}").actors][
        :2
    ] == ["Nurse", "Clerk"]


def test_release_notes_are_no_request() -> None:
    notes = "# Board 4.2\n\nThis is the second feature release of the 4.x series.\n\n## Highlights\n\n- Sheets are printed on both sides\n- Cards are read twice as fast\n"

    assert analyse_request(notes).form == "release"


@pytest.mark.parametrize(
    ("heading", "statement", "category"),
    [
        ("Performance", "Lists are kept for two years", "P"),
        ("Performance", "The list opens without a network", "SC"),
        ("Speed", "The photos are encrypted", "S"),
        ("Produktleistungen", "Alle Texte sind barrierefrei", "U"),
    ],
)
def test_category_of_a_heading_is_overruled_by_words_of_another_alone(
    heading: str, statement: str, category: str
) -> None:
    read = analyse_request(
        f"# Ward board\n\n## Non-functional requirements\n\n### {heading}\n\n- {statement}\n{ASKS}"
    )

    assert {need.text: need.category for need in read.needs}[statement] == category


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("We would like to get that under one hour a week", "under one hour a week"),
        ("Nine out of ten cards are handed out on the first day", "Nine out of ten"),
        ("The share of lost cards should reach a third", "a third"),
        ("Every grade from 4 to 8a has at least 6 routes", "at least 6"),
        ("Lost cards per ward (17 on average) → < 3", "< 3"),
        ("Sell at least 30 cards a day before 11:30", "at least 30 cards a day"),
        ("Move all wards to cards before summer 2027", "before summer 2027"),
        ("Meno tessere perse: da 65 a meno di 20 per anno", "meno di 20 per anno"),
        ("Die Ausgabe von 20 auf höchstens fünf Minuten senken", "höchstens fünf Minuten"),
    ],
)
def test_value_to_be_reached_is_told_from_dates_names_and_values_left_behind(said: str, target: str) -> None:
    assert goal_of(said, lexicon_of(said)).target == target


def test_what_is_so_and_what_is_wanted_of_it_are_two_statements() -> None:
    read = analyse_request(
        f"# Ward board\n\n## Problem\n\nWe lose 40 cards, and we would like to lose less than 3.\n{ASKS}"
    )

    assert [(goal.text, goal.target) for goal in read.goals] == [
        ("we would like to lose less than 3.", "less than 3")
    ]
    assert "We lose 40 cards" in read.situation


def test_state_in_marks_behind_an_id_is_read_in_any_section() -> None:
    read = read_as(
        "# Ward board\n\n## Goals\n\n- LM-1 `done` Nurses see every bed\n- LM-2 Fewer lost notes\n"
    )

    assert read["Nurses see every bed"] == "done"


def test_people_only_spoken_of_are_no_users_where_users_are_listed() -> None:
    text = "# Ward board\n\n## Requirements\n\n- Notes must name the cleaner\n- Lists must show the cleaner\n"
    listed = "\n## Users\n\n- Nurses\n"

    assert "cleaner" in {actor.name for actor in analyse_request(text).actors}
    assert [actor.name for actor in analyse_request(text + listed).actors] == ["Nurses"]


BRIEF = """# Swap

**Problem.** Notes fall off the board.

**Who it's for.** Residents and caretakers.

**Goal.** At least 10 swaps a week.

### First

**Offer.** A resident offers a plant with a photo. An offer disappears after 14 days.

### Not now, not ever

~ chat
~ a shop

**Limits.** No budget beyond 500 euros.

**What could kill it.** One bad plant and everybody leaves.

**Don't know yet.** Who pays for the shelf?
"""


def test_words_in_bold_that_open_a_paragraph_are_its_heading() -> None:
    read = read_as(BRIEF)

    assert read["At least 10 swaps a week."] == "goal"
    assert read["A resident offers a plant with a photo."] == "functional"
    assert (read["chat"], read["a shop"]) == ("exclusion", "exclusion")
    assert read["No budget beyond 500 euros."] == "constraint"
    assert read["One bad plant and everybody leaves."] == "risk"
    assert read["Who pays for the shelf?"] == "question"
    assert [actor.name for actor in analyse_request(BRIEF).actors] == ["Residents", "caretakers"]


def test_questions_in_bold_are_the_headings_of_their_answers() -> None:
    text = f"# Coach{ASKS}\n## FAQ\n\n**Who else uses it?**\nDispatchers of coaches.\n\n**What keeps you awake?**\nA coach may not come.\n"

    assert read_as(text)["A coach may not come."] == "risk"


@pytest.mark.parametrize(
    ("heading", "kind"),
    [("Later, if it flies", "functional"), ("Someday / maybe", "functional"), ("Not now", "exclusion")],
)
def test_what_may_come_later_is_asked_for_and_what_is_left_out_is_not(heading: str, kind: str) -> None:
    assert read_as(f"# Ward board{ASKS}\n## {heading}\n\n- Print a map\n")["Print a map"] == kind


def test_struck_item_is_left_out_and_a_struck_question_is_nothing() -> None:
    read = read_as(
        f"# Ward board{ASKS}- ~~Print a map~~\n- #32 ~~Send a fax~~ closed\n\n## Open questions\n\n- ~~Who prints?~~\n"
    )

    assert (read["Print a map"], read["Send a fax"]) == ("exclusion", "exclusion")
    assert "Who prints?" not in read


def test_remark_beside_a_story_is_not_the_story() -> None:
    story = "As a pupil I want to see which class found most of all"
    table = f"| # | Story | MoSCoW | Notes |\n|---|---|---|---|\n| 1 | {story} | Won't have | teachers said no |\n"

    assert read_as(f"# Ward board{ASKS}\n## Stories\n\n{table}")[story] == "exclusion"


@pytest.mark.parametrize(
    "table",
    [
        "| Persona | Who they are | Jobs |\n|---|---|---|\n| Bea | Counter clerk, seasonal | hand out skates |\n| Stig | Sharpener, works nights | grind skates |\n",
        "| | Bea | Stig |\n|---|---|---|\n| Role | Counter clerk, seasonal | Sharpener |\n| Wants | an end | silence |\n",
    ],
)
def test_user_of_an_invented_name_is_called_by_the_occupation(table: str) -> None:
    users = [actor.name for actor in analyse_request(f"# Rink\n\n## Personas\n\n{table}{ASKS}").actors]

    assert users[:2] == ["Counter clerk", "Sharpener"]


def test_line_above_a_list_is_a_heading_where_a_text_marks_none() -> None:
    text = "LIFT\n\nWhat it has to do\n  • show the state of the lift\n\nWho is concerned\n  • cashiers at both stations\n\nWhat it shall not be\n  • a shop\n"

    read = analyse_request(text)

    assert [need.text for need in read.exclusions] == ["a shop"]
    assert "cashiers" in [actor.name for actor in read.actors]


def test_prose_that_asks_for_something_to_be_built_is_no_essay() -> None:
    told = "The club has forty tandems. Benedikta puts the rides together by phone. She knows who rides with whom. "
    text = f"# Stoker\n\n{told}\n\n{told}\n\n{told}We are asking for money to have something built. A stoker says when she would like to ride. It has to understand speech.\n"

    assert analyse_request(text).form == ""


def test_chinese_story_with_a_full_comma_is_no_goal() -> None:
    story = "作为游客，我想按日期查看还能约的果园，以便不白跑一趟。"
    read = analyse_request(f"# 果园\n\n## 做什么\n\n{story}\n\n系统必须支持扫码核销。\n")

    assert story in [need.text for need in read.requirements]
    assert not read.goals

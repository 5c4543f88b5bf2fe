"""A person's words under the name of a section go where a request's section of that name goes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.builtin_chain import chain, numbered
from tests.unit.test_builtin_revision import revised

REQUEST = "Build a room booking tool. Rooms must be bookable for 30 minutes. It must show free rooms."
PROBLEMS = [
    "Problem: rooms are double booked or empty-but-booked; it costs each meeting ten minutes.",
    "The problem is double-booked rooms; it costs ten minutes per meeting.",
    "Pain points: members phone each other to find out who has the key",
    "Our main problem today is that nobody knows which of the rooms is free.",
    "## Problem\n\nThe paper list beside the door is wrong by noon.",
    "问题：会议室经常被重复预订，每次会议浪费十分钟。",
    "最大的问题是会议室经常被重复预订。",
]
USERS = [
    ("Users: office staff, the receptionist", ["Office staff", "Receptionist"]),
    ("Target users: office staff and visitors", ["Office staff", "Visitors"]),
    ("The office staff (about 200 people) are users too", ["Office staff"]),
    ("Users: The two on-call engineers", ["On-call engineers"]),
    ("Cleaners are also users.", ["Cleaners"]),
    ("用户：办公室员工和前台", ["办公室员工", "前台"]),
    ("保安也是用户。", ["保安"]),
]
WISHES = [
    "Users must be able to report a problem: a broken lamp, for example",
    "The problem report is sent to the caretaker",
    "Cleaners who are users must see the plan of the day",
    "Users: must log in with a code",
]


def _after(words: str) -> tuple[dict[str, Any], Any, Any]:
    facts = chain(REQUEST)
    brief = numbered(revised("brief", facts, words))
    requirements = revised("requirements", {**facts, "brief": brief}, words)
    return facts, brief, requirements


def _question(facts: dict[str, Any], words: str) -> str:
    (found,) = [text for text in facts["brief"].open_questions if words in text]
    return str(found)


@pytest.mark.parametrize("words", PROBLEMS)
def test_problem_is_the_briefs_and_answers_its_question_and_is_no_requirement(words: str) -> None:
    facts, brief, requirements = _after(words)

    assert (
        words.rpartition("：")[2].rpartition(": ")[2].rpartition("\n")[2].casefold()
        in brief.situation.casefold()
    )
    assert _question(facts, "Which problem") not in brief.open_questions
    assert brief.in_scope == facts["brief"].in_scope
    assert requirements.items == facts["requirements"].items
    assert requirements.open_questions == facts["requirements"].open_questions


@pytest.mark.parametrize(("words", "names"), USERS)
def test_users_are_the_briefs_and_no_requirement(words: str, names: list[str]) -> None:
    facts, brief, requirements = _after(words)

    assert [user.name for user in brief.users] == names
    assert _question(facts, "Who uses") not in brief.open_questions
    assert brief.situation == facts["brief"].situation
    assert requirements.items == facts["requirements"].items


@pytest.mark.parametrize("words", ["Goal: halve the number of double bookings", "目标：减少重复预订"])
def test_goal_is_the_briefs(words: str) -> None:
    facts, brief, requirements = _after(words)

    assert brief.goals[-1].text in words and brief.goals[-1].source == "stated"
    assert _question(facts, "to call the product a success") not in brief.open_questions
    assert requirements.items == facts["requirements"].items


@pytest.mark.parametrize("words", ["Out of scope: payments", "范围外：支付"])
def test_exclusion_and_constraint_reach_the_brief(words: str) -> None:
    facts, brief, requirements = _after(words)
    _, limited, _ = _after("Constraint: Python and SQLite")

    assert [row.text for row in brief.out_of_scope] == [words.replace("：", ": ").partition(": ")[2]]
    assert [item.moscow for item in requirements.items[len(facts["requirements"].items) :]] == ["Won't"]
    assert [row.text for row in limited.constraints] == ["Python and SQLite"]


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        (
            "Constraints: must run on our own server, budget 5000 euros, no cloud",
            ["must run on our own server", "budget 5000 euros", "no cloud"],
        ),
        ("Constraints are: one server, no cloud.", ["one server", "no cloud"]),
        (
            "Constraint: a room, which may be double, is booked once",
            ["a room, which may be double, is booked once"],
        ),
        ("Timeline: pilot in May", ["pilot in May"]),
    ],
)
def test_each_limit_behind_a_label_is_one(words: str, limits: list[str]) -> None:
    _, brief, _ = _after(words)

    assert [row.text for row in brief.constraints] == limits


def test_what_is_said_of_users_behind_them_stays_with_them() -> None:
    _, brief, _ = _after(
        "Users: dispatchers and drivers. Dispatchers work on two screens. They hate passwords."
    )

    assert {user.name: user.needs for user in brief.users} == {
        "Dispatchers": ["work on two screens", "They hate passwords"],
        "Drivers": ["They hate passwords"],
    }


def test_risks_assumptions_and_questions_reach_the_brief_and_are_no_requirements() -> None:
    facts, brief, requirements = _after("Risks: nobody uses it; the calendar API is slow")
    _, assumed, _ = _after("Assumption: every room has a tablet")
    _, asked, _ = _after("Open question: who pays?")

    assert [row.text for row in brief.risks] == ["nobody uses it", "the calendar API is slow"]
    assert assumed.assumptions[-1].text == "every room has a tablet"
    assert "who pays?" in asked.open_questions
    assert requirements.items == facts["requirements"].items


def test_stakeholders_are_users_and_a_success_metric_is_a_goal() -> None:
    facts, brief, requirements = _after(
        "Stakeholders: the works council. Success metric: 1 % double bookings"
    )

    assert [user.name for user in brief.users] == ["Works council"]
    assert brief.goals[-1].text == "1 % double bookings"
    assert requirements.items == facts["requirements"].items


def test_wish_behind_a_problem_stays_a_wish() -> None:
    facts, brief, requirements = _after("Problem: rooms are double booked. Add a calendar view.")

    assert brief.situation == "Rooms are double booked."
    assert [item.quote for item in requirements.items[len(facts["requirements"].items) :]] == [
        "Add a calendar view."
    ]


@pytest.mark.parametrize("words", WISHES)
def test_wish_that_speaks_of_problems_or_users_stays_a_wish(words: str) -> None:
    facts, brief, requirements = _after(words)

    assert len(requirements.items) == len(facts["requirements"].items) + 1
    assert brief.situation == facts["brief"].situation


def test_section_of_the_brief_said_of_a_later_document_is_answered_there() -> None:
    facts = chain(REQUEST)

    after = revised("architecture", facts, "Problem: rooms are double booked")

    (answer,) = [t for t in after.open_questions if t not in facts["architecture"].open_questions]
    assert "rooms are double booked" in answer and "brief" in answer


def test_next_revision_does_not_ask_again_what_was_answered() -> None:
    facts, brief, _ = _after("Problem: rooms are double booked")

    again = revised("brief", {**facts, "brief": brief}, "Rooms must have a photo")

    assert again.situation == brief.situation
    assert _question(facts, "Which problem") not in again.open_questions


ANSWERS = (
    "Who will use it? Retired gardeners and two students. "
    "G-001: how is it measured? A free room is found in under 30 seconds. "
    "What does the first version leave out? No payments. "
    "Who may see and change the product, and how long is the data kept? Only members, names are deleted when they leave. "
    "Many thanks in advance!"
)


def test_answers_count_for_the_questions_in_front_of_them() -> None:
    facts, brief, requirements = _after(ANSWERS)

    assert [user.name for user in brief.users] == ["Retired gardeners", "Students"]
    assert [row.text for row in brief.out_of_scope] == ["No payments."]
    assert (brief.goals[0].metric, brief.goals[0].target) == ("A free room is found", "in under 30 seconds")
    assert len(brief.goals) == len(facts["brief"].goals)
    added = requirements.items[len(facts["requirements"].items) :]
    assert [(item.moscow, item.category, item.statement) for item in added] == [
        ("Must", "S", "Only members, names are deleted when they leave."),
        ("Won't", "", "No payments."),
    ]
    for words in ("Who uses", "Who may see", "leave out"):
        assert _question(facts, words) not in brief.open_questions
    assert not any("thanks" in text for text in (*brief.open_questions, *requirements.open_questions))


@pytest.mark.parametrize("words", ["Who pays for the rooms? Where is the key kept?", "谁来付钱？"])
def test_a_question_that_nobody_answers_stays_one(words: str) -> None:
    facts, brief, requirements = _after(words)

    assert requirements.items == facts["requirements"].items
    assert brief.users == facts["brief"].users


@pytest.mark.parametrize(
    "words",
    [
        "G-001: how is it measured? Double bookings a year. G-001: which target value counts as success? Fewer than 5.",
        "G-001: how is it measured? Double bookings a year.\nG-001: which target value counts as success? Fewer than 5.",
    ],
)
def test_a_goal_gets_what_is_said_behind_its_own_questions(words: str) -> None:
    facts, brief, _ = _after(words)

    assert (brief.goals[0].metric, brief.goals[0].target) == ("Double bookings a year", "Fewer than 5")
    assert [goal.id for goal in brief.goals] == [goal.id for goal in facts["brief"].goals]


def test_words_that_another_document_states_in_other_places_need_no_answer_here() -> None:
    facts = chain("Rooms must be bookable for 30 minutes. It must show free rooms.")
    brief = facts["brief"]
    said = "The door locks of Salto open with a card"
    took = brief.model_copy(update={"situation": f"It was told. {said}, as today."})

    open_ = revised("architecture", facts, f"Dependency: {said}")
    settled = revised("architecture", {**facts, "brief": took}, f"Dependency: {said}")

    assert any(said in text for text in open_.open_questions)
    assert not any(said in text for text in settled.open_questions)

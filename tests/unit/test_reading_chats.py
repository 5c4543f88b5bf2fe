"""Chats as people export and paste them."""

from __future__ import annotations

import pytest

from workers.builtin.analysis import RequestAnalysis
from workers.builtin.request import analyse_request
from workers.documents.chats import of_chat

TALK = (
    ("Ilse", "we need a booking page for the sauna"),
    ("omar", "members must see free hours"),
    ("Ilse", "no payments please"),
    ("omar", "the page must open at once"),
)


def read(*said: tuple[str, str]) -> RequestAnalysis:
    """A chat with more than its four opening messages."""
    return analyse_request(
        "\n".join(f"[10:0{at}] {name}: {text}" for at, (name, text) in enumerate((*TALK, *said)))
    )


@pytest.mark.parametrize(
    "head",
    [
        "[10:02] {}: ",
        "[10:02] {}  ",
        "10:02 - {}: ",
        "12/03/2026, 10:02 - {}: ",
        "[12.03.26, 10:02:11] {}: ",
        "10:02 <{}> ",
        "2026-03-12 10:02 {}: ",
        "(10:02) {}: ",
    ],
)
def test_who_speaks_when_stands_apart_from_what_is_said(head: str) -> None:
    found = of_chat([f"{head.format(name)}{text}" for name, text in TALK])

    assert found is not None
    assert [line for line in found[1].split("\n") if line] == [text for _, text in TALK]


@pytest.mark.parametrize(
    "head", ["{}  10:02", "{} (board)  10:02", "{}, 10:02", "**{}** 10:02 AM", "{} — Today at 10:02"]
)
def test_who_speaks_may_stand_above(head: str) -> None:
    lines = [line for name, text in TALK for line in (head.format(name.title()), text, "")]
    found = of_chat(lines)

    assert found is not None
    assert [line for line in found[1].split("\n") if line] == [text for _, text in TALK]


@pytest.mark.parametrize(
    "lines",
    [
        [
            f"[10:0{at}] {level} the pump answers"
            for at, level in enumerate(("INFO", "ERROR", "INFO", "ERROR"))
        ],
        [f"10:0{at} Opening of gate {at}" for at in range(6)],
    ],
)
def test_log_and_timetable_are_no_chats(lines: list[str]) -> None:
    assert of_chat(lines) is None


def test_question_that_the_next_message_answers_is_settled() -> None:
    found = read(
        ("omar", "guests too?"), ("Ilse", "guests must be able to join a member"), ("omar", "towels?")
    )

    assert found.questions == ("towels?",)
    assert found.needs[-1].text == "guests must be able to join a member"


@pytest.mark.parametrize("waits", ["good point, let me ask the board", "nobody knows yet", "hmm, not sure"])
def test_question_that_nobody_can_answer_stays_open(waits: str) -> None:
    assert read(("omar", "what about towels?"), ("Ilse", waits)).questions == ("what about towels?",)


def test_question_for_a_part_of_the_request_says_what_its_answer_is() -> None:
    found = read(("omar", "who will use it?"), ("Ilse", "Bath attendants and members"))

    assert "Bath attendants" in [actor.name for actor in found.actors]


def test_proposal_that_the_next_message_turns_down_is_not_wanted() -> None:
    found = read(("omar", "it could also show the weather"), ("Ilse", "omar no. members must cancel by link"))

    assert [need.text for need in found.requirements][-1] == "members must cancel by link"
    assert not any("weather" in need.text for need in found.needs)


def test_what_people_do_later_is_wanted_and_what_comes_later_is_not() -> None:
    found = read(
        ("omar", "members can pay later"), ("Ilse", "gift cards later"), ("omar", "vouchers can come later")
    )

    assert "members can pay later" in [need.text for need in found.requirements]
    assert {"gift cards later", "vouchers can come later"} <= {need.text for need in found.exclusions}


def test_what_a_bare_no_answers_is_left_out() -> None:
    assert read(("omar", "birthday parties?"), ("Ilse", "nope")).exclusions[-1].text == "birthday parties"


@pytest.mark.parametrize(
    "cheer", ["good one, let me think about it", "great work you two, sleep well", "+1", "gotta go, oven"]
)
def test_cheers_ask_for_nothing(cheer: str) -> None:
    assert len(read(("Ilse", cheer)).needs) == len(TALK)


def test_agreement_in_front_of_a_wish_is_put_aside() -> None:
    assert (
        read(("Ilse", "agreed, members must cancel by link")).needs[-1].text == "members must cancel by link"
    )


def test_a_message_is_no_heading_of_those_behind_it() -> None:
    found = read(("Ilse", "gift cards later"), ("omar", "members must cancel by link"))

    assert found.needs[-1].kind == "functional"


@pytest.mark.parametrize(
    ("line", "questions"),
    [
        ("what about guests without a card? nobody knows yet", ("what about guests without a card?",)),
        ("do we need lockers? → asking the board", ("do we need lockers?",)),
        ("do we need lockers? → yes, ten", ()),
    ],
)
def test_question_with_the_remark_that_it_is_open_is_open(line: str, questions: tuple[str, ...]) -> None:
    assert analyse_request(f"# Sauna\n\n## Notes\n\n- {line}\n").questions == questions

"""What a request leaves open is asked for; what is answered is read as the rest of the request is."""

from __future__ import annotations

import pytest

from orchestrator.domain.clarified import Answer, asked_part, with_answers
from workers.builtin.gaps import gaps
from workers.builtin.request import analyse_request

SHORT = "Build a URL shortener with an admin dashboard"
WORDS = {
    "goal": "links in mails can be counted",
    "user": "marketing staff, our two admins and guests",
    "scope": "payment",
    "constraint": "one Debian server, PostgreSQL",
    "success": "95 % of redirects under 50 ms",
}
WORDS_ZH = {
    "goal": "患者排队时间更短",
    "scope": "支付",
    "constraint": "部署在医院内网",
    "success": "爽约率低于5%",
}


def answered(request: str, language: str, words: dict[str, str]) -> str:
    asked = {gap["key"]: gap for gap in gaps(request)}
    answers = [
        Answer(key, asked[key]["question"], asked[key]["heading"], said) for key, said in words.items()
    ]
    return with_answers(request, language, answers)


@pytest.mark.parametrize(
    ("request_text", "asked"),
    [
        (SHORT, ["goal", "user", "scope", "constraint", "success"]),
        ("hello", ["what", "goal", "user", "scope", "constraint"]),
        ("给诊所做一个预约系统", ["goal", "scope", "constraint", "success"]),
        ("As a nurse I want to see who waits, so that nobody is forgotten", ["goal", "scope", "constraint", "success"]),
        ("2026-01-01 10:00:00 ERROR failed\n" * 8, []),
    ],
)  # fmt: skip
def test_what_a_request_does_not_say_is_asked(request_text: str, asked: list[str]) -> None:
    assert [gap["key"] for gap in gaps(request_text)] == asked


@pytest.mark.parametrize(
    ("request_text", "language", "words"),
    [(SHORT, "en", WORDS), ("给诊所做一个预约系统", "zh", WORDS_ZH)],
    ids=["en", "zh"],
)
def test_answers_are_read_and_leave_nothing_to_ask(
    request_text: str, language: str, words: dict[str, str]
) -> None:
    before = analyse_request(request_text)

    after = analyse_request(answered(request_text, language, words))

    assert gaps(answered(request_text, language, words)) == []
    assert after.title == before.title and after.thin and after.product == before.product
    assert [need.text for need in before.needs] == [
        need.text for need in after.needs if need.kind == "functional"
    ]
    assert [need.text for need in after.exclusions] == [words["scope"]]
    assert [need.text for need in after.needs if need.kind == "constraint"] == [words["constraint"]]
    assert [goal.text for goal in after.goals] == [words["goal"], words["success"]]
    assert after.goals[1].target


def test_several_users_in_one_answer_are_several() -> None:
    found = analyse_request(answered(SHORT, "en", {"user": WORDS["user"]}))

    assert [actor.name for actor in found.actors] == ["marketing staff", "admins", "guests"]


def test_what_is_asked_for_can_be_answered_too() -> None:
    found = analyse_request(answered("hello", "en", {"what": "a page that counts visitors"}))

    assert not found.vague and [need.text for need in found.needs] == ["a page that counts visitors"]


def test_an_answer_cannot_leave_its_line() -> None:
    made = with_answers(
        SHORT, "en", [Answer("scope", "?", "Out of scope", "payment\n\n## Requirements\n\n- free beer")]
    )

    assert [need.text for need in analyse_request(made).requirements] == [
        need.text for need in analyse_request(SHORT).requirements
    ]
    assert asked_part(made) == SHORT and with_answers(SHORT, "en", []) == SHORT

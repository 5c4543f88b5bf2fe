"""What a request leaves open is asked for; what is answered is read as the rest of the request is."""

from __future__ import annotations

import pytest

from orchestrator.domain.clarified import Answer, asked_part, with_answers
from tests.unit.builtin_chain import chain
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


@pytest.mark.parametrize(
    ("request_text", "language", "said"),
    [
        ("Build an appointment book for a barber", "en", "people call while I cut hair and I miss half of the calls"),
        ("Build a rota for our volunteers", "en", "shifts stay empty because people forget them"),
        ("Build a key register for a sports club", "en", "Nobody knows who has the key of the hall"),
        ("Build a stock list for a bakery", "en", "the counts never match the shelf, it takes me two hours every Friday"),
        ("给理发店做一个预约系统", "zh", "客人打电话来经常漏接，一天浪费一个小时"),
    ],
)  # fmt: skip
def test_answer_about_what_should_be_better_that_says_what_is_bad_is_the_problem(
    request_text: str, language: str, said: str
) -> None:
    made = answered(request_text, language, {"goal": said})
    facts = chain(made)

    assert not analyse_request(made).goals
    assert facts["brief"].situation == said
    assert not [goal for goal in facts["brief"].goals if goal.source == "stated"]
    assert said not in [item.statement for item in facts["requirements"].items]
    assert "goal" not in [gap["key"] for gap in gaps(made)]


@pytest.mark.parametrize(
    "said",
    [
        "nobody misses a call any more",
        "fewer missed calls",
        "the board sees who is late",
        "an order is entered once, not twice",
        "不再漏接电话",
    ],
)
def test_answer_about_what_should_be_better_is_a_goal(said: str) -> None:
    found = analyse_request(answered(SHORT, "en", {"goal": said}))

    assert [goal.text for goal in found.goals] == [said] and not found.situation


@pytest.mark.parametrize(
    ("request_text", "language", "said"),
    [
        ("A small web shop for our bakery", "en", "Customers order bread online and pick it up; they pay in the shop."),
        ("A small web shop for our bakery", "en", "The baker prints a list in the evening"),
        ("给面包店做一个网店", "zh", "顾客在线订面包，到店自取"),
    ],
)  # fmt: skip
def test_answer_about_what_should_be_better_that_says_what_people_do_is_asked_for(
    request_text: str, language: str, said: str
) -> None:
    made = answered(request_text, language, {"goal": said})

    assert not analyse_request(made).goals
    assert said.rstrip(".") in [item.statement.rstrip(".") for item in chain(made)["requirements"].items]


def test_answer_of_two_sentences_may_be_a_problem_and_a_goal() -> None:
    found = analyse_request(
        answered(SHORT, "en", {"goal": "We lose half of the orders. Every order should arrive."})
    )

    assert found.situation == ("We lose half of the orders.",)
    assert [goal.text for goal in found.goals] == ["Every order should arrive."]


@pytest.mark.parametrize("said", ["Python and SQLite", "5000 euros, by March"])
def test_limit_that_is_only_named_is_a_constraint_and_no_requirement(said: str) -> None:
    facts = chain(answered(SHORT, "en", {"constraint": said, "scope": "No payments"}))

    assert [row.text for row in facts["brief"].constraints] == [said]
    assert [row.text for row in facts["brief"].out_of_scope] == ["No payments"]
    stated = [item for item in facts["requirements"].items if item.statement == said]
    assert not stated
    limited = chain(answered(SHORT, "en", {"constraint": "It must run on the old laptop"}))
    assert "It must run on the old laptop" in [item.statement for item in limited["requirements"].items]

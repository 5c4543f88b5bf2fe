"""What a text says of itself, of what it left out, and why: none of it is asked for."""

from __future__ import annotations

import pytest

from workers.builtin.analysis import RequestAnalysis
from workers.builtin.clauses import first_modal
from workers.builtin.criteria import criteria
from workers.builtin.request import analyse_request
from workers.documents.lexicon import lexicon_of

FEATURES = "# Key cabinet\n\n## Features\n\n- A janitor lends a key to a craftsman\n- The list shows who has which key\n\n"


def read(text: str) -> RequestAnalysis:
    return analyse_request(FEATURES + text)


def excluded(text: str) -> list[str]:
    return [need.text for need in read(text).needs if need.kind == "exclusion"]


@pytest.mark.parametrize(
    "said",
    [
        "This is how we work. This document describes what the first version must do. It says nothing about prices.",
        "This page lists what is finished, what we do next, and what we will not do.",
        "This specification is a living document and will be updated.",
    ],
)
def test_what_a_text_says_of_itself_is_no_requirement(said: str) -> None:
    assert [need.text for need in read(f"## Notes\n\n{said}\n").needs] == [
        need.text for need in read("").needs
    ]


def test_what_a_page_of_the_product_shows_stays_one() -> None:
    needs = [need.text for need in read("- The page lists all keys\n- This page must open at once\n").needs]

    assert needs[2:] == ["The page lists all keys", "This page must open at once"]


@pytest.mark.parametrize(
    ("said", "left_out"),
    [
        ("A shop for locks. We talked about it in May.", ["A shop for locks."]),
        ("- Locks without keys (they come next spring)", ["Locks without keys"]),
        ("Please leave out the wages, our accountant has a program.", ["Please leave out the wages"]),
    ],
)
def test_what_is_left_out_is_told_from_why(said: str, left_out: list[str]) -> None:
    assert excluded(f"## Out of scope\n\n{said}\n") == left_out


def test_no_behind_a_question_leaves_out_what_it_asks_for() -> None:
    assert excluded("## Does it open doors?\n\nNo. The cabinet does not open doors.\n") == [
        "The cabinet does not open doors."
    ]


@pytest.mark.parametrize(
    "hoped",
    [
        "Nobody should have to phone three janitors for one key any more.",
        "I want no lost keys any more.",
        "No craftsman should stand in front of a locked door ever again.",
    ],
)
def test_what_is_to_end_is_a_goal(hoped: str) -> None:
    assert hoped.rstrip(".") in [goal.text.rstrip(".") for goal in read(f"## Notes\n\n{hoped}\n").goals]


def test_what_nobody_may_do_any_more_is_a_rule() -> None:
    assert read("- Nobody may lend a lost key any more\n").goals == ()


def test_whom_it_is_not_for_is_no_user_nor_who_does_what_in_a_plan() -> None:
    found = read(
        "## Users\n\n- **Janitors**: lend keys\n\n### Anti-user\n\n**Who:** Locksmiths and guests.\n\n"
        "## Cut-over\n\n| When | What | Who |\n|---|---|---|\n| Friday | copy the list | Solano |\n"
    )

    assert [actor.name for actor in found.actors] == ["janitor"]


def test_what_others_offer_is_not_asked_for() -> None:
    table = "| Feature | Hook | Ours |\n|---|---|---|\n| Price | 42 | free |\n| Scanner | no | yes |\n"

    assert len(read(f"## Appendix A: Competitive analysis\n\n{table}").needs) == 2
    assert len(read(f"## Competitive landscape\n\n{table}").needs) == 2


def test_modal_that_somebody_says_gives_no_priority() -> None:
    sentence = 'The cabinet must answer "may I open this door?" at once'

    assert first_modal(sentence, lexicon_of(sentence)) is not None
    assert first_modal('It answers "should I open it?" at once', lexicon_of(sentence)) is None


def test_name_in_bold_is_the_title_and_the_rest_is_what_is_tested() -> None:
    needs = analyse_request(
        "# Keys\n\n## Rules\n\n- **Second lending.** The cabinet rejects a key that is lent already. "
        "It says who has it.\n- **Bell**: It rings within 5 seconds. The janitor hears it.\n"
    ).needs

    assert [need.title for need in needs] == ["Second lending", "Bell"]
    assert criteria(needs[1], lexicon_of(needs[1].text)) == [
        "Measured in a test, just inside and just outside: within 5 seconds."
    ]

"""What a user story asks for: what stands between who wants it and what for."""

from __future__ import annotations

import pytest

from workers.builtin.clauses import clause, first_modal, story_wish
from workers.builtin.criteria import headline
from workers.builtin.request import analyse_request
from workers.documents.sentences import lexicon_for

DO = "As a baker, I want to see the orders of the day so that I do not have to phone the shop."
THING = "As a baker, I want a bell when an order comes in so that I can start at once."
HAN = "作为面包师，我想看到当天的订单，以便可以早点开始。"


@pytest.mark.parametrize(
    ("story", "wish", "is_thing"),
    [
        (DO, "see the orders of the day", False),
        (THING, "a bell when an order comes in", True),
        (HAN, "看到当天的订单", False),
        ("As a baker, we would like to be able to close early.", "close early", False),
    ],
)
def test_wish_is_without_person_and_gain(story: str, wish: str, is_thing: bool) -> None:
    found = story_wish(story, lexicon_for(None, story))

    assert found is not None
    assert (found.text, found.is_thing) == (wish, is_thing)


@pytest.mark.parametrize(
    "sentence", ["Bakers see the orders of the day.", "As a baker, I must see the orders."]
)
def test_other_sentence_is_no_story_of_a_wish(sentence: str) -> None:
    assert story_wish(sentence, lexicon_for(None, sentence)) is None


def test_gain_asks_for_nothing() -> None:
    assert first_modal(DO, lexicon_for(None, DO)) is None
    assert clause(DO).actions == ("see the orders of the day",)
    assert clause(THING).actions == ()
    assert clause(HAN).actions == ("看到当天的订单",)


def test_title_is_the_wish() -> None:
    needs = analyse_request(f"# Bakery\n\n## User stories\n\n- {DO}\n- {THING}\n").needs

    titles = [headline(need, lexicon_for(None, need.text)) for need in needs]

    assert titles == ["See the orders of the day", "A bell when an order comes in"]

"""Thanks, excuses and good wishes are skipped for a stated reason; a sentence that asks for something is none of them."""

from __future__ import annotations

import pytest

from orchestrator.domain.courtesies import is_courtesy, without_courtesies
from orchestrator.views.layout import title_of
from tests.unit.builtin_chain import chain
from workers.documents.content import Discovery
from workers.documents.fates import book

SAID = [
    "Sorry for the long mail.",
    "I am so sorry that this got so long!",
    "Please excuse my English.",
    "Apologies for the late reply.",
    "Many thanks in advance!",
    "Thank you very much for your help with this.",
    "Hope you are well.",
    "I hope this mail finds you well.",
    "I hope that this is clear.",
    "We really appreciate your time.",
    "Looking forward to your answer.",
    "Please let me know if you have any questions.",
    "Don't hesitate to call me.",
    "Call me any time if something is unclear.",
    "Have a nice weekend!",
    "It was nice to meet you on Friday.",
    "Any help would be much appreciated.",
    "As agreed, here is what we have in mind, sorry it is a bit long.",
    "Below are my first thoughts for the app.",
    "This is what we need:",
    "不好意思，写得有点长。",
    "非常感谢！",
    "希望您一切都好。",
    "期待您的回复。",
    "如有问题请随时联系我。",
    "打扰了。",
]
ASKED = [
    "Sorry, but it must also work offline.",
    "Thanks to the new list, members book online.",
    "Thank-you cards are printed for donors.",
    "Thank you page must show the order number.",
    "Hope is not a plan.",
    "We hope that members book online.",
    "Call members when a slot is free.",
    "Let members know when a slot is free.",
    "Excuse notes must be uploaded by parents.",
    "Thanks, and please add a calendar.",
    "Here's what I have in mind: cooks see the orders of the day.",
    "Here is the list of orders that the cook must see.",
    "This is a list for the cooks.",
    "Have a list of members on the first page.",
    "感谢信必须自动寄给捐赠人。",
    "谢谢，我们需要一个预约系统。",
]


@pytest.mark.parametrize("sentence", SAID)
def test_courtesy_is_one(sentence: str) -> None:
    assert is_courtesy(sentence)


@pytest.mark.parametrize("sentence", ASKED)
def test_sentence_that_asks_for_something_is_none(sentence: str) -> None:
    assert not is_courtesy(sentence)


LETTER = (
    "Sorry for the long mail, I wanted to write everything down. Hope you are well.\n\n"
    "We need a booking page for our six tennis courts. Members must book a court online.\n"
    "The trainer must see all bookings of a day.\n\nMany thanks in advance!\n\nPetra"
)
CHINESE = (
    "不好意思，写得有点长。希望您一切都好。\n\n"
    "我们需要一个网球场预约系统。会员必须在线预约场地。教练必须看到当天的全部预约。\n\n非常感谢！"
)


@pytest.mark.parametrize(("letter", "thing"), [(LETTER, "booking page"), (CHINESE, "网球场预约系统")])
def test_courtesies_of_a_letter_are_no_title_vision_or_statement(letter: str, thing: str) -> None:
    facts = chain(letter)
    brief, discovery = facts["brief"], facts["discovery"]

    assert thing in discovery.title.lower()
    assert thing in brief.vision.text.lower()
    said = f"{discovery.model_dump_json()}{brief.model_dump_json()}{facts['requirements'].model_dump_json()}"
    for courtesy in ("Sorry", "Hope you", "thanks", "Petra", "不好意思", "一切都好", "感谢"):
        assert courtesy not in said


@pytest.mark.parametrize("letter", [LETTER, CHINESE])
def test_ledger_says_why_a_block_of_courtesies_was_skipped(letter: str) -> None:
    discovery = chain(letter)["discovery"]
    assert isinstance(discovery, Discovery)

    ledger = book(letter, discovery).ledger

    assert ledger.fates.unread == 0
    first, last = ledger.entries[0], next(e for e in ledger.entries if "thanks" in e.text or "感谢" in e.text)
    for entry in (first, last):
        assert (entry.fate, entry.reason) == ("skipped", "a greeting, thanks or an excuse")


@pytest.mark.parametrize(
    ("request_", "title"),
    [
        ("Sorry for the long mail. We need a booking page.", "We need a booking page"),
        ("Hope you are well.\nBuild a booking page", "Build a booking page"),
        ("Hi Sam,\n\nmany thanks for your help last week!\n\nBuild a booking page", "Build a booking page"),
        ("不好意思，打扰了。我们需要一个预约系统。", "我们需要一个预约系统"),
        ("Thanks!", "Thanks!"),
    ],
)
def test_title_of_a_session_is_no_courtesy(request_: str, title: str) -> None:
    assert title_of(request_).rstrip(".。!") == title.rstrip(".。!")


def test_rest_of_a_line_stays() -> None:
    assert without_courtesies("Thanks! Build a page. Thanks!") == "Build a page. Thanks!"

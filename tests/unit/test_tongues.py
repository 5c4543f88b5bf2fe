"""Which language a request is written in; the words of one that no rule knows are kept as they are."""

from __future__ import annotations

import pytest

from orchestrator.domain.tongues import NAMES, tongue
from tests.unit.builtin_chain import ask, chain
from workers.documents.block_parts import split
from workers.documents.labels import labels

GERMAN = """# Wasseruhr

## Anforderungen

- Der Pächter muss seinen Zählerstand mit Foto melden können.
- Wer bis zum 15. Oktober nicht gemeldet hat, wird erinnert.
- Das System muss einen Stand zurückweisen, der niedriger ist als der vorherige.
"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Der Pächter muss seinen Zählerstand mit Foto melden können.", "de"),
        ("Les parents doivent pouvoir réserver une place.", "fr"),
        ("El cliente debe poder pagar con la tarjeta.", "es"),
        ("利用者は本を予約できること。", "ja"),
        ("读者可以预约图书。", ""),
        ("The user must log in.", ""),
        ("Members may die in a game.", ""),
        ("Add a via ferrata page", ""),
        ("", ""),
    ],
)
def test_language_is_told_by_letters_and_small_words(text: str, code: str) -> None:
    assert tongue(text) == code


def test_german_is_not_inflected_as_english_and_no_date_ends_a_sentence() -> None:
    facts = chain(GERMAN)

    titles = [item.title for item in facts["requirements"].items]
    assert titles[0] == "Der Pächter muss seinen Zählerstand mit Foto melden können"
    assert titles[1] == "Wer bis zum 15. Oktober nicht gemeldet hat, wird erinnert"
    assert len(titles) == 3


def test_one_question_warns_that_the_language_is_hardly_known() -> None:
    asked = ask("discovery", request=GERMAN, language="en", codebase=None).open_questions
    english = ask("discovery", request="Members must be able to pay.", language="en", codebase=None)

    assert sum("German" in text for text in asked) == 1
    assert not any("written in" in text for text in english.open_questions)


def test_day_before_its_month_does_not_end_a_sentence() -> None:
    said = "The release has to be live before 1. October. Then we rest."

    assert split(said, "en") == ["The release has to be live before 1. October.", "Then we rest."]


def test_languages_are_called_the_same_before_the_start_and_in_documents() -> None:
    assert {code: labels("en").words[f"language_{code}"] for code in NAMES} == NAMES

"""A long pattern finds the same in a text made small as by itself (orchestrator/domain/small_letters.py)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.domain.patterns import expression
from orchestrator.domain.small_letters import first_of, in_small_letters
from workers.documents.lexicon import lexicon

PATTERNS = [
    r"\b(?:is|are) (?:left|kept) out\b|\b(?:is|are) not|\bisn|no",
    r"\b(?:is|are)\b|^(?:and|but)[, ]+|(a)b|(?P<named>ab)c",
    r"colou?rs?\b|colou{1,2}|(?:x|xy)z|xyz+?|[A-C]{2}|[^a-z. ]\d",
    r"(?<=a|b)c|(?<!no )more|(?!not)n\w+|a(?=b|bc)",
    r"(?-i:[A-Z])b|Straße|l['’]été|à-b|\.net|\(x\)|\||a|ab",
    r"$|a",
    r"a++b|[a-c]*+x|n?+o",
]
UNCERTAIN = [
    r"(a)\1",
    r"\x41",
    r"(?i:a)",
    r"(?:a|ab)++",
    r"(?>a)",
    "\u0131",
    r"[À-Ý]",
    r"[ -~]",
    r"(?!(?-i:A))",
]
LONG = "|".join(f"word{number}" for number in range(30))
LETTERS = "abcxyzABCXYZnoNOis IS.|(é’ÉàßÀ1_-\n"


def hot(text: str) -> re.Pattern[str]:
    """A long pattern that has been searched in much text."""
    pattern = expression(f"{text}|{LONG}", re.IGNORECASE)
    pattern.search("." * 10_000)
    return pattern


def same(text: str, said: str) -> None:
    quick, plain = hot(text), re.compile(f"{text}|{LONG}", re.IGNORECASE)

    found, wanted = quick.search(said), plain.search(said)
    assert (found and (found.span(), found.groups())) == (wanted and (wanted.span(), wanted.groups()))
    assert [each.span() for each in quick.finditer(said)] == [each.span() for each in plain.finditer(said)]
    assert quick.findall(said) == plain.findall(said)
    assert quick.sub("-", said) == plain.sub("-", said)
    assert quick.split(said) == plain.split(said)


@pytest.mark.parametrize("text", PATTERNS)
@settings(max_examples=150)
@given(said=st.text(LETTERS, max_size=30) | st.text(max_size=10))
def test_it_finds_what_the_pattern_finds(text: str, said: str) -> None:
    assert first_of(text) is not None

    same(text, said)


@pytest.mark.parametrize("text", UNCERTAIN)
def test_a_pattern_of_which_it_is_not_certain_is_searched_itself(text: str) -> None:
    assert first_of(text) is None


@pytest.mark.parametrize("said", ["\u0131s", "\xb5", "\u017fo", "\u212a", "\u0130", "\u0391\u0392", "МИ"])
def test_a_letter_with_several_small_forms_is_not_made_small(said: str) -> None:
    assert in_small_letters(said) is None

    same("is|so|k|i|\u03bc|\u03b1\u03b2|ми", said)


def test_all_words_of_the_lexicon_are_found_where_they_are() -> None:
    said = [
        "The app MUST NOT show them, and Must be available at 99.9 %.",
        "As a Warden, I want “Exports” so that nobody waits – it’s slow today.",
        "Die Liste soll nicht angezeigt werden. Le site doit être rapide.",
        "No payments in version 1; SMS is out of scope for now.",
    ]
    lex = lexicon("en")

    for pattern in (*lex.patterns.values(), *dict(lex.categories).values(), *dict(lex.modals).values()):
        for each in said:
            same(pattern.pattern, each)

"""One term in several spellings, and headings or names in several styles (docs/domain.md, section 11)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from orchestrator.domain.patterns import pattern

_WORD = pattern(r"[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*")
_SNAKE = pattern(r"(?<![\w./-])[a-z]+(?:_[a-z0-9]+)+(?![\w./-])")
_CAMEL = pattern(r"(?<![\w./-])[a-z]+(?:[A-Z][a-z0-9]+)+(?![\w./-])")


def mixed_spellings(texts: Iterable[str]) -> list[tuple[str, ...]]:
    """Terms written in several ways: joined or with a hyphen, or with capitals inside and without."""
    words: set[str] = set()
    for text in texts:
        words.update(_WORD.findall(text))
    forms: dict[str, set[str]] = defaultdict(set)
    for word in words:
        joined, spelling = _spelling(word)
        if joined:
            forms[joined].add(spelling)
    return sorted(
        tuple(sorted(spellings))
        for joined, spellings in forms.items()
        if len(spellings) > 1 and any(spelling != joined for spelling in spellings)
    )


@lru_cache(maxsize=16_384)
def _spelling(word: str) -> tuple[str, str]:
    """What all spellings of a word have in common, and this one; both empty for a number, an acronym or a short word.

    A capital at the start is the place in the sentence, or a title; it is no spelling of its own.
    """
    joined = word.replace("-", "").replace("_", "").lower()
    if len(joined) <= 3 or word.isupper() or any(letter.isdigit() for letter in word):
        return "", ""
    return joined, word if _has_inner_capital(word) else word.lower()


def _has_inner_capital(word: str) -> bool:
    return any(letter.isupper() for part in re.split("[-_]", word) for letter in part[1:])


def mixed_styles(headings: Iterable[str], text: str) -> list[str]:
    """What a document mixes: title case with sentence case in headings, snake_case with camelCase in names."""
    mixed = []
    cases = {case for heading in headings if (case := _case(heading)) is not None}
    if len(cases) > 1:
        mixed.append("headings")
    if _SNAKE.search(text) and _CAMEL.search(text):
        mixed.append("names")
    return mixed


def _case(heading: str) -> str | None:
    """`title` or `sentence`; None where a heading does not show it (one word, acronyms, no letter case)."""
    later = [word for word in heading.split()[1:] if word.isalpha() and len(word) > 3 and not word.isupper()]
    later = [word for word in later if word.lower() != word.upper()]
    if not later:
        return None
    return "title" if all(word[0].isupper() for word in later) else "sentence"

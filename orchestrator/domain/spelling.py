"""One term in several spellings, and headings or names in several styles (docs/domain.md, section 11)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from orchestrator.domain.patterns import pattern

_WORD = pattern(r"[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*")
_SNAKE = pattern(r"(?<![\w./-])[a-z]+(?:_[a-z0-9]+)+(?![\w./-])")
_CAMEL = pattern(r"(?<![\w./-])[a-z]+(?:[A-Z][a-z0-9]+)+(?![\w./-])")


def mixed_spellings(texts: Iterable[str]) -> list[tuple[str, ...]]:
    """Terms written in several ways: joined or with a hyphen, or with capitals inside and without."""
    forms: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        for word in _WORD.findall(text):
            if not any(letter.isdigit() for letter in word) and not word.isupper():
                forms[re.sub("[-_]", "", word).lower()].add(word)
    found = []
    for joined, words in forms.items():
        # A capital at the start is the place in the sentence, or a title; it is no spelling of its own.
        spellings = sorted({word if _has_inner_capital(word) else word.lower() for word in words})
        separated = any("-" in word or "_" in word for word in spellings)
        if (
            len(joined) > 3
            and len(spellings) > 1
            and (separated or any(_has_inner_capital(word) for word in spellings))
        ):
            found.append(tuple(spellings))
    return sorted(found)


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

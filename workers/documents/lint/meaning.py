"""What two statements of the same words differ in: one denies what the other says, gives another figure, binds less or more.

Words (negations, opposites, modal verbs, numerals, units) are data, in config/lint.toml.
"""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal

from orchestrator.domain.patterns import expression
from workers.documents.lint.comparing import is_negative, is_one_script, pattern, words
from workers.documents.lint.rules import opposites, table_of

Difference = Literal["", "reversed", "other_number", "other_modal"]
TWIN = 0.75  # share of common words, apart from those that turn a sentence, from which two statements are one, changed
_NO_LONGER = expression(  # the figure that a new one takes the place of: `21 days, not 14`
    r",?\s*(?:and |but )?\b(?:not|no longer|instead of|rather than) (?:the |after |in |within |at )?\d[\d.,]*(?:\s\w+)?|不(?:再)?是\s?\d[\d.]*",
    re.IGNORECASE,
)
_EXCHANGED = tuple(  # a number and the one whose place it takes
    expression(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\w.,-])(?P<new>\d[\d.,]*\d|\d)(?: [^\W\d]+){0,4},? (?:instead of|rather than|(?:and )?not|no longer)(?: [^\W\d]+){0,2} (?P<old>\d[\d.,]*\d|\d)(?![\w-])",
        r"\bfrom (?P<old>\d[\d.,]*\d|\d)(?: [^\W\d]+){0,4} to (?P<new>\d[\d.,]*\d|\d)(?![\w-])",
        r"\b(?:change|raise|lower|extend|increase|reduce|shorten|set|cut|move)(?: (?!from\b)[^\W\d]+){0,6} (?P<old>\d[\d.,]*\d|\d)(?: [^\W\d]+){0,4} (?:in)?to (?P<new>\d[\d.,]*\d|\d)(?![\w-])",
        r"\b(?:not|no longer) (?P<old>\d[\d.,]*\d|\d)(?: [^\W\d]+){0,4},? but(?: [^\W\d]+){0,2} (?P<new>\d[\d.,]*\d|\d)(?![\w-])",
    )
)
_IDENTIFIER = expression(r"\b[A-Za-z]{1,6}-\d+(?:[-.]\d+)*\b")
_HAN_DIGITS = dict(zip("零一二三四五六七八九两", (*range(10), 2), strict=True))


def likeness_apart(one: str, other: str) -> float:
    """Common words of two statements by all of both, those aside that turn, measure or bind; 0 when hardly one is shared."""
    left, right = _bare(one), _bare(other)
    enough = len(left & right) > 1 or left == right
    return len(left & right) / len(left | right) if left and enough and is_one_script(one, other) else 0.0


def difference(said: str, source: str, beside: str = "") -> Difference:
    """How a statement departs from the one of the same words in its source; empty when it does not.

    `beside`: what stands with the statement and may give the figures that it leaves out.
    """
    if is_negative(said) != is_negative(source) or _opposed(said, source):
        return "reversed"
    mine, given = figures(said), figures(source)
    new = [one for one in mine if not any(map(one.agrees, given))]
    gone = [one for one in given if not any(map(one.agrees, (*mine, *figures(beside))))]
    if gone and (new or not mine):
        return "other_number"
    bound, binding = _modality(said), _modality(source)
    return "other_modal" if bound and binding and bound != binding else ""


def without_old_figure(line: str) -> str:
    """A line without the figure that its new one takes the place of: `21 days, not 14` -> `21 days`."""
    return _NO_LONGER.sub(" ", line).strip()


def exchanged(line: str) -> tuple[str, str] | None:
    """The number whose place another takes, and that: `20 orders rather than 10` -> ("10", "20"); None where none does."""
    found = next((match for pattern in _EXCHANGED if (match := pattern.search(line))), None)
    return (found["old"], found["new"]) if found else None


def number(said: str) -> re.Pattern[str]:
    """What finds a number that is no part of another one, or of a name."""
    return re.compile(rf"(?<![\w.,-]){re.escape(said)}(?![\w-]|[.,]\d)")


def is_said_in(clause: str, line: str) -> bool:
    """Whether a longer line says a clause with its figures: `links expire after 60 days instead of 30`."""
    own = _bare(clause)
    mine, theirs = figures(clause), figures(line)
    said = without_old_figure(line)
    return (
        len(own) > 1
        and len(own & _bare(line)) >= TWIN * len(own)
        and is_negative(clause) == is_negative(said)
        and all(any(map(one.agrees, theirs)) for one in mine)
    )


class Figure(tuple[str, str]):
    """A number and its unit, which may be unknown."""

    __slots__ = ()

    def agrees(self, other: Figure) -> bool:
        """Whether both may be the same figure."""
        return self[0] == other[0] and (self[1] == other[1] or not self[1] or not other[1])


@lru_cache(maxsize=8_192)
def figures(text: str) -> tuple[Figure, ...]:
    """The numbers of a text, in digits or in words, each with its unit; identifiers are none."""
    numerals, units = _by_word("numerals"), _by_word("units")
    found = []
    for match in _figure().finditer(_IDENTIFIER.sub(" ", text)):
        said, unit = match["number"].casefold(), (match["unit"] or "").casefold()
        value = numerals.get(said) or (
            str(_han(said)) if said[0] in "十百" or said[0] in _HAN_DIGITS else said
        )
        found.append(Figure((value.replace(",", ""), units.get(unit, unit))))
    return tuple(found)


def _han(said: str) -> int:
    """A Chinese numeral below a thousand."""
    total = ones = 0
    for sign in said:
        if sign in "十百":
            total, ones = total + (ones or 1) * (10 if sign == "十" else 100), 0
        else:
            ones = _HAN_DIGITS[sign]
    return total + ones


@cache
def _by_word(name: str) -> dict[str, str]:
    """Each word of a table of words -> the key it stands under."""
    return {word: key for key, listed in table_of(name).items() for word in listed.split()}


@cache
def _figure() -> re.Pattern[str]:
    latin = sorted((word for word in _by_word("numerals")), key=len, reverse=True)
    units = sorted(_by_word("units"), key=len, reverse=True)
    plain = "|".join(
        re.escape(word) + (r"\b" if word[-1].isalpha() and word.isascii() else "") for word in units
    )
    return re.compile(
        rf"(?P<number>(?<![A-Za-z0-9_.])\d+(?:[.,]\d+)*|\b(?:{'|'.join(latin)})\b|[零一二三四五六七八九两十百]+(?=\s*个?(?:{plain})))"
        rf"(?:[\s-]*个?(?P<unit>{plain}))?",
        re.IGNORECASE,
    )


@lru_cache(maxsize=8_192)
def _bare(text: str) -> frozenset[str]:
    """The words of a statement without those that deny, measure or bind."""
    said = _IDENTIFIER.sub(" ", text)
    for name in ("auxiliary", "negations", "must", "should", "may", "able"):
        said = pattern(name).sub(" ", said)
    for left, right in _opposites():
        said = right.sub(" ", left.sub(" ", said))
    return words(_figure().sub(" ", said))


@cache
def _opposites() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple(
        (re.compile(left, re.IGNORECASE), re.compile(right, re.IGNORECASE)) for left, right in opposites()
    )


def _opposed(one: str, other: str) -> bool:
    """Whether one says `at least`, `before` or `allow` where the other says `at most`, `after` or `forbid`."""
    return any(_sides(pair, one) * _sides(pair, other) < 0 for pair in _opposites())


def _sides(pair: tuple[re.Pattern[str], re.Pattern[str]], text: str) -> int:
    """1 for the left word alone, -1 for the right one alone, 0 for none or both."""
    return (pair[0].search(text) is not None) - (pair[1].search(text) is not None)


@lru_cache(maxsize=8_192)
def _modality(text: str) -> str:
    """must, should or may; empty where a statement binds to several, to nothing, or to being able."""
    if pattern("able").search(text):
        return ""
    found = [name for name in ("must", "should", "may") if pattern(name).search(text)]
    return found[0] if len(found) == 1 else ""

"""Whether two texts say the same, the opposite, or have nothing in common: by their words, numbers and negations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache, wraps

from rapidfuzz import fuzz

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import is_cjk, keywords
from workers.documents.lint.rules import words_of

SAME = 0.9  # share of common words from which two statements say the same
ALIKE = 0.75  # and almost the same
CARRIED = 0.6  # share of a statement's words that the item which carries it must hold
QUOTED = 0.25  # share of its words that an item must have in common with the sentence it quotes
_NEAR = 88  # similarity of two strings, in percent, that counts as literal
SHORT = 4_000  # characters of a text that is one of many; a session has about a thousand, each 1 kB in memory
SHORT_TEXTS, LONG_TEXTS = 8_192, 16
_NUMBER = expression(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w-]*-\d)")
_EDGES = " \t.,;:!?。，；：！？、\"'“”‘’「」"
_NAME = expression(r"(?<![.!?。:：] )(?<!^)\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}[a-z0-9]*\b")


def _remembered(read: Callable[[str], frozenset[str]]) -> Callable[[str], frozenset[str]]:
    """`read`, with what it found in the last texts: in short ones many, in whole documents a few."""
    of_short, of_long = lru_cache(maxsize=SHORT_TEXTS)(read), lru_cache(maxsize=LONG_TEXTS)(read)

    @wraps(read)
    def remembered(text: str) -> frozenset[str]:
        return (of_short if len(text) <= SHORT else of_long)(text)

    return remembered


@_remembered
def words(text: str) -> frozenset[str]:
    """The meaningful words of a text."""
    return keywords(text)


@_remembered
def strong(text: str) -> frozenset[str]:
    """Its words without those that nearly every statement has."""
    return words(text) - _listed("weak")


def tells(text: str) -> bool:
    """Whether a statement has a number or a word that says what is meant; `It must be easy to use` has none."""
    return bool(numbers(text)) or bool(strong(pattern("vague").sub(" ", text)) - _listed("empty"))


@cache
def _listed(name: str) -> frozenset[str]:
    return keywords(words_of(name)) | frozenset(words_of(name).split())


def plain(text: str) -> str:
    """A text as one compares it: on one line, in small letters, without its final stop."""
    return " ".join(text.split()).strip(_EDGES).casefold()


def is_one_script(text: str, other: str) -> bool:
    """Whether words of the two can be compared at all: both Chinese or Japanese, or neither."""
    return _is_cjk(text) == _is_cjk(other)


def _is_cjk(text: str) -> bool:
    return not text.isascii() and _is_mostly_cjk(text)


_is_mostly_cjk = lru_cache(maxsize=1_024)(is_cjk)  # a whole request is held against each statement


def share(wanted: frozenset[str], have: frozenset[str]) -> float:
    """How much of `wanted` is in `have`; 1.0 when nothing is wanted."""
    return len(wanted & have) / len(wanted) if wanted else 1.0


def likeness(one: str, other: str) -> float:
    """Common words as a share of the words of both."""
    left, right = words(one), words(other)
    return len(left & right) / len(left | right) if left or right else float(plain(one) == plain(other))


def is_same(one: str, other: str) -> bool:
    """Whether two statements say the same: literally, or by the same words and numbers without one negation more."""
    if plain(one) == plain(other):
        return True
    return (
        min(len(words(one)), len(words(other))) > 1
        and numbers(one) == numbers(other)
        and is_negative(one) == is_negative(other)
        and likeness(one, other) >= SAME
    )


def covers(one: str, other: str) -> bool:
    """Whether one statement is the other, perhaps with a few more words that say nothing."""
    left, right = strong(one), strong(other)
    if plain(one) == plain(other):
        return True
    common = len(left & right)
    return common > 1 and common >= 0.8 * len(right) and common >= 0.5 * len(left)


def carries(text: str, item: str) -> bool:
    """Whether an item carries a statement: literally, nearly so, or with most of its words and all of its numbers."""
    said = plain(text)
    if said in plain(item):
        return True
    if not numbers(text) <= numbers(item):
        return False
    if not is_one_script(text, item):
        return True  # nothing can be said
    meant = strong(text) if len(strong(text)) > 1 else words(text)
    if share(meant, words(item)) >= CARRIED:
        return True
    return len(said) > 12 and fuzz.partial_ratio(said, plain(item)) >= _NEAR


class Carriers:
    """Items in which statements are looked for; each statement is compared with those that share a word with it."""

    def __init__(self, items: Iterable[str]) -> None:
        self.items = [item for item in dict.fromkeys(items) if item]
        self.whole = "\n".join(plain(item) for item in self.items)
        self.by_word: dict[str, list[int]] = {}
        for at, item in enumerate(self.items):
            for word in words(item):
                self.by_word.setdefault(word, []).append(at)

    @cached_property
    def prose(self) -> str:
        """All items as one line."""
        return plain(self.whole)

    def carry(self, text: str) -> bool:
        """Whether one item carries the statement."""
        if plain(text) in self.whole:
            return True
        return any(carries(text, self.items[at]) for at in self.near(text))

    def near(self, text: str, most: int = 12) -> list[int]:
        """The items that share most words with a text, the best first."""
        counts: dict[int, int] = {}
        for word in words(text):
            for at in self.by_word.get(word, ()):
                counts[at] = counts.get(at, 0) + 1
        return sorted(counts, key=lambda at: (-counts[at], at))[:most]


@lru_cache(maxsize=SHORT_TEXTS)
def is_negative(text: str) -> bool:
    """Whether a text denies what it speaks of; two negations cancel out."""
    bare = pattern("no_negations").sub(" ", text)
    return len(pattern("negations").findall(bare)) % 2 == 1


def denies_whole(text: str) -> bool:
    """Whether a text says of a whole sentence that it does not hold: `It is not true that names are shown`."""
    return pattern("denied").search(text) is not None


def outcome(criterion: str) -> str:
    """What a criterion says happens: the part behind `then`, or all of it."""
    return pattern("then").split(criterion)[-1]


def says_vaguely(text: str) -> bool:
    """Whether a text judges (`fast`, `easy`) instead of saying what is seen."""
    return pattern("vague").search(text) is not None


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern of config/lint.toml by its name."""
    return re.compile(words_of(name), re.IGNORECASE)


def hollow_words() -> frozenset[str]:
    """Words that every criterion may have."""
    return _listed("hollow")


@_remembered
def numbers(text: str) -> frozenset[str]:
    """The numbers in a text, identifiers left aside."""
    return frozenset(found.replace(",", "") for found in _NUMBER.findall(text))


def names(text: str) -> frozenset[str]:
    """Acronyms and names with a capital inside: what nobody writes by chance."""
    return frozenset(_NAME.findall(text))


def groups_of(texts: Sequence[str], least: float) -> list[tuple[int, int]]:
    """Pairs of texts that are alike, each with the first one it is like. Numbers and negations must agree."""
    by_word: dict[str, list[int]] = {}
    found: list[tuple[int, int]] = []
    for at, text in enumerate(texts):
        own = words(text)
        counts: dict[int, int] = {}
        for word in own:
            seen = by_word.setdefault(word, [])
            if len(seen) < 200:  # a word that so many share tells nothing
                for other in seen:
                    counts[other] = counts.get(other, 0) + 1
                seen.append(at)
        for other in sorted(counts):
            common = counts[other] / len(own | words(texts[other]))
            agree = numbers(text) == numbers(texts[other]) and is_negative(text) == is_negative(texts[other])
            if common >= least and agree:
                found.append((at, other))
                break
    return found

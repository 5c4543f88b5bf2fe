"""Which item carries which label.

Texts are compared as bags of words: lower case, marks, leading identifiers and the plural's `s` left out, Chinese and
Japanese as pairs of characters. The overlap of two texts is twice the common words by all words of both (0 to 1). Pairs are
taken from the closest to the loosest, down to an overlap of 0.6; each label and each item is taken once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

MINIMUM = 0.6
_LEADING_ID = re.compile(r"^[\s*_`#/\[(]*[A-Za-z]{1,6}-?\d+(?:\.\d+)*[\s*_`/\])]*[:.)|\-–—：]\s*")
_RUN = re.compile(r"[぀-ヿ㐀-鿿]+|(?:(?![_぀-ヿ㐀-鿿])\w)+")


@lru_cache(maxsize=10_000)
def words(text: str) -> Counter[str]:
    """The bag of words of a text."""
    found: list[str] = []
    for run in _RUN.findall(_LEADING_ID.sub("", text).lower()):
        if _is_cjk(run):
            found += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        else:
            found.append(run.removesuffix("s") if len(run) > 3 else run)
    return Counter(found)


def _is_cjk(run: str) -> bool:
    return "\u3040" <= run[0] <= "\u9fff"


def similarity(one: str, other: str) -> float:
    """The overlap of two texts, 0 to 1."""
    common = (words(one) & words(other)).total()
    return 2 * common / max(1, words(one).total() + words(other).total())


def contains(whole: str, piece: str) -> bool:
    """Whether a text occurs in another, marks and white space aside."""
    return bool(_plain(piece)) and _plain(piece) in _plain(whole)


@lru_cache(maxsize=1_000)
def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def match(labels: Sequence[str], items: Sequence[str]) -> list[tuple[int, int]]:
    """(label, item) by index, one to one, the closest first."""
    close = [
        (-share, at, by)
        for at, label in enumerate(labels)
        for by, item in enumerate(items)
        if (share := similarity(label, item)) >= MINIMUM
    ]
    found: dict[int, int] = {}
    for _, at, by in sorted(close):
        if at not in found and by not in found.values():
            found[at] = by
    return sorted(found.items())

"""Pieces of text as a sentence, a title or a list has them, and how much of one another says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords, overlap

TRIM = " \t.,;:!?。，；：！？、"  # what stands around a statement and is none of its words
ASIDE = expression(r"\s*[(（][^()（）]*[)）]")
_LEADING = frozenset("the a an each every all only what when if our no this these".split())  # noqa: SIM905


_JOINS = expression(  # what ties a sentence to the one before it
    r"(?:(?:and|but|so|also|oh|anyway)(?:[,:] | (?!that\b|far\b|much\b|many\b|long\b|called\b)|: )"
    r"|(?:well|ok(?:ay)?)[,:] )+(?=\S+ \S)",
    re.IGNORECASE,
)


class _Said(Protocol):
    @property
    def text(self) -> str: ...


R = TypeVar("R", bound=_Said)


def upper_first(text: str) -> str:
    """For the beginning of a sentence or title; names such as `iPhone` keep their form."""
    return text if re.match(r"[a-z]{1,2}[A-Z]", text) else text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """For use inside a sentence; acronyms and names keep their form."""
    word = re.match(r"\w+", text)
    if not word or word[0] == "I" or (len(word[0]) > 1 and not word[0][1:].islower()):
        return text
    if re.match(r"[A-Z][/&.+#-]", text):
        return text  # `A/B`, `C#`
    if word[0].lower() not in _LEADING and re.match(r"\w+(?:[\s,/&-]+[A-Z]| \([a-z])", text):
        return text  # `German, Turkish and English`, `Anna (treasurer)`: capitals are how these are written
    return text[:1].lower() + text[1:]


def short(text: str, limit: int = 90) -> str:
    """The beginning of a text as a title, cut between words."""
    clean = " ".join(text.split()).rstrip(TRIM).lstrip(" ,;:，；：、")
    if len(clean) <= limit:
        return clean or "-"
    cut = clean[:limit]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).strip(TRIM) + "…"


def without_lead(text: str) -> str:
    """A sentence without what ties it to the one before it: `But I need a list` -> `I need a list`."""
    joins = _JOINS.match(text)
    rest = text[joins.end() :] if joins else text
    return upper_first(rest) if joins and text[:1].isupper() else rest


def strip_end(text: str) -> str:
    return text.strip().rstrip(TRIM)


def best(text: str, choices: Iterable[tuple[str, str]]) -> tuple[float, str]:
    """(share, key) of the choice whose text shares most words with `text`; ties go to the first."""
    wanted = keywords(text)
    scored = [(_share(wanted, keywords(other)), key) for key, other in choices]
    return max(scored, key=lambda row: row[0], default=(0.0, ""))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def carries(text: str, carrier: str) -> bool:
    """Whether one item already says what `text` says."""
    return text.strip(TRIM) in carrier or overlap(text, keywords(carrier)) >= 0.85


def once(rows: Iterable[R]) -> list[R]:
    """The statements, of those that say the same the last in the place of the first."""
    return list({row.text: row for row in rows}.values())


def unique(lines: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(line for line in (piece.strip() for piece in lines) if line))

"""How well something is to be done: the category of a statement, and whether it asks for a function, a quality or a limit."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from typing import cast

from workers.builtin.analysis import Category, Kind
from workers.builtin.clauses import Clause
from workers.builtin.language import Lexicon, lexicon_of
from workers.builtin.sentences import Sentence
from workers.builtin.wishes import goal_of, imperative

_LONGEST = 2_000  # characters of a statement that are searched
_ENSURE = re.compile(
    r"(?:please )?(?:make sure|ensure|keep|guarantee|make .* (?:in|under|within) )", re.IGNORECASE
)
_GOES_ON = re.compile(
    r"\b(?:go(?:es)? on|keeps?|continues?|still) (?:on )?(?:to )?(?:work|run|function)|\b(?:not|never) (?:get|be|become) slow",
    re.IGNORECASE,
)


def category_of(text: str, lex: Lexicon) -> Category:
    """The first category that words of a statement name; empty when none does."""
    said = text[:_LONGEST]
    return next((cast(Category, name) for name, pattern in lex.categories if pattern.search(said)), "")


def quality_of(row: Sentence, lex: Lexicon) -> Category:
    """The category that the label, the table or the heading names, else the one of the sentence's own words."""
    own = category_of(row.text, lex)
    if row.role != "nonfunctional":
        return own
    passage = row.passage
    values = passage.values
    for said in (
        values.get("category", ""),
        values.get("metric", ""),
        passage.id,
        passage.label,
        passage.title,
        passage.block.heading,
    ):
        named = {name for name, pattern in lexicon_of(said).qualities if pattern.search(said)}
        if len(named) == 1:
            return cast(Category, named.pop())
    return own or next(
        (cast(Category, name) for name, pattern in lex.qualities if pattern.search(row.text)), ""
    )


def kind_of(row: Sentence, lex: Lexicon, taken: Clause, category: str) -> Kind:
    """What a statement asks for. What people do is a function, also where it is fast or safe."""
    if lex.find("bound", row.text):
        return "constraint"
    if row.role in ("nonfunctional", "constraint"):
        return "nonfunctional" if category or row.role == "nonfunctional" else "constraint"
    if not category or taken.actor or (imperative(row.text, lex) and not _ENSURE.match(row.text)):
        return "functional"
    if category in ("P", "SC") and taken.conditions and not _GOES_ON.search(row.text):
        return "functional"
    if category == "P" and not any(c.isdigit() for c in row.text) and not goal_of(row.text, lex).target:
        return "functional"
    return "nonfunctional"

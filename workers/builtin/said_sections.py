"""What a person's words say under the name of a section: `Problem: ...`, `Users: ...`, `Out of scope: ...`.

It is read as the same section of a request is; it asks for nothing that the product should do.
"""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.builtin.analysis import Actor, RequestAnalysis
from workers.builtin.classify import Reader
from workers.builtin.clauses import first_modal
from workers.builtin.people import actor_name, is_person
from workers.builtin.wishes import imperative, same_person
from workers.documents.block_parts import several
from workers.documents.inline_labels import SECTIONS
from workers.documents.lexicon import lexicon_of
from workers.documents.passage import Passage
from workers.documents.passages import passages
from workers.documents.reading_words import label_role
from workers.documents.sentences import Sentence, is_telling, sentences_of

_TOLD = frozenset({"problem", "user"})  # sections below which a wish stays a wish
_ALIKE = {"plan": "constraint"}  # what a timeline says is a limit
_LISTS = ("constraint", "risk", "assumption", "dependency")  # behind whose labels several may stand
_THEY = expression(
    r"(?:they|all of them|most of them|some of them|everybody|these|he|she)\b|他们|她们|大家", re.IGNORECASE
)
_USERS_ARE = expression(  # a section as the subject of a sentence
    r"^(?:the |our |its )?(?:main |primary |target |end |intended )?(?:users|audience)(?: of (?:it|this|the (?:app|tool|product|system)))? (?:are|is|will be) (?!not\b|able\b|allowed\b|happy\b|unhappy\b|\w+(?:ed|ing)\b)",
    re.IGNORECASE,
)
_WORDS = 10  # of one of several that stand in a line
OF_BRIEF = SECTIONS - {"non_goal", "constraint"}  # what no later document states


def in_section(row: Sentence) -> bool:
    """Whether a sentence of a person's words belongs to a section that they name."""
    if row.role not in SECTIONS or not row.text.strip():
        return False
    lex = lexicon_of(row.text)
    if lex.find("form", row.text.strip()) or lex.find("remark", row.text):
        return False
    if row.role == "question":
        return bool(row.passage.label)
    if row.role not in _TOLD:
        return True
    modal = first_modal(row.text, lex)
    if row.role == "user":
        return modal is None and (not imperative(row.text, lex) or is_person(actor_name(row.text), lex))
    first = row.passage.text.startswith(row.text)
    return is_telling(row.text) and (first or not (modal or imperative(row.text, lex)))


def section_rows(pieces: Iterable[str]) -> list[Sentence]:
    """The sentences that name their section, in order; each of several things behind a label by itself."""
    rows = [row for piece in pieces for row in said_in(piece) if in_section(row)]
    return [part for row in rows for part in _parts(row)]


def said_in(piece: str) -> list[Sentence]:
    """The sentences of a person's words; what stands behind `Timeline:` counts as a limit."""
    piece = _USERS_ARE.sub("Users: ", piece.strip())
    return [*sentences_of(tuple(map(_as_said, passages(piece))))]


def _as_said(passage: Passage) -> Passage:
    role = label_role(passage.label) if passage.role in ("aside", "plan") else ""
    return replace(passage, role=_ALIKE.get(role, role)) if role in (*_ALIKE, *SECTIONS) else passage


def _parts(row: Sentence) -> list[Sentence]:
    """`Constraints: one server, no cloud` names two; a sentence with commas of its own stays one."""
    pieces = several(row.text, _WORDS) if row.role in _LISTS else [row.text]
    return [replace(row, text=piece) for piece in pieces]


def with_sections(a: RequestAnalysis, rows: Sequence[Sentence]) -> RequestAnalysis:
    """The analysis of a request with what was said later under names of sections."""
    if not rows:
        return a
    more = [row for at, row in enumerate(rows) if _tells_more(row, rows[:at])]
    reader = Reader([row for row in rows if row.role != "assumption" and row not in more])
    reader.sort()
    known = [actor.name for actor in a.actors]
    actors = [
        Actor(name, (*told, *(row.text for row in more if _speaks_of(row, name))))
        for name, told in reader.users.named.items()
        if not any(same_person(name, old) for old in known)
    ]
    return replace(
        a,
        needs=(*a.needs, *reader.needs),
        goals=(*a.goals, *reader.goals),
        actors=(*a.actors, *actors),
        situation=(*a.situation, *reader.situation),
        dependencies=(*a.dependencies, *reader.dependencies),
        risks=(*a.risks, *reader.risks),
        questions=(*a.questions, *reader.questions),
    )


def _tells_more(row: Sentence, before: Sequence[Sentence]) -> bool:
    """Whether a sentence about users only says more of those that its paragraph has named: `They work on two screens.`"""
    named = [other.text for other in before if other.passage.block.text == row.passage.block.text]
    again = _THEY.match(row.text) or any(keywords(row.text) & keywords(text) for text in named)
    return row.role == "user" and row.text == row.quote and bool(named) and bool(again)


def _speaks_of(row: Sentence, name: str) -> bool:
    return _THEY.match(row.text) is not None or name.casefold() in row.text.casefold()

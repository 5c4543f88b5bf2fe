"""What a person's words say under the name of a section: `Problem: ...`, `Users: ...`, `Out of scope: ...`.

It is read as the same section of a request is; it asks for nothing that the product should do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.domain.dataclass import replace
from workers.builtin.analysis import Actor, RequestAnalysis
from workers.builtin.classify import Reader
from workers.builtin.clauses import first_modal
from workers.builtin.language import lexicon_of
from workers.builtin.sentences import Sentence, is_telling, sentences
from workers.builtin.wishes import imperative, same_person

_SECTIONS = frozenset({"problem", "user", "goal", "metric", "non_goal", "constraint", "dependency"})
_TOLD = frozenset({"problem", "user"})  # sections below which a wish stays a wish
OF_BRIEF = _SECTIONS - {"non_goal", "constraint"}  # what no later document states


def in_section(row: Sentence) -> bool:
    """Whether a sentence of a person's words belongs to a section that they name."""
    if row.role not in _SECTIONS or not row.text.strip():
        return False
    lex = lexicon_of(row.text)
    if lex.find("form", row.text.strip()) or lex.find("remark", row.text):
        return False
    if row.role not in _TOLD:
        return True
    modal = first_modal(row.text, lex)
    if row.role == "user":
        return modal is None and not imperative(row.text, lex)
    first = row.passage.text.startswith(row.text)
    return is_telling(row.text) and (first or not (modal or imperative(row.text, lex)))


def section_rows(pieces: Iterable[str]) -> list[Sentence]:
    """The sentences that name their section, in order."""
    return [row for piece in pieces for row in sentences(piece) if in_section(row)]


def with_sections(a: RequestAnalysis, rows: Sequence[Sentence]) -> RequestAnalysis:
    """The analysis of a request with what was said later under names of sections."""
    if not rows:
        return a
    reader = Reader([*rows])
    reader.sort()
    known = [actor.name for actor in a.actors]
    actors = [
        Actor(name, told)
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
        questions=(*a.questions, *reader.questions),
    )

"""What a document before the requirements still says of what a revision of these has ruled out, or given another number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.documents.content import Content, Requirement, Requirements

_OWN = frozenset({"id", "open_questions", "out_of_scope", "quote", "reason", "source", "title"})
_PIECE = expression(r"(?<=[.;!?])\s+|(?<=[。；！？])")
_NUMBER = expression(r"\d+(?:[.,]\d+)*")
_SAYS = 0.6  # share of the words of a requirement's title that a text holds which says the same


def still_said(was: Requirements, now: Requirements, earlier: Content, words: Sequence[str]) -> list[str]:
    """The pieces of an earlier document that the revision contradicts; `words`: what a person said to have it made.

    A piece says what is ruled out if it has most of its words, or those by which the person named it, and no requirement
    that stands has these.
    """
    left = {item.id: item for item in now.items if item.moscow != "Won't"}
    out = [item for item in was.items if item.moscow != "Won't" and item.id not in left]
    renumbered = [
        (_told(item), gone)
        for item in was.items
        if item.id in left and (gone := _numbers(item.statement) - _numbers(left[item.id].statement))
    ]
    standing = frozenset[str]().union(*(_told(item) for item in left.values()))
    names = [named for item in out for named in _names(item, words) if not named <= standing]
    titles = [keywords(item.title) for item in out]
    others = [keywords(item.title) for item in left.values()]
    found: dict[str, str] = {}
    for piece in _pieces(earlier) if out or renumbered else ():
        held, numbers = keywords(piece), _numbers(piece)
        is_out = any(_share(title, held) >= _SAYS for title in titles) and not any(
            _share(title, held) >= _SAYS for title in others
        )
        has_old = any(gone <= numbers and _share(held - numbers, told) >= _SAYS for told, gone in renumbered)
        if is_out or has_old or any(named <= held for named in names):
            found.setdefault(piece.casefold(), piece.rstrip(" ;"))
    return [
        piece for low, piece in found.items() if not any(low != other and low in other for other in found)
    ]


def _names(item: Requirement, words: Sequence[str]) -> Iterator[frozenset[str]]:
    """The words by which a person named a requirement: those of a sentence that says little else."""
    told = _told(item)
    for said in words:
        for sentence in _PIECE.split(said):
            named = keywords(sentence) & told
            if named and 2 * len(named) >= len(keywords(sentence)):
                yield named


def _share(words: frozenset[str], held: frozenset[str]) -> float:
    return len(words & held) / len(words) if words else 0.0


def _told(item: Requirement) -> frozenset[str]:
    return keywords(f"{item.title} {item.statement}")


def _numbers(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(text))


def _pieces(content: Content) -> Iterator[str]:
    """The sentences of a document, and the parts of its lists."""

    def walk(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield from (piece.strip() for piece in _PIECE.split(value) if piece.strip())
        elif isinstance(value, dict):
            yield from (text for name, part in value.items() if name not in _OWN for text in walk(part))
        elif isinstance(value, list):
            yield from (text for part in value for text in walk(part))

    return walk(content.model_dump())

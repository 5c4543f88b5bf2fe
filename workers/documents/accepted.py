"""Which statement a criterion belongs to: the one that its heading, its lead or its row names, else the one most like it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.documents.passage import ASKED, Passage
from workers.documents.reading_words import clause_role, column_of, label_role, role_of

_ID = expression(r"(?<![A-Za-z0-9])(?:[A-Z]{1,6}-?){1,2}\d{1,4}(?:\.\d{1,3}){0,3}(?![\w.]\d)")
_NAMING = frozenset({"requirement", "id", "needs"})  # columns of a criterion that may name its statement
_RANKING = frozenset({"priority", "status", "release", "user", "aside"})  # columns that name no statement
_NO_NAME = keywords(
    "acceptance accepted accept criterion criteria condition conditions test tests tested story stories feature when"
    " how check checked verify verified done notes for of abnahme abnahmekriterien recette criterios criteri"
    " 验收标准 验收条件 受入条件"
)
_LEAST = 0.8  # of the rarity of the words that a criterion shares with its statement
_SHARED = 2  # words at least
_AHEAD = 0.3  # of the statement that comes next


def named_places(found: Sequence[Passage]) -> dict[str, str]:
    """Block of a criterion -> block of the statement that is named beside it."""
    criteria = [passage for passage in found if passage.role == "acceptance" and not passage.opens]
    if not criteria:
        return {}
    asked = [passage for passage in found if passage.role in ASKED and not passage.opens and passage.text]
    by_id = {passage.id: passage.block.id for passage in reversed(asked) if passage.id}
    names = [(passage.block.id, _names(passage)) for passage in asked]
    places: dict[str, str] = {}
    known: dict[str, str] = {}  # what names it -> the statement's block
    for passage in criteria:
        for text in _beside(passage):
            if text not in known:
                known[text] = _named(text, by_id, names)
            if known[text] and known[text] != passage.block.id:
                places[passage.block.id] = known[text]
                break
    return places


def with_places(found: Sequence[Passage]) -> list[Passage]:
    """The passages, each criterion with the statement that is named beside it, or that stands right above its label."""
    places = {**_above(found), **named_places(found)}
    if not places:
        return list(found)
    return [
        replace(passage, parent=places[passage.block.id]) if passage.block.id in places else passage
        for passage in found
    ]


def _above(found: Sequence[Passage]) -> dict[str, str]:
    """Block of a labelled criterion -> block of the statement with an id right above, where several statements have some."""
    places: dict[str, str] = {}
    above: Passage | None = None
    for passage in found:
        if passage.role != "acceptance":
            above = passage if passage.role in ASKED and passage.id else None
        elif (
            above is not None
            and passage.label
            and passage.block.kind == "paragraph"
            and passage.block.section == above.block.section
        ):
            places[passage.block.id] = above.block.id
    return places if len(set(places.values())) > 1 else {}


def most_like(wanted: frozenset[str], told: Mapping[str, frozenset[str]]) -> str:
    """The statement that shares the rarest words with a criterion; empty when none is clearly ahead of the others."""
    often = Counter(word for words in told.values() for word in words)
    scored = sorted(
        ((sum(1 / often[word] for word in wanted & words), name) for name, words in told.items()),
        reverse=True,
    )
    if not scored:
        return ""
    (score, name), *others = scored
    ahead = not others or score - others[0][0] >= _AHEAD
    return name if score >= _LEAST and ahead and len(wanted & told[name]) >= _SHARED else ""


def _names(passage: Passage) -> list[frozenset[str]]:
    """The words of what a statement may be called: its title, label or cells, and its own words."""
    cells = [cell for header, cell in passage.block.cells if column_of(header) not in _RANKING]
    texts = (passage.title, passage.label, passage.text, *cells)
    return [words for text in texts if (words := keywords(text))]


def _beside(passage: Passage) -> Iterator[str]:
    """The texts beside a criterion that may name its statement."""
    block = passage.block
    for header, cell in block.cells:
        if cell and cell != passage.text and column_of(header) in _NAMING:
            yield cell
    if block.lead and _about_criteria(block.lead):
        yield block.lead
    if block.section and (_about_criteria(block.heading) or _ID.fullmatch(block.heading.strip("*_ :："))):
        yield block.heading


def _about_criteria(text: str) -> bool:
    said = text.strip("*_ :：")
    return "acceptance" in (label_role(said), role_of(said), clause_role(said)) or bool(
        keywords(said) & _NO_NAME and len(said.split()) < 12
    )


def _named(text: str, by_id: Mapping[str, str], names: Sequence[tuple[str, Sequence[frozenset[str]]]]) -> str:
    """The block of the statement whose id or name a text holds; empty where several or none are meant."""
    ids = {by_id[name] for name in _ID.findall(text) if name in by_id}
    if ids:
        return ids.pop() if len(ids) == 1 else ""
    said = frozenset(word for word in keywords(text) - _NO_NAME if not word.isdigit())
    if not said:
        return ""
    called = [block for block, own in names if any(said == words for words in own)]
    held = called or [block for block, own in names if any(said <= words for words in own)]
    return held[0] if len(set(held)) == 1 else ""

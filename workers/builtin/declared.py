"""A document whose sections a pack declares: each sentence goes to the section that its words or its heading name.

Nothing is invented: what no sentence says becomes an open question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.documents import DocumentDef, Section
from orchestrator.domain.text import mentions
from workers.builtin.material import Material
from workers.builtin.phrases import carries, strip_end, unique
from workers.builtin.revision import requests_in
from workers.documents.content import Content, Declared, Item, Source, Stated, Statement
from workers.documents.models import model_of
from workers.documents.sentences import sentences

TEXT_LIMIT = 15_000  # characters of one section


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with where it comes from."""

    text: str
    heading: str = ""
    source: Source = "stated"
    reason: str = ""


def answer(m: Material) -> Content:
    """The document's content, from the request and what it is drafted from; a revision keeps what it had."""
    document: DocumentDef = m.facts["document"]
    before = m.before(Declared)
    wanted = [_Sentence(row.quote, row.heading) for row in m.sections]
    wanted += [_Sentence(need.text) for need in requests_in(m)]
    filled = _by_section(m, [*_of_request(m), *_of_documents(m)], wanted, document.sections)
    values = {each.key: _content_of(each, filled[each.key], before) for each in document.sections}
    asks = {each.key: each.question or f"{each.title}?" for each in document.sections}
    kept = [text for text in before.open_questions if text not in asks.values()] if before else []
    questions = unique(
        [*(asks[key] for key, value in values.items() if not value), *m.analysis.questions, *kept]
    )
    title = before.title if before else m.analysis.title
    return model_of(document).model_validate({"title": title, "open_questions": questions, **values})


def _content_of(section: Section, said: list[_Sentence], before: Declared | None) -> str | list[Content]:
    if section.form == "text":
        old = str(getattr(before, section.key)) if before else ""
        new = " ".join(one.text for one in said if one.text not in old)
        return "\n\n".join(filter(None, [old, new]))[:TEXT_LIMIT]
    entry = Item if section.id else Statement
    kept: list[Content] = list(before.entries(section)) if before else []
    have = dict.fromkeys(str(getattr(each, "text", "")) for each in kept)  # most come word for word again
    made = [
        entry(text=one.text, source=one.source, reason=one.reason)
        for one in said
        if one.text not in have and not any(carries(one.text, text) for text in have)
    ]
    return [*kept, *made]


def _by_section(
    m: Material, said: list[_Sentence], wanted: list[_Sentence], sections: Sequence[Section]
) -> dict[str, list[_Sentence]]:
    """The sentences by section; what no section names goes to the one that takes the rest.

    What a person wanted afterwards always has a place: at the worst the first list of the document.
    """
    filled: dict[str, dict[str, _Sentence]] = {section.key: {} for section in sections}
    rest = next((section for section in sections if section.rest), None)
    first = next((section for section in sections if section.form != "text"), sections[0])
    for one, otherwise in [*((one, rest) for one in said), *((one, rest or first) for one in wanted)]:
        m.check()
        place = _place(one, sections) or otherwise
        if place is not None:
            filled[place.key].setdefault(one.text, one)
    return {key: list(found.values()) for key, found in filled.items()}


def _place(said: _Sentence, sections: Sequence[Section]) -> Section | None:
    """The section that the sentence's heading names, else the one that its own words name."""
    for text in (said.heading, said.text):
        for section in sections:
            if text and any(mentions(text, word) for word in (section.title, *section.words)):
                return section
    return None


def _of_request(m: Material) -> Iterator[_Sentence]:
    """What the request says; a request of too few words says nothing."""
    if not m.analysis.vague:
        for row in sentences(m.analysis.text):
            yield _Sentence(row.quote, row.heading)


def _of_documents(m: Material) -> Iterator[_Sentence]:
    """What the documents before it state or propose, each statement with its source."""
    for content in m.facts.get("drafted_from") or []:
        for found in _statements(content):
            text = str(getattr(found, "text", "") or getattr(found, "statement", ""))
            if text and len(strip_end(text)) > 3:
                yield _Sentence(
                    text, source=getattr(found, "source", "stated"), reason=getattr(found, "reason", "")
                )


def _statements(value: object) -> Iterator[BaseModel]:
    """Every statement of a content model that says where it comes from, at any depth."""
    if isinstance(value, Stated):  # a sentence of the request, which has been read already
        return
    if isinstance(value, BaseModel):
        if "source" in type(value).model_fields:
            yield value
        for name in type(value).model_fields:
            yield from _statements(getattr(value, name))
    elif isinstance(value, list):
        for each in value:
            yield from _statements(each)

"""The content model of each document: a shipped class, or one made from the sections that a pack declares."""

from __future__ import annotations

from functools import cache

from pydantic import create_model

from orchestrator.domain.documents import DocumentDef, Section
from orchestrator.domain.json_types import JsonObject
from workers.documents.content import (
    Architecture,
    Brief,
    Content,
    Declared,
    Discovery,
    Epics,
    Item,
    Requirements,
    Statement,
    Text,
)

MODELS: dict[str, type[Content]] = {
    "discovery": Discovery,
    "brief": Brief,
    "requirements": Requirements,
    "architecture": Architecture,
    "epics": Epics,
}
_FIELDS: JsonObject = {
    "text": (Text, ""),
    "list": (list[Statement], []),
    "items": (list[Item], []),
}


def model_of(document: DocumentDef) -> type[Content]:
    """The class of the document's content. A report has none: raises KeyError."""
    return _declared(document.kind, document.sections) if document.sections else MODELS[document.model]


@cache
def _declared(kind: str, sections: tuple[Section, ...]) -> type[Declared]:
    name = "".join(word.capitalize() for word in kind.split("-"))
    values = {section.key: _FIELDS[section.form] for section in sections}
    made: type[Declared] = create_model(name, __base__=Declared, **values)
    made.layout = sections
    return made

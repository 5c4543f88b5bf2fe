"""What agents read, in the order that all prompts of a session share: the request, the repository, the documents.

Author and critic read a document in the same words: what one of them has read is what the other one begins with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.domain.documents import DISCOVERY, DocumentDef
from orchestrator.domain.json_types import JsonObject
from workers.context.run_context import RunContext
from workers.documents.condensed import condensed, listed, listed_text
from workers.documents.content import Content
from workers.documents.cutting import cut
from workers.documents.identifiers import items_of

EXPLORATION = "explorations/explore-general.json"
REPOSITORY_LIMIT = 12_000  # characters, as are the others
DOCUMENT_LIMIT = 40_000
TRACES_LIMIT = 8_000
_UNTOLD = ("query", "_metadata")  # of an exploration: the request again, and how it was made
_REFERENCES = ("goals", "requirements", "adrs", "depends_on")  # fields of items that name other items

Files = Mapping[str, tuple[bytes, str]]  # what a run has made: path -> (bytes, kind)
NOTHING_MADE: Files = {}


def sources(
    context: RunContext,
    documents: Iterable[DocumentDef],
    *,
    exploration: JsonObject | None = None,
    made: Files = NOTHING_MADE,
) -> list[tuple[str, str]]:
    """The request, the repository, and the documents as they are now, a person's edits included; what is missing is empty."""
    explored = context.json(EXPLORATION) if exploration is None else exploration
    return [
        ("The request", context.session.request),
        ("The repository", cut(repository_text(explored), REPOSITORY_LIMIT)),
        *(document_piece(context, document, made) for document in documents),
    ]


def document_piece(context: RunContext, document: DocumentDef, made: Files = NOTHING_MADE) -> tuple[str, str]:
    """A document with the files of its items, as whoever reads it in a prompt sees it."""
    return title_of(document.path), cut(_text(context, document, made), DOCUMENT_LIMIT)


def title_of(path: str) -> str:
    """What a document is called in every prompt."""
    return f"The document {path}"


def _text(context: RunContext, document: DocumentDef, made: Files) -> str:
    beside = {path for path in (*made, *context.artifacts) if document.owns(path) and path.endswith(".md")}
    found = []
    for path in (document.path, *sorted(beside - {document.path})):
        body = made[path][0].decode("utf-8", "replace") if path in made else context.text(path)
        if body is not None:
            found.append(listed_text(body) if document.model == DISCOVERY else condensed(body))
    return "\n".join(found)


def repository_text(exploration: JsonObject | None) -> str:
    """What an exploration found, without the request it was made for; empty when there is no repository."""
    if not exploration or not exploration.get("codebase"):
        return ""
    return listed({key: value for key, value in exploration.items() if key not in _UNTOLD})


def traces(contents: Iterable[Content | None]) -> str:
    """Which item refers to which, a line an item; those that refer to nothing are told together."""
    lines, alone = [], []
    for content in contents:
        for item in items_of(content) if content is not None else ():
            named = [name for field in _REFERENCES for name in getattr(item, field, [])]
            if named:
                lines.append(f"- {item.id}: {', '.join(named)}")
            elif any(field in type(item).model_fields for field in _REFERENCES):
                alone.append(item.id)
    if alone:
        lines.append(f"- these refer to no other item: {', '.join(alone)}")
    return cut("\n".join(lines), TRACES_LIMIT)

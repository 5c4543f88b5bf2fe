"""The documents that a session has written, as values, and when."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from orchestrator.domain.documents import DocumentDef
from workers.context.run_context import RunContext
from workers.documents.as_written import taken_over
from workers.documents.identifiers import Registered, content_path
from workers.documents.models import model_of
from workers.documents.reader import Page, read


def registered(context: RunContext, document: DocumentDef) -> Registered | None:
    """A document's content as it was registered last, None when it is not written yet."""
    value = context.json(content_path(document.kind))
    if value is None:
        return None
    found = Registered.from_json(value, model_of(document))
    if found.document != document.kind:
        raise ValueError(f"{content_path(document.kind)} is the content of {found.document[:100]!r}")
    return found


def known_of(context: RunContext, documents: Iterable[DocumentDef]) -> dict[str, Registered]:
    """Those of the documents that are written, by kind, as a person's edits left them."""
    found = {each: registered(context, each) for each in documents if not each.is_report}
    return {
        each.kind: taken_over(known, _edited(context, each))
        for each, known in found.items()
        if known is not None
    }


def _edited(context: RunContext, document: DocumentDef) -> list[Page]:
    """The pages of a document that a person wrote last."""
    return [
        read(path, (context.text(path) or "").encode(), document)
        for path, row in context.artifacts.items()
        if row.author == "user" and path.endswith(".md") and document.owns(path)
    ]


def stamp(micros: int) -> str:
    """ISO 8601, UTC, to the second."""
    return datetime.fromtimestamp(micros / 1e6, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

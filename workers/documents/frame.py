"""What all documents have in common: what they say about themselves, their index page, where identifiers are found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from orchestrator.config.shipped import shipped_documents
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.documents import Catalogue, DocumentDef
from workers.documents.content import Brief, Declared, Epics
from workers.documents.identifiers import Registered, items_of
from workers.documents.page import Printer

ITEMS = ("requirement", "adr", "epic")  # document types of files that hold one item each


M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RenderContext:
    """What a document says about itself, and the documents it links to."""

    session_id: str
    title: str  # short name of what is to be made
    phase: str
    status: str  # draft, revised, complete ...
    generated_at: str  # ISO 8601
    version: int
    agent: str
    task: str
    language: str = "en"
    dependencies: tuple[str, ...] | None = None  # None: those the kind of document has
    documents: Mapping[str, Registered] = field(default_factory=dict)  # the documents before, by name
    facts: Mapping[str, object] = field(
        default_factory=dict
    )  # codebase; review, review_agent (architecture); request
    catalogue: Catalogue = field(default_factory=shipped_documents)
    folders: tuple[Path, ...] = ()  # folders with a user's own templates and labels, first one wins

    def content_of(self, model: type[M]) -> M | None:
        """The content of the document before that holds `model`, whatever its kind is called."""
        return next(
            (each.content for each in self.documents.values() if isinstance(each.content, model)), None
        )


def index_page(
    printer: Printer, context: RenderContext, document: DocumentDef, template: str = "", **values: object
) -> bytes:
    """The document's main file, by the pack's own template where it has one."""
    front = front_of(context, document.kind, dependencies_of(document, context))
    name = template or document.template or f"{document.model}.md.j2"
    return printer.page(
        document.path, name, front, source=document.template_text, title=context.title, **values
    )


def dependencies_of(document: DocumentDef, context: RenderContext) -> list[str]:
    """The main files of what a document is drafted from, or scores."""
    return [context.catalogue[kind].path for kind in (*document.drafted_from, *document.scores)]


def front_of(context: RenderContext, kind: str, dependencies: Sequence[str]) -> dict[str, object]:
    """The frontmatter; an item's always names the same dependencies, or its bytes would change with them."""
    item = kind in ITEMS
    return {
        "session_id": context.session_id,
        "phase": context.phase,
        "document_type": kind,
        "status": context.status,
        "generated_at": context.generated_at,
        "version": context.version,
        "dependencies": list(dependencies if item or context.dependencies is None else context.dependencies),
        "author": context.agent,
        "task": context.task,
    }


def printer_for(registered: Registered | None, context: RenderContext) -> Printer:
    """A printer that knows where the identifiers of this document, and of those before it, are found."""
    known = [*context.documents.values(), *([registered] if registered else [])]
    paths: dict[str, str] = {}
    for each in known:
        document = context.catalogue[each.document]
        paths |= {name: f"{document.folder}{file}" for name, file in each.files.items()}
        if isinstance(each.content, Brief | Declared):  # the items stand in the document itself
            items = [*items_of(each.content), *each.withdrawn.goals, *each.withdrawn.items]
            paths |= {item.id: f"{document.path}#{item.id.lower()}" for item in items}
        if isinstance(each.content, Epics):
            stories = [(story.id, epic.id) for epic in each.content.items for story in epic.stories]
            paths |= {story: f"{document.folder}{each.files[epic]}" for story, epic in stories}
    sections = context.catalogue[registered.document].sections if registered else ()
    return Printer(context.language, context.folders, paths, {section.key: section for section in sections})


def stamps(context: RenderContext) -> dict[str, object]:
    """What a JSON document says about itself."""
    return {
        "phase": context.phase,
        "status": context.status,
        "generated_at": context.generated_at,
        "version": context.version,
        "author": context.agent,
        "task": context.task,
    }


def to_json(value: Mapping[str, object]) -> bytes:
    """A JSON file; models as plain values."""
    return (json.dumps(value, ensure_ascii=False, indent=2, default=_plain) + "\n").encode("utf-8", "replace")


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return str(value)

"""What documents there are: what each holds, which task makes it, from what, and how it is scored.

The catalogue is data (`config/documents.yaml`, extended by packs) and part of the snapshot that a session keeps. Rules ask it
instead of naming tasks or kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass, field

DIMENSIONS = ("completeness", "consistency", "traceability", "depth", "coverage")  # of the quality score
DECLARED = "declared"  # the model of a document whose sections are data
DISCOVERY, REPORT = "discovery", "readiness"  # models whose documents other roles than the writer make
MAKERS = {DISCOVERY: "analyst", REPORT: "reviewer"}  # model -> the role that makes it; any other: the writer
MODELS = (DISCOVERY, "brief", "requirements", "architecture", "epics", REPORT, DECLARED)

Form = Literal["text", "list", "items"]


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a declared document."""

    key: str
    title: str
    form: Form = "text"  # items: each has an identifier that it keeps
    id: str = ""  # the prefix of those identifiers
    required: bool = False  # the score asks for it
    words: tuple[str, ...] = ()  # a sentence with one of them, or below a heading with one, belongs here
    rest: bool = False  # takes the sentences that belong to no other section
    question: str = ""  # what an empty section asks


@dataclass(frozen=True, slots=True)
class DocumentDef:
    """One document as a pack states it."""

    kind: str
    title: str
    task: str  # the task that makes it; a bare prefix: every task of that prefix makes it anew
    path: str  # its main file; one that ends in `_index.md` owns its folder
    model: str  # what it holds: one of MODELS
    purpose: str = ""  # what an agent is asked to write
    drafted_from: tuple[str, ...] = ()  # kinds
    template: str = ""  # a file; empty: the one named like the model
    template_text: str = ""  # of a pack's own template
    sections: tuple[Section, ...] = ()  # of a declared model
    required: tuple[str, ...] = ()  # section keys that the score asks for
    identifiers: tuple[str, ...] = ()  # prefixes of those that its items have
    carries: tuple[str, ...] = ()  # which statements of the request coverage looks for in it; none: all
    improves: tuple[str, ...] = ()  # dimensions that work on it can raise
    feedback: tuple[str, ...] = ()  # words of a person that are about it
    names: tuple[str, ...] = ()  # of its sections: words of a person that begin with one are about it
    scores: tuple[str, ...] = ()  # kinds that it judges: it is a report
    measures: tuple[str, ...] = ()  # the dimensions it judges by

    @property
    def is_report(self) -> bool:
        return self.model == REPORT

    @property
    def folder(self) -> str:
        """The folder that is its own, with a slash at the end; empty when it is a single file."""
        return self.path.removesuffix("_index.md") if self.path.endswith("/_index.md") else ""

    def owns(self, path: str) -> bool:
        """Whether a file is the document's, or one of its items'."""
        return path == self.path or bool(self.folder and path.startswith(self.folder))

    def makes(self, key: str) -> bool:
        """Whether the task, or what it is a revision of, makes this document."""
        task = ids.parse_key(key)
        return self.task in (task.base, task.stem)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All documents by kind, in the order in which they are drafted."""

    documents: Mapping[str, DocumentDef] = field(default_factory=dict)

    def __iter__(self) -> Iterator[DocumentDef]:
        return iter(self.documents.values())

    def get(self, kind: str) -> DocumentDef | None:
        return self.documents.get(kind)

    def __getitem__(self, kind: str) -> DocumentDef:
        return self.documents[kind]

    def of_task(self, key: str) -> DocumentDef | None:
        """What a task makes; None when it makes no document. Its own id goes before its prefix."""
        base = ids.parse_key(key).base
        made = [document for document in self if document.makes(key)]
        return min(made, key=lambda document: document.task != base, default=None)

    def of_path(self, path: str) -> DocumentDef | None:
        """The document a file belongs to."""
        return next((document for document in self if document.owns(path)), None)

    def about(self, where: str) -> DocumentDef | None:
        """The document that a file, a kind or an identifier belongs to."""
        prefix = where.partition("-")[0]
        named = (document for document in self if where == document.kind or prefix in document.identifiers)
        return self.of_path(where) or next(named, None)

    def is_report(self, key: str) -> bool:
        """Whether the task scores documents."""
        made = self.of_task(key)
        return made is not None and made.is_report

    def is_draft(self, key: str) -> bool:
        """Whether the task makes a document that is not a report: what can be revised and answers feedback."""
        made = self.of_task(key)
        return made is not None and not made.is_report

    def before(self, kind: str) -> list[DocumentDef]:
        """The documents that this one is drafted from."""
        return [self[other] for other in self[kind].drafted_from]

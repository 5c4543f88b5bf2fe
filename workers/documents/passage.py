"""A passage: one block of a request with what it is there for."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass, field
from workers.documents.outline import Block

ASKED = frozenset({"requirement", "use_case", "nonfunctional"})
SKIPPED: Mapping[str, str] = {  # role -> why the text is not carried
    "contents": "table of contents",
    "glossary": "explains a term",
    "meta": "about the document itself",
    "example": "an example",
    "aside": "about the document itself",
    "greeting": "a greeting, thanks or an excuse",
    "template": "a placeholder that was left",
    "quotation": "quoted talk",
    "data": "describes data",
    "answered": "a question that is answered",
    "removed": "removed by its author",
    "summary": "sums up what stands below",
    "reference": "refers to a statement by its id",
    "name": "names what is asked for",
}


@dataclass(frozen=True, slots=True)
class Passage:
    """One block with what it is there for."""

    block: Block
    text: str  # its words, without the label, id or mark in front
    role: str = ""
    label: str = ""
    id: str = ""  # its own: FR-3
    title: str = ""  # its short name, from a column or heading
    priority: str = ""  # Must, Should, Could, Won't, as its author gave it
    release: str = ""
    parent: str = ""  # id of the block of the statement it belongs to
    opens: bool = False  # it only introduces what follows
    values: Mapping[str, str] = field(
        default_factory=dict
    )  # of a row, by what its column holds; of an item, its attributes

"""The text under review, read once: Markdown or JSON, with the files of its items behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from orchestrator.config.shipped import shipped_documents
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.documents import DocumentDef
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from workers.documents.content import Content, Epics, Requirements
from workers.documents.outline import Block, outline
from workers.documents.reader import KEPT_LIMIT
from workers.documents.words import shown

_NAMED = expression(r"acceptance criteria|验收标准|验收条件", re.IGNORECASE)
_DEEPEST = 40  # levels of a JSON document that are read
Heading = tuple[int, str, str]  # level, heading, text of the section with its subsections


@dataclass(frozen=True, slots=True)
class Artifact:
    """A text under review."""

    text: str
    kind: str  # its model; empty when unknown
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...]
    content: Content | None = None
    path: str = ""
    keys: Mapping[str, Json] = field(default_factory=dict)  # of a JSON document
    stated: DocumentDef | None = None  # as the catalogue has it

    def paragraphs(self) -> list[str]:
        """Its texts without the headings."""
        return [block.text for block in self.blocks if block.kind != "heading"]

    def criteria(self) -> list[str]:
        """Its acceptance criteria: of the content model, and those below a heading that names them."""
        rows: list[str] = []
        if isinstance(self.content, Requirements):
            rows = [c for i in self.content.items if i.moscow != "Won't" for c in i.acceptance_criteria]
        elif isinstance(self.content, Epics):
            stories = [story for epic in self.content.items for story in epic.stories]
            rows = [c for story in stories for c in story.acceptance_criteria]
        for _, heading, body in self.headings:
            if _NAMED.search(heading):
                rows += body.splitlines()
        rows += [block.text for block in self.blocks if block.kind == "item" and _NAMED.search(block.lead)]
        return list(dict.fromkeys(row for row in rows if row.strip()))


def artifact_of(facts: Mapping[str, Json]) -> Artifact:
    """The text that the facts of a critique hold."""
    text = str(facts.get("artifact") or "")
    path = str(facts.get("artifact_path") or "")
    keys = _keys(text)
    if keys:
        read = tuple(Block("", "item", line) for line in _strings(keys, 0))
        headings = _sections(read)
    else:
        read, headings = (_kept if len(text) <= KEPT_LIMIT else _read)(text)
    given, content = facts.get("document"), facts.get("artifact_content")
    stated = given if isinstance(given, DocumentDef) else _stated(path, text)
    return Artifact(
        text,
        stated.model if stated else "",
        read,
        headings,
        content if isinstance(content, Content) else None,
        path,
        keys,
        stated,
    )


def _keys(text: str) -> Mapping[str, Json]:
    if not text.lstrip().startswith("{"):
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read(text: str) -> tuple[tuple[Block, ...], tuple[Heading, ...]]:
    """The blocks of a page, and its headings."""
    read = tuple(_blocks(text))
    return read, _sections(read)


_kept = lru_cache(maxsize=32)(_read)  # the lint reads the page, and so does each perspective


def _blocks(text: str) -> Iterator[Block]:
    """The words of a page, each cell of a table by itself."""
    for block in outline(text, shown, marked=True):
        if block.kind == "row":
            yield from (replace(block, text=cell) for _, cell in block.cells if cell)
        elif block.kind not in ("code", "front"):
            yield block


def _stated(path: str, text: str) -> DocumentDef | None:
    """The shipped document that a text says it is, or that its path names."""
    said = re.search(r"^document_type:\s*['\"]?([\w-]+)", text[:2_000], re.MULTILINE)
    hints = ((said[1] if said else "").lower(), path.lower())
    return next((each for hint in hints for each in shipped_documents() if each.kind in hint), None)


def _strings(value: Json, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    inner = list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return [line for piece in inner for line in _strings(piece, depth + 1)] if depth < _DEEPEST else []


def _sections(read: tuple[Block, ...]) -> tuple[Heading, ...]:
    found = []
    for at, block in enumerate(read):
        if block.kind != "heading":
            continue
        body = []
        for later in read[at + 1 :]:
            if later.kind == "heading" and later.level <= block.level:
                break
            body.append(later.text)
        found.append((block.level, block.text, "\n".join(body)))
    return tuple(found)

"""Where the table of an index says something else of an item than the item's own file, which a person may have edited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import table_cells
from workers.documents.content import Content, Requirement
from workers.documents.identifiers import items_of
from workers.documents.lint.rules import Finding, finding
from workers.documents.part_fates import plain

_ROW = expression(r"^\[?((?:REQ|NFR-[A-Z]{1,2}|ADR|EPIC)-\d+)\]?(?:\([^()]*\))?$")


def index_differs(
    files: Mapping[str, bytes], contents: Mapping[str, Content], language: str
) -> Iterator[Finding]:
    """A finding for each item whose title or priority in the index is not that of its file. `files`: by path."""
    indexes = [data.decode("utf-8", "replace") for path, data in files.items() if path.endswith("/_index.md")]
    for kind, content in contents.items():
        known = {item.id: item for item in items_of(content)}
        for text in indexes:
            for line in text.splitlines():
                cells = table_cells(line)
                named = _ROW.match(cells[0]) if len(cells) > 2 else None
                item = known.get(named[1]) if named else None
                if item is None:
                    continue
                said = [(cells[1], str(getattr(item, "title", "")))]
                said += [(cells[2], item.moscow)] if isinstance(item, Requirement) else []
                for shown, own in said:
                    if plain(shown) != plain(own):
                        yield finding("index_differs", kind, item.id, own, other=shown, language=language)

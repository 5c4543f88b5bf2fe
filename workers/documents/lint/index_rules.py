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


def _files(folder: str, id: str) -> tuple[str, str]:
    """How the path of an item's own file may begin."""
    return f"{folder}{id}-", f"{folder}{id}."


def index_differs(
    files: Mapping[str, bytes], contents: Mapping[str, Content], language: str
) -> Iterator[Finding]:
    """A finding for each item whose title or priority in the index is not that of its file. `files`: by path."""
    for kind, content in contents.items():
        known = {item.id: item for item in items_of(content)}
        for path, data in files.items():
            if not path.endswith("/_index.md"):
                continue
            folder = path.removesuffix("_index.md")
            listed = {id for id in known if any(each.startswith(_files(folder, id)) for each in files)}
            for line in data.decode("utf-8", "replace").splitlines():
                cells = table_cells(line)
                named = _ROW.match(cells[0]) if len(cells) > 2 else None
                if named is None or named[1] not in listed:
                    continue
                listed.remove(named[1])  # a second table says something else of it
                item = known[named[1]]
                said = [(cells[1], str(getattr(item, "title", "")))]
                if isinstance(item, Requirement):  # one that is not functional has its category before it
                    said.append((cells[2 + (item.kind == "nonfunctional")], item.moscow))
                for shown, own in said:
                    if plain(shown) != plain(own):
                        yield finding("index_differs", kind, item.id, own, other=shown, language=language)

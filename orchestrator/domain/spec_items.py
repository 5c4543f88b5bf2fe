"""The items of a specification, read from its pages: goals, requirements, decisions, components, epics and stories.

The pages are what agents read and people edit, so an item's digest is that of its words there. Of a page of ours an item is
a heading that begins with its identifier, with what stands below it; of a page that was brought along, where no heading
names it, the lines that begin with it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.patterns import expression

PREFIXES = ("G", "REQ", "NFR", "ADR", "EPIC", "STORY")  # of the shipped documents, upstream first
COMPONENT = "component:"  # a component has no identifier of its own: its name behind this
COMPONENTS, WITHDRAWN = "components", "withdrawn"  # keys of sections
FOLDER = "spec/"
_ID = expression(r"(?<![\w-])([A-Z]{1,12})(?:-[A-Z]{1,2})?-\d{3,}(?:-\d{3,})?(?![\w]|-\d)")
_HEADING = expression(r"(#{1,6})[ \t]+(.*)")
_SECTION = expression(r"<!-- section: ([a-z_]+) -->")
_LEAD = expression(r"[\s>*_|+`\[-]*")  # what may stand before the identifier that a line begins with
_FENCE = expression(r"[ \t]*(?:```(?!`*[^`]+`)|~~~)")  # code within a line begins no block
_GONE = expression(r'^status: "?withdrawn"?[ \t]*$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SpecItem:
    id: str  # REQ-003, or component:NAME
    path: str  # the page that holds it
    title: str
    digest: str  # of its words
    refs: frozenset[str]  # identifiers of items before it that its words name
    withdrawn: bool = False


Items = Mapping[str, SpecItem]


def items_of_pages(pages: Mapping[str, str], catalogue: Catalogue) -> dict[str, SpecItem]:
    """The items of these pages (path -> text) by id, those that are withdrawn among them."""
    ranks = ranks_of(catalogue)
    found: dict[str, _Block] = {}
    for path, text in sorted(pages.items()):
        for block in _headed(path, text, ranks):
            found.setdefault(block.id, block)
    for path, text in sorted(pages.items()):
        if catalogue.of_path(path) is None:
            for block in _lines(path, text, ranks):
                if block.id not in found:
                    found[block.id] = block
                elif found[block.id].grows:
                    found[block.id].lines += block.lines
    return {id: block.item(ranks) for id, block in found.items()}


def digests(items: Items) -> dict[str, str]:
    """Identifier -> digest of the items in force."""
    return {id: item.digest for id, item in items.items() if not item.withdrawn}


def ranks_of(catalogue: Catalogue) -> dict[str, int]:
    """Prefix of identifiers -> how far downstream its items are: by the order of documents."""
    declared = [prefix for document in catalogue for prefix in document.identifiers]
    names = [*PREFIXES, *(prefix for prefix in declared if prefix not in PREFIXES)]
    order = [*declared, *(prefix for prefix in names if prefix not in declared)]
    ranks = {prefix: number for number, prefix in enumerate(order)}
    return {**ranks, "NFR": ranks["REQ"], "EPIC": ranks["STORY"]}  # epics hold stories, and wait for none


@dataclass(slots=True)
class _Block:
    """An item's lines, while they are collected."""

    id: str
    path: str
    title: str
    lines: list[str]
    withdrawn: bool = False
    level: int = 0  # of its heading
    grows: bool = False  # several lines of a page may be about it

    def item(self, ranks: Mapping[str, int]) -> SpecItem:
        text = "\n".join(line.rstrip() for line in self.lines).strip()
        own = _rank(self.id, ranks)
        refs = frozenset(name for name in identifiers(text, ranks) if _rank(name, ranks) < own)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        below = (line.strip() for line in self.lines[1:] if line.strip())
        title = next(below, self.id) if self.title == self.id else self.title
        return SpecItem(self.id, self.path, title, digest, refs, self.withdrawn)


def identifiers(text: str, ranks: Mapping[str, int]) -> Iterator[str]:
    """The identifiers that a text names."""
    return (match[0] for match in _ID.finditer(text) if match[1] in ranks)


def _rank(id: str, ranks: Mapping[str, int]) -> int:
    return ranks["ADR"] if id.startswith(COMPONENT) else ranks[id.partition("-")[0]]


def _headed(path: str, text: str, ranks: Mapping[str, int]) -> Iterator[_Block]:
    """The items that headings of a page begin with; one inside another is not part of its words."""
    front, body = _front(text)
    gone = _GONE.search(front) is not None
    open_blocks: list[_Block] = []
    section, fence = "", ""
    for line in body.splitlines():
        if mark := _FENCE.match(line):
            fence = "" if fence == mark[0].strip() else fence or mark[0].strip()
        elif not fence and (named := _SECTION.fullmatch(line.strip())):
            section = named[1]
            continue
        heading = None if fence else _HEADING.match(line)
        if heading is not None:
            level = len(heading[1])
            while open_blocks and open_blocks[-1].level >= level:
                yield open_blocks.pop()
            if id := _named(heading[2], section, level, ranks):
                withdrawn = gone or section == WITHDRAWN
                open_blocks.append(_Block(id, path, _title(heading[2], id), [heading[2]], withdrawn, level))
                continue
        if open_blocks:
            open_blocks[-1].lines.append(line)
    yield from open_blocks


def _named(heading: str, section: str, level: int, ranks: Mapping[str, int]) -> str | None:
    """The item that a heading is of."""
    match = _ID.match(heading, _LEAD.match(heading).end())  # type: ignore[union-attr]  # it matches nothing, too
    if match is not None and match[1] in ranks:
        return match[0]
    return f"{COMPONENT}{heading.strip()}" if section == COMPONENTS and level == 3 else None


def _lines(path: str, text: str, ranks: Mapping[str, int]) -> Iterator[_Block]:
    """The items that lines of a page begin with, each with the lines up to an empty one, a heading or another item's."""
    block: _Block | None = None
    for line in _front(text)[1].splitlines():
        match = _ID.match(line, _LEAD.match(line).end())  # type: ignore[union-attr]
        if match is not None and match[1] in ranks:
            if block is not None:
                yield block
            block = _Block(match[0], path, _title(line, match[0]), [line.strip()], grows=True)
        elif block is not None and line.strip() and not line.startswith("#"):
            block.lines.append(line.strip())
        elif block is not None:
            yield block
            block = None
    if block is not None:
        yield block


def _title(line: str, id: str) -> str:
    return line.partition(id)[2].strip(" \t:.*_|`]–—-#") or id.removeprefix(COMPONENT)


def _front(text: str) -> tuple[str, str]:
    """Frontmatter, and what is below it."""
    if not text.startswith("---\n"):
        return "", text
    front, mark, body = text[4:].partition("\n---\n")
    return (front, body) if mark else ("", text)


@dataclass(frozen=True, slots=True)
class ItemChanges:
    """What differs between two versions of a specification, by identifier."""

    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.new or self.withdrawn)

    @property
    def all(self) -> frozenset[str]:
        return frozenset((*self.changed, *self.new, *self.withdrawn))

    def only(self, ids: Collection[str]) -> ItemChanges:
        """Of these the ones among `ids`."""
        return ItemChanges(
            *(tuple(id for id in each if id in ids) for each in (self.changed, self.new, self.withdrawn))
        )

    def as_json(self) -> dict[str, list[str]]:
        return {"changed": list(self.changed), "new": list(self.new), "withdrawn": list(self.withdrawn)}


def compared(before: Mapping[str, str], now: Mapping[str, str]) -> ItemChanges:
    """What changed between two mappings of identifier -> digest."""
    return ItemChanges(
        tuple(sorted(id for id in before.keys() & now.keys() if before[id] != now[id])),
        tuple(sorted(now.keys() - before.keys())),
        tuple(sorted(before.keys() - now.keys())),
    )

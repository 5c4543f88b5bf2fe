"""Documents read back: Markdown as plain values, whoever wrote it.

A section is known by the marker before its heading; without markers, by what its heading says in a language we have
labels for. Nothing here raises for bad text: what is wrong with a page is listed by `validate`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from urllib.parse import unquote

import regex
from markdown_it import MarkdownIt
from markdown_it.token import Token

from orchestrator.config.shipped import shipped_documents
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.documents import DocumentDef
from orchestrator.domain.json_types import Json
from workers.documents.frontmatter import read_front
from workers.documents.identifiers import IDENTIFIER
from workers.documents.labels import LANGUAGES, labels
from workers.documents.markdown_parts import Dialect, parse

SIZE_LIMIT = 4 * 1024 * 1024  # bytes of one page that are read
KEPT_LIMIT = 32 * 1024  # bytes of a page that is kept as it was read

_MARKER = regex.compile(r"<!-- section: ([a-z_]+) -->")
_EMPTY = regex.compile(r"<!-- empty -->")
_ADDRESS = regex.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_FRONT = regex.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", regex.DOTALL | regex.MULTILINE)
_NOT_IN_ANCHORS = regex.compile(r"[^\p{L}\p{M}\p{N}_ -]")
_OF_NAMES = frozenset(
    {"components", "data_model", "entities", "alternatives"}
)  # what stands below names things
_OURS = regex.compile(r"(?:<!-- (?:section: [a-z_]+|empty) -->\s*)+")
_NUMBERING = regex.compile(r"^[\d.、\s]+|^[一二三四五六七八九十]+、\s*")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    line: int  # 1 is the first line


@dataclass(frozen=True, slots=True)
class Section:
    key: str
    level: int
    heading: str
    owner: str  # the identifier it belongs to, empty for the page itself
    text: str  # without substance: ""
    items: tuple[str, ...] = ()  # the entries of its lists
    blocks: int = 0  # headings below it
    rows: tuple[tuple[str, ...], ...] = ()  # the rows of its tables, those with the columns' names aside


@dataclass(frozen=True, slots=True)
class Block:
    """What stands below one heading, up to the next heading of its level or a higher one."""

    heading: str
    level: int
    section: str  # key of the section it stands in
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    target: str
    line: int
    path: str | None  # the file meant, in the session directory; None for addresses elsewhere
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    path: str
    frontmatter: Mapping[str, Json] | None
    headings: tuple[Heading, ...] = ()
    sections: tuple[Section, ...] = ()
    said: Mapping[str, str] = field(
        default_factory=dict
    )  # heading -> the section it says, whatever its marker
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    html: tuple[str, ...] = ()  # raw HTML that is not our markers
    text: str = ""
    defined: frozenset[str] = frozenset()
    refs: frozenset[str] = frozenset()
    faults: tuple[str, ...] = field(default=())

    def section_texts(self) -> dict[str, str]:
        """Key -> text of all its sections."""
        texts: dict[str, str] = {}
        for section in self.sections:
            texts[section.key] = f"{texts.get(section.key, '')}\n{section.text}".strip()
        return texts

    def anchors(self) -> set[str]:
        return {anchor(heading.text) for heading in self.headings}


def read(path: str, data: bytes, document: DocumentDef | None = None) -> Page:
    """One Markdown file as values. `document`: what it belongs to, None for the shipped document at that path.

    A task reads what it wrote several times: to check its form, to lint it, to score it.
    """
    stated = document or shipped_documents().of_path(path)
    return (_kept if len(data) <= KEPT_LIMIT else _read)(path, data, stated)


def _read(path: str, data: bytes, document: DocumentDef | None) -> Page:
    faults = []
    if len(data) > SIZE_LIMIT:
        faults.append(f"larger than {SIZE_LIMIT} bytes; only the beginning was read")
    try:
        source = data[:SIZE_LIMIT].decode("utf-8-sig")
    except UnicodeDecodeError:
        source = data[:SIZE_LIMIT].decode("utf-8-sig", "replace")
        faults.append("not UTF-8")
    front, body, offset, fault = _split_front(source)
    faults += [fault] if fault else []
    reading = _Reading(path, document)
    for part in parse(body, _PAGE):
        reading.walk(part.tokens, offset + part.line)
    reading.close()
    return reading.page(front, faults)


_kept = lru_cache(maxsize=128)(_read)  # those of eight sessions under way


def anchor(heading: str) -> str:
    """The fragment a heading gets in common renderers."""
    return _NOT_IN_ANCHORS.sub("", heading.strip().lower()).replace(" ", "-")


class _Reading:
    """The walk over one page's tokens: what was read so far, and under which headings the walk is."""

    def __init__(self, path: str, document: DocumentDef | None) -> None:
        self.path = path
        self.offset = 0  # lines before those that are walked over
        self.document = document
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.html: list[str] = []
        self.open: list[_Open] = []
        self.closed: list[_Open] = []
        self.marker = ""
        self.text: list[str] = []

    def walk(self, tokens: Sequence[Token], offset: int) -> None:
        self.offset = offset
        depth = 0  # of lists
        row: list[str] = []
        in_head = False
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                self._heading(token, tokens[at + 1])
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                depth += 1
            elif token.type in ("bullet_list_close", "ordered_list_close"):
                depth -= 1
            elif token.type == "html_block":
                self._html(token.content)
            elif token.type in ("fence", "code_block") and token.info.strip() != "mermaid":
                self._say(token.content, item=False)
            elif token.type == "inline" and (at == 0 or tokens[at - 1].type != "heading_open"):
                self._links(token)
                self._say(_plain(token), item=depth > 0)
                row.append(_plain(token))
            elif token.type == "thead_open":
                in_head = True
            elif token.type == "thead_close":
                in_head = False
            elif token.type == "tr_open":
                row = []
            elif token.type == "tr_close" and not in_head:
                self._row(tuple(row))

    def close(self) -> None:
        while self.open:
            self.closed.append(self.open.pop())

    def _heading(self, opening: Token, inline: Token) -> None:
        level, text = int(opening.tag[1]), _plain(inline).strip()
        self._links(inline)
        while self.open and self.open[-1].level >= level:
            self.closed.append(self.open.pop())
        found = IDENTIFIER.match(text)
        owner = found[0] if found else (self.open[-1].id if self.open else "")
        meant = _key_of(text, self.document) if level > 1 else ""
        is_name = any(outer.key in _OF_NAMES for outer in self.open)
        key = self.marker or ("" if is_name else meant)
        said = "" if any(outer.said in _OF_NAMES for outer in self.open) else meant
        line = (opening.map[0] if opening.map else 0) + self.offset + 1
        self.headings.append(Heading(level, text, line))
        for outer in self.open:
            outer.below += 1
        self.open.append(_Open(level, text, key, said, owner, found is not None, len(self.headings)))
        self.marker = ""
        self.text.append(text)

    def _html(self, content: str) -> None:
        marker = _MARKER.search(content)
        if marker:
            self.marker = marker[1]
        if _EMPTY.search(content):
            for outer in self.open[-1:]:
                outer.empty = True
        if not _OURS.fullmatch(content.strip()):
            self.html.append(content.strip())

    def _links(self, inline: Token) -> None:
        line = (inline.map[0] if inline.map else 0) + self.offset + 1
        for child in inline.children or []:
            if child.type == "html_inline":
                self.html.append(child.content)
            target = child.attrs.get("href") or child.attrs.get("src")
            if target:
                self.links.append(_link(str(target), line, self.path))

    def _say(self, text: str, *, item: bool) -> None:
        self.text.append(text)
        said = _stated(text) if self.open and self.open[-1].empty else text
        for outer in self.open:
            outer.text.append(said)
            if item and said:
                outer.items.append(said)

    def _row(self, cells: tuple[str, ...]) -> None:
        for outer in self.open:
            outer.rows.append(cells)

    def page(self, front: Mapping[str, Json] | None, faults: Sequence[str]) -> Page:
        parts = sorted(self.closed, key=lambda part: part.number)
        text = "\n".join(self.text)
        named = (front or {}).get("id")
        own = {str(named)} if isinstance(named, str) and IDENTIFIER.fullmatch(named) else set()
        defined = frozenset(own | {part.id for part in parts if part.defines})
        mentioned = {
            found
            for part in [text, str((front or {}).get("traces_to", ""))]
            for found in IDENTIFIER.findall(part)
        }
        return Page(
            path=self.path,
            frontmatter=front,
            headings=tuple(self.headings),
            sections=tuple(part.section() for part in parts if part.key),
            said={part.heading: part.said for part in parts if part.said},
            blocks=tuple(_blocks(parts)),
            links=tuple(self.links),
            html=tuple(self.html),
            text=text,
            defined=defined,
            refs=frozenset(mentioned - defined),
            faults=tuple(faults),
        )


@dataclass(slots=True)
class _Open:
    level: int
    heading: str
    key: str
    said: str
    id: str
    defines: bool
    number: int
    text: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    below: int = 0
    empty: bool = False

    def section(self) -> Section:
        text = "\n".join(entry for entry in self.text if entry)
        return Section(
            self.key,
            self.level,
            self.heading,
            self.id,
            text,
            tuple(self.items),
            self.below,
            tuple(self.rows),
        )


def _stated(text: str) -> str:
    """What stands in a section marked as empty beside our own note that nothing is known: a person may have filled it in."""
    notes = tuple(labels(language).empty_note for language in LANGUAGES)
    return "\n".join(line for line in text.split("\n") if not line.startswith(notes))


def _blocks(parts: Sequence[_Open]) -> Iterator[Block]:
    section = ""
    for part in parts:
        section = part.key or (section if part.level > 2 else "")
        text = "\n".join([part.heading, *(entry for entry in part.text if entry)])
        yield Block(part.heading, part.level, section, part.id if part.defines else "", text)


def _plain(inline: Token) -> str:
    """The text of an inline token as a reader sees it."""
    kinds = {"text", "code_inline", "text_special"}
    words = [
        child.content if child.type in kinds else "\n" if child.type in ("softbreak", "hardbreak") else ""
        for child in inline.children or []
    ]
    return "".join(words)


def _link(target: str, line: int, page: str) -> Link:
    if _ADDRESS.match(target):
        return Link(target, line, None)
    path, _, fragment = unquote(target).partition("#")
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    return Link(unquote(target), line, meant, fragment)


def _split_front(source: str) -> tuple[Mapping[str, Json] | None, str, int, str]:
    """Frontmatter, body, the lines before the body, and what is wrong with the frontmatter."""
    found = _FRONT.match(source)
    if not found:
        return None, source, 0, ""
    front, fault = read_front(found[1])
    return front, source[found.end() :], found[0].count("\n"), fault


def _key_of(heading: str, document: DocumentDef | None) -> str:
    """The section a heading means; one of the document's own goes first: `goals` of a brief are its goals and metrics."""
    name = _NUMBERING.sub("", heading).strip(" :：").casefold()
    meant = _headings().get(name, ())
    if document is None:
        return next(iter(meant), "")
    declared = next((each.key for each in document.sections if each.title.casefold() == name), "")
    return declared or next((key for key in meant if key in document.required), next(iter(meant), ""))


@cache
def _headings() -> dict[str, tuple[str, ...]]:
    """The sections that a heading can mean, by its name."""
    meaning: dict[str, dict[str, None]] = {}
    for language in LANGUAGES:
        known = labels(language)
        names = [
            (key, name) for key, label in known.sections.items() for name in (label, *known.also.get(key, ()))
        ]
        for key, name in names:
            meaning.setdefault(name.casefold(), {})[key] = None
    return {name: tuple(keys) for name, keys in meaning.items()}


_PAGE = Dialect("page", lambda: MarkdownIt("commonmark").enable(["table", "strikethrough"]))

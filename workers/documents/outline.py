"""A request as blocks: Markdown as a tree, each block with the headings it stands under; words stay as they were written.

Plain text is given the marks it lacks first (`plain_text`). HTML, images and link bars are passed over; code is one block.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.generic_titles import without_comments
from orchestrator.domain.patterns import expression
from workers.documents.frontmatter import read_front
from workers.documents.markdown_parts import Dialect, parse
from workers.documents.markup import as_hashes
from workers.documents.plain_text import as_markdown
from workers.documents.reading_words import clause_role, column_of, role_of
from workers.documents.stack_traces import with_fences
from workers.documents.words import bare, is_prose, shown, untagged, written

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_CHARS = 1_100_000  # of a request, which holds at most one mebibyte; more of a document is not read
BOLD, RUN_IN = (
    7,
    8,
)  # levels of a line in bold that stands as a heading, and of bold words that open a paragraph
_RUN_IN = expression(  # `**Goal.** ...`, `**Who uses it?** ...`
    r"^(\*\*|__)(?=[^\s*_])(?P<label>[^*\n]{2,60}?)(?P<stop>[.。?？])\1\s*\S",
    re.DOTALL,
)
_UNPAIRED = expression(r"[\ud800-\udfff\x00]")
_FRONT = expression(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = expression(r"\s*\**[^\s:：*][^:：\n]{0,39}\**[:：]")
_CODE = expression(
    r"^\s*(?:for|if|while|def|return|import|else|try|with|class|fn|func|let|const|var)\b.*[:;({]\s*$|[;{}]\s*$|^\s*[\w.]+\(.*\)|\w+ ?= ?\S|^\s*#"
)
_TASK = expression(r"\[([ xX~-])\]\s+")
_SUMMARY = expression(r"<summary>([^<]+)</summary>", re.IGNORECASE)
_IDENTIFIED = expression(r"\[?[A-Z]{1,6}-?\d")


@dataclass(frozen=True, slots=True)
class Block:
    """One heading, paragraph, list item, table row, definition or piece of code."""

    id: str  # B001 ...
    kind: str  # heading, paragraph, item, row, code, front, message
    text: str
    level: int = 0  # of a heading
    section: tuple[str, ...] = ()  # the headings above it, outermost first
    parent: str = ""  # id of the item or heading-like term it is nested in
    lead: str = ""  # the paragraph that introduces its list or table
    cells: tuple[tuple[str, str], ...] = ()  # of a row: (column header, text)
    done: bool | None = None  # of a task list: whether it is ticked
    strong: tuple[str, ...] = ()  # its words in bold

    @property
    def heading(self) -> str:
        """The innermost heading above it."""
        return self.section[-1] if self.section else ""


@cache
def _parser(*, html: bool = True) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.tasklists import tasklists_plugin

    parser = MarkdownIt("commonmark").enable("table").use(deflist_plugin).use(tasklists_plugin)
    parser.disable("code")  # what is indented is read as text
    return parser if html else parser.disable("html_block")


_REQUEST = Dialect("request", _parser)


def outline(text: str, words: Callable[[Token], str] = written, *, marked: bool = False) -> tuple[Block, ...]:
    """The blocks of a text in order. Deterministic, never raises.

    `words` reads the text of one block: as it was written, or as it is shown. `marked`: it is Markdown of ours, plain text
    need not be looked for in it.
    """
    clean = _UNPAIRED.sub(" ", text[:MAX_CHARS]).replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    reading = _Outline(words)
    front, body = _split_front(clean)
    if front:
        reading.add("front", front)
    before, body, after = ("", body, "") if marked else as_markdown(as_hashes(with_fences(body)))
    if before:
        reading.add("message", before)
    reading.walk([token for part in parse(body, _REQUEST) for token in part.tokens])
    if after:
        reading.add("message", after)
    return tuple(reading.blocks)


def _split_front(text: str) -> tuple[str, str]:
    """Front matter and the rest; what stands between two rules is front matter only when it is a YAML mapping."""
    found = _FRONT.match(text)
    if not found:
        return "", text
    front, _ = read_front(found[1])
    return ("", text) if front is None else (found[1].strip(), text[found.end() :])


class _Outline:
    """The walk over the tokens: the blocks so far, and under which headings and items the walk is."""

    def __init__(self, words: Callable[[Token], str]) -> None:
        self.words = words
        self.blocks: list[Block] = []
        self.headings: list[tuple[int, str]] = []
        self.folds: list[list[tuple[int, str]]] = []  # the headings above each part that can be folded
        self.items: list[str] = []  # ids of the open list items; empty until their first words
        self.lead = ""
        self.outside: list[tuple[list[tuple[int, str]], str]] = []  # headings and lead above each open item
        self.term = ""  # id of the term that is being defined
        self.columns: list[str] = []
        self.run_ins = False  # several paragraphs open with words in bold, which are their headings

    def add(
        self,
        kind: str,
        text: str,
        *,
        level: int = 0,
        parent: str = "",
        lead: str = "",
        cells: tuple[tuple[str, str], ...] = (),
        done: bool | None = None,
        strong: tuple[str, ...] = (),
    ) -> str:
        """Keep a block; its id."""
        name = f"B{len(self.blocks) + 1:03d}"
        section = tuple(heading for _, heading in self.headings)
        self.blocks.append(Block(name, kind, text, level, section, parent, lead, cells, done, strong))
        return name

    def walk(self, tokens: Sequence[Token]) -> None:
        self.run_ins = self.run_ins or sum(_runs_in(token) or _asks(token) for token in tokens) > 1
        row: list[str] | None = None
        level, term = 0, False
        for token in tokens:
            match token.type:
                case "heading_open":
                    level = int(token.tag[1])
                case "list_item_open" | "dd_open":
                    self.items.append("")
                    self.outside.append(([*self.headings], self.lead))
                case "list_item_close" | "dd_close":
                    self.items.pop()
                    self.headings, self.lead = self.outside.pop()  # what is within an item ends with it
                case "bullet_list_close" | "ordered_list_close" | "dl_close":
                    self.lead, self.term = (self.lead, self.term) if self.items else ("", "")
                case "dt_open":
                    term = True
                case "dt_close":
                    term = False
                case "thead_open":
                    self.columns = []
                case "tr_open":
                    row = []
                case "tr_close":
                    self._row(row or [])
                    row = None
                case "table_close":
                    self.lead = ""
                case "hr" if not self.items:
                    self.headings = [row for row in self.headings if row[0] < RUN_IN]
                case "fence" | "code_block":
                    self.add("code", token.content.strip(), lead=self.lead, parent=self._parent())
                case "html_block" if _SUMMARY.search(token.content):
                    self._fold(_SUMMARY.search(token.content)[1])  # type: ignore[index]
                case "html_block" if "</details>" in token.content and self.folds:
                    self.headings = self.folds.pop()
                case "html_block" if is_prose(token.content):
                    self.walk(_parser(html=False).parse(untagged(token.content)))
                case "inline" if row is not None:
                    row.append(self.words(token))
                case "inline":
                    self._words(token, level, term=term)
                    level = 0

    def _parent(self) -> str:
        return next((name for name in reversed(self.items) if name), self.term)

    def _words(self, token: Token, level: int, *, term: bool) -> None:
        said = "" if _navigation(token) else self.words(token)
        if not said:
            return
        if level or (not self.items and not term and _is_bold_line(token, asks=self.run_ins)):
            self._heading(said, level or BOLD)
        elif self.items and not self.items[-1]:
            done, said = _ticked(token, said)
            outer = self._parent()
            self.items[-1] = self.add(
                "item", said, parent=outer, lead=self.lead, done=done, strong=_strong(token)
            )
        elif self.items:
            self.add("paragraph", said, parent=self._parent(), lead=self.lead)
            if said.endswith((":", "：")):
                self.lead = said
        elif term:
            self.term = ""
            self.term = self.add("item", said, lead=self.lead)
        elif _is_code(token.content):
            self.add("code", token.content.strip(), lead=self.lead)
        elif _is_form(token.content):
            for line in token.content.split("\n"):
                self.add("paragraph", bare(line))
            self.lead = ""
        else:
            said = self._behind_heading(token, said)
            self.add("paragraph", said, strong=_strong(token))
            self.lead = said

    def _behind_heading(self, token: Token, said: str) -> str:
        """What a paragraph says behind the words in bold that are its heading."""
        found = _RUN_IN.match(token.content) if _runs_in(token) else None
        alone = found is not None and not self.run_ins  # then it has to say what follows
        if (
            found is None
            or (alone and not (role_of(found["label"]) or clause_role(found["label"])))
            or not said.startswith(found["label"])
        ):
            self.headings = [row for row in self.headings if row[0] < RUN_IN]  # one of its own ends it
            return said
        self._heading(found["label"] + found["stop"].strip(".。"), RUN_IN)
        return said.removeprefix(found["label"]).lstrip(".:：。?？ \n")

    def _heading(self, said: str, level: int) -> None:
        said = without_comments(said).strip() or said
        self.headings = [row for row in self.headings if row[0] < level]
        self.add("heading", said, level=level)
        self.headings.append((level, said))
        self.lead = ""

    def _fold(self, said: str) -> None:
        """The title of a part that can be folded: below the heading right above it, else beside the last one."""
        self.folds.append([*self.headings])
        last = self.headings[-1][0] if self.headings else 1
        right = bool(self.blocks) and self.blocks[-1].kind == "heading"
        self._heading(bare(said), max(2, min(last, 6) + (1 if right else 0)))

    def _row(self, cells: list[str]) -> None:
        """The first row names the columns, unless it is a statement itself; each other one is a block."""
        if not self.columns:
            self.columns = cells or [""]
            if not _states(cells):
                return
            self.columns = [""] * len(cells)
        named = tuple((column, cell) for column, cell in zip(self.columns, cells, strict=False))
        if any(cell for _, cell in named):
            words = " | ".join(cell for _, cell in named if cell)
            self.add("row", words, cells=named, lead=self.lead, parent=self._parent())


def _states(cells: Sequence[str]) -> bool:
    """Whether the first row of a table is no header: it is numbered, or a sentence, and names no known column."""
    said = [cell for cell in cells if cell]
    numbered = bool(said) and re.fullmatch(r"\d{1,3}[.)]?|[A-Z]{1,5}-?\d{1,4}", said[0]) is not None
    tells = any(len(cell.split()) > 4 or cell.endswith((".", "。")) for cell in said[1:])
    return numbered and tells and not any(column_of(cell) for cell in said)


def _ticked(token: Token, said: str) -> tuple[bool | None, str]:
    """Whether an item is ticked, and its words without the mark."""
    first = token.children[0] if token.children else None
    if first is not None and first.type == "html_inline" and "task-list-item-checkbox" in first.content:
        return "checked=" in first.content, said
    found = _TASK.match(said)
    return (found[1] in "xX", said[found.end() :]) if found else (None, said)


def _strong(inline: Token) -> tuple[str, ...]:
    """The words in bold of a paragraph or an item."""
    found: list[str] = []
    depth = 0
    for child in inline.children or []:
        depth += (child.type == "strong_open") - (child.type == "strong_close")
        if child.type == "strong_open":
            found.append("")
        elif depth and child.type in ("text", "code_inline"):
            found[-1] += child.content
    return tuple(words.strip() for words in found if words.strip())


def _is_form(content: str) -> bool:
    """Whether each line of a paragraph is a label with a value: `Version: 2`."""
    lines = content.split("\n")
    return len(lines) > 1 and all(_FIELD.match(line) for line in lines)


def _is_code(content: str) -> bool:
    """Whether the lines of a paragraph are code that was indented: blocks, calls and assignments."""
    lines = content.split("\n")
    marks = sum(content.count(mark) for mark in "(){}[];=")
    return (
        len(lines) > 1
        and marks > 2 * len(lines)
        and sum(bool(_CODE.search(line)) for line in lines) * 2 >= len(lines)
    )


def _is_bold_line(inline: Token, *, asks: bool) -> bool:
    """Whether a paragraph is one line all in bold and short: its author made a heading of it. `asks`: a question may be one."""
    children = [
        child for child in inline.children or [] if child.type != "text" or child.content.strip(" :：")
    ]
    return (
        len(children) > 2
        and children[0].type == "strong_open"
        and children[-1].type == "strong_close"
        and sum(child.type == "strong_open" for child in children) == 1
        and len(inline.content) <= 80
        and (
            not inline.content.rstrip("*_ ").endswith((".", "。", "!", "?", "？", "！"))
            or (asks and inline.content.rstrip("*_ ").endswith(("?", "？")))
            or role_of(inline.content) != ""
        )
    )


def _runs_in(token: Token) -> bool:
    """Whether a paragraph opens with its heading in bold, which is neither an identifier nor names a property."""
    found = _RUN_IN.match(token.content) if token.type == "inline" else None
    return (
        found is not None
        and len(found["label"].split()) <= 9
        and not _IDENTIFIED.match(found["label"])
        and not _is_form(token.content)
    )


def _asks(token: Token) -> bool:
    """Whether a paragraph is a question in bold, and no more."""
    return token.type == "inline" and re.fullmatch(r"\*\*[^*\n]{4,78}[?？]\*\*", token.content) is not None


def _navigation(inline: Token) -> bool:
    """Whether nothing but links and images stands in a line: badges, translations, a table of contents."""
    depth, links, outside = 0, 0, ""
    for child in inline.children or []:
        depth += (child.type == "link_open") - (child.type == "link_close")
        links += child.type in ("link_open", "image")
        if not depth and child.type in ("text", "code_inline"):
            outside += child.content
    return links > 1 and not re.search(r"\w", outside)


def readable(text: str) -> str:
    """The words of a Markdown text as a reader sees them, one block a line; code and front matter are left out."""
    return "\n".join(
        _shown(_parser().parse(as_hashes(with_fences(_split_front(_UNPAIRED.sub(" ", text))[1]))))
    )


def _shown(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "html_block" and is_prose(token.content):
            yield from _shown(_parser(html=False).parse(untagged(token.content)))
        elif token.type == "inline" and not _navigation(token):
            yield shown(token)

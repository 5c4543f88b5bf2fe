"""The elements of pages and components with their lines: HTML, Vue and Svelte by the parser of HTML, JSX by its grammar.

Attributes have the names of HTML whatever the language calls them (`className`, `:alt`, `@click`, `on:click`), and None as
the value where code decides it. An element into which code spreads attributes that nobody sees has `is_open`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from importlib import import_module
from typing import TYPE_CHECKING

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression

if TYPE_CHECKING:
    from tree_sitter import Node

_HTML = ("html", "htm", "vue", "svelte")
_GRAMMARS = {
    "jsx": ("tree_sitter_javascript", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}
_NAMES = {"classname": "class", "htmlfor": "for", "key": "key"}
_PREFIX = expression(r"^(?::|v-bind:|bind:)(?=.)|^(?:@|v-on:|on:)(?=.)")
_VOID = frozenset(
    {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
    }
)
_REPEATS = expression(r"\.\s*(?:map|flatMap)\s*\(")
PIECE = 4_096  # characters that the parser of HTML takes at once
SECONDS = 5.0  # for one file; what comes later is left out
UNFINISHED = 10_000  # characters of a tag that never ends; the parser would try each of its beginnings
LARGEST = 1_000_000  # characters of a component; larger ones are generated


@dataclass(frozen=True, slots=True)
class Element:
    """One opening tag."""

    tag: str
    attributes: Mapping[str, str | None]  # None: code decides the value
    line: int  # from 1
    last_line: int
    in_label: bool = False
    is_open: bool = False
    is_repeated: bool = False  # one of a list that code makes

    @property
    def lines(self) -> range:
        return range(self.line, self.last_line + 1)

    def says(self, *names: str) -> bool:
        """Whether one of the attributes is there with a value that is not empty, or one that code decides."""
        return any(
            name in self.attributes and (self.attributes[name] is None or str(self.attributes[name]).strip())
            for name in names
        )


@dataclass(frozen=True, slots=True)
class StyleText:
    """The content of a <style> element."""

    text: str
    line: int  # of its first character


@dataclass(slots=True)
class Page:
    """What one file holds."""

    elements: list[Element] = field(default_factory=list)
    styles: list[StyleText] = field(default_factory=list)


def read_page(suffix: str, text: str) -> Page:
    """The elements and styles of a file by its suffix; empty for one without markup."""
    if suffix in _HTML:
        reader = _Reader()
        reader.read(_masked(text) if suffix == "svelte" else text)
        return reader.page
    if suffix in _GRAMMARS and len(text) <= LARGEST:
        return Page(list(_of_jsx(suffix, text)))
    return Page()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.around: list[str] = []
        self.open = Counter[str]()  # of the tags in `around`

    def read(self, text: str) -> None:
        """Take in the text as far as the time goes."""
        deadline = time.monotonic() + SECONDS
        for at in range(0, len(text), PIECE):
            if time.monotonic() > deadline:
                return
            self.feed(text[at : at + PIECE])
        if len(self.rawdata) < UNFINISHED:
            self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        text = self.get_starttag_text() or ""
        names: dict[str, str | None] = {}
        is_open = False
        for name, value in attrs:
            if name.startswith("{...") or name == "v-bind":
                is_open = True
            elif name.startswith("{") and name.endswith("}"):
                names[name[1:-1]] = None
            else:
                plain, from_code = _plain(name, value)
                names[plain] = None if from_code else value or ""
        is_repeated = "v-for" in names
        in_label = self.open["label"] > 0
        self.page.elements.append(
            Element(tag, names, line, line + text.count("\n"), in_label, is_open, is_repeated)
        )
        if tag not in _VOID and not text.rstrip().endswith("/>"):
            self.around.append(tag)
            self.open[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        while self.open[tag]:  # what was not closed ends with it
            last = self.around.pop()
            self.open[last] -= 1
            if last == tag:
                return

    def handle_data(self, data: str) -> None:
        if self.around and self.around[-1] == "style" and data.strip():
            self.page.styles.append(StyleText(data, self.getpos()[0]))


def _plain(name: str, value: str | None) -> tuple[str, bool]:
    """The name as HTML has it, and whether code decides the value."""
    match = _PREFIX.match(name)
    if match is None:
        return _NAMES.get(name, name), (value or "").startswith("{")
    rest = name[match.end() :].partition(".")[0].partition("|")[0]
    is_event = match[0] in ("@", "v-on:", "on:")
    return ("on" + rest if is_event else _NAMES.get(rest, rest)), True


def _masked(text: str) -> str:
    """Svelte's text with what would end a tag or an attribute inside its braces replaced, lines and columns as they were."""
    out: list[str] = []
    depth = 0
    for char in text:
        if char == "{":
            depth += 1
        elif char == "}":
            depth = max(0, depth - 1)
        elif depth and char in "<>\"'= \t":
            out.append("_")
            continue
        out.append(char)
    return "".join(out) if not depth else text  # braces that never close are no expressions


def _of_jsx(suffix: str, text: str) -> Iterator[Element]:
    from tree_sitter import Language, Parser

    wheel, function = _GRAMMARS[suffix]
    tree = Parser(Language(getattr(import_module(wheel), function)())).parse(text.encode("utf-8", "replace"))
    waiting: list[tuple[Node, bool, bool]] = [(tree.root_node, False, False)]
    while waiting:
        node, in_label, is_repeated = waiting.pop()
        if node.type in ("jsx_opening_element", "jsx_self_closing_element"):
            element = _element(node, in_label, is_repeated)
            if element is not None:
                yield element
        repeated = is_repeated
        if node.type == "jsx_element":
            opening = node.child(0)
            name = opening.child_by_field_name("name") if opening is not None else None
            children = list(node.children)
            yield from _jsx_element(opening, in_label, is_repeated)
            around = in_label or _text(name) == "label"
            waiting += [(child, around, False) for child in reversed(children[1:])]
            if opening is not None:
                waiting += [(child, in_label, False) for child in reversed(opening.children)]
            continue
        if node.type == "call_expression":
            called = node.child_by_field_name("function")
            repeated = called is not None and bool(_REPEATS.search(_text(called)[-40:] + "("))
        elif node.type not in _PASSES:
            repeated = False
        waiting += [(child, in_label, repeated) for child in reversed(node.children)]


_PASSES = frozenset(  # between a call of `map` and the element that it makes
    {"arguments", "arrow_function", "function_expression", "statement_block", "return_statement"}
    | {"parenthesized_expression", "ternary_expression", "binary_expression"}
)


def _jsx_element(opening: Node | None, in_label: bool, is_repeated: bool) -> Iterator[Element]:
    element = None if opening is None else _element(opening, in_label, is_repeated)
    if element is not None:
        yield element


def _element(node: Node, in_label: bool, is_repeated: bool) -> Element | None:
    """The element of an opening tag; None for a fragment, which has no name."""
    name = node.child_by_field_name("name")
    if name is None:
        return None
    names: dict[str, str | None] = {}
    is_open = False
    for child in node.children:
        if child.type == "jsx_expression":
            is_open = True
        elif child.type == "jsx_attribute":
            key, value = _attribute(child.children)
            names[key] = value
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    return Element(_text(name), names, first, last, in_label, is_open, is_repeated)


def _attribute(parts: Sequence[Node]) -> tuple[str, str | None]:
    plain = _text(parts[0]).lower()
    key = _NAMES.get(plain, plain)
    if len(parts) == 1:
        return key, ""
    value = parts[-1]
    if value.type == "string":
        return key, _text(value)[1:-1]
    return key, None


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")

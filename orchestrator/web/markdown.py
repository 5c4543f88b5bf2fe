"""Documents as HTML. Whoever wrote them, they bring no markup of their own, load nothing and lead nowhere unseen.

Markdown is parsed without HTML, its tokens are changed here (links, images, diagrams, tables), and what the renderer makes of
them goes through a sanitizer with a list of tags. Diagrams are put in afterwards, in the places that were kept for them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape

import nh3
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.inert import inert
from orchestrator.domain.patterns import expression
from orchestrator.web.document_links import LinkRules, Target
from orchestrator.web.document_parts import Parsed, parse
from orchestrator.web.document_text import Heading
from orchestrator.web.flowchart import chart_svg, parse_flowchart

RENDER_LIMIT = 256 * 1024  # bytes; of a longer document its beginning
RENDER_LINES = 25_000  # likewise: a line may be an element
OUTPUT_LIMIT = 4 * RENDER_LIMIT  # characters; what grows beyond is shown as its source
MOST_BRACKETS = 12_000  # opening ones: each may be a link, and is tried. With more, the source is shown
CACHE_LIMIT = 16 * 1024 * 1024  # characters of rendered documents that are kept
CARD_CELLS = 2_000  # cells of a table that carry their column's name for small screens
TAGS = {
    *("a", "blockquote", "br", "code", "del", "s", "div", "em", "figure", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("hr", "li", "ol", "p", "pre", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
ATTRIBUTES = {
    "a": {"href", "rel", "class"},
    "ol": {"start"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "span": {"class", "id"},
    "table": {"class"},
    "td": {"class", "data-name"},
    "th": {"class", "scope"},
    "figure": {"id"},
    "pre": {"class"},
    **{f"h{level}": {"id"} for level in range(1, 7)},
}
MOST_CHARTS = 40  # in one document; further diagrams are shown as their source
_FIGURE = expression(r'<figure id="diagram-(\d{1,6})"></figure>')
_ALIGNED = expression(r"text-align:(left|right|center)")


@dataclass(frozen=True, slots=True)
class Rendered:
    html: Markup
    headings: tuple[Heading, ...] = ()
    front: tuple[tuple[str, str], ...] = ()
    shown_bytes: int | None = None  # when not all of it is shown
    plain: bool = False  # its source, because of its nesting, brackets or size


def rendered(body: bytes, links: LinkRules, changed: frozenset[str] = frozenset()) -> Rendered:
    """The document as HTML; `changed`: anchors of headings that get a badge. Kept by the digest of all that goes in."""
    key = sha256(
        b"\0".join(
            [
                sha256(body).digest(),
                links.path.encode(),
                links.address("x").encode(),
                *(path.encode() for path in sorted(links.known)),
                b"",
                *(anchor.encode() for anchor in sorted(changed)),
            ]
        )
    ).digest()
    found = _CACHE.get(key)
    if found is None:
        found = _render(body, links, changed)
        _CACHE.put(key, found)
    return found


class _Cache:
    """What was used last, up to a number of characters."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, Rendered] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: bytes) -> Rendered | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: bytes, value: Rendered) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = value
            self._size += len(value.html)
            while self._size > CACHE_LIMIT and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1].html)


_CACHE = _Cache()


def _render(body: bytes, links: LinkRules, changed: frozenset[str]) -> Rendered:
    text = body[:RENDER_LIMIT].decode("utf-8", "replace")
    shown = None
    if len(body) > RENDER_LIMIT or text.count("\n") > RENDER_LINES:
        text = "".join(text.splitlines(keepends=True)[:RENDER_LINES])
        text = text[: text.rfind("\n") + 1] or text
        shown = len(text.encode())
    if text.count("[") > MOST_BRACKETS:
        return Rendered(as_text(text), shown_bytes=shown, plain=True)
    parsed = parse(text)
    html = Markup() if parsed.too_deep else _Page(parsed, links, changed).html()
    if parsed.too_deep or len(html) > OUTPUT_LIMIT:
        return Rendered(as_text(text), front=parsed.front, shown_bytes=shown, plain=True)
    return Rendered(html, parsed.headings, parsed.front, shown)


def as_text(text: str) -> Markup:
    """`text` as it is written."""
    return Markup(f'<pre class="source">{escape(inert(text))}</pre>')  # noqa: S704 - escaped here


class _Columns:
    """The names of a table's columns, for the cells below them."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.at = self.cells = 0
        self._in_head = False

    def enter(self, cell: Token) -> None:
        if found := _ALIGNED.fullmatch(str(cell.attrs.pop("style", ""))):
            cell.attrs["class"] = found[1]
        self._in_head = cell.type == "th_open"
        if self._in_head:
            cell.attrs["scope"] = "col"
        elif self.at < len(self.names) and self.cells < CARD_CELLS:
            cell.attrs["data-name"] = self.names[self.at]
            self.cells += 1
        self.at += 1

    def name(self, text: str) -> None:
        """Take the text of a head's cell as its column's name."""
        if self._in_head:
            self.names.append(text[:60])
            self._in_head = False


class _Page:
    def __init__(self, parsed: Parsed, links: LinkRules, changed: frozenset[str]) -> None:
        self.parsed, self.links, self.changed = parsed, links, changed
        self.figures: list[Markup] = []

    def html(self) -> Markup:
        tokens = list(self._blocks(self.parsed.tokens))
        if self.parsed.definitions:
            tokens.append(_block(as_text("\n".join(self.parsed.definitions))))
        options = OptionsDict(
            {
                "html": False,
                "xhtmlOut": False,
                "breaks": False,
                "langPrefix": "",
                "linkify": False,
                "typographer": False,
                "quotes": "",
                "maxNesting": 20,
                "highlight": None,
            }
        )
        made = RendererHTML().render(tokens, options, {})
        clean = inert(_cleaner().clean(made))
        whole = _FIGURE.sub(lambda found: self.figures[int(found[1])], clean)
        return Markup(whole)  # noqa: S704 - the sanitizer's, with figures of our own

    def _blocks(self, tokens: Sequence[Token]) -> Iterator[Token]:
        table = _Columns()
        anchor = ""
        for token in tokens:
            match token.type:
                case "section_marker":
                    continue
                case "heading_open":
                    anchor = token.attrs["id"] = token.meta["anchor"]
                    if token.meta["section"]:
                        yield _block(f'<span id="section-{token.meta["section"]}"></span>')
                case "heading_close" if anchor in self.changed:
                    yield _inside(' <span class="tag changed">changed</span>')
                case "fence" | "code_block":
                    yield self._code(token)
                    continue
                case "long_text":
                    yield _inside(escape(token.content))
                    continue
                case "inline":
                    table.name(token.content)
                    token.children = list(self._inlines(token.children or []))
                case "table_open":
                    table = _Columns()
                    token.attrs["class"] = "cards"
                    yield _block('<div class="scroll" tabindex="0" role="region" aria-label="Table">')
                case "tr_open":
                    table.at = 0
                case "th_open" | "td_open":
                    table.enter(token)
            yield token
            if token.type == "table_close":
                yield _block("</div>")

    def _code(self, token: Token) -> Token:
        source = token.content
        if token.info.strip() == "mermaid":
            chart = parse_flowchart(source) if len(self.figures) < MOST_CHARTS else None
            self.figures.append(
                Markup('<figure class="diagram"><div class="scroll">{}</div>{}</figure>').format(
                    chart_svg(chart), _chart_list(chart.labels, chart.arrows)
                )
                if chart is not None
                else Markup(
                    '<figure class="diagram" data-diagram><figcaption>A Mermaid diagram, as its source'
                    '</figcaption><pre class="source" tabindex="0">{}</pre></figure>'
                ).format(inert(source))
            )
            return _block(f'<figure id="diagram-{len(self.figures) - 1}"></figure>')
        info = f'<span class="soft">{escape(token.info.strip())}</span>\n' if token.info.strip() else ""
        return _block(f"<pre>{info}<code>{escape(source)}</code></pre>\n")

    def _inlines(self, tokens: Sequence[Token]) -> Iterator[Token]:
        """The same with every image as a link, and only links that may be one."""
        closings: list[str] = []
        for number, token in enumerate(tokens):
            if token.type == "image":
                label = "".join(_plain_texts(token)) or "image"
                yield _inside(
                    f"{escape(label)} (image, not loaded)"
                    if closings  # a link in a link is none
                    else self._image(label, str(token.attrs.get("src", "")))
                )
            elif token.type == "link_open":
                href = str(token.attrs.get("href", ""))
                opening, closing = self._link(href, str(token.attrs.get("title", "")))
                closings.append(closing)
                is_empty = tokens[number + 1].type == "link_close"
                yield _inside(opening + (escape(href) if is_empty else ""))
            elif token.type == "link_close":
                yield _inside(closings.pop())
            else:
                yield token

    def _link(self, href: str, title: str) -> tuple[str, str]:
        """What opens and closes it. A title, which nobody would see, follows as text."""
        target = self.links.target(href)
        said = f" “{escape(title)}”" if title else ""
        if target is None:
            return "", f" <code>{escape(href)}</code>{said}"
        return _opening(target), _closing(target) + said

    def _image(self, label: str, href: str) -> str:
        target = self.links.target(href)
        if target is None:
            return f"{escape(label)} (image, not loaded) <code>{escape(href[:200])}</code>"
        return f"{_opening(target)}{escape(label)} (image, not loaded){_closing(target)}"


def _opening(target: Target) -> str:
    if not target.host:
        return f'<a href="{escape(target.href)}">'
    return f'<a class="outside" rel="noopener noreferrer nofollow" href="{escape(target.href)}">'


def _closing(target: Target) -> str:
    return f'</a> <span class="host">({escape(target.host)})</span>' if target.host else "</a>"


def _chart_list(labels: dict[str, str], arrows: Sequence[tuple[str, str]]) -> Markup:
    """The chart in words, for screen readers."""
    rows = [Markup("<li>{}</li>").format(inert(label)) for label in labels.values()]
    rows += [
        Markup("<li>{} → {}</li>").format(inert(labels[start]), inert(labels[end])) for start, end in arrows
    ]
    return Markup('<ul class="hidden">{}</ul>').format(Markup("").join(rows))


def _plain_texts(token: Token) -> Iterator[str]:
    for child in token.children or ():
        if child.children:
            yield from _plain_texts(child)
        elif child.type in ("softbreak", "hardbreak"):
            yield " "
        else:
            yield child.content


def _block(html: str) -> Token:
    """A token that the renderer writes as it is, between blocks."""
    return Token("html_block", "", 0, content=html)


def _inside(html: str) -> Token:
    """The same inside a line."""
    return Token("html_inline", "", 0, content=html)


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=TAGS,
        clean_content_tags={"script", "style"},
        attributes=ATTRIBUTES,
        link_rel=None,
        url_schemes={"http", "https", "mailto"},
        strip_comments=True,
    )

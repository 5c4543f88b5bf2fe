"""The parts of a document as Markdown: its tokens, and its headings with their anchors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache

import regex
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.inert import one_line
from orchestrator.web.document_text import MARKER, Heading, split_front, without_noise

INLINE_LIMIT = 16 * 1024  # characters of one paragraph or cell; a longer one is shown as it is written
BRACKET_LIMIT = 400  # opening ones in it, likewise: each may begin a link, and is tried
NESTING = 40  # levels; a list in a list is two. The parser leaves out what is deeper
_NO_SLUG = regex.compile(r"[^\p{L}\p{N}\p{M} _-]")


@dataclass(frozen=True, slots=True)
class Parsed:
    tokens: Sequence[Token]  # each heading's opening token has its anchor as `meta["anchor"]`
    headings: tuple[Heading, ...]
    front: tuple[tuple[str, str], ...]
    definitions: tuple[str, ...]  # of links: they can hold text that would not be shown
    too_deep: bool  # some of the text is not among the tokens


def parse(text: str) -> Parsed:
    """The document's tokens and headings. Never raises for what a document says."""
    front, body = split_front(text)
    env: dict[str, dict[str, dict[str, str]]] = {}
    tokens = _parser().parse(body, env)
    definitions = tuple(
        f"[{label}]: {found['href']} {found['title']}".rstrip()
        for label, found in env.get("references", {}).items()
    )
    too_deep = any(token.level >= NESTING - 1 for token in tokens)
    return Parsed(tokens, tuple(_headings(tokens, body.split("\n"))), front, definitions, too_deep)


def slug_of(heading: str) -> str:
    """The anchor that Markdown's viewers make of a heading."""
    return _NO_SLUG.sub("", heading.strip().lower()).replace(" ", "-")


@cache
def _parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": NESTING}).enable(["table", "strikethrough"])
    made.block.ruler.before("paragraph", "section_marker", _marker, {"alt": ["paragraph", "blockquote"]})
    made.core.ruler.before("inline", "long_text", _leave_long_text)
    return made


def _marker(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take a line with our marker only: `<!-- section: key -->` names the next heading, `<!-- empty -->` is dropped."""
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]].strip()
    found = MARKER.fullmatch(line)
    if found is None:
        return False
    if not silent:
        state.line = start + 1
        token = state.push("section_marker", "", 0)
        token.hidden = True
        token.meta = {"key": found[1] or ""}
    return True


def _leave_long_text(state: StateCore) -> None:
    """Parsing the inside of a paragraph may take the square of its length: what is too much stays text."""
    for token in state.tokens:
        if token.type == "inline" and (
            len(token.content) > INLINE_LIMIT or token.content.count("[") > BRACKET_LIMIT
        ):
            token.children = [Token("text", "", 0, content=token.content)]
            token.type = "long_text"


def _headings(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Heading]:
    """Each heading, its anchor noted at its token; anchors are distinct."""
    taken: dict[str, int] = {}
    sections: dict[str, int] = {}
    places = [number for number, token in enumerate(tokens) if token.type == "heading_open"]
    starts = [(tokens[number].map or [0, 0])[0] for number in places] + [len(lines)]
    for at, number in enumerate(places):
        token, inside = tokens[number], tokens[number + 1]
        title = one_line("".join(_texts(inside)), 300)
        base = slug_of(title)[:120] or "heading"
        taken[base] = taken.get(base, 0) + 1
        anchor = f"doc-{base}" if taken[base] == 1 else f"doc-{base}-{taken[base] - 1}"
        before = tokens[number - 1] if number else None
        key = before.meta["key"] if before is not None and before.type == "section_marker" else ""
        section = key if not key or key not in sections else f"{key}-{sections[key]}"
        sections[key] = sections.get(key, 0) + 1
        token.meta["anchor"] = anchor
        token.meta["section"] = section
        own = "\n".join(without_noise("\n".join(lines[starts[at] : starts[at + 1]]))).strip()
        yield Heading(int(token.tag[1]), title, anchor, section, hashlib.sha256(own.encode()).hexdigest())


def _texts(token: Token) -> Iterator[str]:
    for child in token.children or ():
        if child.type in ("text", "code_inline", "text_special"):
            yield child.content
        elif child.type in ("softbreak", "hardbreak"):
            yield " "
        elif child.children:
            yield from _texts(child)

"""A request as sentences, each with the section it stands in: Markdown, labels ("Limits:"), lists, wrapped lines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from orchestrator.domain.text import is_cjk, keywords
from workers.builtin.language import Lexicon, lexicon, lexicon_of
from workers.builtin.markup import is_prose, shown, written

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_CHARS = 1_100_000  # of a request, which holds at most one mebibyte; more of a document is not read
MAX_SENTENCE = 1_200  # characters
_LABEL = re.compile(r"^([^:：,，。.;；!?]{1,40})[:：]\s*(.*)$", re.DOTALL)
_NUMBERED = re.compile(r"^\s*(?:[（(]?\d{1,2}[)）、]|\d{1,2}\.(?!\d)|[一二三四五六七八九十]{1,3}、)\s*")
_SEMICOLON = re.compile(r"(?<!&lt)(?<!&gt)(?<!&amp)(?<!&nbsp)(?:;(?=\s|[^\x00-\x7f])|；)\s*(?![^(（]*[)）])")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_UNPAIRED = re.compile(r"[\ud800-\udfff\x00]")


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, list item, heading or table cell."""

    text: str
    kind: str  # heading, paragraph, item
    level: int = 0
    lead: str = ""  # the paragraph that introduces the list


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str  # what is said: one sentence, or its part between semicolons
    quote: str  # the whole sentence, word for word
    role: str = ""  # of its section: users, requirements, limits, goals, out, questions, background ...
    priority: str = ""  # given by its heading ("Should have") or by the words that introduce its list
    item: bool = False
    heading: str = ""
    intro: bool = False  # before the first section with a role


@cache
def _parser(*, html: bool = True) -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable("code")  # what is indented is read as text
    return parser if html else parser.disable("html_block")


def _navigation(inline: Token) -> bool:
    """Whether nothing but links and images stands in a line: badges, translations, a table of contents."""
    depth, links, outside = 0, 0, ""
    for child in inline.children or []:
        depth += (child.type == "link_open") - (child.type == "link_close")
        links += child.type in ("link_open", "image")
        if not depth and child.type in ("text", "code_inline"):
            outside += child.content
    return links > 1 and not re.search(r"\w", outside)


def blocks(text: str, words: Callable[[Token], str] = shown) -> Iterator[Block]:
    """The readable blocks of a Markdown text in order; fenced code, HTML and front matter are left out.

    `words` reads the text of one block: as it is shown, or as it was written.
    """
    clean = _FRONT_MATTER.sub("", _UNPAIRED.sub(" ", text[:MAX_CHARS]).replace("\r\n", "\n"))
    yield from _read(_parser().parse(textwrap.dedent(clean)), words)


def _read(tokens: Iterable[Token], words: Callable[[Token], str], in_items: int = 0) -> Iterator[Block]:
    lead, kind, level = "", "paragraph", 0
    for token in tokens:
        if token.type == "list_item_open":
            in_items += 1
        elif token.type == "list_item_close":
            in_items -= 1
        elif token.type == "heading_open":
            kind, level = "heading", int(token.tag[1])
        elif token.type == "html_block" and is_prose(token.content):
            yield from _read(_parser(html=False).parse(token.content), words, in_items)
        elif token.type == "inline":
            said = "" if _navigation(token) else words(token)
            is_item = in_items > 0 and kind != "heading"
            if said:
                yield Block(said, "item" if is_item else kind, level, lead if is_item else "")
            if not is_item:
                lead = said if kind == "paragraph" else ""
            kind, level = "paragraph", 0


def split(text: str, lex: Lexicon) -> list[str]:
    """Sentences of one block; abbreviations, decimals and ellipses do not end one."""
    import sentencex  # type: ignore[import-untyped]

    language = "zh" if is_cjk(text) else lex.language  # 。 ends a sentence in Japanese too
    pieces = [piece.strip() for piece in sentencex.segment(language, text)]
    return [part for piece in pieces if piece for part in _bounded(piece)]


def _bounded(piece: str) -> list[str]:
    """A sentence of many pages is none: it is cut, so that no rule takes minutes over it."""
    return [piece[i : i + MAX_SENTENCE] for i in range(0, len(piece), MAX_SENTENCE)]


def parts_of(sentence: str) -> list[str]:
    """The statements of one sentence between semicolons."""
    pieces = [piece.strip() for piece in _SEMICOLON.split(sentence)]
    pieces = [piece for piece in pieces if piece]
    return pieces if len(pieces) > 1 and all(len(piece) > 3 for piece in pieces) else [sentence.strip()]


def role_of(heading: str, lex: Lexicon) -> str:
    return next((role for role, pattern in lex.roles if pattern.search(heading)), "")


def _priority_of(heading: str, lex: Lexicon) -> str:
    return next((name for name, pattern in lex.heading_priority if pattern.search(heading)), "")


def _split_label(text: str) -> tuple[str, str, str]:
    """(label, its role, the rest) when the block begins with a label that names a section, else empty."""
    match = _LABEL.match(text)
    if not match or len(match[1].split()) > 5:
        return "", "", text
    lex = lexicon_of(match[1])
    role = role_of(match[1], lex)
    return (match[1], role, match[2]) if role else ("", "", text)


def sentences(text: str) -> list[Sentence]:
    """All sentences of a request, in order."""
    found: list[Sentence] = []
    headings: list[tuple[int, str, str]] = []  # level, text, role
    seen_role = False
    for block in blocks(text, written):
        if block.kind == "heading":
            headings = [row for row in headings if row[0] < block.level]
            role = role_of(block.text, lexicon_of(block.text)) if block.level > 1 or headings else ""
            headings.append((block.level, block.text, role))
            seen_role = seen_role or role not in ("", "background")
            continue
        role = next((row[2] for row in reversed(headings) if row[2]), "")
        heading = headings[-1][1] if headings else ""
        label, label_role, said = _split_label(_NUMBERED.sub("", block.text))
        if not label and block.lead:
            _, label_role, _ = _split_label(block.lead) if block.lead.endswith((":", "：")) else ("", "", "")
        if label_role:
            role, seen_role = label_role, seen_role or label_role != "background"
            heading = label or block.lead
        if not said:
            continue
        priority = _priority_of(heading, lexicon_of(heading)) if heading else ""
        if block.lead.endswith((":", "：")) and not priority:
            priority = lead_priority(block.lead)
            role = role or ("requirements" if priority else "")
        frame = Sentence("", "", role, priority, block.kind == "item", heading, not seen_role)
        for quote in split(said, lexicon_of(said)):
            found.extend(replace(frame, text=part, quote=quote) for part in parts_of(quote))
    return found


def is_telling(text: str) -> bool:
    """Whether a text has enough words to say what is wanted: one alone names something at most."""
    words = keywords(text)
    return len(words) > 1


def lead_priority(lead: str) -> str:
    """The priority that "The system must:" gives to the items below it."""
    lex = lexicon_of(lead)
    return next((name for name, pattern in lex.modals if pattern.search(lead)), "")


def readable(text: str) -> str:
    """The words of a Markdown text without its marks, one block a line."""
    return "\n".join(block.text for block in blocks(text))


def lexicon_for(language: str | None, text: str) -> Lexicon:
    return lexicon(language) if language in ("en", "zh") else lexicon_of(text)

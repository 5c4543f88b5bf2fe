"""Markdown parsed part by part, and no part twice: a run's pages are checked one by one, and then judged all together.

A text is divided at blank lines before a heading, its marker or a rule, where CommonMark closes whatever is open. Two
things reach further: a fence or HTML without its end, and the definition of a link. A text with either is parsed as one.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression

if TYPE_CHECKING:  # a host has no Markdown to read before its first run
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

KNOWN_CHARS = 128 * 1024  # of parts that a thread remembers; their tokens take some thirty times as much
_DIVIDE = expression(r"\n[ \t]*\n(?=#{1,6} |---\n|<!-- section: )")
_MARKS = expression(r"[\n&*<\[\\_`~]")  # a text without any of them is one token
# what only one of the dialects knows: code by indentation, ~~, definitions, boxes to tick
_PARTICULAR = expression(r"[\t~]| {4}|\[[ xX]\]|^[ >*+.)\d-]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Dialect:
    name: str
    make: Callable[[], MarkdownIt]


@dataclass(frozen=True, slots=True)
class Part:
    line: int  # of the text at which it begins; 0 is the first
    tokens: Sequence[
        Token
    ]  # shared: nobody may change them; the lines where they begin count from the part's first


def parse(text: str, dialect: Dialect) -> list[Part]:
    """The parts of a text in order."""
    whole = not text.endswith("\n") or "\r" in text or "\0" in text  # the parser replaces these
    parts, line = [], 0
    for piece in () if whole else _pieces(text):
        words = piece.lstrip("\n")
        tokens, ends = _known(words.rstrip("\n") + "\n\n", dialect)
        if not ends:
            whole = True
            break
        parts.append(Part(line + len(piece) - len(words), tokens))
        line += piece.count("\n")
    return [Part(0, parser_of(dialect).parse(text))] if whole else parts


def forget() -> None:
    """Let go of what this thread has parsed; called when a run is over, whose pages nobody parses again."""
    _remembered.clear()


@cache
def parser_of(dialect: Dialect) -> MarkdownIt:
    parser = dialect.make()
    parser.core.ruler.at("inline", _inline)
    return parser


def _pieces(text: str) -> list[str]:
    cuts = [found.end() for found in _DIVIDE.finditer(text)]
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _known(piece: str, dialect: Dialect) -> tuple[Sequence[Token], bool]:
    """The tokens of a piece, and whether nothing in it reaches beyond it."""
    key = (piece, dialect.name if _PARTICULAR.search(piece) else "")
    found = _remembered.parts.get(key)
    if found is None:
        env: dict[str, Any] = {}
        tokens = parser_of(dialect).parse(piece, env)
        found = tokens, not env.get("references") and not _is_open(tokens, piece)
        _remembered.add(key, found)
    return found


def _is_open(tokens: Sequence[Token], piece: str) -> bool:
    """Whether a fence or HTML goes on up to the end, blank lines included: then it may have no end of its own."""
    last = tokens[-1] if tokens else None
    return (
        last is not None
        and last.type in ("fence", "html_block")
        and last.map is not None
        and last.map[1] >= piece.count("\n")
    )


@dataclass
class _Remembered(threading.local):
    parts: dict[tuple[str, str], tuple[Sequence[Token], bool]] = field(default_factory=dict)
    chars: int = 0

    def add(self, key: tuple[str, str], found: tuple[Sequence[Token], bool]) -> None:
        if self.chars + len(key[0]) > KNOWN_CHARS:
            self.clear()
        if len(key[0]) <= KNOWN_CHARS:
            self.parts[key] = found
            self.chars += len(key[0])

    def clear(self) -> None:
        self.parts.clear()
        self.chars = 0


_remembered = _Remembered()


def _inline(state: StateCore) -> None:
    """The parser's own rule, with a short way for words without any mark."""
    from markdown_it.token import Token

    for token in state.tokens:
        if token.type != "inline":
            continue
        if token.children is None:
            token.children = []
        if token.content and not _MARKS.search(token.content):
            token.children.append(Token("text", "", 0, content=token.content))
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)

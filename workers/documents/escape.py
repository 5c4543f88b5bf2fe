"""Text from outside, written so that Markdown, YAML and Mermaid show it and never obey it.

Every output of a template passes `finish`: what is not `Safe` is escaped as inline text. A template that forgets a
filter therefore shows too many backslashes, and never opens a heading, a link, a tag, a fence or a table column.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable

import regex
from jinja2 import Undefined

from orchestrator.domain.inert import markdown
from orchestrator.domain.text import table_cells

MERMAID_LABEL_LIMIT = 60  # characters; a longer label makes the drawing unreadable

_INVISIBLE = regex.compile(
    r"[\p{Cc}\p{Cs}\u200B\u200E\u200F\u061C\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\uFFFE\uFFFF]"
)
_NUMBERED = regex.compile(r"\d{1,9}(?=[.)](?:\s|$))")
_MARKED = regex.compile(r"[-+](?=\s|$|-)|[=:>]|#{1,6}(?:\s|$)")
_MERMAID_PLAIN = regex.compile(r"[\p{L}\p{M}\p{N} .,/'+-]")


class Safe(str):
    """Text that is already in the form its place asks for."""

    __slots__ = ()


def one_line(text: object) -> str:
    """`text` on one line, in one normal form, without characters that cannot be seen."""
    spaced = " ".join(str(text).split())
    return unicodedata.normalize("NFC", " ".join(_INVISIBLE.sub("", spaced).split()))


def inline(text: object) -> Safe:
    """One line of Markdown that shows `text`: inside a sentence, at the start of a line, in a list or a table cell."""
    if isinstance(text, Safe):
        return text
    line = one_line(text) or ("–" if str(text).strip() else "")  # nothing that can be seen is shown as such
    return Safe(_at_line_start(markdown(line)))


def _at_line_start(line: str) -> str:
    """Where the line would open a list, a heading, a quotation or a rule, the mark that does it is escaped."""
    number = _NUMBERED.match(line)
    if number:
        return f"{number[0]}\\{line[number.end() :]}"
    return "\\" + line if _MARKED.match(line) else line


def heading(text: object) -> Safe:
    """`inline` for a heading: a closing run of # is text too, and a heading is never empty."""
    line = inline(text)
    return Safe(regex.sub(r"(#+)$", r"\\\1", line) or "–")


def cell(text: object) -> Safe:
    """`inline` for a table cell, which is never empty."""
    return Safe(inline(text) or "–")


def code(text: object) -> Safe:
    """A code span; what would end it or its table cell is left out."""
    return Safe(f"`{one_line(text).replace('`', '').replace('|', '') or ' '}`")


def quote(text: object) -> Safe:
    """A code span outside of tables, word for word: its fence is longer than any run of backticks within."""
    line = one_line(text) or " "
    fence = "`" * (1 + max(map(len, regex.findall(r"`+", line)), default=0))
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return Safe(f"{fence}{pad}{line}{pad}{fence}")


def cited(line: object) -> Safe:
    """A line of a file as `quote`; a row of a table by its cells, each word for word."""
    return Safe(" ".join(quote(part) for part in table_cells(str(line)) or [str(line)]))


def paragraphs(text: object) -> Safe:
    """Several paragraphs: a blank line of `text` parts them."""
    blocks = regex.split(r"\n\s*\n", str(text))
    return Safe("\n\n".join(line for block in blocks if (line := inline(block))))


def yaml(value: object) -> Safe:
    """A YAML value on one line: JSON is YAML."""
    if isinstance(value, str):
        plain: object = one_line(value)
    elif isinstance(value, Iterable):
        plain = [one_line(entry) for entry in value]
    else:
        plain = value
    return Safe(json.dumps(plain, ensure_ascii=False))


def mermaid(text: object) -> Safe:
    """A quoted Mermaid label: everything but letters, digits and a few marks as a character reference."""
    line = one_line(text)
    if len(line) > MERMAID_LABEL_LIMIT:
        line = line[: MERMAID_LABEL_LIMIT - 1] + "…"
    shown = "".join(c if _MERMAID_PLAIN.fullmatch(c) else f"#{ord(c)};" for c in line)
    return Safe(f'"{shown or "–"}"')


def finish(value: object) -> str:
    """The last step of every template output; refuses what no template may print."""
    if isinstance(value, Safe):
        return value
    if isinstance(value, str | int | float):
        return inline(value)
    if isinstance(value, Undefined):
        return str(value)  # raises, and names what is missing
    raise TypeError(f"a template printed a {type(value).__name__}; print its fields")

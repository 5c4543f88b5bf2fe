"""Untrusted text made harmless to show: no control characters, no terminal escapes, no change of writing direction."""

from __future__ import annotations

import regex

_ACTIVE = regex.compile(r"[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C\u2028\u2029\uFEFF]")
_KEEP = frozenset("\n\t")
_ADDRESS = regex.compile(  # renderers make links of these without being asked; as code they stay what they are
    r"(?:[A-Za-z][A-Za-z0-9+.-]{1,20}://|mailto:|(?<![\w:/])//(?=\w)|www\.)[A-Za-z0-9:/?#@!$&'()*+,;=%~._\[\]-]+"
    r"|(?<![A-Za-z0-9.+_%-])[A-Za-z0-9.+_%-]++@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"  # each run is tried once
)
_MARKUP = regex.compile(
    r"""\\(?=[!-/:-@\[-`{-~]|$)|[`*\[\]~|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=[#A-Za-z])"""
)
_ENDS_ADDRESS = ".,;:!?)]'"


def inert(text: str) -> str:
    """`text` with every active character written out (`\\x1b`), lines and tabs kept."""
    return _ACTIVE.sub(lambda found: found[0] if found[0] in _KEEP else ascii(found[0])[1:-1], text)


def inert_json(text: str) -> str:
    """The same JSON with every active character of its strings escaped: a terminal shows it, and a line stays a line."""
    return _ACTIVE.sub(lambda found: found[0] if found[0] in _KEEP else f"\\u{ord(found[0]):04x}", text)


def one_line(text: str, limit: int = 10_000) -> str:
    """`text` inert, on one line, cut at `limit` characters."""
    joined = inert(" ".join(text.split()))
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def plain_markdown(text: str) -> str:
    """`text` inert, as one line that Markdown shows as it is written, inside a line or in a table's cell."""
    return markdown(one_line(text))


def markdown(line: str) -> str:
    """Markdown that shows a line as it is written; addresses as code."""
    parts: list[str] = []
    at = 0
    for found in _ADDRESS.finditer(line):
        address = found[0].rstrip(_ENDS_ADDRESS)
        parts += [_escaped(line[at : found.start()]), f"`{address}`"]
        at = found.start() + len(address)
    return "".join([*parts, _escaped(line[at:])])


def _escaped(piece: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found[0], piece).replace("<", "&lt;")

"""Untrusted text made harmless to show: no control characters, no terminal escapes, no change of writing direction."""

from __future__ import annotations

import regex

_ACTIVE = regex.compile(r"[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C\u2028\u2029\uFEFF]")
_KEEP = frozenset("\n\t")
_MARKUP = regex.compile(r"([\\`*_\[\]<>|#])")


def inert(text: str) -> str:
    """`text` with every active character written out (`\\x1b`), lines and tabs kept."""
    return _ACTIVE.sub(lambda found: found[0] if found[0] in _KEEP else ascii(found[0])[1:-1], text)


def one_line(text: str, limit: int = 10_000) -> str:
    """`text` inert, on one line, cut at `limit` characters."""
    joined = inert(" ".join(text.split()))
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"


def plain_markdown(text: str) -> str:
    """One line that Markdown shows as it is written."""
    return _MARKUP.sub(r"\\\1", one_line(text))

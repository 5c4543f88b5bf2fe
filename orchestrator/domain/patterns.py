"""Patterns that know Unicode's properties, compiled on first use: their library takes as long to load as a small command.

Python's own `re` knows no `\\p{Han}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import regex


class _Late:
    """Becomes the compiled pattern, method by method, when it is first asked."""

    def __init__(self, text: str, flags: str) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        import regex

        compiled = regex.compile(f"(?{self._flags}){self._text}" if self._flags else self._text)
        for method in ("search", "match", "fullmatch", "findall", "finditer", "sub", "split"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: str, flags: str = "") -> regex.Pattern[str]:
    """`regex.compile(text)`; `flags` as they are written in a pattern: `i`, `s`."""
    return cast("regex.Pattern[str]", _Late(text, flags))

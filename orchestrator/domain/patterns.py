"""Patterns that are compiled when they are first used.

A worker host has seven hundred of them, and a command needs few of those it imports: to compile all takes a tenth of a start.
`expression` is for Python's own `re`; `pattern` is for one that knows Unicode's properties (`re` knows no `\\p{Han}`),
which takes as long to load as a small command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import regex

METHODS = ("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")


class _Late:
    """Becomes the compiled pattern, method by method, when it is first asked."""

    def __init__(self, text: str) -> None:
        self.pattern = text

    def compiled(self) -> object:
        raise NotImplementedError

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = self.compiled()
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


class _LateRe(_Late):
    def __init__(self, text: str, flags: int) -> None:
        super().__init__(text)
        self._flags = flags

    def compiled(self) -> object:
        return re.compile(self.pattern, self._flags)


class _LateRegex(_Late):
    def __init__(self, text: str, flags: str) -> None:
        super().__init__(f"(?{flags}){text}" if flags else text)

    def compiled(self) -> object:
        import regex

        return regex.compile(self.pattern)


def expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile(text, flags)`."""
    return cast("re.Pattern[str]", _LateRe(text, flags))


def pattern(text: str, flags: str = "") -> regex.Pattern[str]:
    """`regex.compile(text)`; `flags` as they are written in a pattern: `i`, `s`."""
    return cast("regex.Pattern[str]", _LateRegex(text, flags))

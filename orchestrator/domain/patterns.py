"""Patterns that are compiled when they are first used.

A worker host has seven hundred of them, and a command needs few of those it imports: to compile all takes a tenth of a start.
`expression` is for Python's own `re`; `pattern` is for one that knows Unicode's properties (`re` knows no `\\p{Han}`),
which takes as long to load as a small command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import regex

METHODS = ("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")
_LONG = 120  # characters of a pattern that is worth a second one
_WORTH = 8_000  # characters of text that are searched before there is a second one


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
        if self._flags == re.IGNORECASE and len(self.pattern) >= _LONG:
            return _LongPattern(self.pattern)
        return re.compile(self.pattern, self._flags)


class _LongPattern:
    """The methods of `re.compile(text, re.IGNORECASE)`; after much text by a second pattern (small_letters.py)."""

    def __init__(self, text: str) -> None:
        self.pattern = text
        self._itself = re.compile(text, re.IGNORECASE)
        self._first: re.Pattern[str] | None = None
        self._left = _WORTH
        self._in_small_letters: Callable[[str], str | None] = str

    def search(self, text: str, *within: int) -> re.Match[str] | None:
        small = None if within else self._small(text)
        if small is None or self._first is None:
            return self._itself.search(text, *within)
        found = self._first.search(small)
        return found and self._itself.search(text, found.start())

    def finditer(self, text: str, *within: int) -> Iterator[re.Match[str]]:
        return iter(()) if not within and self._misses(text) else self._itself.finditer(text, *within)

    def findall(self, text: str, *within: int) -> list[str]:
        return [] if not within and self._misses(text) else self._itself.findall(text, *within)

    def sub(self, by: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return text if self._misses(text) else self._itself.sub(by, text, count=count)

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        return [text] if self._misses(text) else self._itself.split(text, maxsplit=maxsplit)

    def _misses(self, text: str) -> bool:
        small = self._small(text)
        return small is not None and self._first is not None and self._first.search(small) is None

    def _small(self, text: str) -> str | None:
        """The text in small letters when there is a second pattern, or is one now."""
        if self._first is None:
            if self._left <= 0:
                return None
            self._left -= len(text) + 1
            if self._left > 0 or not self._make_first():
                return None
        return self._in_small_letters(text)

    def _make_first(self) -> bool:
        from orchestrator.domain.small_letters import first_of, in_small_letters

        first = first_of(self.pattern)
        self._in_small_letters = in_small_letters
        self._first = None if first is None else re.compile(first)
        return first is not None

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._itself, name)


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

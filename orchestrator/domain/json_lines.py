"""The line of each place in a JSON text, so that a fault in a file that a person edits can be found there."""

from __future__ import annotations

import json

from orchestrator.domain.graph import Place
from orchestrator.domain.patterns import expression

DEPTH = 50
_SPACE = expression(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def lines_of(text: str) -> dict[Place, int]:
    """Place -> line, from 1; the line of a mapping's entry is that of its key. Raises ValueError where it is no JSON."""
    return _Walk(text).all()


class _Walk:
    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[Place, int] = {}
        self._counted = 0, 1  # a position, and its line

    def all(self) -> dict[Place, int]:
        at = self._skip(0)
        self._note((), at)
        self._value((), at)
        return self._lines

    def _note(self, place: Place, at: int) -> None:
        self._lines.setdefault(place, self._line(at))

    def _line(self, at: int) -> int:
        """The line of a position, which is behind those asked for before: so the text is gone through once."""
        position, line = self._counted
        line += self._text.count("\n", position, at)
        self._counted = at, line
        return line

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return at if found is None else found.end()

    def _value(self, place: Place, at: int) -> int:
        """Where the value ends that begins at `at`."""
        if len(place) > DEPTH:
            raise ValueError(f"more than {DEPTH} levels deep")
        opening = self._text[at : at + 1]
        if opening not in ("{", "["):
            return int(_DECODER.raw_decode(self._text, at)[1])
        closing, index = {"{": "}", "[": "]"}[opening], 0
        at = self._skip(at + 1)
        while self._text[at : at + 1] != closing:
            inner: Place = (*place, index)
            if opening == "{":
                key, end = _DECODER.raw_decode(self._text, at)
                inner = (*place, str(key))
                self._note(inner, at)
                at = self._skip(self._after(self._skip(end), ":"))
            self._note(inner, at)
            at = self._skip(self._value(inner, at))
            if self._text[at : at + 1] == ",":
                at = self._skip(at + 1)
            elif self._text[at : at + 1] != closing:
                raise ValueError(f"no {closing} in line {self._line(at)}")
            index += 1
        return at + 1

    def _after(self, at: int, mark: str) -> int:
        if self._text[at : at + 1] != mark:
            raise ValueError(f"no {mark} in line {self._line(at)}")
        return at + 1

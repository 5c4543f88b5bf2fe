"""What a person changed of a document beside what its content holds, kept with it."""

from __future__ import annotations

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.named_tuple import NamedTuple


class Line(NamedTuple):
    """One line of a page: the key of its section, the heading below that, and the line as it is written."""

    section: str
    heading: str
    text: str

    @property
    def place(self) -> tuple[str, str]:
        return self.section, self.heading


class ByHand(NamedTuple):
    """Lines of a document's main page that a person wrote, and those that they struck out; headings that they changed."""

    written: tuple[Line, ...] = ()
    struck: tuple[Line, ...] = ()
    headings: tuple[Line, ...] = ()  # of sections, and of the page; the text is without its marks

    def to_json(self) -> JsonObject:
        return {name: [list(line) for line in lines] for name, lines in zip(self._fields, self, strict=True)}

    @classmethod
    def from_json(cls, value: Json) -> ByHand:
        """Raises ValueError for anything `to_json` did not give."""
        if value is None:
            return cls()
        if not isinstance(value, dict):
            raise ValueError("these are no lines of a person")
        return cls(*(_lines(value.get(name, [] if name == "headings" else None)) for name in cls._fields))


def _lines(rows: Json) -> tuple[Line, ...]:
    if not isinstance(rows, list):
        raise ValueError("these are no lines of a person")
    return tuple(map(_line, rows))


def _line(row: Json) -> Line:
    if not isinstance(row, list) or len(row) != len(Line._fields):
        raise ValueError("this is no line of a page")
    section, heading, text = map(str, row)
    return Line(section, heading, text)

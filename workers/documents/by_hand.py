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
    """Lines of a document's main page that a person wrote, and those that they struck out."""

    written: tuple[Line, ...] = ()
    struck: tuple[Line, ...] = ()

    def to_json(self) -> JsonObject:
        return {
            "written": [list(line) for line in self.written],
            "struck": [list(line) for line in self.struck],
        }

    @classmethod
    def from_json(cls, value: Json) -> ByHand:
        """Raises ValueError for anything `to_json` did not give."""
        if value is None:
            return cls()
        if not isinstance(value, dict) or not all(isinstance(value.get(name), list) for name in cls._fields):
            raise ValueError("these are no lines of a person")
        written, struck = ([_line(row) for row in value[name]] for name in ("written", "struck"))
        return cls(tuple(written), tuple(struck))


def _line(row: Json) -> Line:
    if not isinstance(row, list) or len(row) != len(Line._fields):
        raise ValueError("this is no line of a page")
    section, heading, text = map(str, row)
    return Line(section, heading, text)

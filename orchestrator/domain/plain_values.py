"""Taking values of the right type out of plain data, and noting everything that is wrong with the others."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

from orchestrator.domain import ids
from orchestrator.domain.graph import Fault, Place
from orchestrator.domain.json_types import Json, JsonObject


class Reader:
    """Takes values of the right type and notes a fault, with a usable stand-in, for the others."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, place: Place, text: str) -> None:
        self.faults.append(Fault(place, text))

    def mapping(self, value: object, place: Place, known: Collection[str] | None = None) -> JsonObject:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.fault(place, f"expected keys with values, found {found(value)}")
            return {}
        result: JsonObject = {}
        for key, item in value.items():
            if not isinstance(key, str):
                self.fault((*place, str(key)), f"a key must be text, found {found(key)}; put it in quotes")
            elif known is not None and key not in known:
                self.fault((*place, key), unknown("key", key, known))
            else:
                result[key] = item
        return result

    def entries(self, top: Mapping[str, Json], section: str) -> JsonObject:
        return self.mapping(top.get(section), (section,))

    def text(self, value: object, place: Place, default: str = "") -> str:
        if isinstance(value, str) and value.strip():
            return value
        self.fault(place, f"expected text, found {found(value)}; put it in quotes")
        return default

    def texts(self, value: object, place: Place) -> tuple[str, ...]:
        if not isinstance(value, list | tuple):
            self.fault(place, f"expected a list, found {found(value)}")
            return ()
        return tuple(self.text(item, (*place, index)) for index, item in enumerate(value))

    def flag(self, value: object, place: Place) -> bool:
        if isinstance(value, bool):
            return value
        self.fault(place, f"expected true or false, found {found(value)}")
        return False

    def number(self, value: object, place: Place, low: float, high: float) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.fault(place, f"expected a number, found {found(value)}")
        elif not low <= value <= high:
            self.fault(place, f"expected a number from {low:g} to {high:g}, found {value}")
        else:
            return value
        return low

    def known(self, kind: str, name: str, names: Collection[str], place: Place) -> bool:
        if name and name not in names:
            self.fault(place, unknown(kind, name, names))
        return name in names


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """What to say of an unknown name: the near one when there is one, else all known ones."""
    import difflib

    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    if near:
        return f"unknown {kind} {ids.shown(name)}; did you mean {near[0]!r}?"
    return f"unknown {kind} {ids.shown(name)}; known: {', '.join(names) or '(none)'}"


def found(value: object) -> str:
    """A value of the wrong type, as it is called in a message."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {ids.shown(value)}" if value.strip() else "empty text"
    if isinstance(value, Mapping):
        return "keys with values"
    if isinstance(value, list | tuple):
        return "a list"
    return f"the {type(value).__name__} {ids.shown(str(value))}"

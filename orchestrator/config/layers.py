"""The places settings come from, as plain values that know where each was written."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression

PREFIX = "LIFECYCLE_"
# Variables that mark our own processes; none of them is a setting, however near its name is to one.
MACHINERY = frozenset(
    [
        "run",
        "session",
        "task",
        "role",
        "round",
        "perspective",
        "agent",
        "config_dir",
        "failpoint",
        "call",
        "kind",
        "debug",
    ]
)
SIZE_LIMIT = 1024 * 1024  # bytes
Place = tuple[str | int, ...]

_HEADER = expression(r"\s*\[\[?([^\]]+)\]\]?")
_KEY = expression(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = expression(r"""[\w-]+|"[^"]*"|'[^']*'""")
_LINE = expression(r"\(at line (\d+)")
_TWICE = expression("overwrite|twice|mutate|redefine")  # how tomllib calls it


@dataclass(frozen=True, slots=True)
class Layer:
    values: JsonObject
    where: Callable[[Place], str]  # how to call a place in messages
    faults: list[str] = field(default_factory=list)
    whole: bool = True  # False: it could not be read, and may say more

    def has(self, place: Place) -> bool:
        here: Json = self.values
        for part in place:
            inside = dict(enumerate(here)) if isinstance(here, list) else here
            if not isinstance(inside, Mapping) or part not in inside:
                return False
            here = inside[part]
        return True


def file_layer(path: Path) -> Layer:
    """A TOML file; no file is an empty layer."""
    lines: dict[Place, int] = {}

    def where(place: Place) -> str:
        while place and place not in lines:
            place = place[:-1]
        return f"{path}:{lines.get(place, 1)}"

    def unreadable(fault: str) -> Layer:
        return Layer({}, where, [fault], whole=False)

    if not path.exists() and not path.is_symlink():
        return Layer({}, where)
    try:
        if not path.is_file():  # a FIFO would hang
            return unreadable(f"{path}: is not a regular file")
        with path.open("rb") as file:
            raw = file.read(SIZE_LIMIT + 1)
        if len(raw) > SIZE_LIMIT:
            return unreadable(f"{path}: is larger than {SIZE_LIMIT // 1024} KiB")
        text = raw.decode("utf-8")
        values = tomllib.loads(text)
    except UnicodeDecodeError as error:
        return unreadable(f"{path}:{raw[: error.start].count(10) + 1}: is not UTF-8")
    except tomllib.TOMLDecodeError as error:
        line, fault = toml_fault(text, str(error))
        return unreadable(f"{path}:{line}: {fault}")
    except (OSError, RecursionError) as error:
        return unreadable(f"{path}: {getattr(error, 'strerror', None) or 'is nested too deep'}")
    lines.update(toml_lines(text))
    return Layer(values, where)


def toml_fault(text: str, said: str) -> tuple[int, str]:
    """Line and words of what the parser `said`: with the key it is about, and of a key given twice both lines."""
    found = _LINE.search(said)  # without one it is the end of the document
    line = int(found[1]) if found else len(text.splitlines()) or 1
    reason = said.partition(" (at")[0]
    key, at = next(((place, n) for place, n in reversed(_keys(text)) if n <= line), ((), 0))
    dotted = ".".join(map(str, key))
    if _TWICE.search(reason):
        first = next((n for place, n in _keys(text) if place[: len(key)] == key and n < at), None)
        if first is not None:
            return at, f"{dotted}: given twice, first in line {first}; keep one of them"
    return line, f"{dotted}: {reason}" if at == line else reason


def toml_lines(text: str) -> dict[Place, int]:
    """The line of each key of a TOML text, from 1."""
    lines: dict[Place, int] = {}
    for place, number in _keys(text):
        lines.setdefault(place, number)
    return lines


def _keys(text: str) -> list[tuple[Place, int]]:
    """Each key and table header with its line, in order; what is written inside of values is not looked at."""
    found: list[tuple[Place, int]] = []
    table: Place = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if key := _KEY.match(line):
            found.append((table + _parts(key[1]), number))
        elif header := _HEADER.match(line):
            table = _parts(header[1])
            found.append((table, number))
    return found


def environ_layer(environ: Mapping[str, str], known: Collection[str]) -> Layer:
    """`LIFECYCLE_SLOTS=8`, `LIFECYCLE_AGENT_LIMITS__TURN=60`; lists and tables as JSON.

    Other variables with the prefix are not ours to judge, unless they are nearly a setting: that is a slip.
    """
    values: JsonObject = {}
    names: dict[Place, str] = {}
    faults: list[str] = []
    for variable, text in sorted(environ.items()):
        if not variable.upper().startswith(PREFIX):
            continue
        place: Place = tuple(variable[len(PREFIX) :].lower().split("__"))
        name = str(place[0])
        if name in MACHINERY:
            continue
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.8)
            if near:
                faults.append(f"{variable}: unknown setting; did you mean {PREFIX}{near[0].upper()}?")
        elif place in names:
            faults.append(f"{variable}: given twice, also as {names[place]}")
        else:
            names[place] = variable
            whole = next((names[place[:n]] for n in range(1, len(place)) if place[:n] in names), None)
            if not _put(values, place, _value(text)):
                faults.append(f"{variable}: {whole} sets the whole table; keep one of them")

    def where(place: Place) -> str:
        while place and place not in names:
            place = place[:-1]
        return names.get(place, "environment")

    return Layer(values, where, faults)


def _put(values: JsonObject, place: Place, value: object) -> bool:
    """False when something around the place has a value that is no table, or the place has one already."""
    here = values
    for part in place[:-1]:
        inner = here.setdefault(str(part), {})
        if not isinstance(inner, dict):
            return False
        here = inner
    return here.setdefault(str(place[-1]), value) is value


def _value(text: str) -> object:
    """Lists and tables are JSON; anything else stays text, the setting's type decides."""
    if text.lstrip().startswith(("[", "{")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text  # its setting's type refuses it, with the variable's name
    return text


def _parts(key: str) -> Place:
    return tuple(part.strip("\"'") for part in _PART.findall(key))


def merged(layers: Iterable[Layer]) -> JsonObject:
    """The values of all layers: tables are merged, of anything else the first layer's counts."""
    found: JsonObject = {}
    for layer in layers:
        _fill(found, layer.values)
    return found


def _fill(values: JsonObject, more: Mapping[str, Json]) -> None:
    for key, value in more.items():
        if key not in values:
            values[key] = copy.deepcopy(value)  # it may be filled in turn
        elif isinstance(values[key], dict) and isinstance(value, Mapping):
            _fill(values[key], value)

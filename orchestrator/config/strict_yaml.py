"""YAML read strictly: plain values and the line of each, or every reason why not.

Values follow YAML 1.1, where a bare `no` or `on` is a truth value and `012` a number: who meant text is told
to put it in quotes, instead of getting something else.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from orchestrator.domain.json_types import Json, JsonObject

SIZE_LIMIT = 1024 * 1024  # bytes
VALUE_LIMIT = 100_000  # values, repeated aliases counted each time
DEPTH_LIMIT = 50

Place = tuple[str | int, ...]
Lines = dict[Place, int]  # from 1


def read(path: Path) -> tuple[JsonObject, Lines, list[str]]:
    """The file's mapping, the line of each place in it, and its faults as `file:line: text`."""
    try:
        raw = _bytes(path)
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return {}, {}, [f"{path}:{line}: is not UTF-8"]
    except OSError as error:
        return {}, {}, [f"{path}: {error.strerror}"]
    except ValueError as error:
        return {}, {}, [f"{path}: {error}"]
    faults = [f"{path}:{line}: {fault}" for line, fault in _text_faults(text)]
    if faults:
        return {}, {}, faults
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 1)
    try:
        node = yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        return {}, {}, [f"{path}:{line}: {_reason(error)}"]
    except (YAMLError, RecursionError, ValueError) as error:
        return {}, {}, [f"{path}:1: cannot be read ({type(error).__name__})"]
    walk = _Walk(path)
    value = walk.value(node, ()) if node is not None else {}
    if not isinstance(value, dict):
        walk.fault(node, "expected keys with values")
        value = {}
    return value, walk.lines, walk.faults


def _bytes(path: Path) -> bytes:
    if not path.is_file():  # a FIFO would hang, a folder cannot be read
        raise ValueError("is not a regular file")
    with path.open("rb") as file:
        raw = file.read(SIZE_LIMIT + 1)
    if len(raw) > SIZE_LIMIT:
        raise ValueError(f"is larger than {SIZE_LIMIT // 1024} KiB")
    return raw


def _text_faults(text: str) -> list[tuple[int, str]]:
    faults: list[tuple[int, str]] = []
    if text.startswith("\ufeff"):
        faults.append((1, "begins with a byte order mark; save it as UTF-8 without one"))
    for number, line in enumerate(text.split("\n"), start=1):
        if line.endswith("\r"):
            faults.append((number, "has CRLF line ends; save it with LF"))
            break
        if "\t" in line[: len(line) - len(line.lstrip())]:
            faults.append((number, "is indented with a tab; use spaces"))
    return faults


def _reason(error: MarkedYAMLError) -> str:
    text = (error.problem or error.context or "cannot be read").splitlines()[0]
    if "another document" in text or "single document" in (error.context or ""):
        return "holds several documents; one is allowed"
    return text


class _Walk:
    """Turns nodes into plain values and notes where each came from."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: Lines = {}
        self.faults: list[str] = []
        self.count = 0

    def fault(self, node: Node, text: str) -> None:
        self.faults.append(f"{self.path}:{node.start_mark.line + 1}: {text}")

    def value(self, node: Node, place: Place) -> Json:
        self.count += 1
        if self.count == VALUE_LIMIT:
            self.fault(node, f"holds more than {VALUE_LIMIT} values; aliases repeat themselves too often")
        if self.count >= VALUE_LIMIT:
            return None
        if len(place) > DEPTH_LIMIT:
            self.fault(node, f"is nested more than {DEPTH_LIMIT} levels deep")
            self.count = VALUE_LIMIT  # a structure that holds itself would go on for ever
            return None
        self.lines.setdefault(place, node.start_mark.line + 1)
        kind = str(node.tag).removeprefix("tag:yaml.org,2002:")
        if isinstance(node, MappingNode) and kind == "map":
            return self._mapping(node, place)
        if isinstance(node, SequenceNode) and kind == "seq":
            return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]
        if isinstance(node, ScalarNode) and kind in _SCALARS:
            try:
                return _SCALARS[kind](node.value)
            except ValueError:
                self.fault(node, "is no usable value; put text in quotes")
                return None
        self.fault(node, f"the tag {str(node.tag)[:60]!r} is not allowed")
        return None

    def _mapping(self, node: MappingNode, place: Place) -> dict[Json, Json]:
        result: dict[Json, Json] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                self.fault(key_node, "a key must be text")
                continue
            if str(key_node.tag).endswith(":merge"):
                self.fault(key_node, "merge keys (<<) are not supported")
                continue
            key = self.value(key_node, (*place, key_node.value))
            if key in result:
                self.fault(key_node, f"duplicate key {str(key)[:60]!r}")
            self.lines[(*place, str(key))] = key_node.start_mark.line + 1
            result[key] = self.value(value_node, (*place, str(key)))
        return result


def _bool(text: str) -> bool:
    return text.lower() in ("yes", "true", "on", "y")


def _int(text: str) -> int:
    digits = text.replace("_", "").lower()
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    if ":" in digits:  # base 60, as in 12:30:45
        total = 0
        for part in digits.split(":"):
            total = total * 60 + int(part)
        return sign * total
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    return sign * (int(digits, 8) if octal else int(digits, 0))


def _float(text: str) -> float:
    plain = text.replace("_", "").lower()
    if plain.lstrip("+-") in (".inf", ".nan"):
        return -math.inf if plain.startswith("-") else math.inf
    return float(plain)


def _date(text: str) -> datetime.date:
    year, month, day = (int(part) for part in re.split(r"[Tt\s]", text)[0].split("-"))
    return datetime.date(year, month, day)


def _nothing(_: str) -> None:
    return None


_SCALARS: dict[str, Callable[[str], object]] = {
    "str": str,
    "bool": _bool,
    "int": _int,
    "float": _float,
    "null": _nothing,
    "timestamp": _date,
}

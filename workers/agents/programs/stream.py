"""Output of one JSON object a line, as the coding agents' clients print it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression

LINE_LIMIT = 10 * 1024 * 1024  # characters
_RESET_AT = expression(r"limit reached\|(\d{10})\b")
_RESET_IN = expression(
    r"(?:again|retry|resets?)\D{0,20}(\d{1,6}) ?(s|sec|second|m|min|minute|h|hour)s?\b", re.I
)
_STATUS = expression(r"\b(?:status|error|code)\D{0,12}([45]\d\d)\b", re.I)
_SECONDS = {"s": 1, "m": 60, "h": 3600}


def lines(out: str) -> Iterator[JsonObject]:
    """The objects; a line that is none (a warning, one that breaks off) is passed over."""
    for line in out.splitlines():
        if not line.startswith("{") or len(line) > LINE_LIMIT:
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def table(value: object) -> JsonObject:
    """`value` when it is an object, else an empty one: what a client prints may change."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Json]:
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def status_in(words: str) -> int | None:
    """The HTTP status that an error's words tell, None when they tell none."""
    found = _STATUS.search(words)
    return int(found[1]) if found else None


def reset_in(words: str) -> float | None:
    """When a limit ends (seconds of Unix time), where the words say so."""
    if found := _RESET_AT.search(words):
        return float(found[1])
    if found := _RESET_IN.search(words):
        return time.time() + int(found[1]) * _SECONDS[found[2][0].lower()]
    return None

"""How values are written on pages: the filters of the templates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import quote

from markupsafe import Markup, escape

from orchestrator.domain.json_types import Json


def duration(seconds: float) -> str:
    """`45 s`, `12 min 08 s`, `3 h 05 min`, `2 d 04 h`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600:02d} h"


def money(cost: Mapping[str, Json]) -> str:
    """`$0.41`, with a `+` when the price of some calls is unknown; `unknown` when that of all paid calls is."""
    if cost["unpriced"] and not cost["usd"]:
        return "unknown"
    return f"${cost['usd']:.2f}{'+' if cost['unpriced'] else ''}"


def short_time(stamp: str | None) -> str:
    """A time as `2026-11-22 14:05:09`, in UTC, from the stamps of the views."""
    return "" if stamp is None else stamp[:19].replace("T", " ")


def path_part(text: str) -> str:
    """One part of an address."""
    return quote(text, safe="")


def listed(texts: Iterable[str]) -> str:
    """Texts with commas between them; Jinja's `join` would make markup of them, in which nothing is written out."""
    return ", ".join(texts)


def as_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def as_typed(text: str) -> Markup:
    """A person's own text in a field, escaped and nothing written out: it is sent again as it is."""
    return escape(text)


FILTERS: Mapping[str, Callable[..., object]] = {
    "as_typed": as_typed,
    "duration": duration,
    "listed": listed,
    "money": money,
    "short_time": short_time,
    "path_part": path_part,
    "as_json": as_json,
}

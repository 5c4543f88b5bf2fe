"""How values are written on pages: the filters of the templates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from urllib.parse import quote

from markupsafe import Markup, escape

from orchestrator.domain.json_types import Json
from orchestrator.domain.text import is_chinese
from orchestrator.web.language import CODES, Language


def duration(seconds: float, spoken: Language) -> str:
    """`45 s`, `12 min 08 s`, `3 h 05 min`, `2 d 04 h`."""
    whole = max(0, int(seconds))
    if whole < 60:
        return spoken.text("{0} s", whole)
    if whole < 3600:
        return spoken.text("{0} min {1} s", whole // 60, f"{whole % 60:02d}")
    if whole < 86_400:
        return spoken.text("{0} h {1} min", whole // 3600, f"{whole % 3600 // 60:02d}")
    return spoken.text("{0} d {1} h", whole // 86_400, f"{whole % 86_400 // 3600:02d}")


def money(cost: Mapping[str, Json], spoken: Language) -> str:
    """`$0.41`, with a `+` when the price of some calls is unknown; `unknown` when that of all paid calls is."""
    if cost["unpriced"] and not cost["usd"]:
        return spoken.text("unknown")
    return f"${cost['usd']:.2f}{'+' if cost['unpriced'] else ''}"


def number(count: int) -> str:
    """`827,700`."""
    return f"{count:,}"


def short_time(stamp: str | None) -> str:
    """A time as `2026-11-22 14:05:09`, in UTC, from the stamps of the views."""
    return "" if stamp is None else stamp[:19].replace("T", " ")


def path_part(text: str) -> str:
    """One part of an address."""
    return quote(text, safe="")


def listed(texts: Iterable[str], spoken: Language) -> str:
    """Texts with commas between them; Jinja's `join` would make markup of them, in which nothing is written out."""
    return spoken.text(", ").join(texts)


def lang_of(text: str) -> str:
    """The `lang` of a text that a person wrote."""
    return CODES["zh" if is_chinese(text) else "en"]


def as_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def as_typed(text: str) -> Markup:
    """A person's own text in a field, escaped and nothing written out: it is sent again as it is."""
    return escape(text)


def filters(spoken: Language) -> Mapping[str, Callable[..., object]]:
    """By the names that templates use."""
    return {
        "as_json": as_json,
        "as_typed": as_typed,
        "duration": partial(duration, spoken=spoken),
        "lang_of": lang_of,
        "listed": partial(listed, spoken=spoken),
        "money": partial(money, spoken=spoken),
        "number": number,
        "path_part": path_part,
        "said": spoken.said,
        "short_time": short_time,
        "word": spoken.word,
    }

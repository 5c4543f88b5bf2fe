"""JSON values as the text that a column keeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from json import encoder

from orchestrator.domain.json_types import Json
from orchestrator.store.backends.sqlite_errors import unreadable

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _pieces() -> Callable[[Json, int], Iterable[str]]:
    """What `_encoder` makes anew for each value, in three times the time that a value like ours takes."""
    make = getattr(encoder, "c_make_encoder", None)
    if make is None:  # not CPython
        return lambda value, _: (_encoder.encode(value),)
    made: Callable[[Json, int], Iterable[str]] = make(
        None, _encoder.default, encoder.encode_basestring, None, ":", ",", False, False, True
    )
    return made


_encode = _pieces()
_decode = json.JSONDecoder().decode


def to_text(value: Json) -> str | None:
    """Lone surrogates are replaced, since no database takes them."""
    if value is None:
        return None
    text = "".join(_encode(value, 0))
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def from_text(value: str | None) -> Json:
    """Raises DatabaseUnusable for what is no JSON."""
    if value is None:
        return None
    if value == "{}":  # what most rows have: of thousands, reading it costs as much as all else of them
        return {}
    try:
        found: Json = _decode(value)
    except ValueError as error:
        raise unreadable(f"a value is no JSON: {error}") from error
    return found

"""JSON values as the text that a column keeps."""

from __future__ import annotations

import json

from orchestrator.domain.json_types import Json
from orchestrator.store.backends.sqlite_errors import unreadable

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def to_text(value: Json) -> str | None:
    """Lone surrogates are replaced, since no database takes them."""
    return None if value is None else _encode(value).encode("utf-8", "replace").decode()


def from_text(value: str | None) -> Json:
    """Raises DatabaseUnusable for what is no JSON."""
    if value is None:
        return None
    if value == "{}":  # what most rows have: of thousands, reading it costs as much as all else of them
        return {}
    try:
        found: Json = json.loads(value)
    except ValueError as error:
        raise unreadable(f"a value is no JSON: {error}") from error
    return found

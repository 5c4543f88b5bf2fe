"""Keys that callers give their commands, so that one is applied once however often it is sent (docs/cli.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from orchestrator.domain.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.domain.json_types import Json

KEY_LENGTH = 200  # characters
KEPT_DAYS = 30  # how long a key and its answer are remembered after the command
KEPT_FOR_GOOD = ("start", "fork", "delete")  # a session each: what made it, and the record of its removal


def check_key(key: str | None) -> None:
    """Raise UsageError for an invalid key."""
    if key is not None and (not key.strip() or len(key) > KEY_LENGTH or not key.isprintable()):
        raise UsageError(
            "the key is not valid",
            why=f"a key has 1 to {KEY_LENGTH} printable characters",
            fix="give another --key",
        )


def body_digest(command: str, arguments: Mapping[str, Json]) -> str:
    """One digest over a command and its arguments; the order of the arguments does not count."""
    body = json.dumps([command, arguments], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(body.encode()).hexdigest()

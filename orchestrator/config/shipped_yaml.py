"""YAML files as values: a shipped one from the JSON that `make shipped` writes, any other one parsed.

To parse the shipped files takes 0.1 to 0.2 s of each process. The JSON notes the checksum of the file that it was made of;
where that has changed since, the file itself counts.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

from orchestrator.config import resources
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.json_types import Json, JsonObject


def read(path: Path) -> JsonObject:
    """The file's mapping, the caller's own. Raises ConfigError with the line of each fault."""
    made = made_of(path)
    if made is not None and made.is_file() and path.is_file():
        found: dict[str, Json] = json.loads(made.read_bytes())
        if found["checksum"] == checksum(path):
            values: JsonObject = found["values"]
            return values
    from orchestrator.config import strict_yaml  # the parser takes 2 MB

    values, _, faults = strict_yaml.read(path)
    if faults:
        raise ConfigError(faults)
    return values


def made_of(path: Path) -> Path | None:
    """Where the JSON of a shipped file belongs; None for a file of others."""
    folder = resources() / "config"
    if not path.is_relative_to(folder):
        return None
    return (folder / "shipped" / path.relative_to(folder)).with_suffix(".json")


def checksum(path: Path) -> int:
    """A number that changes with the file."""
    return zlib.crc32(path.read_bytes())

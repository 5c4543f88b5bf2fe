"""Statements compiled ahead of time: what a command runs without SQLAlchemy (`make statements` writes the file).

In a checkout, where the source may have changed since, a statement of a changed module is compiled anew; an installed
package holds both as they were released.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from orchestrator.store.backends import sqlite

FOLDER = Path(__file__).parent
FILE = FOLDER / "backends" / sqlite.COMPILED
_SCHEMA = (
    "building",
    "project_tables",
    "statements",
    "table_conventions",
    "tables",
    "work_tables",
)  # what all depend on


@dataclass(frozen=True, slots=True)
class Compiled:
    """A statement's text, and how values go in and come out.

    Kinds are `json`, a value kept as JSON text, and `float`, a number that has to be one.
    """

    sql: str
    places: Sequence[str]  # the parameter at each place of the text
    own: Mapping[str, object]  # parameter -> the statement's own value
    bound: Mapping[str, str] = field(default_factory=dict)  # parameter -> its kind
    names: Sequence[str] = ()  # of the columns that it returns
    returned: Sequence[int] = ()  # the places of those that are JSON text


def compiled(name: str) -> Compiled | None:
    """The statement `module.name` as it was compiled; None where there is none, or its source has changed."""
    found = _file()["statements"].get(name)
    if found is None or not _is_current(name.partition(".")[0]):
        return None
    return Compiled(**found)


def kinds(table: str) -> Mapping[str, str | None] | None:
    """Column -> its kind, for each column of the table; None where the source has changed."""
    found: Mapping[str, str | None] | None = _file()["tables"].get(table)
    return found if _is_current("tables") else None


@cache
def _file() -> dict[str, Any]:
    found: dict[str, Any] = (
        json.loads(FILE.read_bytes()) if FILE.exists() else {"statements": {}, "tables": {}}
    )
    return found


def stamp(module: str) -> int:
    """A number that changes with the source of `store.<module>` and of the schema; 0 where there is no source."""
    number = 0
    for name in sorted({module, *_SCHEMA}):
        source = FOLDER / f"{name}.py"
        number = zlib.crc32(source.read_bytes() if source.exists() else b"", number)
    return number


@cache
def _is_current(module: str) -> bool:
    in_checkout = (FOLDER.parents[1] / "pyproject.toml").exists()
    return not in_checkout or bool(_file()["stamps"].get(module) == stamp(module))

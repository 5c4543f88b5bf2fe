"""Statements compiled ahead of time: what a command runs without SQLAlchemy (`make statements` writes the file).

In a checkout, where the source may have changed since, a statement of a changed module is compiled anew; an installed
package holds both as they were released.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.store.backends.sql_dialect import SqlDialect

FOLDER = Path(__file__).parent
_SCHEMA = (
    "building",
    "conditions",
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
    returns_id: bool = False  # it is an INSERT that answers with the new row's id


def compiled(name: str, sql: SqlDialect) -> Compiled | None:
    """The statement `module.name` as it was compiled; None where there is none, or its source has changed."""
    if sql.compiled is None:
        return None
    found = _content(sql.compiled)["statements"].get(name)
    if found is None or not _is_current(name.partition(".")[0], sql.compiled):
        return None
    return Compiled(**found)


def kinds(table: str, sql: SqlDialect) -> Mapping[str, str | None] | None:
    """Column -> its kind, for each column of the table; None where there are none, or the source has changed."""
    if sql.compiled is None or not _is_current("tables", sql.compiled):
        return None
    found: Mapping[str, str | None] | None = _content(sql.compiled)["tables"].get(table)
    return found


def stamp(module: str) -> int:
    """A number that changes with the source of `store.<module>` and of the schema."""
    number = 0
    for name in sorted({module, *_SCHEMA}):
        source = FOLDER / f"{name}.py"
        number = zlib.crc32(source.read_bytes() if source.exists() else b"", number)
    return number


def file_of(sql: SqlDialect) -> Path:
    """Where its compiled statements lie."""
    return FOLDER / "backends" / (sql.compiled or "")


@cache
def _content(name: str) -> dict[str, Any]:
    file = FOLDER / "backends" / name
    empty: dict[str, Any] = {"stamps": {}, "tables": {}, "statements": {}}
    found: dict[str, Any] = json.loads(file.read_bytes()) if file.exists() else empty
    return found


@cache
def _is_current(module: str, name: str) -> bool:
    in_checkout = (FOLDER.parents[1] / "pyproject.toml").exists()
    return not in_checkout or bool(_content(name)["stamps"].get(module) == stamp(module))

"""What statements are compiled for: SQLAlchemy's dialect, its INSERT with an upsert, and where a new row's id comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect, Table


@dataclass(frozen=True, eq=False, slots=True)
class SqlDialect:
    """`returns_ids`: a new row's id comes by RETURNING, not from the driver."""

    name: str
    dialect: Dialect
    insert: Callable[[Table], Any]
    returns_ids: bool

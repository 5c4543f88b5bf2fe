"""PostgreSQL as statements see it. Nothing here needs its driver, so that statements can be compiled without one."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from orchestrator.store.backends.sql_dialect import SqlDialect

_dialect: Any = PGDialect_psycopg  # whose constructor has no types

SQL = SqlDialect(
    "postgresql",
    _dialect(paramstyle="numeric_dollar"),
    postgresql.insert,
    returns_ids=True,
)

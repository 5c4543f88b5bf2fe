"""PostgreSQL as statements see it. Nothing here needs its driver, so that statements can be compiled without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orchestrator.store.backends.sql_dialect import SqlDialect

if TYPE_CHECKING:
    from orchestrator.store.backends.sql_dialect import Loaded


def _dialect() -> Loaded:
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

    dialect: Any = PGDialect_psycopg  # whose constructor has no types
    return dialect(paramstyle="numeric_dollar"), postgresql.insert


SQL = SqlDialect("postgresql", _dialect, returns_ids=True)

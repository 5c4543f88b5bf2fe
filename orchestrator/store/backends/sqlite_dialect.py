"""The dialect that statements are compiled for, and its INSERT with an upsert."""

from __future__ import annotations

from sqlalchemy import Dialect
from sqlalchemy.dialects import sqlite

insert = sqlite.insert
DIALECT: Dialect = sqlite.dialect(paramstyle="qmark")

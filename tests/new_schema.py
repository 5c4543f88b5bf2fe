"""The script that makes a new database: what all migrations make together. `python -m tests.new_schema` writes it."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from orchestrator.config import resources
from orchestrator.store.backends.sqlite_file import APPLICATION_ID
from orchestrator.store.backends.sqlite_migrate import NEW_SCHEMA, upgrade


def dump(database: Path) -> str:
    """A script that makes this database's tables and indexes in the order in which they were made, and its revision."""
    connection = sqlite3.connect(database)
    try:
        made = connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        ).fetchall()
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    finally:
        connection.close()
    statements = [
        f"PRAGMA application_id={APPLICATION_ID}",
        "BEGIN IMMEDIATE",
        *("\n".join(line.rstrip() for line in sql.strip().splitlines()) for (sql,) in made),
        f"INSERT INTO alembic_version VALUES ('{revision}')",
        "COMMIT",
    ]
    return "-- Written by `python -m tests.new_schema`.\n" + "".join(f"{text};\n" for text in statements)


def migrated(folder: Path) -> Path:
    """A database made by running each migration."""
    database = folder / "migrated.db"
    upgrade(database, resources() / "migrations")
    return database


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        script = dump(migrated(Path(folder)))
    (resources() / "migrations" / NEW_SCHEMA).write_text(script, encoding="utf-8")

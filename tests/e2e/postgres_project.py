"""A user's project whose database is on a PostgreSQL server, with real processes; several folders may share one database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from orchestrator import wakeup
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants
from tests.e2e.support import Lifecycle


def database_toml(address: str, **more: str) -> str:
    """The table `[database]` for config.toml."""
    lines = {"url": address, **more}
    return "\n[database]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())


class OnPostgres(Lifecycle):
    """`Lifecycle` with the database at `address`."""

    def __init__(
        self, folder: Path, address: str, settings: Mapping[str, Any] | None = None, extra: str = ""
    ) -> None:
        super().__init__(folder, settings, extra)
        self.address = address

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.address, autocommit=True) as connection:
            return connection.execute(sql.replace("?", "%s"), values or None).fetchall()  # type: ignore[call-overload,no-any-return]

    def store(self) -> Store:
        return make.make_postgres_store(self.folder, self.address)

    def has_tables(self) -> bool:
        return bool(self.rows("SELECT 1 FROM pg_tables WHERE tablename = 'sessions'"))

    def check_invariants(self) -> None:
        store = self.store()
        try:
            invariants.check_store(store)
        finally:
            store.close()

    def sockets(self) -> Path:
        store = self.store()
        try:
            return wakeup.runtime_directory(store.project_id)
        finally:
            store.close()


@contextmanager
def on_postgres(
    folder: Path, address: str, settings: Mapping[str, Any] | None = None, extra: str | None = None
) -> Iterator[OnPostgres]:
    """A project for one test; its invariants are checked when it ends, and every process of it is ended."""
    made = OnPostgres(folder, address, settings, database_toml(address) if extra is None else extra)
    try:
        yield made
        if made.has_tables():
            made.check_invariants()
    finally:
        made.close()

"""Finds units of the product that write a row of a session they did not name: PostgreSQL would not keep others from it.

SQLite, whose one writer hides that, tells: triggers of its connections call us for each row that is written.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table

from orchestrator.store import claims
from orchestrator.store.backends import sqlite_backend
from orchestrator.store.store import Store, Tx
from orchestrator.store.tables import metadata, sessions

MARKS = ("needs_beat", "updated_at")  # of a session: set by one statement that needs to have seen nothing
TESTS = Path(__file__).parent


class Units(threading.local):
    """What the unit that runs in this thread has named; None for a unit of a test's own."""

    def __init__(self) -> None:
        self.named: set[str] | None = None
        self.of = ""


def _triggers(table: Table) -> Iterator[str]:
    key = "id" if table is sessions else "session_id"
    columns = ", ".join(
        column.name for column in table.columns if table is not sessions or column.name not in MARKS
    )
    for change, rows in (("INSERT", ["NEW"]), (f"UPDATE OF {columns}", ["NEW", "OLD"]), ("DELETE", ["OLD"])):
        new = "new_session" if table is sessions and change == "INSERT" else "named"
        calls = " ".join(f"SELECT {new}('{table.name}', {row}.{key});" for row in rows)
        name = f"told_{table.name}_{change.split()[0].lower()}"
        yield f"CREATE TEMP TRIGGER {name} AFTER {change} ON main.{table.name} BEGIN {calls} END"


@contextmanager
def units_name_their_sessions() -> Iterator[None]:
    """Raises AssertionError at the end for units that did not."""
    units, offences = Units(), set[str]()
    connect, write, about, oldest = (
        sqlite_backend.connect_writer,
        Store.write,
        Tx.about,
        claims.oldest_offer,
    )
    told = [table for table in metadata.sorted_tables if "session_id" in table.columns or table is sessions]
    told = [table for table in told if table.name != "commands"]

    def named(table: str, session: str) -> None:
        if units.named is not None and session not in units.named:
            offences.add(f"{units.of} writes {table}")

    def new_session(table: str, session: str) -> None:
        if units.named is not None:
            units.named.add(session)

    def connected(*given: Any, **options: Any) -> sqlite3.Connection:
        made = connect(*given, **options)
        made.create_function("named", 2, named)
        made.create_function("new_session", 2, new_session)
        for table in told:
            for trigger in _triggers(table):
                made.execute(trigger)
        return made

    def watched(
        self: Store, unit: Callable[[Tx], Any], *, about: str | Sequence[str] = (), use_ballast: bool = False
    ) -> Any:
        code = getattr(unit, "__code__", None)
        ours = code is not None and not Path(code.co_filename).is_relative_to(TESTS)

        def run(tx: Tx) -> Any:
            units.named = ({about} if isinstance(about, str) else set(about)) if ours else None
            units.of = f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code is not None else ""
            try:
                answer = unit(tx)
                tx.flush()
                return answer
            finally:
                units.named = None

        return write(self, run, about=about, use_ballast=use_ballast)

    def found(tx: Tx, session: str) -> bool:
        if units.named is not None:
            units.named.add(session)
        return about(tx, session)

    def offer(tx: Tx, roles: tuple[str, ...]) -> Any:
        task = oldest(tx, roles)
        if task is not None and units.named is not None:
            units.named.add(task.session_id)  # which PostgreSQL has locked
        return task

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_backend, "connect_writer", connected)
        patch.setattr(Store, "write", watched)
        patch.setattr(Tx, "about", found)
        patch.setattr(claims, "oldest_offer", offer)
        yield
    assert not offences, f"units that do not say which sessions they are about: {sorted(offences)}"

"""The store on PostgreSQL beside a plain driver that makes the same statements, one after the other, in the same minute.

Each works the same sessions off, on a database of its own like the other's. What the plain one sends was noted while the
store did it: so it decides nothing, and has nothing to do but to wait for the server.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar, cast

import psycopg
from psycopg.raw_cursor import RawCursor

from orchestrator.door.local_desk import LocalDesk
from orchestrator.store import claims
from orchestrator.store.backends.backend import Cursor, Opened
from orchestrator.store.backends.postgres_backend import LOCK, OPENED, PostgresBackend
from orchestrator.store.backends.postgres_schema import ensure_schema
from orchestrator.store.rows import Run
from orchestrator.store.store import Store
from orchestrator.store.tables import metadata
from tests import factories as make
from tests.bench.measure import Figure, times
from tests.bench.noop import noop_report
from tests.postgres_server import Server, name_of, server

T = TypeVar("T")
SLOTS = 8
STEPS = 6  # tasks of a session
HOST = "h-bench"
LEASE = 3600.0  # seconds: nothing is renewed


class Made(NamedTuple):
    sql: str
    values: Sequence[Any]


class Noting:
    """A cursor that notes what it is asked."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self.made: list[Made] = []

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> object:
        self.made.append(Made(sql, values))
        return self._cursor.execute(sql, values)

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> None:
        for row in rows:
            self.execute(sql, row)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)


class NotingBackend(PostgresBackend):
    """Notes the statements of each unit, by the session that it is about."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.units: dict[str, list[list[Made]]] = {}

    def transact(self, unit: Callable[[Opened], T], about: Sequence[str], *, use_ballast: bool = False) -> T:
        def noted(opened: Opened) -> T:
            noting = Noting(opened.cursor)
            answer = unit(replace(opened, cursor=cast(Cursor, noting), later=noting.execute, ahead=None))
            for session in about:
                self.units.setdefault(session, []).append(noting.made)
            return answer

        return super().transact(noted, about, use_ballast=use_ballast)


def against_driver() -> Iterator[Figure]:
    with TemporaryDirectory(prefix="lifecycle-bench-") as folder, server() as postgres:
        place = Path(folder)
        template, runs = _begun(place, postgres, sessions := times(96, 8))
        noting = NotingBackend(_copy(postgres, template))
        _store_works(Store(place / ".workflow" / "lifecycle.db", backend=noting), runs)
        stored, plain = [], []
        for _ in range(times(5)):
            store = make.make_postgres_store(place, _copy(postgres, template))
            stored.append(sessions * STEPS / _store_works(store, runs))
            plain.append(sessions * STEPS / _driver_works(_copy(postgres, template), runs, noting.units))
    note = f"{SLOTS} at once, commits not synced"
    yield Figure("completing units of the store on PostgreSQL", "/s", stored, note=note)
    yield Figure("the same statements by a plain driver, each waited for", "/s", plain, note=note)
    shares = [ours / theirs for ours, theirs in zip(stored, plain, strict=True)]
    yield Figure("the store's share of the plain driver's rate", "x", shares, above=0.7)


def _begun(place: Path, postgres: Server, sessions: int) -> tuple[str, list[Run]]:
    """The name of a database with so many sessions, of each of which the first run is open; those runs."""
    address = postgres.database()
    ensure_schema(address, metadata)
    store = make.make_postgres_store(place, address)
    make.make_host(store, HOST, seconds=LEASE)
    by, runs = make.lead(store), []
    for number in range(sessions):
        session = make.make_session(store, f"Build shop {number}", discuss="off")
        make.one_beat(store, session, by)
        row = store.write(
            lambda tx, of=session: claims.claim(tx, HOST, make.ALL_ROLES, session=of),  # type: ignore[misc]
            about=session,
        )
        assert row is not None
        runs.append(row)
    store.close()
    return name_of(address), runs


def _copy(postgres: Server, template: str) -> str:
    return postgres.database(template)


def _at_once(work: Callable[[int, threading.Barrier], None]) -> float:
    """Seconds from when all slots were ready until the last has done its part."""
    ready = threading.Barrier(SLOTS + 1)
    with ThreadPoolExecutor(SLOTS) as pool:
        parts = [pool.submit(work, slot, ready) for slot in range(SLOTS)]
        ready.wait(60)
        begun = time.perf_counter()
        for part in parts:
            part.result()
    return time.perf_counter() - begun


def _store_works(store: Store, runs: Sequence[Run]) -> float:
    desk = LocalDesk(store)

    def work(slot: int, ready: threading.Barrier) -> None:
        store.read(lambda tx: tx.now)
        ready.wait(60)
        for first in runs[slot::SLOTS]:
            row: Run | None = first
            for _ in range(STEPS):
                assert row is not None
                row = desk.report(noop_report(row, own_session=True), make.ALL_ROLES, draining=False).next
            assert row is None

    taken = _at_once(work)
    store.close()
    return taken


def _driver_works(address: str, runs: Sequence[Run], units: dict[str, list[list[Made]]]) -> float:
    def work(slot: int, ready: threading.Barrier) -> None:
        with psycopg.connect(
            address, autocommit=True, cursor_factory=RawCursor, prepare_threshold=2
        ) as connection:
            cursor = connection.cursor()
            ready.wait(60)
            for first in runs[slot::SLOTS]:
                for made in units[first.session_id]:
                    cursor.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
                    for sql, values in (Made(LOCK, [[first.session_id]]), Made(OPENED, ()), *made):
                        cursor.execute(cast(Any, sql), values or None)
                        if cursor.description is not None:
                            cursor.fetchall()
                    cursor.execute("COMMIT")

    return _at_once(work)

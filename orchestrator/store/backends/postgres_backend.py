"""A project's database on a PostgreSQL server: many writers, of which each locks the sessions that its unit is about.

READ COMMITTED, and `FOR NO KEY UPDATE` on the rows of the unit's sessions before it reads anything: within a session
units follow each other as they do in SQLite, and those of different sessions run side by side. What a unit changes
beyond its sessions it finds with SKIP LOCKED or guards by the condition of its UPDATE.

The clock is the server's, read after the locks: hosts on other machines need not agree on theirs.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeVar, cast

from sqlalchemy import MetaData
from sqlalchemy.pool import QueuePool

from orchestrator.domain.errors import DatabaseUnusable, StoreBroken
from orchestrator.domain.identity import ProjectId
from orchestrator.store.backends.backend import Cursor, Opened
from orchestrator.store.backends.postgres_connection import (
    Connection,
    DriverError,
    connect,
    described,
)
from orchestrator.store.backends.postgres_dialect import SQL
from orchestrator.store.backends.postgres_errors import explain, is_outage, is_repeated
from orchestrator.store.backends.postgres_marks import is_left, prepare
from orchestrator.store.backends.postgres_wire import WENT_ON, Ahead, StaleStatements, Wire
from orchestrator.store.clock import SHARED, Clock

T = TypeVar("T")
WRITERS = 10  # connections
READERS = 4
REPEATS = 20  # tries of a unit that others were quicker than
OUTAGE_SECONDS = 35.0  # how long a unit waits for a server that is away
PAUSE_SECONDS = 0.05  # before the second try; each further one waits up to twice as long as the one before
LONGEST_PAUSE = 1.0

_NOW = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
LOCK = "SELECT 1 FROM sessions WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE"
OPENED = f"SELECT {_NOW}"
_SNAPSHOT = "SELECT pg_current_snapshot()::text"
_IDENTITY = "SELECT system_identifier::text || '/' || current_database() FROM pg_control_system()"


class ServerClock:
    """The server's clock, asked at each call: for records and for leases alike."""

    def __init__(self, ask: Callable[[str], Any]) -> None:
        self._ask = ask

    def wall(self) -> int:
        return int(self._ask(f"SELECT {_NOW}"))

    monotonic = wall


class CommitWatch:
    """A `Watch` by the transactions that a snapshot knows as ended: no writer has to tell, and none is missed.

    It may also report what was committed in another database of the server.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._seen = self._poll()

    def _poll(self) -> str:
        try:
            found = self._connection.execute(_SNAPSHOT).fetchone()
        except DriverError as error:
            raise DatabaseUnusable(why=str(error), fix="see that PostgreSQL is up") from error
        return str(found[0]) if found else ""

    def has_changed(self) -> bool:
        before, self._seen = self._seen, self._poll()
        return self._seen != before

    def close(self) -> None:
        self._connection.close()


class _Attempt:
    """One try of a unit, and what is known of it when the server's answer to COMMIT is lost."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.mark = ""  # that it leaves, where it changes something
        self.asked_to_commit = False


class PostgresBackend:
    """A `Backend`."""

    sql = SQL
    file = None

    def __init__(self, address: str, *, clock: Clock | None = None) -> None:
        """`address`: a libpq connection string or URL. `clock`: another one than the server's."""
        self._address = address
        self._own_clock = clock
        self.clock: Clock = clock or ServerClock(self._ask)
        self._broken = ""
        self._is_prepared = False  # for the marks of commits
        self._writers = self._pool(WRITERS, writes=True)
        self._readers = self._pool(READERS, writes=False)
        self._counting = threading.Lock()
        self.repeated = 0  # units that were tried again since others were quicker
        self.resolved = 0  # commits whose answer was lost, and found to have been made

    def _pool(self, size: int, *, writes: bool) -> QueuePool:
        creating: Any = self._writer if writes else self._reader  # its type is a driver's protocol
        return QueuePool(
            creating,
            pool_size=size,
            max_overflow=0,
            timeout=OUTAGE_SECONDS,
            use_lifo=True,
            reset_on_return=None,
        )

    def _reader(self) -> Wire:
        return Wire(connect(self._address, writes=False))

    def _writer(self) -> Wire:
        made = connect(self._address)
        if not self._is_prepared:
            try:
                prepare(made)
            except BaseException:
                made.close()
                raise
            self._is_prepared = True
        return Wire(made)

    @cached_property
    def identity(self) -> ProjectId:
        return ProjectId(f"postgresql:{self._ask(_IDENTITY)}")

    def _ask(self, sql: str) -> Any:
        """One value, outside of any unit."""

        return self._outlasting(lambda: self._with(self._readers, lambda wire: _value(wire, sql)))

    def again(self) -> PostgresBackend:
        """The same database, with connections of its own: what another process has."""
        return PostgresBackend(self._address, clock=self._own_clock)

    def close(self) -> None:
        self._writers.dispose()
        self._readers.dispose()

    def transact(self, unit: Callable[[Opened], T], about: Sequence[str], *, use_ballast: bool = False) -> T:
        """Raises DatabaseBusy, DiskFull or DatabaseUnusable."""
        return self._outlasting(lambda: self._once(unit, about))

    def _outlasting(self, attempt: Callable[[], T]) -> T:
        """Its answer, tried again while others are quicker or the server is away, each within its bound."""
        self.must_be_whole()
        deadline = time.monotonic() + OUTAGE_SECONDS
        pause, tries, stale = PAUSE_SECONDS, 0, 0
        while True:
            try:
                return attempt()
            except StaleStatements as error:
                stale += 1
                if stale >= REPEATS:
                    raise explain(error, self._where) from error
                continue  # at once: its connection prepares everything anew
            except DriverError as error:
                if is_repeated(error):
                    tries += 1
                    with self._counting:
                        self.repeated += 1
                    if tries >= REPEATS:
                        raise explain(error, self._where) from error
                elif not is_outage(error) or time.monotonic() >= deadline:
                    raise explain(error, self._where) from error
            time.sleep(random.uniform(0, pause))  # noqa: S311 - so that two that met do not meet again
            pause = min(2 * pause, LONGEST_PAUSE)

    def _once(self, unit: Callable[[Opened], T], about: Sequence[str]) -> T:
        """One try. Raises DriverError for one that was not committed."""
        tried = _Attempt()
        try:
            return self._with(self._writers, lambda connection: self._attempt(connection, unit, about, tried))
        except DriverError as error:
            if not tried.asked_to_commit or not tried.mark or not is_outage(error):
                raise
            if not self._was_committed(tried.mark):
                raise
        with self._counting:
            self.resolved += 1
        return cast(T, tried.answer)

    def _attempt(self, wire: Wire, unit: Callable[[Opened], T], about: Sequence[str], tried: _Attempt) -> T:
        opened = self._open(wire, about)
        tried.answer = unit(opened)
        if wire.is_refused:  # a COMMIT would roll back
            raise AssertionError(WENT_ON)
        if wire.has_changes:
            tried.mark = wire.marks.leave(wire.later)
        tried.asked_to_commit = True
        wire.execute("COMMIT")
        wire.marks.note_committed(tried.mark)
        return cast(T, tried.answer)

    def _open(self, wire: Wire, about: Sequence[str]) -> Opened:
        """Begin, lock the sessions, then ask for the time: with the unit's first statement."""
        wire.later("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        if about:
            wire.later(LOCK, [sorted(set(about))])
        begun = wire.ahead(OPENED)
        wire.has_changes = False
        lock: Callable[[str], None] = lambda session: _lock(wire, session)  # noqa: E731 - one of these for each unit
        return Opened(cast(Cursor, wire), self._times(begun), SHARED, lock, wire.later, wire.ahead)

    def _times(self, begun: Ahead) -> Callable[[], tuple[int, int]]:
        """By the server's clock, unless another one is given: which is asked behind the locks, too."""

        def times() -> tuple[int, int]:
            now: int = begun.fetchall()[0][0]
            own = self._own_clock
            return (now, now) if own is None else (own.wall(), own.monotonic())

        return times

    def _was_committed(self, mark: str) -> bool:
        """Whether a commit was made whose answer was lost; one that was not is not made later either.

        Raises DatabaseUnusable while the server is away, and when the transaction is still under way at the end.
        """
        deadline = time.monotonic() + OUTAGE_SECONDS
        while True:
            try:
                return self._with(self._writers, lambda wire: is_left(cast(Cursor, wire), mark))
            except DriverError as error:
                if not (is_outage(error) or is_repeated(error)) or time.monotonic() >= deadline:
                    raise DatabaseUnusable(
                        "nobody can tell whether a change was made",
                        why=f"{self._where}: the connection was lost while it was committed",
                        fix="repeat the command when the server is back: it is applied once",
                    ) from error
            time.sleep(PAUSE_SECONDS)

    def snapshot(self, unit: Callable[[Opened], T]) -> T:
        def read(wire: Wire) -> T:
            wire.later("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            times = self._times(wire.ahead(f"SELECT {_NOW}"))
            answer = unit(Opened(cast(Cursor, wire), times, SHARED, ahead=wire.ahead))
            wire.end_snapshot()
            return answer

        return self._outlasting(lambda: self._with(self._readers, read))

    def take_time(self, opened: Opened) -> None:
        """Its locks still end with the client: keepalives notice one that is cut off."""
        for name in ("idle_in_transaction_session_timeout", "statement_timeout"):
            opened.cursor.execute(f"SET LOCAL {name} = 0")

    def number_on(self, opened: Opened, tables: MetaData) -> None:
        for table in tables.sorted_tables:
            column = table.autoincrement_column
            if column is not None:
                name = f"pg_get_serial_sequence('{table.name}', '{column.name}')"
                opened.cursor.execute(
                    f"SELECT setval({name}, max({column.name})) FROM {table.name} HAVING max({column.name}) > 0"  # noqa: S608 - our own schema
                )

    def watch(self) -> CommitWatch:
        return self._outlasting(lambda: CommitWatch(connect(self._address, writes=False)))

    def in_units(self, sessions: Sequence[str]) -> list[Sequence[str]]:
        return [[session] for session in sessions]  # a unit that locks many sessions would stop all of them

    @property
    def is_broken(self) -> bool:
        return bool(self._broken)

    def must_be_whole(self) -> None:
        if self.is_broken:
            raise StoreBroken(why=self._broken, fix="see that PostgreSQL is up, then repeat the command")

    def give_up(self, why: str) -> None:
        self._broken = why

    def checkpoint(self, *, last: bool = False) -> bool:
        """The server does so by itself."""
        return True

    @cached_property
    def _where(self) -> str:
        return described(self._address)

    def _with(self, pool: QueuePool, act: Callable[[Wire], T]) -> T:
        """The answer of `act` with a connection of the pool; after an error its transaction is rolled back."""
        with self._taken(pool) as wire:
            try:
                return act(wire)
            except BaseException:
                wire.roll_back()
                raise

    @contextmanager
    def _taken(self, pool: QueuePool) -> Iterator[Wire]:
        fairy: Any = pool.connect()
        wire: Wire = fairy.dbapi_connection
        try:
            yield wire
        finally:
            if wire.is_usable:
                fairy.close()
            else:
                fairy.invalidate()


def _value(wire: Wire, sql: str, values: Sequence[Any] = ()) -> Any:
    """The only one of its answer."""
    found = wire.execute(sql, values).fetchone()
    return found[0] if found else None


def _lock(wire: Wire, session: str) -> None:
    wire.execute(LOCK, [[session]])

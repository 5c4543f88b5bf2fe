"""Statements on one connection, with as few round trips as they need, and little of the client's time.

A unit makes some twenty statements, one after the other, and what a client spends on them is mostly the driver's own
cursor: it takes twice as long as a statement needs, its pipelines cost more than the round trips that they save, and it
forgets all that is prepared at each ROLLBACK. So libpq is asked directly here, by the driver's bindings of it. A statement
that is used again is prepared and stays so; one whose answer nobody reads waits for the next one that somebody does, the
COMMIT at last, and goes with it. So does one whose answer somebody reads later. Nobody waits for the ROLLBACK that ends
a snapshot: its answer is taken in by who uses the connection next.
"""

from __future__ import annotations

import select
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from psycopg import errors
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

from orchestrator.store.backends.postgres_connection import Connection, DriverError
from orchestrator.store.backends.postgres_marks import Marks

PREPARED_AFTER = 2  # uses
PREPARED_MOST = 500
QUEUED_MOST, QUEUED_BYTES = 100, 1024 * 1024  # of statements that wait, and of their values
_GOOD = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)
_REPLANNED = "RevalidateCachedQuery"  # where the server finds that a prepared statement has other columns now

WENT_ON = "a unit went on after the database had refused one of its statements"

Send = Callable[[], None]
Key = tuple[str, tuple[int, ...]]  # a statement, and the types of its values
Row = tuple[Any, ...]


class StaleStatements(DriverError):
    """What was prepared does not fit any more: its table was changed, or a pooler lost it. Nothing was done."""


class Ahead:
    """The answer of a statement that goes with the next one."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.result: PGresult | None = None

    def fetchall(self) -> list[Row]:
        """Its rows; runs it where nothing has been executed since. Raises DriverError."""
        if self.result is None:
            self._wire.run_waiting()
        if self.result is None:
            raise AssertionError(WENT_ON)
        return self._wire.rows_of(self.result, 0, self.result.ntuples)


class Wire:
    """One connection, which is the cursor of its units too. For one thread at a time.

    `has_changes`: whether anything was asked that may change rows, since somebody has set it to false.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.marks = Marks()
        self.has_changes = False
        self._pg = connection.pgconn
        self._encoding = connection.info.encoding
        self._adapted = Transformer(connection)
        self._poll = select.poll()
        self._poll.register(self._pg.socket, select.POLLIN)
        self._queue: list[Send] = []
        self._queued = 0  # bytes
        self._used: Counter[Key] = Counter()
        self._names: OrderedDict[Key, bytes] = OrderedDict()  # what was not used for the longest time first
        self._preparing: list[tuple[int, Key]] = []  # with their places in the queue
        self._aheads: list[tuple[int, Ahead]] = []  # the same
        self._unread = False  # an answer is under way that nobody has waited for
        self._is_stale = False  # the server has prepared statements that are not ours any more
        self._number = 0
        self._result: PGresult | None = None
        self._next = 0  # row of the result

    # a cursor, as statements use it

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Wire:
        """Run it behind what waits. Raises DriverError."""
        self._add(sql, values)
        self._run()
        return self

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> None:
        for row in rows:
            self.later(sql, row)

    def later(self, sql: str, values: Sequence[Any] = (), /) -> None:
        """Run it with the next statement that is executed, which then raises what it raises."""
        self._add(sql, values)
        if len(self._queue) >= QUEUED_MOST or self._queued >= QUEUED_BYTES:
            self._run()

    def ahead(self, sql: str, values: Sequence[Any] = (), /) -> Ahead:
        """The same, with its answer."""
        self._add(sql, values)
        found = Ahead(self)
        self._aheads.append((len(self._queue) - 1, found))
        return found

    def run_waiting(self) -> None:
        """Run what waits now. Raises DriverError."""
        if self._queue:
            self._run()

    @property
    def rowcount(self) -> int:
        found = None if self._result is None else self._result.command_tuples
        return -1 if found is None else found

    def fetchone(self) -> Row | None:
        found = self._fetch(1)
        return found[0] if found else None

    def fetchall(self) -> list[Row]:
        return self._fetch()

    def _fetch(self, most: int | None = None) -> list[Row]:
        if self._result is None or self._next >= self._result.ntuples:
            return []
        first, last = self._next, self._result.ntuples if most is None else self._next + most
        self._next = last
        return self.rows_of(self._result, first, last)

    def rows_of(self, result: PGresult, first: int, last: int) -> list[Row]:
        self._adapted.set_pgresult(result)
        rows = self._adapted.load_rows(first, last, tuple)
        self._adapted.set_pgresult(None)  # else it keeps the answer, however large, until the next one
        return rows

    # the connection

    def roll_back(self) -> None:
        """End what was begun, and forget what waits. Where that fails too, the connection is not used again."""
        self._forget()
        if self.is_lost:
            return
        try:
            if not self.is_usable:
                self.execute("ROLLBACK")
            if self._is_stale:
                self.execute("DEALLOCATE ALL")
                self._is_stale = False
        except DriverError:  # what made it necessary says more
            self.close()

    def end_snapshot(self) -> None:
        """End the transaction, of which nothing is to stay; nobody waits for that. Raises DriverError."""
        self._forget()
        if self.is_usable:  # nothing was asked
            return
        self._pg.send_query_params(b"ROLLBACK", None)
        self._unread = True
        self._flush()

    @property
    def is_usable(self) -> bool:
        """Whether it can be used again: neither closed nor within a transaction."""
        if self.connection.closed:
            return False
        return self._unread or self._pg.transaction_status == TransactionStatus.IDLE

    @property
    def is_refused(self) -> bool:
        """Whether the transaction can only be rolled back, since a statement of it was refused."""
        return self._pg.transaction_status == TransactionStatus.INERROR

    @property
    def is_lost(self) -> bool:
        """Whether the server can no longer be asked by it."""
        return self.connection.closed or self._pg.transaction_status == TransactionStatus.UNKNOWN

    def close(self) -> None:
        self.connection.close()

    # what is sent

    def _add(self, sql: str, values: Sequence[Any]) -> None:
        body = sql.encode(self._encoding)
        self.has_changes = self.has_changes or not sql.startswith("SELECT")
        if not values:
            self._queue.append(lambda: self._pg.send_query_params(body, None))
            return
        given = self._adapted.dump_sequence(values, [PyFormat.AUTO] * len(values))
        types, formats = self._adapted.types, self._adapted.formats
        assert types is not None
        self._queued += sum(len(each) for each in given if each is not None)
        name = self._name_of((sql, types), body)
        if name is None:
            self._queue.append(lambda: self._pg.send_query_params(body, given, types, formats))
        else:
            self._queue.append(lambda: self._pg.send_query_prepared(name, given, formats))

    def _name_of(self, key: Key, body: bytes) -> bytes | None:
        """Of the prepared statement, which may be prepared with what is sent next; None where it is not used often."""
        name = self._names.get(key)
        if name is not None:
            self._names.move_to_end(key)
            return name
        self._used[key] += 1
        if self._used[key] < PREPARED_AFTER:
            return None
        self._number += 1
        name = self._names[key] = f"lifecycle_{self._number}".encode()
        self._preparing.append((len(self._queue), key))
        self._queue.append(lambda: self._pg.send_prepare(name, body, key[1]))
        if len(self._names) > PREPARED_MOST:
            self._drop()
        return name

    def _drop(self) -> None:
        """Have the server forget the statement that was not used for the longest time."""
        _, old = self._names.popitem(last=False)
        self._used.clear()
        self._queue.append(lambda: self._pg.send_query_params(b"DEALLOCATE " + old, None))

    def _forget(self, answers: Sequence[PGresult] = ()) -> None:
        self._queue, self._queued, self._aheads = [], 0, []
        for place, key in self._preparing:
            if place >= len(answers) or answers[place].status not in _GOOD:
                self._names.pop(key, None)  # perhaps it was not prepared
        self._preparing = []

    def _run(self) -> None:
        """Send what waits, and keep the last answer. Raises DriverError for the first that the server refuses."""
        queue, self._result, self._next = self._queue, None, 0
        answers: list[PGresult] = []
        try:
            self._take_in()
            if len(queue) == 1:
                queue[0]()
                self._answers(1, answers)
            else:
                self._pipelined(queue, answers)
        except BaseException as error:  # what comes next could not be told from what is under way
            self._forget()
            if not isinstance(error, Exception):  # a signal: the server is to let go of its locks now
                with suppress(DriverError):
                    self._pg.get_cancel().cancel()
                self.close()
                raise
            self.close()
            self._raise_of(answers, error)
            raise
        self._raise_of(answers)
        for place, ahead in self._aheads:
            ahead.result = answers[place]
        self._queue, self._queued, self._preparing, self._aheads = [], 0, [], []
        self._result = answers[-1]

    def _take_in(self) -> None:
        """The answer that nobody has waited for. Raises DriverError for one that is no good: then nothing was begun."""
        if not self._unread:
            return
        found: list[PGresult] = []
        self._answers(1, found)
        self._unread = False
        if bad := [each for each in found if each.status not in _GOOD]:
            raise errors.error_from_result(bad[0], self._encoding)

    def _raise_of(self, answers: Sequence[PGresult], cause: BaseException | None = None) -> None:
        bad = next((each for each in answers if each.status not in _GOOD), None)
        if bad is None:
            return
        self._forget(answers)
        error = errors.error_from_result(bad, self._encoding)
        if _is_stale(error):
            self._forget_prepared()
            raise StaleStatements(str(error)) from error
        raise error from cause

    def _forget_prepared(self) -> None:
        """Prepare everything anew; the server forgets what it has once the transaction has ended."""
        self._names.clear()
        self._used.clear()
        self._is_stale = True

    def _pipelined(self, queue: Sequence[Send], answers: list[PGresult]) -> None:
        self._pg.enter_pipeline_mode()
        for send in queue:
            send()
        self._pg.pipeline_sync()
        self._answers(len(queue), answers)
        self._get()  # of the synchronisation
        self._pg.exit_pipeline_mode()

    def _answers(self, number: int, found: list[PGresult]) -> None:
        self._flush()
        for _ in range(number):
            while (result := self._get()) is not None:
                found.append(result)

    def _flush(self) -> None:
        """Send, and take in meanwhile what the server answers: it may read nothing more before that."""
        while self._pg.flush():
            self._poll.modify(self._pg.socket, select.POLLIN | select.POLLOUT)
            try:
                if any(event & ~select.POLLOUT for _, event in self._poll.poll()):
                    self._pg.consume_input()
            finally:
                self._poll.modify(self._pg.socket, select.POLLIN)

    def _get(self) -> PGresult | None:
        while self._pg.is_busy():
            self._poll.poll()
            self._pg.consume_input()
        return self._pg.get_result()


def _is_stale(error: DriverError) -> bool:
    if isinstance(error, errors.FeatureNotSupported):
        return error.diag.source_function == _REPLANNED
    return isinstance(error, errors.InvalidSqlStatementName)

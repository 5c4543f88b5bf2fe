"""Statements on a connection to PostgreSQL, and what of them waits."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import psycopg
import pytest

from orchestrator.store.backends import postgres_wire
from orchestrator.store.backends.postgres_connection import connect
from orchestrator.store.backends.postgres_wire import StaleStatements, Wire
from tests.postgres_server import Server

ADD = "INSERT INTO t VALUES ($1::BIGINT, $2::VARCHAR)"
PREPARED = "SELECT count(*) FROM pg_prepared_statements"


@pytest.fixture
def wire(postgres: Server) -> Iterator[Wire]:
    made = Wire(connect(postgres.database()))
    made.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, text VARCHAR)")
    yield made
    made.close()


def count(wire: Wire) -> int:
    found = wire.execute("SELECT count(*) FROM t").fetchone()
    assert found is not None
    return int(found[0])


def test_what_waits_goes_before_what_is_executed(wire: Wire) -> None:
    wire.later(ADD, [1, "one"])
    wire.later(ADD, [2, None])

    found = wire.execute("SELECT id, text FROM t ORDER BY id").fetchall()

    assert found == [(1, "one"), (2, None)]


def test_what_waited_and_is_refused_undoes_its_unit_and_the_next_one_goes_on(wire: Wire) -> None:
    wire.execute("BEGIN")
    wire.later(ADD, [1, "one"])
    wire.later(ADD, [1, "again"])

    with pytest.raises(psycopg.errors.UniqueViolation):
        wire.execute("COMMIT")
    wire.roll_back()

    assert wire.is_usable and count(wire) == 0


def test_what_waits_when_its_unit_ends_is_forgotten(wire: Wire) -> None:
    wire.execute("BEGIN")
    wire.later(ADD, [1, "one"])

    wire.roll_back()

    assert count(wire) == 0


def test_a_statement_stays_prepared_beyond_a_rollback(wire: Wire) -> None:
    for number in range(3):
        wire.execute("BEGIN")
        wire.execute(ADD, [number, "it"])
        wire.execute("ROLLBACK")

    assert wire.execute(PREPARED).fetchone() == (1,)


def test_only_so_many_statements_stay_prepared(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_wire, "PREPARED_MOST", 3)

    for number in range(10):
        for _ in range(2):
            assert wire.execute(f"SELECT $1::BIGINT + {number}", [1]).fetchone() == (1 + number,)

    assert wire.execute(PREPARED).fetchone() == (3,)


def test_a_statement_that_could_not_be_prepared_is_prepared_when_it_can_be(wire: Wire) -> None:
    late = "SELECT text FROM late WHERE id = $1::BIGINT"
    for _ in range(3):
        with pytest.raises(psycopg.errors.UndefinedTable):
            wire.execute(late, [1])
    wire.execute("CREATE TABLE late AS SELECT 1::BIGINT AS id, 'there' AS text")

    found = [wire.execute(late, [1]).fetchone() for _ in range(3)]

    assert found == [("there",)] * 3


def test_more_is_sent_than_either_side_keeps_ready(wire: Wire) -> None:
    body = "x" * 200_000
    back = "INSERT INTO t VALUES ($1::BIGINT, $2::VARCHAR) RETURNING text"

    wire.executemany(back, [[number, body] for number in range(150)])

    assert count(wire) == 150


def test_what_no_text_can_hold_is_refused_before_it_is_sent(wire: Wire) -> None:
    with pytest.raises(psycopg.DataError):
        wire.later(ADD, [1, "a\0b"])

    assert count(wire) == 0


def test_a_connection_that_the_server_ends_is_lost(wire: Wire, postgres: Server) -> None:
    (pid,) = wire.execute("SELECT pg_backend_pid()").fetchone() or (0,)
    postgres.execute(f"SELECT pg_terminate_backend({pid})")

    with pytest.raises(psycopg.OperationalError):
        wire.execute("SELECT 1")

    assert wire.is_lost and not wire.is_usable


def test_a_signal_ends_the_statement_on_the_server_too(postgres: Server) -> None:
    """Else its rows stay locked until it is over."""
    address = postgres.database()
    one, other = Wire(connect(address)), Wire(connect(address))
    one.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, text VARCHAR)")
    one.execute(ADD, [1, "one"])
    one.execute("BEGIN")
    one.execute("UPDATE t SET text = 'held'")
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()  # while the statement is under way

    with pytest.raises(KeyboardInterrupt):
        one.execute("SELECT pg_sleep(60)")

    other.execute("SET lock_timeout = '5s'")  # statements may take ten
    other.execute("UPDATE t SET text = 'free'")
    other.close()


def test_units_that_are_refused_leave_no_statements_behind(wire: Wire) -> None:
    wire.execute(ADD, [1, "one"])
    for number in range(20):
        wire.execute("BEGIN")
        with pytest.raises(psycopg.errors.UniqueViolation):
            wire.execute(ADD, [1, f"again {number}"])
        wire.roll_back()

    found = wire.execute(PREPARED).fetchone()

    assert found is not None and found[0] <= 3


def test_what_is_asked_ahead_is_answered_with_the_next_statement(wire: Wire) -> None:
    first = wire.ahead("SELECT 1::BIGINT UNION SELECT 2 ORDER BY 1")
    wire.later(ADD, [1, "one"])
    second = wire.ahead("SELECT count(*) FROM t")

    found = wire.execute("SELECT text FROM t").fetchall()

    assert (first.fetchall(), second.fetchall(), found) == ([(1,), (2,)], [(1,)], [("one",)])
    assert first.fetchall() == [(1,), (2,)]


def test_an_answer_that_nobody_waited_for_is_asked_for(wire: Wire) -> None:
    wire.later(ADD, [1, "one"])
    asked = wire.ahead("SELECT count(*) FROM t")

    assert asked.fetchall() == [(1,)]


def test_what_was_asked_ahead_of_a_refusal_has_no_answer(wire: Wire) -> None:
    wire.execute("BEGIN")
    asked = wire.ahead("SELECT 1")
    with pytest.raises(psycopg.errors.DivisionByZero):
        wire.execute("SELECT 1 / 0")
    wire.roll_back()

    with pytest.raises(AssertionError, match="refused one of its statements"):
        asked.fetchall()


def begin_snapshot(wire: Wire) -> None:
    wire.later("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")


def test_nobody_waits_for_the_end_of_a_snapshot(wire: Wire) -> None:
    for _ in range(3):
        begin_snapshot(wire)
        assert count(wire) == 0
        wire.end_snapshot()
        assert wire.is_usable and not wire.is_lost

    wire.execute(ADD, [1, "one"])  # which a snapshot would not let
    assert count(wire) == 1


def test_a_snapshot_in_which_nothing_was_asked_ends_too(wire: Wire) -> None:
    for asks in (True, False, False, True):
        begin_snapshot(wire)
        if asks:
            assert count(wire) == 0
        wire.end_snapshot()

    assert wire.is_usable
    wire.execute(ADD, [1, "one"])
    assert count(wire) == 1


def test_a_connection_that_ends_after_a_snapshot_is_lost_when_it_is_used(
    wire: Wire, postgres: Server
) -> None:
    pid = wire.connection.info.backend_pid
    begin_snapshot(wire)
    assert count(wire) == 0
    wire.end_snapshot()
    postgres.execute(f"SELECT pg_terminate_backend({pid}, 10000)")

    with pytest.raises(psycopg.OperationalError):
        wire.execute(ADD, [1, "one"])
    assert wire.is_lost and not wire.is_usable


def test_a_statement_whose_table_was_changed_is_prepared_anew(wire: Wire, postgres: Server) -> None:
    wire.execute("CREATE TABLE u (number INTEGER)")
    for _ in range(3):
        assert wire.execute("SELECT * FROM u WHERE number > $1", [0]).fetchall() == []
    with psycopg.connect(wire.connection.info.dsn, autocommit=True) as other:
        other.execute("ALTER TABLE u ALTER number TYPE BIGINT")

    with pytest.raises(StaleStatements, match="cached plan"):
        wire.execute("SELECT * FROM u WHERE number > $1", [0])
    wire.roll_back()

    assert wire.is_usable and wire.execute(PREPARED).fetchall() == [(0,)]
    for _ in range(3):
        assert wire.execute("SELECT * FROM u WHERE number > $1", [0]).fetchall() == []
    assert wire.execute(PREPARED).fetchall() == [(1,)]


def test_a_statement_that_a_pooler_lost_is_prepared_anew(wire: Wire) -> None:
    for _ in range(3):
        wire.execute(ADD, [wire.execute("SELECT count(*) FROM t").fetchall()[0][0], "x"])
    wire.execute("DEALLOCATE ALL")

    wire.execute("BEGIN")
    with pytest.raises(StaleStatements):
        wire.execute(ADD, [7, "seven"])
    wire.roll_back()

    wire.execute(ADD, [7, "seven"])
    assert count(wire) == 4


def test_what_the_server_does_not_support_is_not_taken_for_stale(wire: Wire) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported) as caught:
        wire.execute("SELECT 1 FROM t FULL JOIN t AS u ON t.id < u.id OR t.text = u.text")

    assert not isinstance(caught.value, StaleStatements)

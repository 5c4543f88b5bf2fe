"""On PostgreSQL, whether a commit was made whose answer was lost: by the mark that it left, never by a guess."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import psycopg
import pytest
from psycopg import errors

from orchestrator.store import messages
from orchestrator.store.backends.backend import Cursor
from orchestrator.store.backends.postgres_connection import connect
from orchestrator.store.backends.postgres_marks import is_left
from orchestrator.store.backends.postgres_wire import Wire
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests import invariants
from tests.patience import patient
from tests.postgres_server import Server


@pytest.fixture
def address(postgres: Server) -> str:
    return postgres.database("empty")


@pytest.fixture
def store(address: str, tmp_path: Path) -> Iterator[Store]:
    found = make.make_postgres_store(tmp_path, address)
    yield found
    invariants.check_store(found)
    found.close()


@pytest.fixture
def wires(store: Store, address: str) -> Iterator[tuple[Wire, Wire]]:
    """Two connections beside the store's, which has made the table."""
    make.make_session(store)
    both = Wire(connect(address)), Wire(connect(address))
    yield both
    for each in both:
        each.close()


def marks(address: str) -> list[tuple[str, bool]]:
    with psycopg.connect(address) as plain:
        return plain.execute("SELECT mark, made FROM lifecycle_commits ORDER BY mark").fetchall()


def test_after_a_crash_the_commits_of_others_are_not_taken_for_ones_own(
    store: Store, postgres: Server
) -> None:
    mine, of_others = make.make_session(store), make.make_session(store)
    other = make.another(store)
    crashes = [True]

    def say(tx: Tx) -> int:
        number = messages.say(tx, mine, "writer", "state_update", "mine")
        tx.flush()
        if crashes and crashes.pop():
            postgres.kill()  # what the transaction has written was not on disk: the server gives its number anew
            postgres.start()
            for _ in range(5):
                other.write(lambda tx: messages.event(tx, of_others, "noted", "theirs"), about=of_others)
        return number

    number = store.write(say, about=mine)

    said = store.read(lambda tx: messages.after(tx, mine, number - 1))
    assert [row.summary for row in said] == ["[writer] mine"]


def test_a_commit_that_was_said_not_to_be_made_never_is(wires: tuple[Wire, Wire], address: str) -> None:
    late, asking = wires
    late.execute("BEGIN")
    mark = late.marks.leave(late.later)  # it is sent with the COMMIT

    first = is_left(cast(Cursor, asking), mark)
    with pytest.raises(errors.UniqueViolation):
        late.execute("COMMIT")

    assert (first, is_left(cast(Cursor, asking), mark)) == (False, False)
    assert (mark, False) in marks(address)


def test_a_commit_that_is_under_way_is_waited_for(wires: tuple[Wire, Wire], address: str) -> None:
    late, asking = wires
    late.execute("BEGIN")
    mark = late.marks.leave(late.later)
    late.run_waiting()
    answers: list[bool] = []
    asks = threading.Thread(target=lambda: answers.append(is_left(cast(Cursor, asking), mark)))

    asks.start()
    with psycopg.connect(address, autocommit=True) as plain:
        waits = (
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        end = time.monotonic() + patient(10)
        while plain.execute(waits).fetchone() is None:
            assert time.monotonic() < end, "nobody waits"
    late.execute("COMMIT")
    asks.join(patient(10))

    assert answers == [True]


def test_a_connection_keeps_its_last_mark_alone(store: Store, address: str) -> None:
    session = make.make_session(store)
    before = marks(address)

    for turn in range(3):
        store.write(lambda tx, turn=turn: messages.event(tx, session, "noted", str(turn)), about=session)  # type: ignore[misc]

    assert len(marks(address)) == len(before) == 1 and marks(address) != before


def test_what_only_reads_leaves_no_mark(store: Store, address: str) -> None:
    session = make.make_session(store)
    before = marks(address)

    store.write(lambda tx: messages.last(tx, session, 1), about=session)

    assert marks(address) == before


def test_an_older_database_gets_the_table(address: str, tmp_path: Path) -> None:
    with psycopg.connect(address, autocommit=True) as plain:
        plain.execute("DROP TABLE IF EXISTS lifecycle_commits")

    store = make.make_postgres_store(tmp_path, address)
    make.make_session(store)
    store.close()

    assert [made for _, made in marks(address)] == [True]


def test_marks_of_connections_that_ended_long_ago_are_removed(
    store: Store, address: str, tmp_path: Path
) -> None:
    make.make_session(store)
    with psycopg.connect(address, autocommit=True) as plain:
        plain.execute("UPDATE lifecycle_commits SET mark = 'old', at = at - INTERVAL '8 days'")

    later = make.make_postgres_store(tmp_path / "later", address)
    make.make_session(later)
    later.close()

    assert "old" not in dict(marks(address))

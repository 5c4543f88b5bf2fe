"""Units that wait at the same time share a commit, and nothing else: not a fault, not an answer that came too early."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import LeaseLost, StoreError
from orchestrator.store import messages, sessions
from orchestrator.store.backends.sqlite_backend import SqliteBackend
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests import invariants


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = make.make_store(tmp_path)
    yield found
    found.close()
    invariants.check(found.path)


class Crowd:
    """Units that all wait while one before them holds the transaction; then they go on together."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pool = ThreadPoolExecutor(16)
        self._holding, self._go_on = threading.Event(), threading.Event()
        self._first = self._pool.submit(store.write, self._hold)
        assert self._holding.wait(10)

    def _hold(self, _: Tx) -> None:
        self._holding.set()
        assert self._go_on.wait(30)

    def add(self, unit: Callable[[Tx], Any]) -> Future[Any]:
        before = len(self._store.backend._commits._waiting)
        added = self._pool.submit(self._store.write, unit)
        while len(self._store.backend._commits._waiting) == before:
            assert not added.done()
        return added

    def go_on(self) -> list[str]:
        """What was said to SQLite from then on."""
        said: list[str] = []
        connection = self._store.backend._connection
        assert connection is not None
        connection.set_trace_callback(said.append)
        self._go_on.set()
        self._pool.shutdown()
        connection.set_trace_callback(None)
        self._first.result()
        return said


def archive(session: str) -> Callable[[Tx], str]:
    def unit(tx: Tx) -> str:
        sessions.archive(tx, session, True)
        return session

    return unit


def archived(store: Store) -> set[str]:
    return {row.id for row in store.read(sessions.all_sessions) if row.archived}


def test_units_that_wait_are_committed_at_once_and_each_gets_its_answer(store: Store) -> None:
    names = [make.make_session(store, f"thing {number}") for number in range(8)]
    crowd = Crowd(store)
    waiting = [crowd.add(archive(name)) for name in names]

    said = crowd.go_on()

    assert [each.result() for each in waiting] == names
    assert said.count("COMMIT") == 2  # of the one that held them up, and of all
    assert archived(store) == set(names)


def test_what_a_unit_raises_undoes_it_alone(store: Store) -> None:
    names = [make.make_session(store, f"thing {number}") for number in range(3)]

    def broken(tx: Tx) -> None:
        sessions.archive(tx, names[1], True)
        raise LeaseLost(run="r")

    crowd = Crowd(store)
    waiting = [crowd.add(unit) for unit in (archive(names[0]), broken, archive(names[2]))]

    said = crowd.go_on()

    with pytest.raises(LeaseLost):
        waiting[1].result()
    assert [waiting[0].result(), waiting[2].result()] == [names[0], names[2]]
    assert archived(store) == {names[0], names[2]}
    assert said.count("COMMIT") == 2  # of the one that held them up, and of the others together


def test_a_fault_of_the_database_is_told_to_the_one_that_caused_it(store: Store) -> None:
    names = [make.make_session(store, f"thing {number}") for number in range(3)]

    def orphan(tx: Tx) -> None:
        tx._cursor.execute("INSERT INTO edges (task_id, blocker_id, session_id) VALUES (1, 99999, 'none')")

    crowd = Crowd(store)
    waiting = [crowd.add(unit) for unit in (archive(names[0]), orphan, archive(names[2]))]

    crowd.go_on()

    with pytest.raises(sqlite3.IntegrityError):
        waiting[1].result()
    assert [waiting[0].result(), waiting[2].result()] == [names[0], names[2]]
    assert archived(store) == {names[0], names[2]}


def test_nobody_is_answered_when_the_commit_fails(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [make.make_session(store, f"thing {number}") for number in range(3)]
    crowd = Crowd(store)
    waiting = [crowd.add(archive(name)) for name in names]

    def refuse(self: SqliteBackend, *_: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(SqliteBackend, "_attempt", refuse)
    crowd.go_on()

    for each in waiting:
        with pytest.raises(StoreError):
            each.result()
    assert archived(store) == set()


def test_a_leader_that_is_interrupted_leaves_the_others_to_the_next(store: Store) -> None:
    name = make.make_session(store, "thing")

    def interrupted(_: Tx) -> None:
        raise KeyboardInterrupt

    crowd = Crowd(store)
    first = crowd.add(interrupted)
    second = crowd.add(archive(name))

    crowd.go_on()

    with pytest.raises(KeyboardInterrupt):
        first.result()
    assert second.result() == name
    assert archived(store) == {name}


def test_messages_of_one_session_stay_in_order_across_a_group(store: Store) -> None:
    session = make.make_session(store)
    crowd = Crowd(store)
    waiting = [
        crowd.add(lambda tx, n=n: messages.say(tx, session, "writer", "state_update", f"number {n}"))  # type: ignore[misc]
        for n in range(10)
    ]

    crowd.go_on()

    numbers = [each.result() for each in waiting]
    said = store.read(lambda tx: messages.after(tx, session, numbers[0] - 1))
    assert numbers == list(range(numbers[0], numbers[0] + 10))
    assert [row.summary for row in said] == [f"[writer] number {n}" for n in range(10)]


def test_what_a_unit_raised_in_a_try_that_came_to_nothing_is_forgotten(store: Store) -> None:
    names = [make.make_session(store, f"thing {number}") for number in range(2)]
    tries = []

    def raises_once(tx: Tx) -> str:
        tries.append(tx)
        if len(tries) == 1:
            raise LeaseLost(run="r")
        return archive(names[0])(tx)

    def fails_once(tx: Tx) -> str:
        if len(tries) == 1:
            busy = sqlite3.OperationalError("database is locked")
            busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise busy
        return archive(names[1])(tx)

    crowd = Crowd(store)
    waiting = [crowd.add(unit) for unit in (raises_once, fails_once)]

    crowd.go_on()

    assert [each.result() for each in waiting] == names
    assert archived(store) == set(names)

"""The connections that are kept for queries: never one that another reader has left in a state of its own."""

from __future__ import annotations

import sqlite3

import pytest

from orchestrator.store.backends.sqlite_file import Readers


class Made:
    """Connections that were made, all of them."""

    def __init__(self) -> None:
        self.all: list[sqlite3.Connection] = []

    def __call__(self) -> sqlite3.Connection:
        self.all.append(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))
        return self.all[-1]


def is_open(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except sqlite3.ProgrammingError:
        return False
    return True


def test_connections_are_used_again_and_what_is_above_the_number_is_closed() -> None:
    made = Made()
    readers = Readers(made, 1)

    with readers.connection() as first, readers.connection() as second:
        assert first is not second
    with readers.connection() as again:
        pass

    assert (again, len(made.all)) == (second, 2)
    assert (is_open(first), is_open(second)) == (False, True)
    readers.close()
    assert not is_open(second)


def test_one_that_is_in_use_while_they_are_closed_is_closed_when_it_comes_back() -> None:
    readers = Readers(Made(), 2)

    with readers.connection() as used:
        readers.close()
        assert is_open(used)

    assert not is_open(used)
    with readers.connection() as another:
        pass
    assert is_open(another)
    readers.close()


def test_one_whose_transaction_was_not_ended_is_not_used_again() -> None:
    readers = Readers(Made(), 2)

    with pytest.raises(KeyboardInterrupt), readers.connection() as left:
        left.execute("BEGIN")
        raise KeyboardInterrupt

    assert not is_open(left)
    with readers.connection() as another:
        another.execute("BEGIN")
        another.execute("ROLLBACK")
    readers.close()

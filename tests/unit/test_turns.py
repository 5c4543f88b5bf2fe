"""The turns that tasks of a session take on a host."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.patience import patient
from workers.host.turns import CHECKING, OPENING, Turns


class Gone(Exception):
    pass


class Task:
    """One that waits for its turn, and holds it until it is let go."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        turns: Turns,
        task: str,
        session: str,
        most: int | None,
        apart: Collection[str] = (),
    ) -> None:
        self._turns, self._task, self._session, self._most, self._apart = turns, task, session, most, apart
        self.waits, self.has_turn, self.may_end = (threading.Event() for _ in range(3))
        self.is_over = False
        self.done: Future[None] = pool.submit(self._hold)

    def _hold(self) -> None:
        with self._turns.turn(
            CHECKING,
            self._session,
            self._task,
            self._check,
            self._most,
            subject=self._task,
            fits=set(self._apart).isdisjoint,
        ):
            self.has_turn.set()
            assert self.may_end.wait(patient(60))

    def _check(self) -> None:
        self.waits.set()
        if self.is_over:
            raise Gone


class Host:
    def __init__(self, pool: ThreadPoolExecutor, most: int | None) -> None:
        self._pool, self._most, self._turns = pool, most, Turns()
        self.all: list[Task] = []

    def begins(self, task: str, session: str = "S", apart: Collection[str] = ()) -> Task:
        made = Task(self._pool, self._turns, task, session, self._most, apart)
        self.all.append(made)
        assert made.has_turn.wait(patient(60))
        return made

    def waits(self, task: str, session: str = "S", apart: Collection[str] = ()) -> Task:
        made = Task(self._pool, self._turns, task, session, self._most, apart)
        self.all.append(made)
        assert made.waits.wait(patient(60)) and not made.has_turn.is_set()
        return made


@contextmanager
def host(most: int | None) -> Iterator[Host]:
    with ThreadPoolExecutor(300) as pool:
        made = Host(pool, most)
        try:
            yield made
        finally:
            for each in made.all:
                each.may_end.set()


def test_who_waits_begins_when_another_ends_and_earlier_tasks_begin_first() -> None:
    with host(2) as one:
        first, _second = one.begins("IMPL-001"), one.begins("IMPL-004")
        later, earlier = one.waits("IMPL-003"), one.waits("IMPL-002")

        first.may_end.set()

        assert earlier.has_turn.wait(patient(60))
        later.waits.clear()
        assert later.waits.wait(patient(60)) and not later.has_turn.is_set()
        earlier.may_end.set()
        assert later.has_turn.wait(patient(60))


def test_who_does_not_fit_beside_the_turns_of_now_lets_later_ones_go_first() -> None:
    with host(2) as one:
        first = one.begins("IMPL-001")
        second = one.waits("IMPL-002", apart=["IMPL-001", "IMPL-004"])

        third = one.begins("IMPL-003")
        fourth = one.waits("IMPL-004")
        third.may_end.set()
        assert fourth.has_turn.wait(patient(60))
        first.may_end.set()
        first.done.result(patient(60))
        second.waits.clear()
        assert second.waits.wait(patient(60)) and not second.has_turn.is_set()

        fourth.may_end.set()
        assert second.has_turn.wait(patient(60))


def test_of_two_that_do_not_fit_beside_each_other_one_begins() -> None:
    with host(2) as one:
        last = one.begins("IMPL-009")
        first = one.waits("IMPL-001", apart=["IMPL-002", "IMPL-009"])
        second = one.waits("IMPL-002", apart=["IMPL-001", "IMPL-009"])

        last.may_end.set()

        one_of_them = begun(first, second)
        other = second if one_of_them is first else first
        other.waits.clear()
        assert other.waits.wait(patient(60)) and not other.has_turn.is_set()
        one_of_them.may_end.set()
        assert other.has_turn.wait(patient(60))


def begun(*tasks: Task) -> Task:
    """The first of them that has its turn."""
    end = time.monotonic() + patient(60)
    while time.monotonic() < end:
        for each in tasks:
            if each.has_turn.wait(0.02):
                return each
    raise AssertionError("none has begun")


def test_sessions_do_not_wait_for_each_other() -> None:
    with host(1) as one:
        one.begins("IMPL-001")
        one.waits("IMPL-002")
        one.begins("IMPL-002", session="another")


def test_who_may_not_go_on_leaves_and_keeps_nobody() -> None:
    with host(1) as one:
        first, gone, last = one.begins("IMPL-001"), one.waits("IMPL-002"), one.waits("IMPL-003")

        gone.is_over = True

        with pytest.raises(Gone):
            gone.done.result(patient(60))
        first.may_end.set()
        assert last.has_turn.wait(patient(60))


def test_a_turn_ends_also_by_an_error() -> None:
    turns = Turns()
    with pytest.raises(Gone), turns.turn(CHECKING, "S", "IMPL-001", lambda: None, 1):
        raise Gone
    with turns.turn(CHECKING, "S", "IMPL-002", lambda: None, 1):
        pass


def test_one_kind_of_turn_does_not_wait_for_another() -> None:
    turns = Turns()
    with (
        turns.turn(CHECKING, "S", "IMPL-001", lambda: None, 1),
        turns.turn(OPENING, "S", "IMPL-002", lambda: None, 1),
    ):
        pass


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux tells a process's processors")
def test_without_a_number_there_are_as_many_as_processors() -> None:
    processors = len(os.sched_getaffinity(0))
    with host(None) as one:
        for n in range(processors):
            one.begins(f"IMPL-{n:03d}")
        one.waits("IMPL-999")

"""The coordinator's timers start behind its first round, and beside it where it is long."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
import structlog

from orchestrator.coordinator.late_timers import LateTimers
from orchestrator.coordinator.timers import TimerScheduler
from tests.patience import patient


class Made:
    """Timers with one that ticks all the time, and how often they were made."""

    def __init__(self) -> None:
        self.times = 0
        self.ticked = threading.Event()

    def make(self) -> TimerScheduler:
        self.times += 1
        timers = TimerScheduler(structlog.get_logger(), lambda _: None)
        timers.every(0.02, "tick", self.ticked.set)
        return timers


@pytest.fixture
def made() -> Made:
    return Made()


@pytest.fixture
def late(made: Made) -> Iterator[LateTimers]:
    found = LateTimers(made.make)
    yield found
    found.stop()


def test_timers_tick_during_a_first_round_that_is_long(late: LateTimers, made: Made) -> None:
    late.start_within(0.01)

    assert made.ticked.wait(patient(10))


def test_timers_are_made_once_whoever_starts_them(late: LateTimers, made: Made) -> None:
    late.start_within(0.01)
    first = late.start()
    assert made.ticked.wait(patient(10))

    assert late.start() is first
    assert made.times == 1


def test_a_timer_that_is_set_in_the_first_round_starts_all(late: LateTimers, made: Made) -> None:
    due = threading.Event()

    late.at(int(time.time() * 1e6), "retry", due.set)

    assert due.wait(patient(10))
    assert made.ticked.wait(patient(10))


def test_behind_the_end_none_is_started(made: Made) -> None:
    late = LateTimers(made.make)
    late.stop()

    late.at(int(time.time() * 1e6), "retry", made.ticked.set)

    assert late.start() is None
    assert made.times == 0

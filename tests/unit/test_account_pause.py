"""How long an account is left alone, by what its calls tell in whatever order."""

from __future__ import annotations

import pytest

from orchestrator.domain.account_pause import LONGEST, LONGEST_GUESS, SECOND, Pause, met

NOW = 1_800_000_000 * SECOND
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


def test_a_limit_without_an_end_is_held_for_longer_each_time() -> None:
    known: Pause | None = None
    now = NOW
    lasted = []

    for _ in range(6):
        known = met(known, now=now, began=now, told=None)
        lasted.append((known.until - now) // SECOND)
        now = known.until

    assert lasted == [60, 120, 240, 480, 900, 900]


def test_a_pause_holds_before_its_end_and_not_at_it() -> None:
    pause = met(None, now=NOW, began=NOW, told=NOW + HOUR)

    assert [pause.holds(NOW + HOUR - 1), pause.holds(NOW + HOUR)] == [True, False]


@pytest.mark.parametrize("told", [None, NOW, NOW - HOUR, 0])
def test_an_end_that_is_not_told_or_past_is_guessed(told: int | None) -> None:
    assert met(None, now=NOW, began=NOW, told=told) == Pause(NOW + MINUTE, NOW, 1)


def test_an_end_that_no_limit_has_is_bounded() -> None:
    assert met(None, now=NOW, began=NOW, told=NOW + 400 * 24 * HOUR).until == NOW + LONGEST


TOLD = Pause(NOW + HOUR, NOW, 0)
GUESSED = Pause(NOW + 8 * MINUTE, NOW, 4)


@pytest.mark.parametrize(
    ("known", "began", "told", "until"),
    [
        (TOLD, NOW - 1, None, TOLD.until),
        (TOLD, NOW + 1, None, TOLD.until),
        (TOLD, NOW - 1, NOW + MINUTE, TOLD.until),
        (TOLD, NOW - 1, NOW + 2 * HOUR, NOW + 2 * HOUR),
        (GUESSED, NOW - 1, NOW + MINUTE, GUESSED.until),
        (GUESSED, NOW - 1, NOW + HOUR, NOW + HOUR),
    ],
)
def test_a_pause_that_holds_is_never_shortened(
    known: Pause, began: int, told: int | None, until: int
) -> None:
    assert met(known, now=NOW + SECOND, began=began, told=told).until == until


def test_calls_that_met_one_limit_together_are_one_guess() -> None:
    first = met(None, now=NOW, began=NOW - MINUTE, told=None)

    others = [met(first, now=NOW + late, began=NOW - MINUTE, told=None) for late in (0, 1, SECOND)]

    assert others == [first] * 3


def test_a_refusal_of_an_earlier_call_that_comes_when_the_pause_is_over_is_no_further_guess() -> None:
    first = met(None, now=NOW, began=NOW - MINUTE, told=None)
    late = NOW + 2 * MINUTE

    again = met(first, now=late, began=NOW - 1, told=None)
    later = met(first, now=late, began=NOW + 1, told=None)

    assert (again.guesses, again.until - late) == (1, MINUTE)
    assert (later.guesses, later.until - late) == (2, 2 * MINUTE)


@pytest.mark.parametrize(
    ("pause", "back", "holds"),
    [(TOLD, HOUR, True), (TOLD, LONGEST, False), (GUESSED, MINUTE, True), (GUESSED, HOUR, False)],
)
def test_a_clock_that_is_put_back_makes_no_pause_longer_than_any(
    pause: Pause, back: int, holds: bool
) -> None:
    assert pause.holds(NOW - back) is holds
    assert LONGEST_GUESS < HOUR < LONGEST

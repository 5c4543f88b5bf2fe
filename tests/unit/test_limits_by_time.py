"""How often something may happen in a minute, of however many names."""

from __future__ import annotations

from orchestrator.web.limits_by_time import NAMES, WINDOW_SECONDS, RateLimit


def test_names_that_are_not_heard_of_any_more_are_forgotten() -> None:
    """An address is a name, and of those one machine has as many as it likes."""
    now = [0.0]
    limit = RateLimit(2, lambda: now[0])
    for number in range(20 * NAMES):
        now[0] = number * WINDOW_SECONDS / NAMES
        assert limit.admits(f"2001:db8::{number:x}")

    assert len(limit._seen) <= 3 * NAMES


def test_names_of_this_minute_are_kept_however_many_there_are() -> None:
    limit = RateLimit(2, lambda: 1.0)
    for number in range(3 * NAMES):
        assert limit.admits(f"{number}") and limit.admits(f"{number}")

    assert not any(limit.admits(f"{number}") for number in range(3 * NAMES))

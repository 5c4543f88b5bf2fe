"""How long a coordinator without work stays."""

from __future__ import annotations

import pytest

from orchestrator.domain.idleness import SHORT_STAY_SECONDS, Memory, stay_seconds

PLENTY = Memory(available=500, total=1000)


@pytest.mark.parametrize(
    ("asked", "found", "stays"),
    [
        (900.0, [], 900.0),
        (900.0, [PLENTY], 900.0),
        (900.0, [Memory(100, 1000)], 900.0),  # a tenth is enough
        (900.0, [Memory(99, 1000)], SHORT_STAY_SECONDS),
        (900.0, [PLENTY, Memory(1, 100)], SHORT_STAY_SECONDS),  # the machine has plenty, our group has not
        (900.0, [Memory(500, 1000, stalled=4.9)], 900.0),
        (900.0, [Memory(500, 1000, stalled=5.0)], SHORT_STAY_SECONDS),
        (2.0, [Memory(0, 1000)], 2.0),  # never longer than asked
    ],
)
def test_a_coordinator_stays_as_asked_and_leaves_soon_where_memory_is_short(
    asked: float, found: list[Memory], stays: float
) -> None:
    assert stay_seconds(asked, found) == stays

"""How many agent processes run at the same time."""

from __future__ import annotations

import pytest

from orchestrator.config import load_settings
from workers.agents.routing import build_router
from workers.agents.slots import AgentSlots
from workers.builtin import BuiltinAgent


def taken(slots: AgentSlots) -> int:
    """How many can be taken now."""
    count = 0
    while slots.acquire(blocking=False):
        count += 1
    return count


@pytest.mark.parametrize(
    ("least", "fixed", "rounds", "expected"),
    [
        (4, None, [], 4),
        (4, None, [5], 5),
        (4, None, [7, 5, 7], 7),
        (8, None, [5], 8),
        (4, 2, [5], 2),
        (1, 6, [5], 6),
    ],
)
def test_there_is_room_for_the_largest_round_unless_a_number_is_set(
    least: int, fixed: int | None, rounds: list[int], expected: int
) -> None:
    slots = AgentSlots(least, fixed)

    for perspectives in rounds:
        slots.make_room(perspectives)

    assert taken(slots) == expected


@pytest.mark.parametrize(("given", "expected"), [({}, 5), ({"agent_processes": 3}, 3), ({"slots": 9}, 9)])
def test_the_settings_say_how_many(given: dict[str, int], expected: int) -> None:
    router = build_router(load_settings(None, {}, given), {}, lambda _: None, builtin=BuiltinAgent())

    router.make_room(5)

    assert router._slots is not None and taken(router._slots) == expected

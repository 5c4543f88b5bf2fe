"""A call to an agent that several perspectives share: its name, and each one's part of what it cost."""

from __future__ import annotations

from collections.abc import Sequence

JOIN = "+"


def joined(perspectives: Sequence[str]) -> str:
    """What the perspective of a shared call is called: `product+risk`."""
    return JOIN.join(perspectives)


def apart(perspective: str) -> list[str]:
    """The perspectives of a call."""
    return perspective.split(JOIN)


def part(whole: int, perspective: str) -> int:
    """What each perspective of a call has of a sum."""
    return whole // len(apart(perspective))

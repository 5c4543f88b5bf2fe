"""What a seed stands for: which commands are given and which process is struck when.

The plan of a seed is always the same. What it meets is not: which process has which lock at that instant is up to the
operating system. So a seed that failed is worth running again, and may need more than one try.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

LEASE = 2.0  # seconds; everything else is measured against it

# How often each is given. A start is planned by itself, so that there is something to strike at.
ERRANDS = {
    "check": 3,
    "msg": 6,
    "revise": 4,
    "feedback": 4,
    "pause": 2,
    "resume": 6,
    "retry": 1,
    "skip": 1,
    "cancel": 1,
    "recheck": 1,
    "improve": 1,
}
BOTH = "guardian and host"  # the host is killed, whatever happens to the guardian: nobody is left who knows the agent
TARGETS = {"daemon": 2.5, "host": 3.5, "second host": 2.5, "cli": 3, "agent": 3, "guardian": 2, BOTH: 1}


@dataclass(frozen=True, slots=True)
class Shape:
    """How much of it."""

    seconds: float = (
        25.0  # over which commands and blows are spread; what comes after takes as long as it takes
    )
    starts: int = 4
    errands: int = 26
    blows: int = 36
    peace: float = 180.0  # seconds in which everything must come to its end when nothing is struck any more


SHORT = Shape(seconds=9.0, starts=2, errands=8, blows=18, peace=90.0)


@dataclass(frozen=True, slots=True)
class Errand:
    """A command to be given at a time (seconds) by one of two clients; `dice` decides what is left open."""

    at: float
    lane: int
    kind: str
    dice: int


@dataclass(frozen=True, slots=True)
class Blow:
    """SIGKILL, or SIGSTOP for so many seconds, to one of the processes of that kind; `dice` says which."""

    at: float
    target: str
    stopped: float | None
    dice: int


@dataclass(frozen=True, slots=True)
class Plan:
    errands: tuple[Errand, ...]
    blows: tuple[Blow, ...]


def make(seed: int, shape: Shape) -> Plan:
    dice = random.Random(seed)
    starts = [("start", dice.uniform(0, 0.7 * shape.seconds) if n else 0.0) for n in range(shape.starts)]
    names = dice.choices(list(ERRANDS), list(ERRANDS.values()), k=shape.errands)
    others = [(name, dice.uniform(0.1 * shape.seconds, shape.seconds)) for name in names]
    errands = [
        Errand(at, number % 2, kind, dice.getrandbits(32))
        for number, (kind, at) in enumerate(sorted(starts + others, key=lambda each: each[1]))
    ]
    times = sorted(dice.uniform(0.08 * shape.seconds, shape.seconds) for _ in range(shape.blows))
    targets = dice.choices(list(TARGETS), list(TARGETS.values()), k=shape.blows)
    blows = [
        Blow(at, target, _stop(dice), dice.getrandbits(32)) for at, target in zip(times, targets, strict=True)
    ]
    return Plan(tuple(errands), tuple(blows))


def _stop(dice: random.Random) -> float | None:
    """Kill, or stop for less or for more than the lease."""
    how = dice.random()
    if how < 0.6:
        return None
    return LEASE * (dice.uniform(0.2, 0.8) if how < 0.78 else dice.uniform(1.2, 2.0))

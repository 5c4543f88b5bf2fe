"""What a seed stands for: which blow falls when. The time is told by the work that is done, on any machine the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

KILL, STOP, CUT, RESTART = "kill", "stop", "cut", "restart"
HOST, SERVER, COORDINATOR, ENGINE, DATABASE = "host", "server", "coordinator", "engine", "database"
TARGETS = {
    HOST: 6,
    SERVER: 2,
    COORDINATOR: 1,
}  # how often each is killed or stopped; a cable has a host alone
ENGINES = 2  # the same of an engine, where there is one
FIRST, LAST = 0.02, 0.92  # of the tasks: between them the blows fall


@dataclass(frozen=True, slots=True)
class Shape:
    """How much of it. A session has six tasks."""

    tasks: int = 10_000
    hosts: int = 4
    blows: int = 60
    slots: int = 8  # of a host
    at_once: int = (
        16  # sessions that are open at the same time: what is left of the hosts can take all of them
    )
    lease: float = 8.0  # seconds
    whole: int = 10  # of so many sessions one is taken through all phases, with an agent that is a process
    temporal: bool = False

    @property
    def again_seconds(self) -> float:
        """Within which an interrupted task is begun again: a message may lie with a host that is struck as well."""
        if not self.temporal:
            return 2 * self.lease
        from orchestrator.engine.client import TAKEN_SECONDS

        return 2 * self.lease + TAKEN_SECONDS


@dataclass(frozen=True, slots=True)
class Blow:
    """Falls when `at` tasks are done; `seconds` of a stop or a cut; `dice` decides whom of several it meets."""

    at: int
    what: str
    target: str
    seconds: float
    dice: int


def draw(seed: int, shape: Shape) -> Sequence[Blow]:
    """As many kills as stops as cuts, and one restart of the database, in the order of falling."""
    dice = random.Random(seed)
    kinds = [(KILL, STOP, CUT)[number % 3] for number in range(shape.blows)]
    targets = TARGETS | ({ENGINE: ENGINES} if shape.temporal else {})
    blows = [
        Blow(
            _when(dice, shape),
            what,
            HOST if what == CUT else dice.choices(list(targets), list(targets.values()))[0],
            0.0 if what == KILL else shape.lease * _leases(dice),
            dice.getrandbits(32),
        )
        for what in kinds
    ]
    restart = Blow(int(shape.tasks * dice.uniform(0.3, 0.7)), RESTART, DATABASE, 0.0, 0)
    return sorted([*blows, restart], key=lambda blow: blow.at)


def _when(dice: random.Random, shape: Shape) -> int:
    return int(shape.tasks * dice.uniform(FIRST, LAST))


def _leases(dice: random.Random) -> float:
    """Shorter than a lease, or longer."""
    return dice.uniform(0.2, 0.8) if dice.random() < 0.5 else dice.uniform(1.2, 1.8)

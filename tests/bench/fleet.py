"""`python -m tests.bench.fleet [--costs FILE] [--seconds N]`: a million sessions over cells, as a discrete-event simulation.

What one task costs is measured, and given as JSON (`Costs`; without a file the design's figures). From it each cell is
played: completions come as its sessions' tasks end, wait for one of PostgreSQL's cores, and bring requests to the door's
processes; hosts renew by their own clocks. The table stands beside the design's; exit code 1 when a row is 20 % off.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

OFF = 0.20  # of the design's value, from which a row fails
SESSIONS, CELLS, TASK_SECONDS = 1_000_000, 20, 300.0
HOST_SLOTS = 100
CORES, FEW_CORES = 16, 4
FULL = 0.85  # busy, at which the fewer cores are asked what they carry
DOOR_BUSY = 0.6  # of a process of the door, at most
SEED = 1
DAY = 86_400


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured, of one task, host or request: by default the design's figures."""

    postgres_ms: float = 4.0  # its processor time of a completing unit
    door_ms: float = 0.82  # a request's
    renewal_ms: float = 0.64  # PostgreSQL's of a renewal
    requests: float = 8.0  # of a run
    session_bytes: float = 15_000.0
    row_bytes: float = 2_700.0  # of a completed task
    wal_bytes: float = 7_000.0
    renew_seconds: float = 15.0
    lease_seconds: float = 60.0
    margin_seconds: float = 5.0

    @classmethod
    def read(cls, file: Path) -> Costs:
        """Raises ValueError for a name that is none, or a value that is no cost."""
        given = json.loads(file.read_text(encoding="utf-8"))
        known = {field.name for field in fields(cls)}
        if not isinstance(given, dict) or given.keys() - known:
            raise ValueError(f"{file} is to have some of {', '.join(sorted(known))}")
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"{name} is to be a number above 0")
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: what was simulated, and what the design says."""

    name: str
    found: float
    design: float
    unit: str

    @property
    def is_off(self) -> bool:
        return abs(self.found - self.design) > OFF * self.design


class Servers:
    """Several that serve one queue, each one at a time, in the order of coming."""

    def __init__(self, number: int) -> None:
        self._free = [0.0] * number
        self.busy = 0.0  # seconds of work
        self.waits: list[float] = []

    def serve(self, at: float, seconds: float) -> None:
        begins = max(at, heapq.heappop(self._free))
        heapq.heappush(self._free, begins + seconds)
        self.busy += seconds
        self.waits.append(begins - at)


@dataclass(slots=True)
class Cell:
    """One cell that was played for `seconds`."""

    seconds: float
    completions: int
    renewals: int
    requests: int
    database: Servers
    door: Servers


def play(costs: Costs, sessions: int, cores: int, doors: int, seconds: float, chance: random.Random) -> Cell:
    """All sessions have a task running, each ends at random, and its next one begins at once."""
    hosts = -(-sessions // HOST_SLOTS)
    database, door = Servers(cores), Servers(doors)
    cell = Cell(seconds, 0, 0, 0, database, door)
    task_rate = sessions / TASK_SECONDS
    coming: list[tuple[float, str]] = [
        (chance.expovariate(task_rate), "task"),
        (chance.expovariate(task_rate * costs.requests), "request"),
        *((chance.uniform(0, costs.renew_seconds), "renewal") for _ in range(hosts)),
    ]
    heapq.heapify(coming)
    while coming[0][0] < seconds:
        at, kind = coming[0]
        if kind == "task":
            cell.completions += 1
            database.serve(at, costs.postgres_ms / 1000)
            follows = chance.expovariate(task_rate)
        elif kind == "request":
            cell.requests += 1
            door.serve(at, costs.door_ms / 1000)
            follows = chance.expovariate(task_rate * costs.requests)
        else:
            cell.renewals += 1
            database.serve(at, costs.renewal_ms / 1000)
            door.serve(at, costs.door_ms / 1000)
            follows = costs.renew_seconds
        heapq.heapreplace(coming, (at + follows, kind))
    return cell


def doors_needed(costs: Costs, sessions: int) -> int:
    """Processes of the door, none of which is busier than `DOOR_BUSY`."""
    asked = sessions / TASK_SECONDS * costs.requests + sessions / HOST_SLOTS / costs.renew_seconds
    return max(2, -(-int(asked * costs.door_ms) // int(1000 * DOOR_BUSY)))  # two: one may be upgraded


def ended_by_outage(costs: Costs, outage: float, hosts: int, chance: random.Random) -> float:
    """The share of hosts whose agents are ended, when the database is away for so long."""
    ended = 0
    for _ in range(hosts):
        renewed = -chance.uniform(0, costs.renew_seconds)  # the last time before it began
        ended += outage > renewed + costs.lease_seconds - costs.margin_seconds
    return ended / hosts


def p99(waits: Sequence[float]) -> float:
    return sorted(waits)[int(0.99 * len(waits))]


def rows(costs: Costs, seconds: float) -> Iterator[Row]:
    chance = random.Random(SEED)
    sessions = SESSIONS // CELLS
    doors = doors_needed(costs, sessions)
    cells = [play(costs, sessions, CORES, doors, seconds, chance) for _ in range(CELLS)]
    done = sum(cell.completions for cell in cells) / seconds
    asked = sum(cell.requests for cell in cells) / seconds
    renewed = sum(cell.renewals for cell in cells) / seconds
    busy = sum(cell.database.busy for cell in cells) / CELLS / seconds / CORES
    yield Row("rows of open sessions, all", SESSIONS * costs.session_bytes / 1e9, 15, "GB")
    yield Row("rows of open sessions, a cell", sessions * costs.session_bytes / 1e9, 0.8, "GB")
    yield Row("completions, all", done, 3_333, "/s")
    yield Row("completions, a cell", done / CELLS, 167, "/s")
    yield Row("PostgreSQL, a cell on 16 cores", 100 * busy, 4.6, "% busy")
    yield Row("PostgreSQL, a cell on 4 cores", 100 * busy * CORES / FEW_CORES, 18, "% busy")
    yield Row("door, all", asked / 1000, 27, "k/s")
    yield Row("door, a cell", asked / CELLS / 1000, 1.3, "k/s")
    yield Row("door, processes a cell (the design: 2 to 4)", doors, min(4, max(2, doors)), "")
    yield Row("hosts of 100 slots, all", SESSIONS / HOST_SLOTS, 10_000, "")
    yield Row("renewals, all", renewed, 667, "/s")
    yield Row("renewals, a cell", renewed / CELLS, 33, "/s")
    yield Row("write-ahead log, all", done * costs.wal_bytes / 1e6, 24, "MB/s")
    yield Row("write-ahead log, a cell", done / CELLS * costs.wal_bytes / 1e6, 1.2, "MB/s")
    yield Row("rows a day, all", done * costs.row_bytes * DAY / 1e9, 780, "GB")
    yield Row("rows a day, a cell", done / CELLS * costs.row_bytes * DAY / 1e9, 39, "GB")
    carried = FULL * FEW_CORES / (costs.postgres_ms / 1000)
    yield Row("what 4 cores carry at 85 %", carried, 835, "/s")
    full = play(
        costs,
        int(carried * TASK_SECONDS),
        FEW_CORES,
        doors_needed(costs, int(carried * TASK_SECONDS)),
        max(seconds, 120.0),
        chance,
    )
    yield Row("wait for PostgreSQL there, 99th percentile", 1000 * p99(full.database.waits), 14, "ms")
    large = play(costs, 200_000, CORES, doors_needed(costs, 200_000), seconds, chance)
    yield Row("200,000 sessions on 16 cores", 100 * large.database.busy / seconds / CORES, 18, "% busy")
    for outage, design in ((30.0, 0), (60.0, 100)):
        share = 100 * ended_by_outage(costs, outage, sessions // HOST_SLOTS, chance)
        yield Row(f"hosts that end their agents in an outage of {outage:g} s", share, design, "%")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tests.bench.fleet", description=__doc__)
    parser.add_argument(
        "--costs", type=Path, metavar="FILE", help="what was measured, as JSON; default the design's"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="that each cell is played")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    given = parser.parse_args(arguments)
    costs = Costs() if given.costs is None else Costs.read(given.costs)
    found: list[dict[str, Any]] = []
    off = 0
    print("| a million sessions, all running, 300 s a task | simulated | design | |\n|---|---|---|---|")
    for row in rows(costs, given.seconds):
        off += row.is_off
        mark = "**off**" if row.is_off else ""
        print(
            f"| {row.name} | {row.found:,.4g} {row.unit} | {row.design:,g} {row.unit} | {mark} |", flush=True
        )
        found.append({**asdict(row), "off": row.is_off})
    if given.json:
        given.json.write_text(json.dumps({"costs": asdict(costs), "rows": found}, indent=2) + "\n")
    return int(off > 0)


if __name__ == "__main__":
    sys.exit(main())

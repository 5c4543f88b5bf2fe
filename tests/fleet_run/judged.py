"""What the records, and the agents' own log, say of a run when everything has come to rest."""

from __future__ import annotations

import sqlite3
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.store import copying
from orchestrator.store.store import Tx
from tests import factories as make
from tests.chaos import verdict
from tests.fleet_run import drawn
from tests.fleet_run.drawn import Shape

if TYPE_CHECKING:
    from tests.fleet_run.machines import Fleet

SHOWN = 10  # faults of a kind
CENTRAL = (drawn.SERVER, drawn.COORDINATOR, drawn.DATABASE)  # without them nothing can be given to anybody
_INTERRUPTED = """
    SELECT r.id, r.session_id || ' ' || t.key, h.token, r.outcome, r.opened_at / 1e6, r.closed_at / 1e6,
    (SELECT min(n.opened_at) FROM runs n WHERE n.task_id = r.task_id AND n.epoch > r.epoch) / 1e6, r.lease_until / 1e6
    FROM runs r JOIN tasks t ON t.id = r.task_id JOIN hosts h ON h.incarnation = r.host
    WHERE r.outcome IN ('lost', 'released') ORDER BY r.closed_at"""


@dataclass(slots=True)
class Struck:
    """A blow that fell. Seconds since 1970; `back`: when what it met was at work again."""

    what: str
    target: str
    name: str
    at: float
    back: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A run that did not end by itself, as the records have it. Seconds since 1970."""

    run: str
    task: str
    host: str
    outcome: str
    opened: float
    closed: float
    again: float | None  # when the task's next run was opened
    lease_until: float


@dataclass(frozen=True, slots=True)
class Delay:
    """From a blow until the task's next run was opened, and how much of it the centre was away."""

    run: Interrupted
    by: str
    seconds: float
    away: float


@dataclass
class Found:
    tasks: Counter[str] = field(default_factory=Counter)  # by status
    runs: Counter[str] = field(default_factory=Counter)  # by outcome
    opened: Counter[str] = field(default_factory=Counter)  # how: by an offer, or a report
    agents: int = 0  # processes of agents that began
    lost: int = 0
    twice: int = 0
    broken: int = 0
    overlaps: int = 0
    late: int = 0  # interrupted tasks that were not begun again in time
    delays: list[Delay] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Copied:
    """The rows of a run in a file, for what is asked in SQLite's words."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()


def judge(fleet: Fleet, struck: Sequence[Struck], shape: Shape) -> Found:
    records = copied(fleet)
    found = Found()
    for status, number in records.rows("SELECT status, count(*) FROM tasks GROUP BY 1"):
        found.tasks[status] = number
    for outcome, number in records.rows("SELECT coalesce(outcome, 'open'), count(*) FROM runs GROUP BY 1"):
        found.runs[outcome] = number
    for how, number in records.rows("SELECT opened_by, count(*) FROM runs GROUP BY 1"):
        found.opened[how] = number
    log = fleet.probe / "log"
    found.agents = log.read_bytes().count(b'"start"') if log.exists() else 0
    missing = max(0, shape.tasks - sum(found.tasks.values()))
    lost, twice = verdict.lost_tasks(records), verdict.twice(records)
    unfinished, broken = verdict.unfinished(records), verdict.broken_invariants(records.file)
    overlaps = verdict.overlaps(fleet.probe)
    found.lost = missing + len(unfinished) + len(lost) - len(twice)
    found.twice, found.broken, found.overlaps = len(twice), len(broken), len(overlaps)
    runs = [Interrupted(*row) for row in _interrupted(records)]
    found.delays = [each for each in (delay(run, struck, shape.lease) for run in runs) if each is not None]
    late = [each for each in found.delays if each.seconds > shape.again_seconds + each.away]
    found.late = len(late)
    for faults in (
        [f"{missing} tasks are missing"] if missing else [],
        lost,
        unfinished,
        broken,
        overlaps,
        verdict.wrong_contents(records),
        [_told(each) for each in late],
        fleet.faults_in_logs(),
    ):
        found.faults += faults[:SHOWN]
        if len(faults) > SHOWN:
            found.faults.append(f"and {len(faults) - SHOWN} more like it")
    return found


def _interrupted(records: Copied) -> list[tuple[Any, ...]]:
    return [
        (run, task, host, outcome, opened, closed, again, until)
        for run, task, host, outcome, opened, closed, again, until in records.rows(_INTERRUPTED)
    ]


def copied(fleet: Fleet) -> Copied:
    store = fleet.centre.store()
    target = make.make_store(fleet.folder / "copy", synchronous="OFF")

    def copy(given: Tx) -> None:
        # The file's disk may be slow: the server would end the snapshot meanwhile.
        given.opened.cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        copying.copy_rows(given, target)

    try:
        store.read(copy)
        return Copied(target.path)
    finally:
        target.close()
        store.close()


def delay(run: Interrupted, struck: Sequence[Struck], lease: float) -> Delay | None:
    """None where the task was not to be done again. What no blow explains counts from the last renewal."""
    if run.again is None:
        return None
    met = [
        each
        for each in struck
        if each.at <= run.closed
        and (each.back is None or each.back >= run.opened or each.at >= run.opened)
        and (each.name == run.host or each.target in CENTRAL)
    ]
    own = [each for each in met if each.name == run.host]
    blow = max(own or met, key=lambda each: each.at, default=None)
    begun = run.lease_until - lease if blow is None else max(blow.at, run.opened)
    by = "no blow" if blow is None else f"{blow.what} {blow.target}"
    return Delay(run, by, run.again - begun, away(struck, begun, run.again))


def away(struck: Sequence[Struck], begun: float, ended: float) -> float:
    """Seconds between the two in which some part of the centre was not at work."""
    spans = sorted(
        (max(each.at, begun), min(ended if each.back is None else each.back, ended))
        for each in struck
        if each.target in CENTRAL
    )
    total, reached = 0.0, begun
    for start, end in spans:
        if end > max(start, reached):
            total += end - max(start, reached)
            reached = end
    return total


def _told(late: Delay) -> str:
    return (
        f"{late.run.task}: run {late.run.run} of {late.run.host}, {late.run.outcome}, by {late.by}: begun again after "
        f"{late.seconds:.1f} s, of which the centre was away {late.away:.1f} s"
    )


def spread(delays: Sequence[Delay]) -> dict[str, dict[str, float]]:
    """Of each kind of blow: how many were interrupted by it, and after how many seconds they were begun again."""
    found: dict[str, dict[str, float]] = {}
    for by in sorted({each.by for each in delays}):
        seconds = [each.seconds for each in delays if each.by == by]
        found[by] = {
            "interrupted": len(seconds),
            "median": round(statistics.median(seconds), 1),
            "most": round(max(seconds), 1),
        }
    return found

"""What many sessions, and one long one, cost: looks, a beat, and a hop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from orchestrator.commands.start import start
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.model import TaskDef
from orchestrator.store.store import Tx
from orchestrator.views import check, lookup, session_line
from orchestrator.views.why import why
from tests import factories as make
from tests.bench.measure import Figure, times
from tests.bench.team import Team, team

SESSIONS = 10_000
TASKS = 10  # of each of them
LENGTHS = (500, 2_000, 5_000)  # of one session


def _chain(count: int) -> tuple[TaskDef, ...]:
    def key(number: int) -> str:
        return f"DRAFT-{chr(ord('a') + number // 900)}-{number % 900 + 1:03d}"

    waits = [()] + [(key(number - 1),) for number in range(1, count)]
    return tuple(TaskDef(key(n), "writer", "DRAFT", blocked_by=waits[n]) for n in range(count))


def _begin(made: Team, sessions: int, count: int) -> list[str]:
    planned = make.make_plan("A session among many")
    planned = replace(planned, pipeline=replace(planned.pipeline, tasks=_chain(count)))
    return [start(made.store, planned, project=made.folder, max_attempts=3).session for _ in range(sessions)]


def _timed(step: Callable[[], Any], count: int) -> list[float]:
    """Milliseconds of each of `count` times."""
    taken = []
    for _ in range(count):
        begun = time.perf_counter()
        step()
        taken.append((time.perf_counter() - begun) * 1000)
    return taken


def many_sessions() -> Iterator[Figure]:
    """Looks and beats with one session in the database, and with ten thousand."""
    with team() as made:
        lead = make.lead(made.store)
        few, many = times(50, 2), times(SESSIONS, 6)
        alone = _beats(made, lead, _begin(made, few, TASKS))
        made.store.checkpoint()
        others = _begin(made, many - few, TASKS)
        made.store.checkpoint()
        crowded = _beats(made, lead, others[-few:])
        for name, unit in _looks(others[len(others) // 2]).items():
            taken = _timed(lambda unit=unit: made.store.read(unit), 20)  # type: ignore[misc]
            yield Figure(f"{name}, 10,000 sessions and 100,000 tasks", "ms", taken, below=50)
    yield Figure("a beat that offers, 50 sessions in the database", "ms", alone)
    yield Figure("the same, 10,000 sessions", "ms", crowded)


def _beats(made: Team, lead: Leadership, sessions: Sequence[str]) -> list[float]:
    left = list(sessions)
    return _timed(lambda: make.one_beat(made.store, left.pop(), lead), len(sessions))


def _looks(session: str) -> dict[str, Callable[[Tx], Any]]:
    def of_task(tx: Tx) -> Any:
        row = lookup.session(tx, session)
        return why(tx, row, lookup.task(tx, row, "DRAFT-a-005"))

    return {
        "check": lambda tx: check.overview(tx, lookup.session(tx, session)),
        "why": of_task,
        "list": lambda tx: session_line.listing(tx, limit=100),
    }


def long_session() -> Iterator[Figure]:
    """One session of many tasks, worked through: what a task costs must not grow with their number."""
    for length in LENGTHS[: times(len(LENGTHS))]:
        count = times(length, 5)
        with team() as made:
            (session,) = _begin(made, 1, count)
            make.one_beat(made.store, session, make.lead(made.store))
            run = made.work(count, slots=1)
            hops = [seconds * 1000 for seconds in run["hops"]["loop"]]
            yield Figure(f"hop in one session of {count:,} tasks", "ms", hops)

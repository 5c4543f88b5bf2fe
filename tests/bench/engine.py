"""How fast work goes on: hops, tasks a second, all phases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.bench.measure import Figure, times
from tests.bench.team import team

DIRECT = ("loop", "fast")  # a successor that the report itself started
STEPS = 6  # tasks of a session


def milliseconds(run: dict[str, Any], *kinds: str) -> list[float]:
    """The hops to successors that were opened in these ways."""
    return [seconds * 1000 for kind in kinds for seconds in run["hops"].get(kind, ())]


def hop_alone() -> Iterator[Figure]:
    """One session after the other, and a coordinator that begins, ends and projects them."""
    with team() as made, made.coordinator():
        made.begin(1)
        sessions = times(100)
        run = made.work(sessions * STEPS, slots=1, feed=sessions - 1)
        samples = milliseconds(run, *DIRECT)
    yield Figure("hop, one session at a time, a coordinator beside it", "ms", samples, below=1)


def hop_single() -> Iterator[Figure]:
    """A database with nothing else in it, many times."""
    samples: list[float] = []
    for _ in range(times(25)):
        with team() as made:
            made.begin(1, beats=True)
            samples += milliseconds(made.work(STEPS, slots=1), *DIRECT)
    yield Figure("hop, one session in the database", "ms", samples, below=1)


def hop_busy() -> Iterator[Figure]:
    """All slots are busy before the first one reports.

    While offers wait, each report offers its successor instead of starting it: where slots begin more slowly than a no-op
    ends, a few of them would take all tasks one after another, and no hop would be direct.
    """
    with team() as made:
        made.begin(sessions := times(16, 2), beats=True)
        run = made.work(sessions * STEPS, slots=16, together=sessions)
        yield Figure("hop, 16 sessions on 16 busy slots", "ms", milliseconds(run, *DIRECT), below=5)


def hop_by_beat() -> Iterator[Figure]:
    """From one report to two parallel successors: the coordinator is woken, offers, and wakes the host."""
    samples: list[float] = []
    with team() as made, made.coordinator():
        for _ in range(times(15)):
            made.begin(1, mode="fork")
            samples += milliseconds(made.work(4, slots=2), "offer")
    yield Figure("hop through a beat, into a parallel window", "ms", samples, below=10)


def throughput() -> Iterator[Figure]:
    """Many sessions on one host; the report's rows are all written, the phases are left out."""
    processor = []
    tasks = (sessions := times(1_000, 4)) * STEPS
    for slots in (32, 64)[: times(2)]:
        rates = []
        for _ in range(times(3)):
            with team() as made:
                made.begin(sessions, beats=True)
                with made.ears():
                    run = made.work(tasks, slots=slots)
                rates.append(tasks / run["seconds"])
                processor.append(run["cpu_seconds"] / tasks * 1e6)
        yield Figure(f"durable tasks, 1,000 sessions, {slots} slots, no-op", "/s", rates, above=4000)
    yield Figure("processor time of the host for each of them, its start included", "us", processor)


def throughput_led() -> Iterator[Figure]:
    rates = []
    tasks = (sessions := times(300, 2)) * STEPS
    for _ in range(times(3)):
        with team() as made:
            made.begin(sessions)
            with made.coordinator():
                run = made.work(tasks, slots=32)
            rates.append(tasks / run["seconds"])
    yield Figure("the same, 300 sessions, a coordinator beside it that offers and writes files", "/s", rates)


def phases() -> Iterator[Figure]:
    """The whole of five phases with documents and discussions, an agent that answers at once."""
    rates = []
    tasks = (sessions := times(12)) * STEPS
    for _ in range(times(3)):
        with team() as made:
            made.begin(sessions, discuss="inline", beats=True)
            run = made.work(tasks, slots=4, kind="phases")
            rates.append(tasks / run["seconds"])
            shares = _shares(made.store.path)
    yield Figure(
        "tasks through all phases, documents on disk",
        "/s",
        rates,
        more={"phases": shares},
        note=_told(shares),
    )


def _shares(database: Any) -> dict[str, float]:
    """Of all time in runs, what each phase took."""
    import json
    import sqlite3

    connection = sqlite3.connect(database)
    taken: dict[str, float] = {}
    for (timings,) in connection.execute("SELECT timings FROM runs WHERE timings IS NOT NULL"):
        for phase, seconds in json.loads(timings).items():
            taken[phase] = taken.get(phase, 0.0) + seconds
    connection.close()
    total = sum(taken.values()) or 1.0
    return {phase: round(seconds / total, 3) for phase, seconds in taken.items()}


def _told(shares: dict[str, float]) -> str:
    return ", ".join(f"{phase} {share:.0%}" for phase, share in shares.items())

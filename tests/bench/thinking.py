"""What a session costs beside the time its agents take: a whole one with agents that think for a known time."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.measure import Figure
from tests.e2e.support import Lifecycle, agent_toml, lifecycle

SECONDS = 3.0  # that every agent thinks
SESSIONS = 3
REQUEST = "The catalogue must show where an object lies"
THINKER = Path(__file__).with_name("thinker.py")
VIEWS = ("product", "technical", "quality", "risk", "coverage")


def session() -> Iterator[Figure]:
    """One session after another, each in a project of its own, so that daemon and worker host start too."""
    runs = [_run() for _ in range(SESSIONS)]
    steps = runs[0]["steps"][0]
    name = f"session with agents of {SECONDS:g} s"
    note = f"{steps:.0f} steps one after another: {steps * SECONDS:g} s"
    yield Figure(f"{name}: total", "s", [run["total"][0] for run in runs], note=note)
    for what in ("until the first agent is asked", "after the last answer"):
        yield Figure(f"{name}: {what}", "s", [run[what][0] for run in runs])
    for what in ("ours in a call alone", "ours in a call of a round", "between two steps"):
        yield Figure(f"{name}: {what}", "s", [each for run in runs for each in run[what]])


def _run() -> dict[str, list[float]]:
    agent = agent_toml("thinker", [sys.executable, "-I", "-S", str(THINKER), str(SECONDS)])
    views = "\n[perspectives]\n" + "".join(f'{view} = ["thinker"]\n' for view in VIEWS)
    with (
        TemporaryDirectory(prefix="lifecycle-bench-") as folder,
        lifecycle(Path(folder) / "p", extra=agent + views) as project,
    ):
        begun = time.time()
        command = project.spawn("start", REQUEST)
        _, errors = command.communicate(timeout=60 + 60 * SECONDS)
        ended = time.time()
        assert command.returncode == 0, errors
        return _told(project, begun, ended)


def _told(project: Lifecycle, begun: float, ended: float) -> dict[str, list[float]]:
    """Where the time went, by the calls that the database knows."""
    rows = project.rows(
        "SELECT task_id, purpose, agent, started_at / 1e6, finished_at / 1e6 FROM agent_calls"
    )
    assert {agent for _, _, agent, _, _ in rows} == {"thinker"}
    steps: dict[tuple[int, str], list[tuple[float, float]]] = defaultdict(list)
    for task, purpose, _, start, end in rows:
        steps[task, purpose].append((start, end))
    spans = sorted((min(s for s, _ in step), max(e for _, e in step)) for step in steps.values())
    ours = {key: [end - start - SECONDS for start, end in step] for key, step in steps.items()}
    return {
        "total": [ended - begun],
        "steps": [float(len(steps))],
        "until the first agent is asked": [spans[0][0] - begun],
        "after the last answer": [ended - spans[-1][1]],
        "ours in a call alone": [
            each for (_, what), found in ours.items() if what != "critique" for each in found
        ],
        "ours in a call of a round": [
            each for (_, what), found in ours.items() if what == "critique" for each in found
        ],
        "between two steps": [behind[0] - before[1] for before, behind in pairwise(spans)],
        "longest of each round": [max(found) for (_, what), found in ours.items() if what == "critique"],
    }

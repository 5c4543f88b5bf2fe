"""Chains of six no-op steps through our own worker host, as the comparison measures them of others.

`python -m tests.bench.chain --json` prints the figures: a hop, tasks a second, memory, a cold start, and whether the chain
of a killed worker is finished by itself once the worker has been started again.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.bench.engine import DIRECT, STEPS, milliseconds
from tests.bench.measure import times
from tests.bench.team import Team, team
from tests.patience import patient

SLOTS = 16
WINDOW = 20  # seconds a killed worker's chain is waited for; where only tried, as long as the machine needs


def hops() -> list[float]:
    """Milliseconds, chain after chain, the coordinator at its work beside."""
    with team() as made:
        made.begin(1)
        with made.coordinator():
            sessions = times(200)
            run = made.work(sessions * STEPS, slots=1, feed=sessions - 1)
            return milliseconds(run, *DIRECT)


def many() -> tuple[float, float]:
    """Tasks a second, and the memory of worker host and coordinator together in MB."""
    with team() as made:
        made.begin(sessions := times(300))
        with made.coordinator() as pid:
            run = made.work(sessions * STEPS, slots=SLOTS)
            return sessions * STEPS / run["seconds"], run["memory_mb"] + _share(pid)


def _share(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def cold_start() -> float:
    """Seconds from the worker host's start to its first step, which waits for it."""
    with team() as made:
        made.begin(1, beats=True)
        before = time.time()
        made.work(STEPS, slots=1)
        return float(_first_run(made) - before)


def _first_run(made: Team) -> float:
    ((opened,),) = made.rows("SELECT min(opened_at) FROM runs")
    return float(opened) / 1e6


def killed() -> float | None:
    """Seconds after its restart in which a worker finished the chain that it was killed in; None: not in time."""
    with team() as made, made.coordinator():
        made.begin(1)
        worker = made.spawn(STEPS, slots=1, dawdle=0.2)
        _until(lambda: made.rows("SELECT count(*) FROM runs WHERE outcome = 'completed'")[0][0] >= 2, worker)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        left = STEPS - made.rows("SELECT count(*) FROM tasks WHERE status = 'completed'")[0][0]
        before = time.monotonic()
        again = made.spawn(left, slots=1, dawdle=0.0)
        try:
            again.wait(times(WINDOW, int(patient(WINDOW))))
        except subprocess.TimeoutExpired:
            again.kill()
            again.wait()
            return None
        return time.monotonic() - before


def _until(fact: Any, worker: subprocess.Popen[bytes]) -> None:
    while not fact():
        assert worker.poll() is None, "the worker ended before it could be killed"
        time.sleep(0.01)  # between two looks


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.bench.chain", description=__doc__)
    parser.add_argument("--json", action="store_true", required=True)
    parser.parse_args()
    taken = hops()
    rate, memory = many()
    again = killed()
    found = {
        "hop_ms": {"median": statistics.median(taken), "p95": statistics.quantiles(taken, n=20)[-1]},
        "tasks_per_s": rate,
        "memory_mb": memory,
        "cold_start_s": cold_start(),
        "killed_worker_finishes": again is not None,
        "killed_worker_finishes_after_s": again,
    }
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

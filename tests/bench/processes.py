"""What processes cost: starting, being idle, looking."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import factories as make
from tests.bench.measure import Figure, times
from tests.e2e.support import Lifecycle, lifecycle

COMMANDS = {  # the most processor time that they may take, in seconds
    "--help": 0.10,
    "check": 0.20,
    "list": 0.20,
    "why RESEARCH-001": 0.20,
}


def cold_start() -> Iterator[Figure]:
    """Processor time of a whole command, its children's included: what else the machine does can only make it more."""
    with TemporaryDirectory(prefix="lifecycle-bench-") as folder:
        store = make.make_store(Path(folder))
        make.make_session(store)
        store.close()
        for words, limit in COMMANDS.items():
            taken = [_cpu_of(Path(folder), words.split()) for _ in range(times(15))]
            yield Figure(f"lifecycle {words}, processor time", "s", taken, below=limit)


def _cpu_of(folder: Path, words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-P", "-m", "orchestrator", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def idle() -> Iterator[Figure]:
    """The daemon and its worker host with a session that waits for a person."""
    with TemporaryDirectory(prefix="lifecycle-bench-") as folder, lifecycle(Path(folder) / "p") as made:
        made.configure({"idle_exit_seconds": 600})
        begun = made.run("start", "Build a URL shortener", "--discuss", "off")
        assert begun.code == 0, begun.err
        pids = _processes(made)
        before = {name: cpu_seconds(pid) for name, pid in pids.items()}
        time.sleep(seconds := times(30))  # idleness has no event to wait for
        shares = {name: memory(pid, "Pss") for name, pid in pids.items()}
        for name, pid in pids.items():
            used = 100 * (cpu_seconds(pid) - before[name]) / seconds
            yield Figure(f"idle {name}, processor", "%", [used], below=0.1)
            yield Figure(f"idle {name}, memory (resident)", "MB", [memory(pid, "Rss")], below=65)
            yield Figure(f"idle {name}, memory (its share)", "MB", [shares[name]])
        yield Figure("idle project, memory (both shares)", "MB", [sum(shares.values())], below=90)


def _processes(made: Lifecycle) -> dict[str, int]:
    (leader,) = made.rows("SELECT pid FROM leases")
    (host,) = made.rows("SELECT pid FROM hosts ORDER BY started_at DESC LIMIT 1")
    return {"daemon": leader[0], "worker host": host[0]}


def cpu_seconds(pid: int) -> float:
    """Of all its threads, also of those that have ended, in nanoseconds: a clock tick is a third of the bound."""
    return time.clock_gettime(~pid << 3 | 2)  # what clock_getcpuclockid(3) gives


def memory(pid: int, kind: str) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:")) / 1024


def daemon_start() -> Iterator[Figure]:
    """From the daemon's start to the first run of a session that waited for it, with a migrated database."""
    taken = []
    for _ in range(times(5)):
        with TemporaryDirectory(prefix="lifecycle-bench-") as folder, lifecycle(Path(folder) / "p") as made:
            store = make.make_store(made.folder)
            make.make_session(store)
            store.close()
            begun = time.time()
            made.spawn("daemon", "run")
            made.wait(lambda made=made: made.rows("SELECT 1 FROM runs"), "a run has begun")  # type: ignore[misc]
            opened = made.rows("SELECT min(opened_at) FROM runs")[0][0] / 1e6
            taken.append(opened - begun)
    yield Figure("daemon start to the first run begun", "s", taken, below=0.8)

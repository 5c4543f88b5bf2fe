"""Our own figures, as `make bench` measures them, and what one of our completing transactions does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from orchestrator.lifecycle.finished_run import Report, Reported
from orchestrator.lifecycle.report import complete
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests.bench.peers.floor import Work
from tests.bench.peers.processes import Failed
from tests.bench.peers.run import Figures

BENCH = "tests.bench.chain"
ROOT = Path(__file__).resolve().parents[3]


def measure() -> Figures:
    """Raises Failed when the benchmark is missing or fails."""
    if find_spec(BENCH) is None:
        raise Failed(f"there is no {BENCH} yet")
    ran = subprocess.run([sys.executable, "-m", BENCH, "--json"], cwd=ROOT, capture_output=True, text=True)
    if ran.returncode:
        raise Failed(f"{BENCH} failed: {(ran.stderr.strip().splitlines() or ['it said nothing'])[-1]}")
    gave = json.loads(ran.stdout)
    return Figures(
        gave["hop_ms"]["median"],
        gave["hop_ms"]["p95"],
        gave["tasks_per_s"],
        gave["memory_mb"],
        gave.get("cold_start_s"),
        "yes" if gave["killed_worker_finishes"] else "no",
    )


def work(folder: Path) -> Work:
    """The statements of one completion that leaves no file and goes on with its successor, counted by SQLite."""
    store = make.make_store(folder)
    make.one_beat(store, make.make_session(store), make.lead(store))
    first = make.claim(store, make.make_host(store))
    assert first is not None
    _, second = _complete(store, first)
    assert second is not None
    verbs, _ = _complete(store, second)
    store.close()
    return Work(verbs["SELECT"], verbs["UPDATE"] + verbs["DELETE"], verbs["INSERT"])


def _complete(store: Store, row: Run) -> tuple[Counter[str], Run | None]:
    """How often each kind of statement was run, and the successor."""
    done = Report(
        row=row,
        message_type="draft_ready",
        summary=f"{row.key} complete",
        ref=None,
        inner_loop=row.role == "writer",
        accumulator={},
        timings={},
    )
    said: list[str] = []

    def unit(tx: Tx) -> Reported:
        said.clear()
        connection = tx._cursor.connection
        connection.set_trace_callback(said.append)
        try:
            reported = complete(tx, done, make.ALL_ROLES, draining=False)
            tx.flush()  # as the store does next: what a unit gathers is part of what it writes
            return reported
        finally:
            connection.set_trace_callback(None)

    reported = store.write(unit)
    return Counter(statement.split(None, 1)[0].upper() for statement in said), reported.next

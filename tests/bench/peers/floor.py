"""The limit: one process and plain sqlite3 (WAL, synchronous=FULL), completing one step of a chain a transaction.

`python -m tests.bench.peers.floor <folder> <reads> <updates> <inserts> <completions a commit>` prints its figures.
Three statements complete a step: close it, open the next, note that it happened. More can be asked for.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

from tests.bench.peers.adapters.steps import STEPS
from tests.bench.peers.processes import memory_mb

CHAINS = 1000
DATABASE = "limit.db"
TEXT = "a step of a chain was completed, as a message of the usual length would say it"
SCHEMA = """
    PRAGMA journal_mode=WAL;
    PRAGMA synchronous=FULL;
    CREATE TABLE chain (id INTEGER PRIMARY KEY, completed INTEGER NOT NULL);
    CREATE TABLE task (id INTEGER PRIMARY KEY, chain INTEGER NOT NULL, status TEXT NOT NULL);
    CREATE INDEX task_by_status ON task (status);
    CREATE TABLE event (id INTEGER PRIMARY KEY, task INTEGER NOT NULL, text TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Work:
    """What one completion reads and writes, in statements."""

    reads: int = 0
    updates: int = 2
    inserts: int = 1

    def __str__(self) -> str:
        return f"{self.reads} reads, {self.updates} updates, {self.inserts} inserts"


def complete(cursor: sqlite3.Cursor, task: int, work: Work) -> None:
    for _ in range(work.reads):
        cursor.execute("SELECT chain, status FROM task WHERE id = ?", (task,)).fetchall()
    cursor.execute("UPDATE task SET status = 'completed' WHERE id = ? AND status = 'in_progress'", (task,))
    cursor.execute("UPDATE task SET status = 'in_progress' WHERE id = ? AND status = 'pending'", (task + 1,))
    for _ in range(work.updates - 2):
        cursor.execute("UPDATE chain SET completed = completed + 1 WHERE id = ?", (task // STEPS,))
    for _ in range(work.inserts):
        cursor.execute("INSERT INTO event (task, text) VALUES (?, ?)", (task, TEXT))


def transactions(connection: sqlite3.Connection, work: Work, batch: int) -> Iterator[float]:
    """The seconds of each transaction of `batch` completions."""
    cursor = connection.cursor()
    for first in range(0, CHAINS * STEPS, batch):
        before = time.perf_counter()
        cursor.execute("BEGIN IMMEDIATE")
        for task in range(first, first + batch):
            complete(cursor, task, work)
        cursor.execute("COMMIT")
        yield time.perf_counter() - before


def measure(folder: Path, work: Work, batch: int) -> dict[str, float]:
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        connection.execute("BEGIN")
        tasks = range(CHAINS * STEPS)
        status = ["in_progress"] + ["pending"] * (STEPS - 1)
        connection.executemany(
            "INSERT INTO task VALUES (?, ?, ?)",
            [(task, task // STEPS, status[task % STEPS]) for task in tasks],
        )
        connection.executemany("INSERT INTO chain VALUES (?, 0)", [(chain,) for chain in range(CHAINS)])
        connection.execute("COMMIT")
        seconds = list(transactions(connection, work, batch))
    return {
        "hop_median_ms": median(seconds) * 1000,
        "hop_p95_ms": quantiles(seconds, n=20)[-1] * 1000,
        "tasks_per_s": len(seconds) * batch / sum(seconds),
        "memory_mb": memory_mb(os.getpid()),
    }


def command(folder: Path, work: Work, batch: int) -> list[str]:
    return [sys.executable, "-m", __spec__.name, str(folder), *map(str, asdict(work).values()), str(batch)]


if __name__ == "__main__":
    folder, *numbers = sys.argv[1:]
    reads, updates, inserts, batch = map(int, numbers)
    print(json.dumps(measure(Path(folder), Work(reads, updates, inserts), batch)))

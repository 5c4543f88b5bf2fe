"""Power cut (technique 3): whatever was acknowledged is there after a cut at any instant.

A writer works off real sessions under strace; its disk is rebuilt as a cut would leave it, at each acknowledgement with
nothing that was not synced, and at random instants with a random part of that.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from orchestrator.store import artifacts
from tests import invariants
from tests.powercut import Call, Disk, calls, strace, text

ROOT = Path(__file__).parents[2]
MEMORY = Path("/dev/shm")  # the trace says what was synced; no real disk need be waited for
RANDOM_CUTS = int(os.environ.get("POWER_CUTS", "200"))
SEED = int(os.environ.get("POWER_CUT_SEED", "1"))

pytestmark = pytest.mark.skipif(
    shutil.which("strace") is None or subprocess.run(["strace", "-o", "/dev/null", "true"]).returncode != 0,
    reason="strace is not installed, or may not trace here",
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="cut-", dir=MEMORY)) if MEMORY.is_dir() else tmp_path
    yield made
    shutil.rmtree(made)


@dataclass
class Outcome:
    acknowledged: int = 0
    cuts: int = 0
    random_cuts: int = 0
    lost: list[dict[str, Any]] = field(default_factory=list)  # acknowledged and not there


def traced(folder: Path, synchronous: str, *rounds: int) -> Path:
    """The trace of a writer whose project is `folder/project`."""
    (folder / "project").mkdir()
    trace = folder / "trace"
    writer = [sys.executable, "-P", "-m", "tests.powercut_writer", str(folder / "project"), synchronous]
    with subprocess.Popen(
        [*strace(trace), *writer, *map(str, rounds)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            assert process.wait(90) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # strace alone would leave the writer behind
            raise
    return trace


def replay(folder: Path, trace: Path, random_cuts: int) -> Outcome:
    """Cut at every acknowledgement, and at so many instants more; everything but losses is asserted here."""
    every = list(calls(trace))
    chance = random.Random(SEED)
    instants = set(chance.sample(range(len(every)), min(random_cuts, len(every))))
    disk, outcome = Disk(folder / "project"), Outcome()
    promised: list[dict[str, Any]] = []
    known: tuple[int, set[str]] = (-1, set())
    for number, call in enumerate(every):
        told = acknowledgement(call)
        if told is not None:
            promised.append(told)
            if known[0] != disk.version:
                disk.cut(folder / "cut")
                known = (disk.version, facts(folder / "cut"))
                outcome.cuts += 1
            outcome.lost += [each for each in promised if not kept(each, known[1])]
        disk.feel(call)
        if number in instants:
            disk.cut(folder / "cut", chance)
            there = facts(folder / "cut")
            outcome.lost += [each for each in promised if not kept(each, there)]
            outcome.random_cuts += 1
    outcome.acknowledged = len(promised)
    return outcome


def acknowledgement(call: Call) -> dict[str, Any] | None:
    if call.name != "write" or call.ends:
        return None
    said = text(call.arguments[1])
    return json.loads(said[4:]) if said.startswith(b"ACK ") else None


def kept(promise: dict[str, Any], there: set[str]) -> bool:
    return all(f"{name} {value}" in there for name, value in promise.items())


def facts(cut: Path) -> set[str]:
    """What is found after the cut, in the words of the acknowledgements; all of it must be sound."""
    database = cut / ".workflow" / "lifecycle.db"
    if not database.exists():
        return set()
    connection = sqlite3.connect(database)
    try:
        found = {"schema True"}
        found |= {f"session {row[0]}" for row in connection.execute("SELECT id FROM sessions")}
        found |= {f"beat {row[0]}" for row in connection.execute("SELECT id FROM sessions")}
        found |= {f"ended {row[0]}" for row in connection.execute("SELECT status FROM sessions")} | {
            "ended None"
        }
        found |= {f"claimed {row[0]}" for row in connection.execute("SELECT id FROM runs")}
        for run, files in connection.execute(
            "SELECT r.id, count(a.id) FROM runs r LEFT JOIN artifacts a ON a.run_id = r.id "
            "WHERE outcome = 'completed' GROUP BY r.id"
        ):
            found |= {f"completed {run}", f"files {files}"}
        large = [row[0] for row in connection.execute("SELECT sha256 FROM contents WHERE body IS NULL")]
    finally:
        connection.close()
    invariants.check(database)
    for digest in large:
        body = (cut / ".workflow" / "contents" / digest[:2] / digest).read_bytes()
        assert artifacts.digest_of(body) == digest, f"the file of {digest} is not whole"
    return found


def test_a_power_cut_at_any_instant_loses_nothing_that_was_acknowledged(folder: Path) -> None:
    trace = traced(folder, "FULL", 1, 4, 2)

    outcome = replay(folder, trace, RANDOM_CUTS)

    print(f"{outcome.acknowledged} acknowledged, {outcome.cuts} + {outcome.random_cuts} cuts, seed {SEED}")
    assert outcome.acknowledged > 60 and outcome.cuts > 40
    assert outcome.lost == []


def test_with_synchronous_normal_the_same_replay_finds_losses(folder: Path) -> None:
    trace = traced(folder, "NORMAL", 1)

    outcome = replay(folder, trace, 0)

    assert len(outcome.lost) > outcome.acknowledged

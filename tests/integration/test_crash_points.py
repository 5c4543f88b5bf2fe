"""Crash at every point (technique 2): whatever a process was doing when it died, the next one finishes it once.

Each scenario dies at each of its points in a process of its own. What is left obeys every invariant; after a restart
that repeats what was not acknowledged, the story is that of a run that nobody disturbed: no work lost, none done twice,
every file of the session directory complete.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.crash_scenarios import PLANTED, SCENARIOS
from tests.rows import common

ROOT = Path(__file__).parents[2]
MEMORY = Path("/dev/shm")  # a dead process needs no disk; forced writes to one would only make it slow


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.crashing"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="crash-", dir=MEMORY)) if MEMORY.is_dir() else tmp_path
    yield made
    shutil.rmtree(made)


def die_everywhere(server: subprocess.Popen[str], name: str, folder: Path) -> dict[str, Any]:
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps({"scenario": name, "folder": str(folder)}) + "\n")
    server.stdin.flush()
    found: dict[str, Any] = json.loads(server.stdout.readline())
    print(f"{name}: died at {found['died']} of {found['points']} points, {len(found['broken'])} broken")
    return found


OFTEN = (  # what `make test` dies in; `make long` in every scenario
    "report with a HIGH verdict, its revision and wisdom",
    "start",
    "claim",
    "renewal and reaping",
    "pause and resume",
    "beat that ends the session",
)


@pytest.mark.parametrize("name", common(SCENARIOS, OFTEN))
def test_die_at_every_point_then_the_next_process_finishes_it_once(
    server: subprocess.Popen[str], name: str, folder: Path
) -> None:
    found = die_everywhere(server, name, folder)

    assert found["died"] == found["points"] > 0
    assert found["broken"] == {}


@pytest.mark.parametrize("name", PLANTED)
def test_a_report_split_in_two_transactions_is_noticed(
    server: subprocess.Popen[str], name: str, folder: Path
) -> None:
    found = die_everywhere(server, name, folder)

    assert len(found["broken"]) > 10

"""What building costs beside agents and tests: four independent plan tasks with one slot and with four, and a conflict.

All of it is in memory, where the machine has enough: some disks take ten times as long to make a file when many were deleted
in the minute before (ext4 without a journal), and each measurement ends with deleting its trees.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.measure import Figure, times
from tests.work.building import begin, building, subjects
from tests.work.repositories import Fixture
from tests.work.scenarios import Scenario, Turn, honest

SECONDS = times(10, 1)  # that the agent thinks about a task
RESOLVING = (
    SECONDS / 2
)  # about two lines in conflict; with as long as a task, 2.0 times would be the most there can be
FILES = times(5_000, 20)  # in the repository
MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes that it must have free; a tenth is used
TASKS = 4
TEST = """import unittest

from {name} import value


class Part{part}(unittest.TestCase):
    def test_value(self):
        self.assertEqual(value(), {value})
"""


def fixture(conflict: bool = False) -> Fixture:
    """A repository of many files, and a plan of independent tasks; with `conflict` two of them edit one line."""
    files = {f"data/{n // 100:03d}/{n:05d}.txt": f"{n}\n" for n in range(FILES)}
    for n in range(1, TASKS + 1):
        files[f"part{n}.py"] = "def value():\n    return 0\n"
    files |= {
        "tests/__init__.py": "",
        "shared.py": "NAMES = []\n",
        "part0.py": "def value():\n    return 0\n",
    }
    files["tests/test_part0.py"] = _test(0, 0)
    gold: dict[str, Mapping[str, Any]] = {
        f"TASK-{n:03d}": {
            f"part{n}.py": f"def value():\n    return {n}\n",
            f"tests/test_new{n}.py": _test(n, n),
        }
        for n in range(1, TASKS + 1)
    }
    if conflict:
        for n in (1, 2):
            gold[f"TASK-{n:03d}"] = {**gold[f"TASK-{n:03d}"], "shared.py": f"NAMES = ['{n}']\n"}
    tasks = tuple(_task(n) for n in range(1, TASKS + 1))
    plan = {"summary": "Four values", "approach": "", "task_ids": [task["id"] for task in tasks]}
    return Fixture(
        "four", "four parts", "unittest", "Each part returns its number.", (files,), plan, tasks, gold, {}
    )


def _test(part: int, value: int) -> str:
    return TEST.format(name=f"part{part}", part=part, value=value)


def _task(n: int) -> Mapping[str, Any]:
    paths = [(f"part{n}.py", "modify"), (f"tests/test_new{n}.py", "create")]
    return {
        "id": f"TASK-{n:03d}",
        "title": f"Part {n} returns {n}",
        "kind": "feature",
        "files": [{"path": path, "action": action, "change": ""} for path, action in paths],
        "convergence": {"criteria": [{"id": f"TASK-{n:03d}-C1", "text": f"value() returns {n}", "refs": []}]},
        "depends_on": [],
        "refs": [],
        "tests_may_change": [],
        "new_dependencies": [],
    }


def fan_out() -> Iterator[Figure]:
    """The wall time of the four tasks, and our share of each: neither its agent nor its tests."""
    one, shares = _built(1)
    four, _ = _built(4)
    merged, _ = _built(4, conflict=True)
    resolved = f"one conflict, resolved in {RESOLVING:g} s"
    name = f"{TASKS} plan tasks, agents of {SECONDS:g} s, {FILES} files"
    yield Figure(f"{name}: one slot", "s", [one])
    yield Figure(f"{name}: four slots", "s", [four])
    yield Figure(f"{name}: four slots, {resolved}", "s", [merged])
    yield Figure("one slot : four slots", "x", [one / four], above=3.0)
    yield Figure("one slot : four slots with a conflict", "x", [one / merged], above=2.2)
    yield Figure("our share of a plan task, tests and agent left out", "s", shares, below=0.4)


def _built(slots: int, conflict: bool = False) -> tuple[float, list[float]]:
    made = fixture(conflict)
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    with TemporaryDirectory(prefix="lifecycle-bench-", dir=MEMORY if in_memory else None) as folder:
        scenario = _scenario(made, conflict)
        with building(Path(folder), made, scenario, {"slots": slots, "agent_processes": slots}) as project:
            done = project.run(*begin(project), timeout=900)
            assert done.code == 0, done.err
            assert len(subjects(project)) == TASKS
            runs = project.rows(
                "SELECT r.id, r.opened_at / 1e6, r.closed_at / 1e6 FROM runs r JOIN tasks t ON t.id = r.task_id "
                "WHERE t.prefix = 'IMPL'"
            )
            spent = dict(
                project.rows(
                    "SELECT run_id, sum(finished_at - started_at) / 1e6 FROM agent_calls GROUP BY run_id"
                )
            )
            tested = dict(  # those of the base are run beside the agent
                project.rows(
                    "SELECT c.run_id, sum(c.seconds) FROM checks c WHERE c.kind = 'tests' AND c.created_at > "
                    "(SELECT max(a.finished_at) FROM agent_calls a WHERE a.run_id = c.run_id) GROUP BY c.run_id"
                )
            )
            shares = [end - start - spent.get(run, 0) - tested.get(run, 0) for run, start, end in runs]
            return max(end for _, _, end in runs) - min(start for _, start, _ in runs), shares


def _scenario(made: Fixture, conflict: bool) -> Scenario:
    scenario = honest(made, seconds=SECONDS)
    if not conflict:
        return scenario
    turns = dict(scenario.turns)
    for n in (1, 2):
        key = f"TASK-{n:03d}"
        (first,) = turns[key]
        resolved = Turn({"shared.py": "NAMES = ['1', '2']\n"}, seconds=RESOLVING, answer=made.answer(key))
        turns[key] = [first, replace(resolved)]
    return Scenario(turns)

"""What a candidate is charged with, and what it is not: linters' findings, faults of the machine, turns of its task."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from orchestrator.commands.resume import Answer, resume
from orchestrator.store.deletion import remove_folder
from tests import factories as make
from tests import invariants
from tests.chaos.build_storm import kill
from tests.chaos.processes import everyone
from tests.git_world import git
from tests.patience import patient
from tests.runtime_harness import HOST, RuntimeHarness
from tests.work.editing import Editing, building, landed
from tests.work.lanes import lanes
from tests.work.repositories import apply

ONE, TWO = lanes(1), lanes(2)
SCANNER = """#!/usr/bin/env python3
import json
import pathlib
import sys

lines = [(p, n) for p in sys.argv[1:] if p.endswith(".py") for n, line in
         enumerate(pathlib.Path(p).read_text().splitlines(), 1) if "DANGER" in line]
print(json.dumps({"results": [{"check_id": "no-danger", "path": path, "start": {"line": number},
      "extra": {"severity": "CRITICAL", "message": "danger"}} for path, number in lines]}))
"""
ALONE = """
import pathlib
import unittest


class Alone(unittest.TestCase):
    def test_there_is_no_other_part(self):
        self.assertEqual([], [path.name for path in pathlib.Path("parts").glob("part_1.py")])
"""


def ended(harness: RuntimeHarness, run: str) -> tuple[str, str]:
    ((outcome, error),) = harness.rows("SELECT outcome, error FROM runs WHERE id = ?", run)
    return outcome, error


def with_scanner(folder: Path, harness: RuntimeHarness) -> None:
    """A program on PATH that speaks as semgrep does, and a line in the base that it finds."""
    programs = folder / "bin"
    programs.mkdir()
    program = programs / "semgrep"
    program.write_text(SCANNER)
    program.chmod(0o755)
    harness.runtime.environ = {**harness.runtime.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    (harness.project / ".semgrep.yml").write_text("rules: []\n")
    base = harness.project / "parts" / "__init__.py"
    base.write_text('"""DANGER of old."""\n')
    git(harness.project, "add", "-A")
    git(harness.project, "commit", "-q", "-m", "Configure a linter")


def test_a_new_critical_finding_of_a_linter_keeps_a_candidate_from_landing(tmp_path: Path) -> None:
    def deed(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        init = tree / "parts" / "__init__.py"
        init.write_text("# moved down\n" + init.read_text())
        with (tree / "parts" / "part_1.py").open("a") as file:
            file.write("# DANGER\n")

    def mend(tree: Path) -> None:
        part = tree / "parts" / "part_1.py"
        part.write_text(part.read_text().replace("# DANGER\n", ""))

    agent = Editing(ONE, turns={"TASK-001": [deed, mend]})
    harness = building(tmp_path, agent)
    with_scanner(tmp_path, harness)

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 1"]
    second = [each for each in agent.requests if each.edits][1]
    assert "semgrep:no-danger" in second.prompt and "parts/part_1.py" in second.prompt
    assert "parts/__init__.py" not in second.prompt.partition("no-danger")[0].rpartition("Findings")[2]


def test_tests_cannot_change_what_a_linter_sees_beside_them(tmp_path: Path) -> None:
    """They write to every checkout that they can reach, for as long as they run."""
    rewriting = """
import pathlib
import time
import unittest


class Rewrite(unittest.TestCase):
    def test_rewrite(self):
        here = pathlib.Path.cwd()
        until = time.monotonic() + 2
        while time.monotonic() < until:
            for top in (here, here.parents[1] / "verify-checks" / "files", here.parents[1] / "work"):
                part = top / "parts" / "part_1.py"
                try:
                    part.write_text(part.read_text().replace("# DANGER", ""))
                except OSError:
                    pass
"""

    def deed(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        (tree / "tests" / "test_rewrite.py").write_text(rewriting)
        with (tree / "parts" / "part_1.py").open("a") as file:
            file.write("# DANGER\n")

    agent = Editing(ONE, turns={"TASK-001": [deed, lambda tree: apply(ONE.gold["TASK-001"], tree)]})
    harness = building(tmp_path, agent)
    with_scanner(tmp_path, harness)

    harness.run(harness.until("IMPL-001"))

    second = [each for each in agent.requests if each.edits][1]
    assert "semgrep:no-danger" in second.prompt and "parts/part_1.py" in second.prompt


def test_a_machine_that_can_run_the_tests_no_more_is_no_fault_of_the_candidate(tmp_path: Path) -> None:
    def wrong(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        (tree / "tests" / "test_part_1.py").unlink()

    def right(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        programs["PATH"] = str(tmp_path)

    agent = Editing(ONE, turns={"TASK-001": [wrong, right]})
    harness = building(tmp_path, agent)
    programs = dict(harness.runtime.environ)
    harness.runtime.environ = programs
    row = harness.until("IMPL-001")

    harness.run(row)

    _, error = ended(harness, row.run)
    assert "can no longer run the tests" in error and "is not on PATH" in error
    assert harness.task("IMPL-001").attempts == 0
    assert (harness.state().status, harness.state().pause_reason) == ("paused", "stalled")

    programs["PATH"] = os.environ["PATH"]
    resume(harness.store, None, Answer("me"), more_attempts=3)
    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 1"]
    assert sum(each.edits for each in agent.requests) == 2, "the candidate was kept"
    invariants.check(harness.store.path)


def test_a_candidate_whose_tests_never_run_is_at_fault_where_the_base_runs_still(tmp_path: Path) -> None:
    def hangs(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        (tree / "parts" / "__init__.py").write_text("import time\n\ntime.sleep(10_000)\n")

    agent = Editing(ONE, turns={"TASK-001": [hangs, lambda tree: None]})
    harness = building(tmp_path, agent, test_seconds=3.0)
    row = harness.until("IMPL-001")

    harness.run(row)

    outcome, error = ended(harness, row.run)
    assert outcome == "failed" and "(tests_broken)" in error and "it took too long" in error
    assert harness.task("IMPL-001").attempts == 1


@pytest.mark.long
def test_tests_that_nest_folders_deeper_than_a_path_can_follow_are_cleaned_away(tmp_path: Path) -> None:
    nesting = """
import os
import tempfile
import unittest


class Nesting(unittest.TestCase):
    def test_nest(self):
        here = os.getcwd()
        for top in (here, tempfile.gettempdir()):
            os.chdir(top)
            for _ in range(3000):
                os.mkdir("d")
                os.chdir("d")
        os.chdir(here)
"""

    def deed(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        (tree / "tests" / "test_nesting.py").write_text(nesting)

    harness = building(tmp_path, Editing(ONE, turns={"TASK-001": [deed]}))
    try:
        harness.run(harness.until("IMPL-001"))

        assert landed(harness) == ["Part 1"]
    finally:
        remove_folder(tmp_path / "trees")  # what ran last is cleaned when the next begins


@pytest.mark.long
@pytest.mark.parametrize("attempts", [1, 2])
def test_merges_give_a_task_no_more_turns_than_its_attempts_have(tmp_path: Path, attempts: int) -> None:
    """The third turn is right; it breaks against what lands meanwhile, which is a fourth."""
    made: list[int] = []

    def first(tree: Path) -> None:
        made.append(len(made))
        apply(TWO.gold["TASK-001"], tree)
        if len(made) < 3:
            (tree / "parts" / "part_1.py").write_text(f"{made[-1]} +\n")
        if len(made) == 3:
            other = make.claim(harness.store, HOST)
            assert other is not None and other.key == "IMPL-002"
            harness.run(other)
        if len(made) == 4:
            (tree / "parts" / "part_1.py").rename(tree / "parts" / "first.py")
            test = tree / "tests" / "test_part_1.py"
            test.write_text(test.read_text().replace("parts.part_1", "parts.first"))

    def second(tree: Path) -> None:
        apply(TWO.gold["TASK-002"], tree)
        (tree / "tests" / "test_alone.py").write_text(ALONE)

    agent = Editing(TWO, turns={"TASK-001": [first], "TASK-002": [second]})
    harness = building(tmp_path, agent)
    row = harness.until("IMPL-001")
    connection = sqlite3.connect(harness.store.path)
    with connection:
        connection.execute("UPDATE tasks SET max_attempts = ? WHERE key = 'IMPL-001'", (attempts,))
    connection.close()
    row = row._replace(max_attempts=attempts)

    harness.run(row)

    outcome, error = ended(harness, row.run)
    used_up = "the task has used all its turns" in (error or "")
    assert (len(made) == 3) is used_up is (attempts == 1), (outcome, error)
    invariants.check(harness.store.path)


MOMENT = """import time
import unittest


class Moment(unittest.TestCase):
    pass


setattr(Moment, f"test_at_{time.time_ns()}", lambda self: self.assertTrue(True))
setattr(Moment, f"test_at_{time.time_ns() + 1}", lambda self: self.assertTrue(True))
"""


@pytest.mark.parametrize("weakens", [False, True])
def test_a_suite_whose_names_change_by_themselves_refuses_no_honest_work(
    tmp_path: Path, weakens: bool
) -> None:
    def deed(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        if weakens:
            (tree / "tests" / "test_moment.py").unlink()

    harness = building(tmp_path, Editing(ONE, turns={"TASK-001": [deed, lambda tree: None]}))
    (harness.project / "tests" / "test_moment.py").write_text(MOMENT)
    git(harness.project, "add", "-A")
    git(harness.project, "commit", "-q", "-m", "Name tests by the time")
    row = harness.until("IMPL-001")

    harness.run(row)

    outcome, error = ended(harness, row.run)
    if weakens:
        assert outcome == "failed" and "(test_missing)" in error
    else:
        assert landed(harness) == ["Part 1"], error
        record = json.loads(harness.text("qa/impl-IMPL-001.json"))
        assert record["tests"]["unstable"] == ["tests/test_moment.py::Moment::test_at_#"]


SLOW = """import time
import unittest


class Slow(unittest.TestCase):
    def test_takes_long_enough_to_be_killed(self):
        time.sleep(2)
"""


def with_slow_tests(harness: RuntimeHarness) -> None:
    (harness.project / "tests" / "test_slow.py").write_text(SLOW)
    git(harness.project, "add", "-A")
    git(harness.project, "commit", "-q", "-m", "Add a test that takes its time")


def test_what_is_prepared_beside_the_agent_does_not_lock_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index is noted anew when the base's tests are over, just as the agent ends."""
    locked, program = tmp_path / "locked", tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\ncase "$GIT_INDEX_FILE $*" in */verify*) ;; *"update-index --refresh")\n'
        f'  : >"$GIT_INDEX_FILE.lock"; : >"{locked}"; sleep 2; rm "$GIT_INDEX_FILE.lock" ;;\nesac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)

    def deed(tree: Path) -> None:
        deadline = time.monotonic() + patient(60)
        while not locked.exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)  # between two looks
        apply(ONE.gold["TASK-001"], tree)

    harness = building(tmp_path, Editing(ONE, turns={"TASK-001": [deed]}))
    with_slow_tests(harness)
    row = harness.until("IMPL-001")
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    harness.run(row)

    outcome, error = ended(harness, row.run)
    assert outcome == "completed", error


class Killer:
    """SIGKILL to so many runs of tests, one after the other, from when it is `told`."""

    def __init__(self, harness: RuntimeHarness, times: int) -> None:
        self._harness, self._left = harness, times
        self.told, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._strike, daemon=True)
        self._thread.start()

    def _strike(self) -> None:
        self.told.wait()
        struck: set[int] = set()
        while self._left and not self._over.wait(0.01):  # between two looks
            runs = {row[0] for row in self._harness.rows("SELECT id FROM runs WHERE outcome IS NULL")}
            for one in everyone():
                is_test = Path(os.fsdecode(one.command.split(b"\0")[0])).name.startswith("python")
                if (
                    one.run in runs
                    and is_test
                    and b"unittest_report.py" in one.command
                    and one.pid not in struck
                ):
                    struck.add(one.pid)
                    self._left -= kill(one)
                    break

    def end(self) -> int:
        """How many it did not get to."""
        self._over.set()
        self.told.set()
        self._thread.join()
        return self._left


@pytest.mark.parametrize(("times", "outcome"), [(2, "completed"), (4, "released")])
def test_work_is_not_blamed_for_tests_that_somebody_kills(tmp_path: Path, times: int, outcome: str) -> None:
    """Of its own tests, which are begun twice; then of the base's, which tell whether the machine can run any."""

    def deed(tree: Path) -> None:
        deadline = time.monotonic() + patient(60)
        while not harness.rows("SELECT 1 FROM checks WHERE kind = 'tests'"):  # of the base, beside the agent
            assert time.monotonic() < deadline
            time.sleep(0.02)  # between two looks, not instead of one
        apply(ONE.gold["TASK-001"], tree)
        killer.told.set()

    harness = building(tmp_path, Editing(ONE, turns={"TASK-001": [deed]}))
    with_slow_tests(harness)
    killer = Killer(harness, times)

    harness.run(harness.until("IMPL-001"))

    assert killer.end() == 0
    ((found, turns),) = harness.rows(
        "SELECT r.outcome, count(*) FROM runs r JOIN tasks t ON t.id = r.task_id "
        "JOIN agent_calls c ON c.run_id = r.id WHERE t.key = 'IMPL-001' GROUP BY r.id"
    )
    assert (found, turns) == (outcome, 1)

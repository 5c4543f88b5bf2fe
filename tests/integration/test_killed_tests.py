"""Tests that end by SIGKILL, whoever sent it: they are run again, and never remembered as what they came to."""

from __future__ import annotations

from pathlib import Path

from tests import invariants
from tests.work.editing import Editing, building
from tests.work.lanes import lanes
from tests.work.repositories import apply

ONE = lanes(1)
KILLS_ITSELF = """
import os
import signal
import unittest


class Killed(unittest.TestCase):
    def test_that_is_killed(self):
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_tests_that_are_killed_land_nothing_and_the_next_attempt_runs_them_anew(tmp_path: Path) -> None:
    def deed(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        (tree / "tests" / "test_part_1.py").write_text(KILLS_ITSELF)

    harness = building(tmp_path, Editing(ONE, turns={"TASK-001": [deed]}))
    row = harness.until("IMPL-001")

    harness.run(row)

    ((outcome, error),) = harness.rows("SELECT outcome, error FROM runs WHERE id = ?", row.run)
    assert outcome == "failed" and "tests_broken" in error
    assert harness.rows("SELECT outcome FROM checks WHERE kind = 'tests'") == [("passed",)]  # of the base
    invariants.check(harness.store.path)

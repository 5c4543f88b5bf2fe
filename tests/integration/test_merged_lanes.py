"""Another lane lands while an agent works: the merge of both is tested before it lands, and mended where it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.store import work
from tests import factories as make
from tests import invariants
from tests.git_world import git
from tests.runtime_harness import HOST, RuntimeHarness
from tests.work.editing import Editing, building, landed
from tests.work.lanes import lanes
from tests.work.repositories import apply

TWO = lanes(2)
ALONE = """
import pathlib
import unittest


class Alone(unittest.TestCase):
    def test_there_is_no_other_part(self):
        self.assertEqual([], [path.name for path in pathlib.Path("parts").glob("part_1.py")])
"""


def two_lanes(folder: Path, *, alone: bool) -> tuple[RuntimeHarness, Editing]:
    """A build whose first task is still being worked on while the second one lands."""

    def first(tree: Path) -> None:
        apply(TWO.gold["TASK-001"], tree)
        other = make.claim(harness.store, HOST)
        assert other is not None and other.key == "IMPL-002"
        harness.run(other)

    def second(tree: Path) -> None:
        apply(TWO.gold["TASK-002"], tree)
        if alone:
            (tree / "tests" / "test_alone.py").write_text(ALONE)

    def mend(tree: Path) -> None:
        (tree / "parts" / "part_1.py").rename(tree / "parts" / "first.py")
        test = tree / "tests" / "test_part_1.py"
        test.write_text(test.read_text().replace("parts.part_1", "parts.first"))

    agent = Editing(TWO, turns={"TASK-001": [first, mend], "TASK-002": [second]})
    harness = building(folder, agent)
    return harness, agent


def test_what_lands_after_a_merge_was_tested_as_it_lands(tmp_path: Path) -> None:
    harness, _ = two_lanes(tmp_path, alone=False)

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    commits = harness.store.read(lambda tx: work.commits_of(tx, harness.session))
    tested = {tree for (tree,) in harness.rows("SELECT tree_id FROM checks WHERE kind = 'tests'")}
    assert {each.tree_id for each in commits} <= tested
    invariants.check(harness.store.path)


@pytest.mark.long
def test_a_merge_whose_tests_fail_is_mended_on_the_new_head_before_it_lands(tmp_path: Path) -> None:
    harness, agent = two_lanes(tmp_path, alone=True)

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 2", "Part 1"]
    assert [each.task for each in agent.requests if each.edits] == ["IMPL-001", "IMPL-002", "IMPL-001"]
    names = git(harness.project, "ls-tree", "--name-only", f"lifecycle/{harness.session}", "parts/")
    assert {"parts/first.py", "parts/part_2.py"} < set(names.split())
    assert "parts/part_1.py" not in names
    invariants.check(harness.store.path)

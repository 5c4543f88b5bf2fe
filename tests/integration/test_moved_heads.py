"""Others land in every turn of an agent: what it has to keep stays, whatever its turns are taken for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from orchestrator.store.rows import Run
from tests import factories as make
from tests import invariants
from tests.git_world import git
from tests.runtime_harness import HOST, RuntimeHarness
from tests.work.editing import Deed, Editing, building, landed
from tests.work.lanes import lanes
from tests.work.repositories import Patch, apply

BROKEN = {"parts/part_1.py": "def say(:\n"}


class World:
    """A build in which task after task lands while the first one is worked on, one in each of its turns."""

    def __init__(self, folder: Path, turns: Sequence[Deed], others: Sequence[Patch]) -> None:
        fixture = lanes(len(others) + 1)
        self.gold = fixture.gold["TASK-001"]
        self._next: Run | None = None
        given: dict[str, Sequence[Deed]] = {"TASK-001": [*map(self._turn, range(len(turns)), turns)]}
        for number, more in enumerate(others, 2):
            key = f"TASK-{number:03d}"
            given[key] = [{**fixture.gold[key], **more}]
        self._others = len(others)
        self.agent = Editing(fixture, turns=given)
        self.harness: RuntimeHarness = building(folder, self.agent)

    def run(self) -> list[str]:
        """What has landed."""
        self.harness.run(self.harness.until("IMPL-001"))
        invariants.check(self.harness.store.path)
        return landed(self.harness)

    def file(self, path: str) -> str | None:
        """The file as it landed; None where it is not there."""
        branch = f"lifecycle/{self.harness.session}"
        there = git(self.harness.project, "ls-tree", "-r", "--name-only", branch).split()
        return git(self.harness.project, "show", f"{branch}:{path}") if path in there else None

    def asked(self) -> list[str]:
        return [each.prompt for each in self.agent.requests if each.edits and each.task == "IMPL-001"]

    def _turn(self, number: int, deed: Deed) -> Deed:
        def does(tree: Path) -> None:
            if number == 0:
                apply(self.gold, tree)
            if callable(deed):
                deed(tree)
            else:
                apply(deed, tree)
            if number < self._others:
                self._land(number + 2)

        return does

    def _land(self, number: int) -> None:
        other = self._next or make.claim(self.harness.store, HOST)
        assert other is not None and other.key == f"IMPL-{number:03d}"
        self._next = self.harness.run(other)


def leave_markers(tree: Path) -> None:
    assert "<<<<<<<" in (tree / "shared.txt").read_text()


@pytest.mark.parametrize("resolving", [{"shared.txt": "mine alone\n"}, leave_markers])
@pytest.mark.parametrize("conflicts_again", [True, False])
def test_a_resolution_that_was_not_accepted_is_held_to_it_also_on_a_later_head(
    tmp_path: Path, resolving: Deed, conflicts_again: bool
) -> None:
    first = {"shared.txt": "mine alone\n", "other.txt": "mine\n"}
    third = {"other.txt": "the third's\n"} if conflicts_again else {}
    last = {"other.txt": "mine\nthe third's\n"} if conflicts_again else {}
    world = World(tmp_path, [first, resolving, last], [{"shared.txt": "the second's\n"}, third])

    assert world.run() == ["Part 2", "Part 3"]

    assert len(world.asked()) == 3
    ((why,),) = world.harness.rows("SELECT error FROM runs WHERE outcome = 'failed'")
    assert "conflict_markers" in why if callable(resolving) else "lines_lost" in why
    assert world.file("shared.txt") == "the second's"


def test_faults_of_its_own_leave_an_agent_the_merges_that_it_may_have(tmp_path: Path) -> None:
    gold = lanes(4).gold["TASK-001"]
    worse = {"parts/part_1.py": "def say(::\n"}
    resolved = {"shared.txt": "mine\nthe fourth's\n"}
    turns = [{**BROKEN, "shared.txt": "mine\n"}, worse, gold, resolved]
    world = World(tmp_path, turns, [{}, {}, {"shared.txt": "the fourth's\n"}])

    assert world.run()[-1] == "Part 1"

    assert len(world.asked()) == 4
    assert world.file("shared.txt") == "mine\nthe fourth's"


def test_who_repairs_a_fault_on_a_later_head_may_not_take_away_what_others_landed(tmp_path: Path) -> None:
    gold = lanes(2).gold["TASK-001"]

    def take_away(tree: Path) -> None:
        apply(gold, tree)
        (tree / "notes.txt").unlink()

    world = World(
        tmp_path, [BROKEN, take_away, {"notes.txt": "the second's\n"}], [{"notes.txt": "the second's\n"}]
    )

    assert world.run() == ["Part 2", "Part 1"]

    _, moved, refused = world.asked()
    assert "Files that others have landed meanwhile" in moved and "notes.txt" in moved
    assert "lines_lost" in refused and "notes.txt" in refused
    assert world.file("notes.txt") == "the second's"

"""Each cheat against the whole way from a plan to a commit: refused for a reason that it names, or without effect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.git_world import as_left, git, repository
from tests.work.cheat_values import BREAKING, NO_EFFECT, REFUSED, RIGHT, STOPPED, Cheat, Place
from tests.work.cheats import CHEATS
from tests.work.cheats_on_tests import CHEATS_ON_TESTS
from tests.work.editing import Editing, building, landed
from tests.work.repositories import COMMON, Fixture, apply

pytestmark = pytest.mark.long

FLAT = COMMON["python-flat"]
TASK = "TASK-001"
RULE = re.compile(r"\(([a-z_]+)(?::[\w-]+)?\)")  # as a refusal names what it is for
ALONE = ("never_end", "daemon")  # of an agent's process, which this agent has none of
PLAIN = COMMON["python-unittest"]  # whose runs take the least time
NODE = COMMON["node-esm"]
ALL = [
    *((PLAIN, cheat) for cheat in CHEATS.values() if cheat.fits(PLAIN.runner) and cheat.name not in ALONE),
    *((NODE, cheat) for cheat in CHEATS_ON_TESTS if cheat.fits(NODE.runner)),
    *((FLAT, cheat) for cheat in CHEATS_ON_TESTS if not cheat.fits(PLAIN.runner) and cheat.fits(FLAT.runner)),
]


def as_parameter(fixture: Fixture, cheat: Cheat) -> object:
    return pytest.param(fixture, cheat, id=f"{fixture.name}-{cheat.name}")


@pytest.mark.parametrize(("fixture", "cheat"), [as_parameter(*each) for each in ALL])
def test_a_cheat_lands_nothing_of_its_own(fixture: Fixture, cheat: Cheat, tmp_path: Path) -> None:
    outside = repository(tmp_path / "outside")

    def deed(tree: Path) -> None:
        if cheat.after == RIGHT:
            apply(fixture.gold[TASK], tree)
        elif cheat.after == BREAKING:
            apply(fixture.bad[TASK, "breaks_a_test"], tree)
        broken = fixture.broken[TASK, "breaks_a_test"]
        cheat.do(Place(tree, fixture.runner, broken, outside=outside, canary=tmp_path / "canary"))

    agent = Editing(fixture, turns={TASK: [deed, lambda tree: None]})
    limits = {"test_seconds": 10} if cheat.ends == STOPPED else {}
    harness = building(tmp_path, agent, **limits)
    row = harness.until("IMPL-001")
    before = as_left(harness.project)

    harness.run(row)

    assert as_left(harness.project) == before
    assert not (tmp_path / "canary").exists()
    ((outcome, error),) = harness.rows("SELECT outcome, error FROM runs WHERE id = ?", row.run)
    if cheat.ends == NO_EFFECT:
        assert outcome == "completed", error
        assert landed(harness) == [fixture.task(TASK)["title"]]
        assert_right(harness.project, f"lifecycle/{harness.session}", fixture)
    else:
        assert outcome == "failed"
        assert set(RULE.findall(error)) & {each.rule for each in cheat.caught}, error
        assert not git(harness.project, "branch", "--list", "lifecycle/*")


def assert_right(project: Path, branch: str, fixture: Fixture) -> None:
    """What landed holds the task's right patch."""
    for path in fixture.gold[TASK]:
        assert git(project, "diff", "--name-only", "main", branch, "--", path) == path


def test_every_cheat_is_tried() -> None:
    assert {cheat.name for _, cheat in ALL} | set(ALONE) == CHEATS.keys()
    assert REFUSED in {cheat.ends for _, cheat in ALL}

"""kill -9 at every step of a build, then `lifecycle resume`: each plan task lands once, the user's files are as before."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.failpoints import BUILD_NAMES, GIT_NAMES
from tests.chaos.processes import everyone
from tests.e2e.support import Lifecycle
from tests.git_world import as_left, git
from tests.work.building import assert_built, assert_nothing_lost, begin, building
from tests.work.lanes import lanes
from tests.work.repositories import Fixture
from tests.work.scenarios import Scenario, Turn, honest, whole

AFTER_A_LOSS = ("tree.retired",)  # reached where a run was lost before: its own test below
AT_THE_END = ("tree.removed",)  # reached when the session is over: its own test below
RUNS = ("claim.after", "produced.registered", "report.before_commit", "report.after_commit")
STEPS = [name for name in (*GIT_NAMES, *BUILD_NAMES, *RUNS) if name not in (*AFTER_A_LOSS, *AT_THE_END)]
LATER = ["candidate.row@2", "tests.ran@4", "checks.stored@5", "head.stored@2", "report.before_commit@3"]
TWO = lanes(2)

KILLED_GIT = """#!/bin/sh
# The real git; the command of that number, counted over all processes, is killed as soon as it has begun.
exec 9> "$COUNT.lock"
flock 9
number=$(($(cat "$COUNT") + 1))
echo $number > "$COUNT"
flock -u 9
exec 9>&-
[ "$number" = "$DIE_AT" ] || exec "$REAL_GIT" "$@"
touch "$COUNT.reached"
kill -9 $$
"""


@dataclass(frozen=True)
class Building:
    """A project whose request is being built, and what the user's repository was before."""

    project: Lifecycle
    fixture: Fixture
    before: dict[str, str]

    @property
    def announce(self) -> Path:
        return self.project.folder.parent / "announced"

    def stop_at(self, name: str, *command: str) -> int:
        """Run a command whose processes stop at the failpoint; the pid of the first that did."""
        self.announce.unlink(missing_ok=True)
        self.project.spawn(*command, env={"LIFECYCLE_FAILPOINT": f"{name}=wait:{self.announce}"})
        self.project.wait(
            lambda: self.announce.exists() and self.announce.read_text().endswith("\n"), f"{name} is reached"
        )
        return int(self.announce.read_text().split()[0])

    def kill_everything(self) -> None:
        """Kill all processes of ours; nothing is broken by that."""
        assert self.project.kill_everything()
        assert_nothing_lost(self.project, self.before)

    def finish(self, *allowed: str) -> None:
        """Go on to the end: every task completed once, whatever `allowed` ends came before, and nothing lives on."""
        done = self.project.run("resume", self.project.session(), timeout=180)
        assert done.code in (0, 2), done.err  # 2: it was completed before
        self.project.wait(lambda: self.project.status() == ("completed", None), "the session is completed")
        for key in self.project.tasks():
            story = self.project.story(key)
            assert story[-1] == "completed" and set(story[:-1]) <= set(allowed), f"{key}: {story}"
        assert_built(self.project, self.fixture, self.before)
        self.project.wait(lambda: not self.project.marked(), "no process of a run lives on", 15)


@contextmanager
def a_building(folder: Path, fixture: Fixture = TWO, scenario: Scenario | None = None) -> Iterator[Building]:
    with building(folder, fixture, scenario, work='setup = ["true"]\n') as project:
        yield Building(project, fixture, as_left(project.folder))


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Building]:
    with a_building(tmp_path) as found:
        yield found


def test_kill_everything_while_a_build_lands_then_resume_lands_it_once(tmp_path: Path) -> None:
    with a_building(tmp_path, lanes(1)) as one:
        one.stop_at("land.ticket", *begin(one.project))
        one.kill_everything()

        one.finish("lost")

        assert one.project.story("IMPL-001") == ["lost", "completed"]


@pytest.mark.long
@pytest.mark.parametrize("name", [*STEPS, *LATER])
def test_kill_everything_at_a_step_of_a_build_then_resume_lands_every_plan_task_once(
    two: Building, name: str
) -> None:
    two.stop_at(name, *begin(two.project))
    two.kill_everything()

    two.finish("lost")


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "tree.row@2",
        "tree.made@2",
        "tree.ready@2",
        "agent.worked@2",
        "base.tested@2",
        "tests.ran@4",
        "snap.ref@2",
    ],
)
def test_kill_everything_while_a_tree_is_made_of_checkouts_or_checked_beside_its_tests(
    tmp_path: Path, name: str
) -> None:
    """One lane carries out both tasks, and no set-up makes its checks wait for its tests."""
    with building(tmp_path, TWO, settings={"slots": 1}) as project:
        one = Building(project, TWO, as_left(project.folder))
        one.stop_at(name, *begin(project))

        one.kill_everything()

        one.finish("lost")


@pytest.mark.long
def test_kill_everything_again_while_the_tree_of_a_killed_run_is_saved(two: Building) -> None:
    two.stop_at("agent.worked", *begin(two.project))
    two.kill_everything()
    two.stop_at("tree.retired", "resume")
    two.kill_everything()

    two.finish("lost")

    store = two.project.folder / ".workflow" / "work" / f"{two.project.session()}.git"
    kept = git(store, "for-each-ref", "--format=%(refname)", "refs/lifecycle/attempts").splitlines()
    assert kept, "what an agent had made in a tree of a killed run is kept"
    for name in kept:
        assert "parts/part_" in git(store, "ls-tree", "-r", "--name-only", name)


@pytest.mark.long
def test_kill_everything_while_the_trees_of_a_finished_build_are_removed(two: Building) -> None:
    two.stop_at("tree.removed", *begin(two.project))
    two.kill_everything()

    assert two.project.run("gc").code == 0
    two.finish()

    assert two.project.rows("SELECT id FROM trees WHERE removed_at IS NULL") == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["agent.worked", "candidate.row", "land.ticket", "head.stored"])
def test_kill_the_host_alone_then_another_one_goes_on(two: Building, name: str) -> None:
    stopped = {"LIFECYCLE_FAILPOINT": f"{name}=stop:{two.announce}"}
    two.project.run(*begin(two.project), "--detach", env=stopped)
    two.project.wait(
        lambda: two.announce.exists() and two.announce.read_text().endswith("\n"), f"{name} is reached"
    )

    os.kill(int(two.announce.read_text()), signal.SIGKILL)

    two.project.wait(lambda: two.project.status() == ("completed", None), "the session is completed")
    two.finish("lost")


@pytest.mark.long
def test_an_agent_that_is_killed_half_way_leaves_what_it_made_and_another_attempt_lands(
    tmp_path: Path,
) -> None:
    gold, answer = TWO.gold["TASK-001"], TWO.answer("TASK-001")
    turns = [Turn(gold, die="half", answer=answer), Turn(whole(TWO, "TASK-001"), answer=answer)]
    scenario = Scenario({**honest(TWO).turns, "TASK-001": turns})
    with a_building(tmp_path, TWO, scenario) as two:
        two.project.run(*begin(two.project), timeout=180)

        two.finish("failed")

        assert ["failed", "completed"] in [two.project.story(key) for key in two.project.tasks()]


@pytest.mark.long
@pytest.mark.parametrize("number", range(5, 125, 24))
def test_a_git_command_that_is_killed_costs_an_attempt_at_most(
    tmp_path: Path, two: Building, number: int
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tmp_path / "count").write_text("0")
    header = f"#!/bin/sh\nCOUNT={tmp_path / 'count'} REAL_GIT={shutil.which('git')} DIE_AT={number}\n"
    (tools / "git").write_text(KILLED_GIT.replace("#!/bin/sh\n", header, 1))
    (tools / "git").chmod(0o755)
    path = f"{tools}:{two.project.environment['PATH']}"

    two.project.run(*begin(two.project), env={"PATH": path}, timeout=180)

    assert (tmp_path / "count.reached").exists()
    two.finish("failed")


@pytest.mark.long
def test_tests_that_are_killed_are_run_again_and_nothing_bad_is_remembered(tmp_path: Path) -> None:
    with a_building(tmp_path, lanes(1, seconds=2.0)) as one:
        one.project.spawn(*begin(one.project))
        victim = one.project.wait(lambda: runs_tests(one.project), "tests run")[0]

        os.kill(victim, signal.SIGKILL)

        one.project.wait(lambda: one.project.status()[0] != "active", "the session is over")
        one.finish()
        assert one.project.rows("SELECT outcome FROM checks WHERE data LIKE '%was killed by a signal%'") == []


def runs_tests(project: Lifecycle) -> list[int]:
    """The processes that run tests for the project, once they have begun."""
    folder = os.fsencode(project.folder.parent)
    return [
        each.pid
        for each in everyone()
        if each.run and folder in each.command and b"unittest_report.py\0run" in each.command
    ]

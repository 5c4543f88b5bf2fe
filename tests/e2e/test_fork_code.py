"""A fork of a session that builds: its commits up to a landing, in a store of its own, and both compared."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from orchestrator.failpoints import FORK_NAMES
from tests.e2e.support import Lifecycle
from tests.e2e.test_fork import forks, own_rows
from tests.git_world import as_left, git
from tests.work.building import assert_built, assert_nothing_lost, begin, building, subjects
from tests.work.lanes import lanes

TWO = lanes(2)
WORK = 'setup = ["true"]\n'


def first_landed(project: Lifecycle, session: str) -> str:
    """The task whose commit landed first."""
    ((key,),) = project.rows(
        "SELECT t.key FROM commits c JOIN runs r ON r.id = c.run_id JOIN tasks t ON t.id = r.task_id"
        " WHERE c.session_id = ? AND c.number = 1",
        session,
    )
    return str(key)


def store_of(project: Lifecycle, session: str) -> Path:
    return project.folder / ".workflow" / "work" / f"{session}.git"


@pytest.mark.long
def test_a_fork_keeps_what_had_landed_and_builds_the_rest_again(tmp_path: Path) -> None:
    with building(tmp_path, TWO, work=WORK) as project:
        assert project.run(*begin(project), timeout=300).code == 0
        source = project.session()
        before, rows = as_left(project.folder), own_rows(project, source)
        at = first_landed(project, source)

        made = project.run("fork", source, "--at", at, timeout=300)

        (fork,) = forks(project)
        assert made.code == 0, made.err
        commits = project.rows(
            "SELECT session_id, number, commit_id FROM commits ORDER BY session_id, number"
        )
        assert [number for _, number, _ in commits] == [1, 2, 1, 2]
        assert len({commit for _, _, commit in commits}) == 3, "the first is the same, the second is its own"
        assert project.story(at, fork) == ["completed"]
        assert_built(project, TWO, before, fork)
        assert subjects(project, fork) == subjects(project, source)
        kept = git(store_of(project, fork), "for-each-ref", "--format=%(refname)", "refs/lifecycle/runs")
        mine = {run for (run,) in project.rows("SELECT id FROM runs WHERE session_id = ?", fork)}
        assert {name.split("/")[3] for name in kept.splitlines()} <= mine
        assert not (store_of(project, fork) / "forked").exists()
        assert own_rows(project, source) == rows

        found = project.run("compare", source, fork, "--json").json()
        differs = project.run("compare", source, fork, "--diff")

        compared = {each["name"]: (each["a"], each["b"]) for each in found["rows"]}
        assert compared["commits"] == (2, 2) and compared["tests"] == ("PASS", "PASS")
        assert compared["files changed"][0] > 0 and compared["lines added"][0] > 0
        assert compared["criteria met"] == ("2 of 2", "2 of 2")
        assert differs.code == 0, differs.err
        assert project.run("delete", source, "--yes").code == 0
        project.run("gc")
        assert project.run("diff", at, "-s", fork).code == 0
        assert project.run("apply", fork).code == 0


@pytest.mark.long
def test_kill_a_fork_with_code_at_each_step_then_the_same_command_makes_one(tmp_path: Path) -> None:
    with building(tmp_path, TWO, work=WORK) as project:
        assert project.run(*begin(project), timeout=300).code == 0
        source = project.session()
        at = first_landed(project, source)
        project.run("daemon", "stop")
        before, rows = as_left(project.folder), own_rows(project, source)

        for number, name in enumerate(FORK_NAMES):
            given = ("fork", source, "--at", at, "--key", name, "--detach")
            killed = project.run(*given, env={"LIFECYCLE_FAILPOINT": f"{name}=kill"})
            left = len(forks(project))
            assert killed.code != 0
            assert killed.code == -signal.SIGKILL or name in ("fork.store_made", "fork.objects_copied")
            assert left == number + (name == "fork.after_commit")
            assert_nothing_lost(project, before)

            again = project.run(*given)

            assert again.code in (0, 130), again.err
            assert len(forks(project)) == number + 1
        for session in forks(project):
            project.wait(lambda name=session: project.status(name) == ("completed", None), f"{session} ends")  # type: ignore[misc]
            assert_built(project, TWO, before, session)
        assert own_rows(project, source) == rows
        assert not list((project.folder / ".workflow" / "work" / "forks").glob("*.git"))


@pytest.mark.long
def test_what_a_killed_fork_left_in_the_place_of_a_store_is_not_taken_for_another_sessions(
    tmp_path: Path,
) -> None:
    with building(tmp_path, lanes(1), work=WORK) as project:
        orphan = project.folder / ".workflow" / "work"
        orphan.mkdir(parents=True)
        planned = project.run(
            *begin(project), "--detach", env={"LIFECYCLE_FAILPOINT": "start.after_commit=kill"}
        )
        session = project.session()
        git(orphan, "init", "-q", "--bare", f"{session}.git")
        (store_of(project, session) / "forked").write_text(session)
        git(store_of(project, session), "symbolic-ref", "refs/lifecycle/base", "refs/heads/none")

        done = project.run("resume", session, timeout=300)

        assert planned.code != 0
        assert done.code == 0, done.err
        assert len(subjects(project, session)) == 1

"""A user's project in a generated repository, with a scripted coding agent; the real command builds it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests import invariants
from tests.e2e.support import Lifecycle, lifecycle
from tests.git_world import as_left, assert_whole, git, same_world
from tests.work.repositories import Fixture, build
from tests.work.scenarios import Scenario, honest

CODING = ("planner", "executor", "tester")


@contextmanager
def building(
    folder: Path,
    fixture: Fixture,
    scenario: Scenario | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    roles: Mapping[str, str] | None = None,
    agents: str = "",
    work: str = "",
    trees: Path | None = None,
) -> Iterator[Lifecycle]:
    """The project, whose planner, executor and tester are the scripted agent; everything else is built in.

    `roles`: who has them instead; `agents`: the tables of their settings; `work`: more lines of that table;
    `trees`: where private trees are, beside the project by default. A fixture without commits is for a repository that is
    there.
    """
    if fixture.commits:
        build(fixture, folder / "project")
    command = json.dumps((scenario or honest(fixture)).write(folder / "agent"))
    players = {**dict.fromkeys(CODING, "scripted"), **(roles or {})}
    table = "".join(f'{role} = ["{agent}"]\n' for role, agent in players.items())
    extra = (
        f'[agents.scripted]\nkind = "command"\nedits_files = true\ncommand = {command}\n{agents}[roles]\n{table}'
        f"[work]\ntrees = {json.dumps(str(trees or folder / 'trees'))}\n{work}"
    )
    with lifecycle(folder / "project", {"slots": 4, **(settings or {})}, extra) as project:
        (folder / "spec.md").write_text(fixture.request, encoding="utf-8")
        yield project


def begin(project: Lifecycle) -> tuple[str, ...]:
    """The command that builds what the fixture asks for, without writing a specification first."""
    return ("start", "Build it", "--mode", "impl-only", "--spec", str(project.folder.parent / "spec.md"))


def build_from_request(project: Lifecycle, fixture: Fixture) -> None:
    """From a request through the specification and its checkpoint to the end of `full-lifecycle`; every promise is checked.

    Each plan task is one commit of one completed run, the last tests passed, and the user's repository is untouched.
    """
    before = as_left(project.folder)
    begun = project.run("start", fixture.request, "--mode", "full-lifecycle", timeout=300)
    assert begun.code == 3, begun.out + begun.err
    assert project.status() == ("paused", "checkpoint")

    done = project.run("resume", timeout=900)

    story = project.rows("SELECT task_id, outcome, error FROM runs WHERE outcome != 'completed'")
    assert done.code == 0, f"{done.out}{done.err}{story}"
    assert project.status() == ("completed", None)
    assert sorted(subjects(project)) == sorted(str(task["title"]) for task in fixture.tasks)
    assert sorted(trailers(project, "Plan-Task")) == sorted(str(task["id"]) for task in fixture.tasks)
    runs, landed = dict(project.rows("SELECT id, outcome FROM runs")), trailers(project, "Run")
    assert {runs[run] for run in landed} == {"completed"} and len(set(landed)) == len(fixture.tasks)
    tree = git(project.folder, "rev-parse", f"lifecycle/{project.session()}^{{tree}}")
    assert set(project.rows("SELECT outcome FROM checks WHERE kind = 'tests' AND tree_id = ?", tree)) == {
        ("passed",)
    }
    assert_nothing_lost(project, before)


def apply_to_the_user(project: Lifecycle) -> None:
    """`apply` gives the user exactly the session's tree."""
    applied = project.run("apply")

    assert applied.code == 0, applied.err
    tree = f"lifecycle/{project.session()}^{{tree}}"
    assert git(project.folder, "rev-parse", "HEAD^{tree}") == git(project.folder, "rev-parse", tree)
    assert git(project.folder, "status", "--porcelain") == ""


def subjects(project: Lifecycle, session: str | None = None) -> list[str]:
    """The subjects of the commits on the session's branch, the oldest first."""
    span = f"main..lifecycle/{session or project.session()}"
    return git(project.folder, "log", "--format=%s", "--reverse", span).splitlines()


def trailers(project: Lifecycle, name: str, session: str | None = None) -> list[str]:
    """The values of a trailer on the session's branch, the oldest commit first."""
    span = f"main..lifecycle/{session or project.session()}"
    form = f"--format=%(trailers:key=Lifecycle-{name},valueonly)"
    return [line for line in git(project.folder, "log", form, "--reverse", span).splitlines() if line]


def assert_nothing_lost(project: Lifecycle, before: Mapping[str, str]) -> None:
    """What holds at every moment: rows, commits, branches, and a user's repository that was not touched."""
    assert as_left(project.folder) == before
    if project.database.exists():
        invariants.check(project.database)
        here = same_world(project.folder.parent, project.folder)
        for (session,) in project.rows("SELECT session_id FROM works"):
            assert_whole(replace(here, session=session))


def assert_built(
    project: Lifecycle, fixture: Fixture, before: Mapping[str, str], session: str | None = None
) -> None:
    """What holds at the end: each plan task landed in one commit, and the branch passes its tests."""
    assert_nothing_lost(project, before)
    assert sorted(subjects(project, session)) == sorted(str(task["title"]) for task in fixture.tasks)
    assert sorted(trailers(project, "Plan-Task", session)) == sorted(
        str(task["id"]) for task in fixture.tasks
    )
    assert {(run,) for run in trailers(project, "Run", session)} <= set(project.rows("SELECT id FROM runs"))
    with tempfile.TemporaryDirectory(dir=project.folder.parent) as clone:
        branch = f"lifecycle/{session or project.session()}"
        git(project.folder, "clone", "-q", "--branch", branch, str(project.folder), clone)
        tests = subprocess.run(fixture.command, cwd=clone, capture_output=True, text=True, check=False)
    assert tests.returncode == 0, tests.stdout + tests.stderr

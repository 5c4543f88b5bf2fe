"""A user's project in a generated repository, with a scripted coding agent; the real command builds it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
) -> Iterator[Lifecycle]:
    """The project, whose planner, executor and tester are the scripted agent; everything else is built in."""
    build(fixture, folder / "project")
    command = json.dumps((scenario or honest(fixture)).write(folder / "agent"))
    roles = "".join(f'{role} = ["scripted"]\n' for role in CODING)
    extra = (
        f'[agents.scripted]\nkind = "command"\nedits_files = true\ncommand = {command}\n[roles]\n{roles}'
        f"[work]\ntrees = {json.dumps(str(folder / 'trees'))}\n"
    )
    with lifecycle(folder / "project", {"slots": 4, **(settings or {})}, extra) as project:
        (folder / "spec.md").write_text(fixture.request, encoding="utf-8")
        yield project


def begin(project: Lifecycle) -> tuple[str, ...]:
    """The command that builds what the fixture asks for, without writing a specification first."""
    return ("start", "Build it", "--mode", "impl-only", "--spec", str(project.folder.parent / "spec.md"))


def subjects(project: Lifecycle) -> list[str]:
    """The subjects of the commits on the session's branch, the oldest first."""
    span = f"main..lifecycle/{project.session()}"
    return git(project.folder, "log", "--format=%s", "--reverse", span).splitlines()


def trailers(project: Lifecycle, name: str) -> list[str]:
    """The values of a trailer on the session's branch, the oldest commit first."""
    span = f"main..lifecycle/{project.session()}"
    form = f"--format=%(trailers:key=Lifecycle-{name},valueonly)"
    return [line for line in git(project.folder, "log", form, "--reverse", span).splitlines() if line]


def assert_nothing_lost(project: Lifecycle, before: Mapping[str, str]) -> None:
    """What holds at every moment: rows, commits, branches, and a user's repository that was not touched."""
    assert as_left(project.folder) == before
    if project.database.exists():
        invariants.check(project.database)
        assert_whole(same_world(project.folder.parent, project.folder))


def assert_built(project: Lifecycle, fixture: Fixture, before: Mapping[str, str]) -> None:
    """What holds at the end: each plan task landed in one commit of a completed run, and the branch passes its tests."""
    assert_nothing_lost(project, before)
    assert sorted(subjects(project)) == sorted(str(task["title"]) for task in fixture.tasks)
    assert sorted(trailers(project, "Plan-Task")) == sorted(str(task["id"]) for task in fixture.tasks)
    assert {(run,) for run in trailers(project, "Run")} <= set(project.rows("SELECT id FROM runs"))
    with tempfile.TemporaryDirectory(dir=project.folder.parent) as clone:
        branch = f"lifecycle/{project.session()}"
        git(project.folder, "clone", "-q", "--branch", branch, str(project.folder), clone)
        tests = subprocess.run(fixture.command, cwd=clone, capture_output=True, text=True, check=False)
    assert tests.returncode == 0, tests.stdout + tests.stderr

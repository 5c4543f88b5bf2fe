"""A request becomes tested commits: the real command, real processes, a scripted coding agent."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import invariants
from tests.git_world import as_left, git
from tests.work.building import begin, building, subjects, trailers
from tests.work.repositories import COMMON

pytestmark = pytest.mark.long


@pytest.mark.parametrize("name", sorted(COMMON))
def test_a_request_ends_with_a_branch_whose_tests_pass(tmp_path: Path, name: str) -> None:
    fixture = COMMON[name]
    with building(tmp_path, fixture) as project:
        before = as_left(project.folder)

        done = project.run(*begin(project), timeout=300)

        assert done.code == 0, done.err
        assert project.status() == ("completed", None)
        assert sorted(subjects(project)) == sorted(str(task["title"]) for task in fixture.tasks)
        assert sorted(trailers(project, "Plan-Task")) == sorted(str(task["id"]) for task in fixture.tasks)
        runs = dict(project.rows("SELECT id, outcome FROM runs"))
        assert {runs[run] for run in trailers(project, "Run")} == {"completed"}
        assert as_left(project.folder) == before
        invariants.check(project.database)
        git(tmp_path, "clone", "-q", "--branch", f"lifecycle/{project.session()}", "project", "clone")
        tests = subprocess.run(
            fixture.command, cwd=tmp_path / "clone", capture_output=True, text=True, check=False
        )
        assert tests.returncode == 0, tests.stdout + tests.stderr

        applied = project.run("apply")

        assert applied.code == 0, applied.err
        tree = f"lifecycle/{project.session()}^{{tree}}"
        assert git(project.folder, "rev-parse", "HEAD^{tree}") == git(project.folder, "rev-parse", tree)
        assert git(project.folder, "status", "--porcelain") == ""

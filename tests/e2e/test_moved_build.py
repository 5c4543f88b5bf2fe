"""A build moves to a clone of its repository on another machine: a change of its specification runs there what it affects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.test_delta_plan import FIXTURE, Built, built, followed
from tests.git_world import as_left, git
from tests.work.building import building, subjects
from tests.work.scenarios import honest

pytestmark = pytest.mark.long


def test_imported_build_runs_only_what_a_change_of_its_specification_affects(tmp_path: Path) -> None:
    here, there, package = tmp_path / "here", tmp_path / "there", tmp_path / "build.zip"
    here.mkdir()
    there.mkdir()
    with built(here, honest(FIXTURE)) as origin:
        session, commits, planned = origin.project.session(), origin.commits(), origin.planned()
        branch = git(origin.project.folder, "rev-parse", f"lifecycle/{session}")
        exported = origin.project.run("export", "--output", str(package))
        assert exported.code == 0, exported.err
        git(there, "clone", "-q", "--no-tags", "--single-branch", str(origin.project.folder), "project")
    with building(there, replace(FIXTURE, commits=()), followed(), work='setup = ["true"]\n') as project:
        world = Built(project, as_left(project.folder))

        imported = project.run("import", str(package))
        whole = world.impact()
        arrived = git(project.folder, "rev-parse", f"lifecycle/{session}")
        tasks = set(project.tasks())
        world.edit("a part 2 that says 2", "a part 2 that says two")
        ahead = world.impact()
        done = project.run("revise", "PLAN-001", timeout=300)

        assert imported.code == 0, imported.out + imported.err
        assert "without" not in imported.out + imported.err
        assert (whole["changed"], arrived) == ([], branch)
        assert (ahead["changed"], ahead["stale"]["plan_task"]) == (["REQ-002"], ["TASK-002"])
        runs = {each["task"] for each in ahead["runs"]}
        assert runs == {"PLAN-001-R1", "IMPL-002-R1", "TEST-001-R1", "REVIEW-001-R1"}
        assert done.code == 0, done.out + done.err
        assert set(project.tasks()) - tasks == runs
        assert set(project.tasks().values()) == {"completed"}
        assert {key: commit for key, commit in world.commits().items() if key in commits} == commits
        assert {path for path, digest in world.planned().items() if planned[path] != digest} == {
            "plan/.task/TASK-002.json"
        }
        assert subjects(project)[-1] == "Part 2 in words" and len(subjects(project)) == len(commits) + 1
        assert git(project.folder, "merge-base", branch, f"lifecycle/{session}") == branch  # nothing is reset
        world.check()

"""A request becomes tested commits in each language: the real command from start to apply, without a network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle
from tests.git_world import git
from tests.patience import patient
from tests.stacks.toolchains import PLACE, environment, lacking, write_maven_settings
from tests.work.building import apply_to_the_user, build_from_request, building
from tests.work.repositories import STACKS, Fixture

pytestmark = [
    pytest.mark.stacks,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not PLACE or bool(lacking()), reason="`make stacks` installs what they need"),
]


def run_by_its_own_command(fixture: Fixture, clone: Path, project: Lifecycle) -> None:
    """The repository's own command, in a fresh clone that was made ready as its lock file says."""
    env = {**os.environ, **project.environment}
    if "package-lock.json" in fixture.files:
        subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=clone, env=env, check=True, capture_output=True)
    home = {"MAVEN_OPTS": f"-Duser.home={env['HOME']}", "GRADLE_USER_HOME": f"{env['HOME']}/.gradle"}
    done = subprocess.run(
        fixture.command,
        cwd=clone,
        env={**env, **home},
        capture_output=True,
        text=True,
        timeout=patient(200),
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", sorted(STACKS))
def test_a_request_ends_with_a_branch_whose_tests_pass(tmp_path: Path, name: str) -> None:
    fixture = STACKS[name]
    write_maven_settings(tmp_path)
    with building(tmp_path, fixture) as project:
        project.environment |= environment(Path(PLACE))
        build_from_request(project, fixture)
        git(tmp_path, "clone", "-q", "--branch", f"lifecycle/{project.session()}", "project", "clone")
        run_by_its_own_command(fixture, tmp_path / "clone", project)
        apply_to_the_user(project)

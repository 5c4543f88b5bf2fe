"""A small feature in this product's own repository, with the tests that it affects as evidence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.git_world import git
from tests.patience import patient
from tests.work.building import apply_to_the_user, build_from_request, building
from tests.work.repositories import read_fixture

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
TESTS = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "python_files=test_inert*.py", "tests/unit")


def test_a_feature_of_this_product_is_built_by_it(tmp_path: Path) -> None:
    fixture = read_fixture("own-repository", "pytest")
    git(tmp_path, "clone", "-q", str(ROOT), "project")
    git(tmp_path / "project", "checkout", "-q", "-B", "main")
    command = json.dumps(["python3", *TESTS, "--junitxml={report}"])
    with building(tmp_path, fixture, work=f"test_command = {command}\n") as project:
        build_from_request(project, fixture)
        git(tmp_path, "clone", "-q", "--branch", f"lifecycle/{project.session()}", "project", "clone")
        own = subprocess.run(
            [sys.executable, *TESTS],
            cwd=tmp_path / "clone",
            capture_output=True,
            text=True,
            timeout=patient(300),
        )
        assert own.returncode == 0, own.stdout + own.stderr
        apply_to_the_user(project)

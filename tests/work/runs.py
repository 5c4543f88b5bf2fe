"""The plain runs of a generated repository's tests, as a person has them: no sandbox, no report of ours."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.git_world import git
from tests.patience import patient
from tests.work.repositories import Fixture


def run(fixture: Fixture, tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the repository's own command, with more words or the test files to run."""
    if fixture.runner == "unittest":
        words = tuple(word.removesuffix(".py").replace("/", ".") for word in words)
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [*fixture.command, *words],
        cwd=tree,
        env={**os.environ, **plain},
        capture_output=True,
        text=True,
        timeout=patient(60),
    )


def restore(tree: Path) -> None:
    """The tree as it was committed."""
    git(tree, "checkout", "-q", ".")
    git(tree, "clean", "-qfdx")

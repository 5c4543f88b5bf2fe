"""A user's project with real processes, ended after each test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.browsing import browser  # noqa: F401 - a fixture
from tests.e2e.disk import Disk, may_mount
from tests.e2e.support import ROOT, Lifecycle, lifecycle


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need root, or a disk of their own, are left out where that cannot be, and counted as deselected."""
    possible = {"as_root": os.getuid() == 0, "disk": may_mount(), "as_nobody": _nobody_can_run_it()}
    missing = {name for name, there in possible.items() if not there}
    needy = [item for item in items if missing.intersection(getattr(item, "fixturenames", ()))]
    if needy:
        config.hook.pytest_deselected(items=needy)
        items[:] = [item for item in items if item not in needy]


@pytest.fixture
def as_root() -> None:
    """Only root can give files away."""


AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def _nobody_can_run_it() -> bool:
    """Whether a user without rights can reach this interpreter and the checkout, both of which may lie in a private home."""
    if os.getuid() != 0:
        return True  # we are such a user
    probe = [*AS_NOBODY, sys.executable, "-c", "import orchestrator, typer"]
    try:
        return subprocess.run(probe, cwd=ROOT, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture
def as_nobody() -> list[str]:
    """What to put before a command so that a user without rights runs it."""
    return AS_NOBODY if os.getuid() == 0 else []


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A small disk of the test's own."""
    made = Disk(tmp_path / "disk")
    yield made
    made.close()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Lifecycle]:
    with lifecycle(tmp_path / "p") as made:
        yield made

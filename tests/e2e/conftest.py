"""A user's project with real processes, ended after each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.disk import Disk, may_mount
from tests.e2e.support import Lifecycle, lifecycle


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need root, or a disk of their own, are left out where that cannot be, and counted as deselected."""
    missing = {name for name, there in (("as_root", os.getuid() == 0), ("disk", may_mount())) if not there}
    needy = [item for item in items if missing.intersection(getattr(item, "fixturenames", ()))]
    if needy:
        config.hook.pytest_deselected(items=needy)
        items[:] = [item for item in items if item not in needy]


@pytest.fixture
def as_root() -> None:
    """Only root can give files away."""


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

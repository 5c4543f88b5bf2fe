"""A user's project with real processes, ended after each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.disk import Disk, may_mount
from tests.e2e.support import Lifecycle, lifecycle


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that need a disk of their own are left out, and counted as deselected, where nothing may be mounted."""
    needy = [item for item in items if "disk" in getattr(item, "fixturenames", ())]
    if needy and not may_mount():
        config.hook.pytest_deselected(items=needy)
        items[:] = [item for item in items if item not in needy]


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

"""A user's project with real processes, ended after each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle, lifecycle


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Lifecycle]:
    with lifecycle(tmp_path / "p") as made:
        yield made

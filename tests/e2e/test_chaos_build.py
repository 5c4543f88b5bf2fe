"""A short storm over a build in several lanes; `python -m tests.chaos.build_storm --kills 100` is a longer one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.build_storm import storm

pytestmark = pytest.mark.long

SEED, KILLS = 3, 15


def test_whatever_is_killed_while_lanes_build_every_plan_task_lands_once(tmp_path: Path) -> None:
    found = storm(tmp_path, SEED, KILLS)

    assert found.struck.total() == KILLS and len(found.struck) > 2
    assert found.landed or found.project.rows("SELECT 1 FROM commits")

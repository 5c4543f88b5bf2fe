"""What a set-up left is there in every run of tests, the first and those that get copies of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.work.editing import Editing, building, landed
from tests.work.lanes import lanes

READY = """
import os
import pathlib
import unittest


class Ready(unittest.TestCase):
    def test_what_was_set_up_is_there(self):
        self.assertTrue({})
"""
IN_HOME = "pathlib.Path(os.environ['HOME'], '.tool/bin').is_file()"
IN_CACHE = "pathlib.Path(os.environ['XDG_CACHE_HOME'], 'browser').is_file()"


@pytest.mark.parametrize(
    ("script", "is_there"),
    [
        ("mkdir -p var/log", "pathlib.Path('var/log').is_dir()"),
        ('mkdir "$HOME/.tool" && touch "$HOME/.tool/bin"', IN_HOME),
        ('touch "$XDG_CACHE_HOME/browser"', IN_CACHE),
        ("mkdir data && touch data/rows && mkfifo data/pipe", "pathlib.Path('data/rows').is_file()"),
        ("touch target && ln -s target link", "pathlib.Path('link').is_symlink()"),
    ],
)
def test_what_a_set_up_left_is_there_for_a_candidate_as_for_its_base(
    script: str, is_there: str, tmp_path: Path
) -> None:
    agent = Editing(lanes(1, files={"tests/test_ready.py": READY.format(is_there)}))
    harness = building(tmp_path, agent, setup=["sh", "-c", script])

    harness.run(harness.until("IMPL-001"))

    assert landed(harness) == ["Part 1"]
    results = {result for (result,) in harness.rows("SELECT outcome FROM checks WHERE kind = 'tests'")}
    assert "passed" in results

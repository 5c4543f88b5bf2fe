"""All cheats by name: each is a function over a work tree, with what has to notice it (cheat_values.py)."""

from __future__ import annotations

from tests.work.cheat_values import Cheat, Place
from tests.work.cheats_on_files import CHEATS_ON_FILES
from tests.work.cheats_on_git import CHEATS_ON_GIT
from tests.work.cheats_on_tests import CHEATS_ON_TESTS

__all__ = ["CHEATS", "Cheat", "Place"]

CHEATS: dict[str, Cheat] = {
    cheat.name: cheat for cheat in (*CHEATS_ON_TESTS, *CHEATS_ON_GIT, *CHEATS_ON_FILES)
}
assert len(CHEATS) == len(CHEATS_ON_TESTS) + len(CHEATS_ON_GIT) + len(CHEATS_ON_FILES), "a name twice"

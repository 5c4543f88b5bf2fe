"""`start --plan` in a repository: what the work would start from, whether tests were found, and nothing made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle, agent_toml, lifecycle
from tests.git_world import as_left, git, repository, write

FILES: dict[str, str | bytes] = {
    "app.py": "x = 1\n",
    "tests/__init__.py": "",
    "tests/test_app.py": "import unittest\n\n\nclass App(unittest.TestCase):\n    def test_a(self):\n        pass\n",
    ".gitignore": ".workflow/\n",
}
CODING = agent_toml("mine", ["cat"]) + "edits_files = true\n"


def planned(life: Lifecycle, *options: str) -> dict[str, object]:
    view: dict[str, object] = life.run("start", "Add a page", "--plan", "--json", *options).json()
    return view


def test_base_tests_and_what_is_left_out_are_shown_and_nothing_is_made(tmp_path: Path) -> None:
    folder = repository(tmp_path / "p", FILES)
    write(folder, {"app.py": "x = 2\n", "new.py": "y = 1\n"})
    before = as_left(folder)
    with lifecycle(folder, extra=CODING) as life:
        work = planned(life)["work"]
        shown = life.run("start", "Add a page", "--plan").out
        taken = life.run("start", "Add a page", "--plan", "--include-dirty", "--approve-plan").out
        words = planned(life, "--mode", "spec-only")

        assert isinstance(work, dict)
        assert (work["branch"], work["uncommitted"], work["fault"]) == ("main", 2, None)
        assert work["base"] == git(folder, "rev-parse", "HEAD")
        assert [each["name"] for each in work["runners"]] == ["unittest"] and work["last_seconds"] is None
        assert "2 files with uncommitted changes left out: --include-dirty takes them in" in shown
        assert "found unittest in the project; never run here" in shown
        assert "each task that edits code at most $20.00" in shown
        assert "with 2 files with uncommitted changes" in taken and "before the plan becomes tasks" in taken
        assert words["work"] is None
        assert not life.database.exists()
    assert as_left(folder) == before


@pytest.mark.long
def test_settings_decide_where_no_option_does(tmp_path: Path) -> None:
    folder = repository(tmp_path / "p", FILES)
    with lifecycle(folder, {"approve_plan": True, "fix": "high"}, CODING) as life:
        by_settings, by_options = (
            planned(life)["work"],
            planned(life, "--no-approve-plan", "--fix", "critical")["work"],
        )
        refused = life.run("start", "Add a page", "--mode", "spec-only", "--fix", "high")
        without = life.run("start", "Add a page", "--plan", "--mode", "spec-only")

        assert isinstance(by_settings, dict) and isinstance(by_options, dict)
        assert (by_settings["approve_plan"], by_settings["fix"]) == (True, "high")
        assert (by_options["approve_plan"], by_options["fix"]) == (False, "critical")
        assert refused.code == 2 and "fix has no effect in mode spec-only" in refused.err
        assert without.code == 0

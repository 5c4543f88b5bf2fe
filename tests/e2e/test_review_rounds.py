"""What a review blocks is mended in a fix round and reviewed again, from the plan to the branch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.git_world import git
from tests.work.building import begin, building
from tests.work.repositories import COMMON
from tests.work.scenarios import Scenario, Turn, honest

pytestmark = pytest.mark.long
EVIL = "def run(text):\n    return eval(text)\n"


def test_code_that_a_review_blocks_is_mended_and_approved(tmp_path: Path) -> None:
    fixture = COMMON["python-flat"]
    turns = dict(honest(fixture).turns)
    (first,) = turns["TASK-001"]
    turns["TASK-001"] = [replace(first, patch={**first.patch, "evil.py": EVIL})]
    turns["IMPL-fix-001"] = [Turn({"evil.py": None}, answer={"summary": "removed", "criteria": []})]

    with building(tmp_path, fixture, Scenario(turns)) as project:
        built = project.run(*begin(project), timeout=300)
        assert built.code == 0, built.err
        folder = project.directory() / "qa"
        blocked, approved = (
            json.loads((folder / f"review-{key}.json").read_text()) for key in ("REVIEW-001", "REVIEW-001-R1")
        )

        assert (blocked["verdict"], approved["verdict"]) == ("BLOCK", "APPROVE")
        assert [(each["rule"], each["path"], each["task"]) for each in blocked["findings"]] == [
            ("eval", "evil.py", "IMPL-001")
        ]
        assert approved["subject"]["since"] == blocked["subject"]["head"]
        assert all(each["met"] == "met" for each in approved["criteria"])
        branch = f"lifecycle/{project.session()}"
        assert "evil.py" not in git(project.folder, "ls-tree", "-r", "--name-only", branch)

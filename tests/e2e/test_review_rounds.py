"""What a review blocks is mended in a fix round and reviewed again, from the plan to the branch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.git_world import as_left, git
from tests.work.building import assert_nothing_lost, begin, building, subjects
from tests.work.lanes import lanes
from tests.work.repositories import COMMON
from tests.work.scenarios import Scenario, Turn, calls, honest

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


LANE = lanes(1)
NAMED = LANE.gold["TASK-001"]["parts/part_1.py"]
assert isinstance(NAMED, str)
NAMED += '\n\ndef name():\n    return "one"\n'
TEST = (
    "import unittest\n\nfrom parts import part_1\n\n\nclass Name(unittest.TestCase):\n"
    '    def test_its_name(self):\n        self.assertEqual({}, "one")\n'
    "        self.assertEqual(part_1.say(), 1)\n"  # what its criterion names
)


ROUNDS = ("", "-R1", "-R2", "-R3", "-R4")


def removed(path: str) -> list[Turn]:
    return [Turn({path: None}, answer={"summary": f"{path} removed", "criteria": []})]


def test_work_that_a_person_revises_has_both_fix_rounds_again(tmp_path: Path) -> None:
    said = LANE.answer("TASK-001")
    said["criteria"][0]["tests"].append("tests/test_name.py")
    named = {"parts/part_1.py": NAMED, "evil_1.py": EVIL, "evil_2.py": EVIL}
    turns = {
        **honest(LANE).turns,
        "TASK-001": [Turn({**LANE.gold["TASK-001"], "evil.py": EVIL}, answer=LANE.answer("TASK-001"))],
        "IMPL-001-R1": [
            Turn({**named, "tests/test_name.py": TEST.format('"one"')}, answer=said),
            Turn({"tests/test_name.py": TEST.format("part_1.name()")}, answer=said),
        ],
        "IMPL-fix-001": removed("evil.py"),
        "IMPL-fix-002": removed("evil_1.py"),
        "IMPL-fix-003": removed("evil_2.py"),
    }
    with building(tmp_path, LANE, Scenario(turns), work='setup = ["true"]\n') as project:
        before = as_left(project.folder)
        built = project.run(*begin(project), timeout=300)
        done = project.run("revise", "IMPL-001", "It must know its name", timeout=300)

        assert (built.code, done.code) == (0, 0), built.err + done.out + done.err
        folder = project.directory() / "qa"
        reviews = [json.loads((folder / f"review-REVIEW-001{r}.json").read_text()) for r in ROUNDS]
        tests = [json.loads((folder / f"test-TEST-001{r}.json").read_text()) for r in ROUNDS]
        assert [each["verdict"] for each in reviews] == ["BLOCK", "APPROVE", "BLOCK", "BLOCK", "APPROVE"]
        assert [each["verdict"] for each in tests] == ["PASS"] * 5
        assert [each["passed"] - tests[0]["passed"] for each in tests] == [0, 0, 1, 1, 1]
        assert len([each for each in calls(tmp_path / "agent") if each["key"] == "IMPL-001-R1"]) == 2
        (first, second, third) = (f"Mend what the tests and the review found, round {n}" for n in (1, 2, 3))
        assert subjects(project) == ["Part 1", first, "Part 1", second, third]
        branch = f"lifecycle/{project.session()}"
        assert "evil" not in git(project.folder, "ls-tree", "-r", "--name-only", branch)
        assert_nothing_lost(project, before)

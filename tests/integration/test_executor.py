"""From a plan to landed commits: real repositories, real test runs, agents that edit as a test tells them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.commands.resume import Answer, resume
from orchestrator.store import budgets, work
from orchestrator.views import check, lookup
from tests import invariants
from tests.git_world import as_left, git
from tests.work.editing import Editing, building, landed, until_idle, without_review
from tests.work.lanes import lanes
from tests.work.repositories import COMMON, apply


def test_all_tests_are_run_once_for_the_base_and_once_for_each_task_that_leaves_the_tests_alone(
    tmp_path: Path,
) -> None:
    fixture = lanes(2)
    tasks = [{**task, "kind": "refactor", "files": task["files"][:1]} for task in fixture.tasks]
    gold = {
        key: {path: text for path, text in patch.items() if "tests/" not in path}
        for key, patch in fixture.gold.items()
    }
    harness = building(tmp_path, Editing(replace(fixture, tasks=tuple(tasks), gold=gold)))

    without_review(harness)

    done = until_idle(harness)

    assert done[1:] == ["IMPL-001", "IMPL-002", "TEST-001"]
    assert landed(harness) == ["Part 1", "Part 2"]
    base = git(harness.project, "rev-parse", "main^{tree}").strip()
    line = harness.store.read(lambda tx: work.commits_of(tx, harness.session))
    tested = harness.rows("SELECT tree_id FROM checks WHERE kind = 'tests' ORDER BY id")
    assert [tree for (tree,) in tested] == [base, *(commit.tree_id for commit in line)]


def test_a_task_that_edits_code_has_a_cap_of_its_own(tmp_path: Path) -> None:
    fixture = lanes(1)
    agent = Editing(fixture, {"TASK-001": [lambda tree: None, fixture.gold["TASK-001"]]})
    harness = building(tmp_path, agent)
    without_review(harness)
    harness.store.write(lambda tx: budgets.set_budget(tx, harness.session, {"code": {"turns": 1}}))

    until_idle(harness)  # the plan and a first turn, which changes nothing
    detail = harness.state().pause_detail
    shown = harness.store.read(lambda tx: check.overview(tx, lookup.session(tx, harness.session)))
    resume(harness.store, None, Answer("me", caps={"turns": 5}), more_attempts=3)
    until_idle(harness)

    assert (detail["scope"], detail["task"], detail["measure"]) == ("code", "IMPL-001", "turns")
    assert "the task's budget is used up: 1 turns of 1 turns" in detail["why"]
    assert "--max-turns 2" in shown["pause"]["actions"][0]["command"]
    assert [(each["scope"], each["task"], each["percent"]) for each in shown["budget"]] == [
        ("code", "IMPL-001", 100)
    ]
    assert harness.state().status == "completed", harness.state().pause_detail
    invariants.check(harness.store.path)


@pytest.mark.parametrize("name", ["python-unittest", pytest.param("python-flat", marks=pytest.mark.long)])
def test_each_plan_task_lands_as_one_commit_with_its_evidence(tmp_path: Path, name: str) -> None:
    fixture = COMMON[name]
    harness = building(tmp_path, Editing(fixture))
    without_review(harness)
    before = as_left(harness.project)

    done = until_idle(harness)

    assert harness.state().status == "completed", harness.state().pause_detail
    assert done[0] == "PLAN-001"
    assert sorted(landed(harness)) == sorted(str(task["title"]) for task in fixture.tasks)
    record = json.loads(harness.text("qa/impl-IMPL-001.json"))
    assert record["tests"]["regressions"] == []
    assert record["tests"]["bites"] is True
    assert {each["verified"] for each in record["criteria"]} == {"test"}
    assert as_left(harness.project) == before
    branch = f"lifecycle/{harness.session}"
    git(harness.project, "clone", "-q", "--branch", branch, ".", str(tmp_path / "clone"))
    invariants.check(harness.store.path)


def test_a_criterion_that_held_before_is_neither_shown_nor_unmet(tmp_path: Path) -> None:
    fixture = lanes(1)
    older = "tests/test_base.py::Base::test_the_package_is_there"
    answer = fixture.answer("TASK-001")
    (criterion,) = answer["criteria"]
    agent = Editing(
        fixture, answers={"TASK-001": {**answer, "criteria": [{**criterion, "files": [], "tests": [older]}]}}
    )
    harness = building(tmp_path, agent)

    harness.run(harness.until("IMPL-001"))

    record = json.loads(harness.text("qa/impl-IMPL-001.json"))
    (shown,) = record["criteria"]
    assert (shown["verified"], shown["claimed"]["tests"]) == ("held", [older])
    assert "is shown by tests that pass without the change, too" in str(record["findings"])
    assert harness.rows("SELECT count(*) FROM links WHERE from_kind = 'criterion' AND verified") == [(0,)]
    assert f"test that passes without the change, too: `{older}`" in harness.text("qa/pull-request.md")
    invariants.check(harness.store.path)


PARTS = """import pytest

from parts.part_1 import NAME


@pytest.mark.parametrize("letter", ["p", "{letter}"])
def test_letters(letter):
    assert letter in NAME


def test_whole():
    assert NAME == "part 1"
"""


@pytest.mark.parametrize(
    ("named", "verified", "shown", "unknown"),
    [
        (["tests/test_part_1.py::test_letters"], "test", ["[p]", "[1]"], []),
        (["test_letters", "test_gone"], "test", ["[p]", "[1]"], ["test_gone"]),
        (["tests/test_part_1.py::test_letters[z]"], "change", [], ["tests/test_part_1.py::test_letters[z]"]),
    ],
)
def test_a_name_without_parameters_stands_for_all_cases_and_one_that_is_not_there_is_said(
    tmp_path: Path, named: list[str], verified: str, shown: list[str], unknown: list[str]
) -> None:
    fixture = lanes(1, files={"conftest.py": "", "tests/test_base.py": "def test_base():\n    assert True\n"})
    (task,) = fixture.tasks
    told = {"id": "TASK-001-C1", "text": "The name of part 1 has its letters", "refs": ["REQ-001"]}
    fixture = replace(fixture, tasks=({**task, "convergence": {"criteria": [told]}},))
    answer = fixture.answer("TASK-001")
    (criterion,) = answer["criteria"]

    def deed(tree: Path) -> None:
        apply(fixture.gold["TASK-001"], tree)
        (tree / "parts" / "part_1.py").write_text('NAME = "part 1"\n')
        (tree / "tests" / "test_part_1.py").write_text(PARTS.replace("{letter}", "1"))

    agent = Editing(
        fixture,
        turns={"TASK-001": [deed]},
        answers={"TASK-001": {**answer, "criteria": [{**criterion, "tests": named}]}},
    )
    harness = building(tmp_path, agent)

    harness.run(harness.until("REVIEW-001"))

    (found,) = json.loads(harness.text("qa/impl-IMPL-001.json"))["criteria"]
    tests = [f"tests/test_part_1.py::test_letters{case}" for case in shown]
    assert (found["verified"], found["claimed"]["tests"], found["not_found"]) == (verified, tests, unknown)
    (reviewed,) = json.loads(harness.text("qa/review-REVIEW-001.json"))["criteria"]
    assert reviewed["met"] == ("met" if shown else "partial")
    assert all(f"named test not found: {name}" in reviewed["by"] for name in unknown)
    pull = harness.text("qa/pull-request.md")
    assert ("named test not found" in pull) is bool(unknown)
    if verified == "change":
        said = "is shown by no test, only by a change; named test not found: "
        assert said in pull and said in harness.text("qa/review-REVIEW-001.md")
    invariants.check(harness.store.path)

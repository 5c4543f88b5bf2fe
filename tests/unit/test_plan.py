"""Plans: reading their files, what is wrong with them, and which tasks share files (docs/planning.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.domain.plan import PLAN, Plan, PlanTask, read_plan
from orchestrator.domain.plan_checks import Ground, check_plan, order, path_fault, with_overlaps
from tests.plans import BASE, criterion, files, planned, task

GROUND = Ground(frozenset(BASE), frozenset({"REQ-001", "REQ-002", "ADR-001"}), frozenset({"REQ-001"}))


def faults(plan: Plan, ground: Ground = GROUND) -> str:
    return "\n".join(map(str, check_plan(plan, ground).faults))


def test_a_plan_is_read_back_as_it_was_written() -> None:
    plan = planned(task(1), task(2, waits=[1]))

    again, wrong = read_plan(files(plan))

    assert (again, wrong) == (plan, [])


@pytest.mark.parametrize(
    ("path", "change", "said"),
    [
        (PLAN, {"summary": ""}, "summary: is missing"),
        (PLAN, {"summary": "x" * 30_000}, "at most 20000"),
        (PLAN, {"task_ids": ["TASK-001", "TASK-001"]}, "named twice"),
        (PLAN, {"task_ids": ["../../x"]}, "no id such as TASK-001"),
        (PLAN, {"task_ids": ["TASK-001", "TASK-009"]}, "has no file"),
        (PLAN, {"complexity": {"level": "Huge"}}, "unknown level"),
        (PLAN, {"risks": "many"}, "expected a list"),
        ("plan/.task/TASK-001.json", {"id": "TASK-007"}, "is not TASK-001"),
        ("plan/.task/TASK-001.json", {"title": None}, "title: is missing"),
        ("plan/.task/TASK-001.json", {"kind": "featur"}, "did you mean 'feature'"),
        ("plan/.task/TASK-001.json", {"files": [{"path": "a.py", "action": "move"}]}, "unknown action"),
        ("plan/.task/TASK-001.json", {"files": [7]}, "expected keys with values"),
        ("plan/.task/TASK-001.json", {"refs": ["x"] * 600}, "at most 500"),
        (
            "plan/.task/TASK-001.json",
            {"convergence": {"criteria": [{"id": "TASK-002-C1", "text": "returns 1"}]}},
            "no id such as TASK-001-C1",
        ),
    ],
)
def test_each_fault_of_form_is_named(path: str, change: dict[str, Any], said: str) -> None:
    found = files(planned(task(1)))
    found[path] = {**found[path], **change}

    _, wrong = read_plan(found)

    assert said in "\n".join(map(str, wrong))


def test_files_of_tasks_that_the_plan_does_not_name_are_not_read() -> None:
    found = files(planned(task(1), task(2)))
    found[PLAN] = {**found[PLAN], "task_ids": ["TASK-001"]}
    found["plan/.task/TASK-002.json"] = "left by the plan before"

    again, wrong = read_plan(found)

    assert ([each.id for each in again.tasks], wrong) == (["TASK-001"], [])


@pytest.mark.parametrize("value", [None, 7, "text", [], {"task_ids": {"a": 1}}, {"shared_context": []}])
def test_anything_else_is_faults_and_no_error(value: Any) -> None:
    _, wrong = read_plan({PLAN: value, "plan/.task/TASK-001.json": value})

    assert wrong


def test_a_sound_plan_has_no_faults() -> None:
    assert faults(planned(task(1), task(2, waits=[1]))) == ""


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([], "has 0 tasks"),
        ([task(n) for n in range(1, 9)], "has 8 tasks; a plan has 1 to 7"),
        ([task(1, waits=[1])], "waits for itself"),
        ([task(1, waits=[2])], "'TASK-002' is no task of this plan"),
        ([task(1, waits=[2]), task(2, waits=[1])], "in a circle"),
        ([task(1, touches={"src/none.py": "modify"})], "is not there: it cannot be modified"),
        ([task(1, touches={"src/none.py": "delete"})], "is not there: it cannot be deleted"),
        ([task(1, touches={"src/app.py": "create"})], "is there already"),
        ([task(1, touches={"../etc/passwd": "create"})], "'.' or '..' part"),
        ([task(1, touches={"/etc/passwd": "create"})], "not below the project"),
        ([task(1, touches={".git/config": "create"})], "inside .git"),
        ([task(1, touches={"a\nb": "create"})], "control characters"),
        ([task(1, touches={"src/app.py": "modify", "SRC/app.py": "create"})], "named twice"),
        ([task(1, refs=["REQ-001", "REQ-009"])], "cites 'REQ-009'"),
        ([task(1, refs=["REQ-002"])], "REQ-001 must be done, and no task cites it"),
        ([replace(task(1), criteria=())], "say how one can tell"),
        (
            [replace(task(1), criteria=(criterion(1, 1, "It is nice and good"),))],
            "no criterion can be tested",
        ),
        ([replace(task(1), criteria=(criterion(1, 1), criterion(1, 1)))], "is there twice"),
    ],
)
def test_each_fault_of_a_plan_is_named(tasks: list[PlanTask], said: str) -> None:
    assert said in faults(planned(*tasks))


def test_a_required_item_may_be_left_out_for_a_reason() -> None:
    from orchestrator.domain.plan import Uncovered

    without = planned(task(1, refs=["REQ-002"]))

    assert faults(replace(without, uncovered=(Uncovered("REQ-001", "is there already"),))) == ""
    assert "without a reason" in faults(replace(without, uncovered=(Uncovered("REQ-001", ""),)))


def test_a_later_task_may_change_what_an_earlier_one_makes() -> None:
    first = task(1, touches={"src/new.py": "create"})

    assert faults(planned(first, task(2, touches={"src/new.py": "modify"}, waits=[1]))) == ""
    assert faults(planned(first, task(2, touches={"src/new.py": "modify"}))) == ""  # ordered by the overlap
    assert "is there already" in faults(planned(first, task(2, touches={"src/new.py": "create"}, waits=[1])))


def test_many_files_are_a_warning() -> None:
    many = {f"src/n{number}.py": "create" for number in range(9)}

    found = check_plan(planned(task(1, touches=many)), GROUND)

    assert found.faults == ()
    assert "touches 9 files" in found.warnings[0]


def test_a_task_without_files_is_a_warning() -> None:
    found = check_plan(planned(task(1, touches={})), GROUND)

    assert (found.faults, found.warnings) == (
        (),
        ("TASK-001 names no files, so no other task runs beside it",),
    )


def test_unknown_paths_of_the_base_are_not_checked() -> None:
    plan = planned(task(1, touches={"src/none.py": "modify"}))

    assert faults(plan, replace(GROUND, paths=None)) == ""


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ({"src/app.py": "modify"}, {"src/app.py": "modify"}, True),
        ({"src/app.py": "modify"}, {"src/other.py": "modify"}, False),
        ({"package.json": "modify"}, {"package-lock.json": "modify"}, True),
        ({"a/package.json": "modify"}, {"b/package.json": "modify"}, False),
        ({"requirements-dev.txt": "modify"}, {"pyproject.toml": "modify"}, True),
        ({"db/migrations/001.sql": "create"}, {"db/migrations/002.sql": "create"}, True),
        ({"db/migrations/001.sql": "create"}, {"other/migrations/002.sql": "create"}, False),
        ({"alembic/versions/a.py": "create"}, {"alembic/versions/b.py": "create"}, True),
        ({"docs/versions/a.md": "create"}, {"docs/versions/b.md": "create"}, False),
        ({"Docs/A.md": "create"}, {"docs/a.md": "create"}, True),
        ({}, {"docs/a.md": "create"}, True),
    ],
)
def test_tasks_that_share_files_get_an_edge(
    first: dict[str, str], second: dict[str, str], shared: bool
) -> None:
    one, two = with_overlaps([task(1, touches=first), task(2, touches=second)])

    assert one.depends_on == ()
    assert [(each.id, each.source) for each in two.depends_on] == (
        [("TASK-001", "overlap")] if shared else []
    )


def test_tasks_with_new_dependencies_get_an_edge() -> None:
    one, two = (replace(task(n), new_dependencies=(f"package-{n}",)) for n in (1, 2))

    assert with_overlaps([one, two])[1].waits_for == ("TASK-001",)


def test_tasks_in_an_order_get_no_second_edge_and_no_circle() -> None:
    same = {"src/app.py": "modify"}

    found = with_overlaps([task(1, touches=same, waits=[3]), task(2), task(3, touches=same)])

    assert [each.waits_for for each in found] == [("TASK-003",), (), ()]


def test_overlaps_of_before_are_found_anew() -> None:
    same = {"src/app.py": "modify"}
    before = with_overlaps([task(1, touches=same), task(2, touches=same)])

    again = with_overlaps([before[0], replace(before[1], files=task(2).files)])

    assert again[1].depends_on == ()


def test_order_takes_lower_ids_first() -> None:
    found = order([task(1, waits=[3]), task(2), task(3)])

    assert found is not None
    assert [each.id for each in found] == ["TASK-002", "TASK-003", "TASK-001"]
    assert order([task(1, waits=[2]), task(2, waits=[1])]) is None


@pytest.mark.parametrize("path", ["src/a b.py", "src/ü.py", "a:b", ".github/x.yml", "src/.gitignore"])
def test_ordinary_names_are_allowed(path: str) -> None:
    assert path_fault(path) is None

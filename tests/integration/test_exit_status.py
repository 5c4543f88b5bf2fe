"""A test command that is judged by its exit status alone: what shows a change then, and what tells nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.git_world import git
from tests.runtime_harness import RuntimeHarness
from tests.work.editing import Deed, Editing, building, landed
from tests.work.lanes import lanes

ONE = lanes(1)
PART = "parts/part_1.py"
GOOD, BAD = "def say():\n    return 1\n", "def say():\n    return 2\n"
CHECK = "import sys\n\nsys.path.insert(0, '.')\nfrom parts.part_1 import say\n\nassert say() == 1\n"
SCRIPT = "for each in {folder}/*.py; do python3 $each || exit 1; done\n"
OLD = "import sys\n\nsys.path.insert(0, '.')\nimport parts\n\nassert parts.__name__ == 'parts'\n"


def with_script(harness: RuntimeHarness, files: Mapping[str, str]) -> None:
    """The project with these files in the place of its tests."""
    git(harness.project, "rm", "-q", "-r", "tests")
    for path, text in files.items():
        place = harness.project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    git(harness.project, "add", "-A")
    git(harness.project, "commit", "-q", "-m", "Check by a script")


def writing(**files: str) -> Callable[[Path], None]:
    """A turn that writes these files; `__` is a slash."""

    def deed(tree: Path) -> None:
        for name, text in {PART: GOOD, **files}.items():
            place = tree / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    return deed


def answering(*tests: str) -> Mapping[str, Mapping[str, object]]:
    return {"TASK-001": {"summary": "done", "criteria": [{"id": "TASK-001-C1", "tests": list(tests)}]}}


def carried_out(
    folder: Path, files: Mapping[str, str], deed: Deed, *tests: str, **settings: object
) -> tuple[RuntimeHarness, Editing, str]:
    """The session after its only task, and why that was refused."""
    agent = Editing(ONE, turns={"TASK-001": [deed]}, answers=answering(*tests))
    harness = building(folder, agent, **{"test_command": ["sh", "check.sh"], **settings})
    with_script(harness, files)
    row = harness.until("IMPL-001")
    harness.run(row)
    ((error,),) = harness.rows("SELECT error FROM runs WHERE id = ?", row.run)
    return harness, agent, error or ""


def record(harness: RuntimeHarness) -> dict[str, object]:
    return dict(json.loads(harness.text("qa/impl-IMPL-001.json")))


KNOWN = {"check.sh": SCRIPT.format(folder="tests"), "tests/test_old.py": OLD}


@pytest.mark.parametrize(
    ("files", "changed", "named"),
    [
        (KNOWN, {"tests/test_part.py": CHECK}, "tests/test_part.py"),
        (KNOWN, {"tests/test_part.py": CHECK}, "sh check.sh"),
        (
            {"check.sh": "python3 -c 'import parts'\n"},
            {"check.sh": "python3 -c 'import parts'\npython3 -c 'from parts.part_1 import say'\n"},
            "check.sh",
        ),
    ],
)
def test_a_change_that_the_command_needs_is_shown_by_it(
    tmp_path: Path, files: Mapping[str, str], changed: Mapping[str, str], named: str
) -> None:
    harness, agent, error = carried_out(tmp_path, files, writing(**changed), named)

    assert landed(harness) == ["Part 1"], error
    told = record(harness)
    assert (told["unverified"], told["tests"]["bites"]) == (None, True)  # type: ignore[index]
    assert told["criteria"][0]["verified"] == "test"  # type: ignore[index]
    assert told["criteria"][0]["claimed"]["tests"] == ["test command::sh check.sh"]  # type: ignore[index]
    assert sum(each.edits for each in agent.requests) == 1


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({}, "no_test_shows_it"),
        ({"tests/test_part.py": "assert True\n"}, "tests_do_not_see_the_change"),
        ({"tests/test_part.py": "assert False\n"}, "regression"),
        ({"check.sh": "exit 0\n"}, "tests_do_not_see_the_change"),
        ({"check.sh": "exit 1\n"}, "regression"),
        ({"tests/test_part.py": CHECK, PART: BAD}, "regression"),
        ({"tests/test_part.py": "assert (\n"}, "regression"),
        ({"tests/test_part.py": CHECK, "parts/__init__.py": "raise SystemExit(1)\n"}, "regression"),
    ],
)
def test_what_the_command_does_not_show_is_refused(
    tmp_path: Path, changed: Mapping[str, str], rule: str
) -> None:
    harness, _, error = carried_out(tmp_path, KNOWN, writing(**changed), "tests/test_part.py")

    assert f"({rule})" in error
    assert not git(harness.project, "branch", "--list", "lifecycle/*")


def test_a_change_whose_tests_cannot_be_told_from_its_sources_lands_unverified(tmp_path: Path) -> None:
    files = {"check.sh": SCRIPT.format(folder="checks"), "checks/old.py": OLD}

    harness, agent, error = carried_out(tmp_path, files, writing(**{"checks/part.py": CHECK}))

    assert landed(harness) == ["Part 1"], error
    assert "judged by its exit status" in str(record(harness)["unverified"])
    assert "is unverified: " in harness.text("qa/pull-request.md")
    assert sum(each.edits for each in agent.requests) == 1


def test_a_change_that_the_command_refuses_is_refused_also_where_no_test_is_known(tmp_path: Path) -> None:
    files = {"check.sh": SCRIPT.format(folder="checks"), "checks/old.py": OLD}
    changed = {"checks/part.py": CHECK, PART: BAD}

    _, _, error = carried_out(tmp_path, files, writing(**changed))

    assert "(regression)" in error


BROKEN = {"check.sh": "echo cannot find module tape; exit 1\n", "tests/test_old.py": OLD}


def test_a_command_that_fails_on_the_untouched_base_costs_one_turn_and_is_said(tmp_path: Path) -> None:
    harness, agent, error = carried_out(tmp_path, BROKEN, writing(**{"tests/test_part.py": CHECK}))

    assert landed(harness) == ["Part 1"], error
    told = str(record(harness)["unverified"])
    assert "fails on the untouched base: cannot find module tape" in told and "`work.setup`" in told
    assert sum(each.edits for each in agent.requests) == 1


def test_a_command_that_failed_before_and_passes_with_the_change_shows_it(tmp_path: Path) -> None:
    files = {"check.sh": "python3 tests/test_part.py\n", "tests/test_part.py": CHECK}

    harness, _, error = carried_out(tmp_path, files, writing(), "sh check.sh")

    assert landed(harness) == ["Part 1"], error
    assert (record(harness)["unverified"], record(harness)["criteria"][0]["verified"]) == (None, "test")  # type: ignore[index]


def test_no_turn_is_paid_for_where_the_command_that_is_required_fails_on_the_untouched_base(
    tmp_path: Path,
) -> None:
    harness, agent, error = carried_out(tmp_path, BROKEN, writing(), required=True)

    assert "fails on the untouched base: cannot find module tape" in error and "`work.setup`" in error
    assert not any(each.edits for each in agent.requests)
    assert (harness.state().status, harness.state().pause_reason) == ("paused", "stalled")
    assert harness.task("IMPL-001").attempts == 0

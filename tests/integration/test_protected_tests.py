"""The base's own tests run over a change, whatever it does to them, and a change that keeps them from running is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import invariants
from tests.work.editing import Editing, building
from tests.work.lanes import lanes
from tests.work.repositories import apply

ONE = lanes(1)
DIES_WITHOUT_THE_NEW_TEST = """
import pathlib
import signal

if not pathlib.Path("tests/test_part_1.py").exists():
    signal.raise_signal(signal.SIGKILL)
"""


def breaks_and_edits_the_test(tree: Path) -> None:
    (tree / "parts" / "__init__.py").write_text('__name__ = "other"\n')
    test = tree / "tests" / "test_base.py"
    test.write_text(test.read_text().replace('"parts"', '"other"'))


def dies_where_the_new_test_is_not(tree: Path) -> None:
    (tree / "parts" / "__init__.py").write_text(DIES_WITHOUT_THE_NEW_TEST)


@pytest.mark.parametrize(
    ("more", "rule"),
    [(breaks_and_edits_the_test, "regression"), (dies_where_the_new_test_is_not, "tests_broken")],
)
def test_the_tests_of_the_base_count_as_they_were(
    tmp_path: Path, more: Callable[[Path], None], rule: str
) -> None:
    def deed(tree: Path) -> None:
        apply(ONE.gold["TASK-001"], tree)
        more(tree)

    harness = building(tmp_path, Editing(ONE, turns={"TASK-001": [deed, lambda tree: None]}))
    row = harness.until("IMPL-001")

    harness.run(row)

    ((outcome, error),) = harness.rows("SELECT outcome, error FROM runs WHERE id = ?", row.run)
    assert outcome == "failed" and f"({rule})" in error
    remembered = harness.rows("SELECT id FROM checks WHERE data LIKE '%was killed by a signal%'")
    assert remembered == [], "the machine may have killed them: the next attempt runs them again"
    invariants.check(harness.store.path)

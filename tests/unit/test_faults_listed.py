"""docs/faults.md names every test of a fault, and only tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "faults.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| fault |")]
NAMED = set(re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE))


def test_every_fault_has_a_promise_what_happens_and_a_test() -> None:
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in ROWS]

    assert len(ROWS) > 20
    assert [row for row in cells if len(row) != 4 or not all(row) or "::test_" not in row[3]] == []


def test_every_test_of_a_fault_is_named_and_every_test_named_exists() -> None:
    files = sorted(TESTS.glob("*/test_faults_*.py"))
    made = {
        (str(file.relative_to(TESTS)), name)
        for file in files
        if file != Path(__file__)
        for name in re.findall(r"^def (test_\w+)\(", file.read_text(), re.M)
    }

    assert made == NAMED

"""docs/bad-inputs.md names every bad input of this part, and only tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "bad-inputs.md").read_text(encoding="utf-8")
NUMBERS = {
    *range(1, 26),
    *range(29, 34),
    36,
    37,
    38,
    40,
    *range(42, 45),
    *range(49, 59),
    *range(62, 69),
    *range(87, 108),
    *range(110, 114),
    *range(130, 133),
    *range(140, 144),
}


def test_every_number_has_a_row() -> None:
    rows = {int(number) for number in re.findall(r"^\| (\d+) \|", PAGE, re.M)}

    assert rows == NUMBERS


def test_every_row_names_a_test_and_every_test_named_exists() -> None:
    rows = [line for line in PAGE.splitlines() if re.match(r"\| \d+ \|", line)]
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)

    assert [row for row in rows if "::test_" not in row] == []
    assert [
        f"{file}::{name}" for file, name in named if f"def {name}(" not in (TESTS / file).read_text()
    ] == []

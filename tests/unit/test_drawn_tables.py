"""Tables that plain text draws with bars and rules, or marks with a rule of dashes."""

from __future__ import annotations

import pytest

from workers.documents.drawn_tables import with_drawn_tables
from workers.documents.passages import passages

HEADED = """ID    Requirement           Status
L-1   Count the heddles     Done
      of each shaft
L-2   Print the tie-up      Open
L-3   Foot massage          Cancelled"""
DRAWN = """LOOM WORKS

ID   | Requirement       | Clause | Status
-----+-------------------+--------+---------
L-1  | Count the heddles | 3.1    | Verified
L-2  | Print the tie-up  | 3.2    | Open
     | on one page       |        |
L-3  | Foot massage      |        | Dropped
"""
GRID = """+-----+---------+
| ID  | Wish    |
+=====+=========+
| L-1 | Count   |
|     | heddles |
+-----+---------+
| L-2 | Print   |
+-----+---------+"""
BOX = """┌─────┬───────┐
│ ID  │ Wish  │
├─────┼───────┤
│ L-1 │ Count │
│ L-2 │ Print │
└─────┴───────┘"""
SPACED = """ID   Wish
---  -----------
L-1  Count the
     heddles
L-2  Print"""


def test_rows_of_a_drawn_table_are_what_their_status_says() -> None:
    read = {passage.text: passage for passage in passages(DRAWN) if passage.block.kind == "row"}

    assert {text: passage.role for text, passage in read.items()} == {
        "Count the heddles": "done",
        "Print the tie-up on one page": "requirement",
        "Foot massage": "non_goal",
    }
    assert read["Print the tie-up on one page"].id == "L-2"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (GRID, ["| L-1 | Count heddles |", "| L-2 | Print |"]),
        (BOX, ["| L-1 | Count |", "| L-2 | Print |"]),
        (SPACED, ["| L-1 | Count the heddles |", "| L-2 | Print |"]),
    ],
)
def test_a_line_without_a_first_cell_goes_on_with_the_row_above(text: str, rows: list[str]) -> None:
    assert with_drawn_tables(text).strip().split("\n") == ["| ID | Wish |", "|---|---|", *rows]


def test_header_of_known_columns_marks_them_without_a_rule() -> None:
    read = {passage.text: passage.role for passage in passages(HEADED) if passage.block.kind == "row"}

    assert read == {
        "Count the heddles of each shaft": "done",
        "Print the tie-up": "requirement",
        "Foot massage": "non_goal",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Status   of the requirement   risk\nL-1 counts the heddles of the loom\nL-2 prints",
        "Weaver   works at the loom\nDyer     works at the vat\nOwner    pays",
        "+-----+     +----+\n| App | --> | DB |\n+-----+     +----+",
        "+------+\n| Loom |\n+------+",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "Heddles\n-------\nThe loom -- an old one -- counts them.",
        f"```\n{GRID}\n```",
    ],
)
def test_drawings_headings_and_code_are_no_tables(text: str) -> None:
    assert with_drawn_tables(text) == text

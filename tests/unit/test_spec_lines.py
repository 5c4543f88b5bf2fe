"""Lay-outs of specifications in plain text, and marks that say what is finished."""

from __future__ import annotations

import pytest

from tests.factories import make_plan
from workers.builtin.request import analyse_request
from workers.documents.passages import passages
from workers.documents.spec_lines import numbered_headings, with_captions, with_columns


def _roles(text: str) -> dict[str, str]:
    return {passage.text: passage.role for passage in passages(text)}


def test_an_id_and_its_hanging_lines_are_one_item() -> None:
    lines = ["LIR-101    The inspector shall", "           see the list.", "LIR-102    It shall print."]

    assert with_columns(lines) == [
        "- LIR-101: The inspector shall see the list.",
        "- LIR-102: It shall print.",
    ]


def test_terms_in_a_column_are_items() -> None:
    lines = ["Inspector   works in shafts,", "            with one hand", "Registrar   archives cases"]

    assert with_columns(lines) == [
        "- **Inspector**: works in shafts, with one hand",
        "- **Registrar**: archives cases",
    ]


def test_columns_within_code_stay_as_they_are() -> None:
    lines = ["```", "GET  /a", "PUT  /b", "```"]

    assert with_columns(lines) == lines


def test_numbered_headings_are_told_from_numbered_statements() -> None:
    lines = [
        "3. Requirements",
        "3.1 Lists",
        "3.1.1 The list shall be short.",
        "3.1.2 The list shall be sorted.",
        "3.2 Other",
    ]

    assert numbered_headings([*lines, "Words."]) == {0: (1, "Requirements"), 1: (2, "Lists"), 4: (2, "Other")}


def test_a_caption_is_a_heading_and_its_columns_stay() -> None:
    lines = ["Table 1 Goals", "a", "Table 2 Risk\tMitigation", "x\ty"]

    assert with_captions(lines) == ["", "## Goals", "", "a", "", "## Risk", "", "Risk\tMitigation", "x\ty"]


@pytest.mark.parametrize(
    "item",
    [
        "Export of the ledger ✅",
        "Export of the ledger: **shipped in 4.2**",
        "Export of the ledger: done, needs no further work",
        "Shipped in 1.2: Export of the ledger",
        "Export of the ledger (accepted 9 February)",
        "~~Export of the ledger~~ already there",
    ],
)
def test_an_item_that_is_marked_as_finished_is_done(item: str) -> None:
    found = _roles(f"# Ledger\n\n## Requirements\n\n- {item}\n- A clerk prints a receipt\n")

    assert found["Export of the ledger"] == "done"
    assert found["A clerk prints a receipt"] == "requirement"


def test_a_row_is_done_when_a_cell_says_so_behind_the_key_of_its_issue() -> None:
    found = _roles(
        "# Repairs\n\n## Requirements\n\n| Title | User story | Notes |\n|---|---|---|\n"
        "| Intake | A clerk registers a device | RPT-21 DONE, live since August |\n"
        "| Label | A clerk prints a label | RPT-22 TO DO |\n"
    )

    assert found["A clerk registers a device"] == "done"
    assert found["A clerk prints a label"] == "requirement"


def test_a_part_that_folds_ends_with_its_tag() -> None:
    found = _roles(
        "# Huts\n\n## Goals\n\n- No-shows fall to 6 %\n\n<details>\n<summary>Who uses it</summary>\n\n"
        "- Warden\n\n</details>\n\n- Beds are booked online\n"
    )

    assert (found["Warden"], found["Beds are booked online"]) == ("user", "goal")


def test_an_answered_question_is_none_and_a_no_leaves_out() -> None:
    found = _roles(
        "# Repairs\n\n## Questions\n\n| Question | Outcome |\n|---|---|\n| Who pays the postage? | |\n"
        "| Do we show names? | No, the council objected |\n| Which colour? | blue |\n"
    )

    assert found["Who pays the postage?"] == "question"
    assert found["Do we show names?"] == "non_goal"
    assert found["Which colour?"] == "answered"


def test_what_must_be_done_against_a_risk_is_asked_for() -> None:
    read = analyse_request(
        "# Payslips\n\n## Risks\n\n- Pickers have no phones → the count must be printable at the station\n",
        make_plan("x").language,
    )

    assert [risk.text for risk in read.risks] == ["Pickers have no phones"]
    assert [need.text for need in read.needs] == ["the count must be printable at the station"]


def test_lists_of_a_text_on_one_line_end_where_the_next_label_stands() -> None:
    items = " • ".join(f"A clerk prints the receipt number {number} of the day" for number in range(6))
    found = passages(f"Ledger Goals: • Fewer errors Users: • Clerk • Treasurer Must have: • {items}")

    assert {p.text: p.role for p in found if p.block.kind == "item"} == {
        "Fewer errors": "goal",
        "Clerk": "user",
        "Treasurer": "user",
        **{f"A clerk prints the receipt number {number} of the day": "requirement" for number in range(6)},
    }

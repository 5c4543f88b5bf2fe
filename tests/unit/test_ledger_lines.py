"""The ledger of a request as `lifecycle artifacts request-ledger.json --print` shows it."""

from __future__ import annotations

import pytest

from orchestrator.views.ledger import ledger_lines
from tests.unit.builtin_chain import ask
from workers.documents.fates import book

REQUEST = "# Bell\n\n## Requirements\n\n- The porter must be able to ring\n\n## Contents\n\n- Requirements\n"


def test_ledger_lists_what_was_taken_and_why_the_rest_was_skipped() -> None:
    found = ask("discovery", request=REQUEST, language="en", codebase=None)
    ledger = book(REQUEST, found).ledger.model_dump(mode="json")

    lines = ledger_lines(ledger)

    assert lines[0] == "5 blocks: 1 taken, 0 taken in part, 4 skipped, 0 not read"
    taken = lines[lines.index("Taken") : lines.index("Skipped")]
    assert any("The porter must be able to ring  [requirement R-001" in line for line in taken)
    assert any("table of contents" in line for line in lines[lines.index("Skipped") :])


def test_block_that_was_not_read_is_shown_with_its_section_and_without_control_characters() -> None:
    entry = {"id": "B002", "section": "Plan", "kind": "item", "text": "Ring\x1b[31m twice", "fate": "unread"}

    lines = ledger_lines({"entries": [entry]})

    assert lines[:4] == [
        "1 blocks: 0 taken, 0 taken in part, 0 skipped, 1 not read",
        "",
        "Not read",
        "  Plan",
    ]
    assert lines[4].startswith("    B002  Ring") and "\x1b" not in lines[4]


@pytest.mark.parametrize("value", [None, [], {"entries": 3}, {"entries": ["B001"]}])
def test_value_that_is_no_ledger_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="no list of entries"):
        ledger_lines(value)  # type: ignore[arg-type]


def test_block_that_was_taken_in_part_is_shown_with_what_was_left_of_it() -> None:
    text = "The porter must be able to ring. The bell rings twice."
    given = ask("discovery", request=text, language="en", codebase=None)
    kept = [row for row in given.requirements if "porter" in row.text]
    ledger = book(text, given.model_copy(update={"requirements": kept, "situation": []})).ledger

    lines = ledger_lines(ledger.model_dump(mode="json"))

    assert lines[0] == "1 blocks: 0 taken, 1 taken in part, 0 skipped, 0 not read"
    assert lines[-1] == "      nothing was made of: The bell rings twice."

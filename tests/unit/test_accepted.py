"""Which statement a criterion belongs to when it stands apart from it."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from orchestrator.domain.text import keywords
from workers.documents.accepted import most_like
from workers.documents.passages import passages

LOOM = """# Loom

## Requirements

| ID | Name | Requirement | Priority |
|---|---|---|---|
| L-1 | Draft | The loom draws the draft with a plan of the pedals | high |
| L-2 | Yarn count | The loom shows how much yarn is left on the bobbin | high |
| L-3 | Log | The loom keeps the hours of each weaver | low |

"""


def statement_of(request: str, criterion: str) -> str:
    read = {passage.block.id: passage for passage in passages(request)}
    parent = next(passage.parent for passage in read.values() if passage.text.startswith(criterion))
    return read[parent].id if parent else ""


@pytest.mark.parametrize(
    ("beside", "name"),
    [
        ("Acceptance of L-2:\n\n- A full bobbin reads 100", "L-2"),
        ('Acceptance for "yarn count":\n\n- A full bobbin reads 100', "L-2"),
        ("### How the draft is accepted\n\n- A full bobbin reads 100", "L-1"),
        (
            "## Acceptance\n\n**L-2**\n\n- A full bobbin reads 100\n\n**L-1**\n\n- The plan fits on one page",
            "L-2",
        ),
        (
            "## Acceptance\n\n| Requirement | Accepted when |\n|---|---|\n| Yarn count | A full bobbin reads 100 |",
            "L-2",
        ),
        ("## 10. Acceptance\n\n- A full bobbin reads 100", ""),
    ],
)
def test_criterion_belongs_to_the_statement_that_is_named_beside_it(beside: str, name: str) -> None:
    assert statement_of(f"{LOOM}{beside}\n", "A full bobbin reads 100") == name


def test_labelled_criteria_between_statements_belong_to_those_above() -> None:
    request = (
        "# Loom\n\n## Requirements\n\n### Weaving\n\n**L-1** The loom must count the picks.\n\n*Acceptance:* Ten picks are shown as 10.\n\n"
        "**L-2** The loom must warn before the bobbin is empty.\n\n*Acceptance:* The lamp is lit two metres before the end.\n"
    )

    assert statement_of(request, "Ten picks") == "L-1"
    assert statement_of(request, "The lamp") == "L-2"


def test_rare_words_that_are_shared_beat_common_ones() -> None:
    told = {
        "a": keywords("The loom shows the pattern of the cloth"),
        "b": keywords("The loom shows the tension of the warp on the loom"),
        "c": keywords("The loom shows the hours"),
    }

    assert most_like(keywords("the tension of a slack warp is shown on the loom"), told) == "b"
    assert most_like(keywords("the loom shows all of it"), told) == ""

"""What a person says of the budget later takes the place of what the brief states."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.builtin_chain import ask, chain
from workers.documents.budgets import is_of_budget, with_budget
from workers.documents.lint import findings_of

REQUEST = (
    "# Depot\n\n## Requirements\n\n- Drivers must book a slot online.\n\n## Constraints\n\n"
    "- The budget is 30 000 EUR.\n- It must be ready by 1 May.\n"
)


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    return chain(REQUEST)


@pytest.mark.parametrize(
    ("line", "limit"),
    [
        ("Budget went down to 20k", "The budget is 20k EUR."),
        ("We have cut the budget to 20k", "The budget is 20k EUR."),
        ("The budget went from 30k to 20k", "The budget is 20k EUR."),
        ("Our budget is only $25,000 now.", "The budget is $25,000."),
        ("Budget: 20 000", "The budget is 20 000 EUR."),
        ("The budget is 40 000 EUR instead of 30 000 EUR", "The budget is 40 000 EUR."),
    ],
)
def test_amount_of_a_line_takes_the_place_of_the_one_that_is_stated(line: str, limit: str) -> None:
    limits = ["It must be ready by 1 May.", "The budget is 30 000 EUR."]

    assert with_budget(limits, line) == (1, limit)
    assert with_budget(["30k EUR"], "Budget went down to 20k") == (0, "20k EUR")
    assert with_budget(limits[:1], line) is None
    assert with_budget([*limits, "Budget of the pilot: 9 EUR"], line) is None


@pytest.mark.parametrize(
    "line",
    [
        "The tool must show the budget of 20k per project",
        "Managers can enter a budget of up to 20k",
        "The budget field shows 3 digits",
        "The budget must be entered by 20 May",
        "The budget of a project is at most 20k",
        "It takes 20 days",
    ],
)
def test_budgets_that_the_product_keeps_are_no_budget_of_the_work(line: str) -> None:
    assert not is_of_budget(line)


def test_brief_states_the_new_budget_and_nothing_doubts_it(facts: dict[str, Any]) -> None:
    words = "Budget went down to 20k."
    given = {**facts, "feedback": [words], "said": (words,)}

    brief = ask("brief", **{**given, "previous": facts["brief"]})
    after = {**given, "brief": brief, "previous": facts["requirements"], "is_dependent": True}
    requirements = ask("requirements", **after)

    assert [row.text for row in brief.constraints] == [
        row.text.replace("30 000", "20k") for row in facts["brief"].constraints
    ]
    assert brief.open_questions == facts["brief"].open_questions
    assert requirements == facts["requirements"]
    found = findings_of({**after, "requirements": requirements})
    assert not [one for one in found if "EUR" in one.about]


def test_budget_that_nobody_gave_is_a_finding_and_of_the_requirements_it_is_not_taken(
    facts: dict[str, Any],
) -> None:
    limit = facts["brief"].constraints[0]
    other = limit.model_copy(update={"text": "The budget is 90 000 EUR."})
    brief = facts["brief"].model_copy(update={"constraints": [other]})

    found = findings_of({**facts, "brief": brief})
    after = ask("requirements", **{**facts, "previous": facts["requirements"], "feedback": ["Budget: 20k"]})

    assert [one for one in found if "90 000" in one.about]
    assert after.items == facts["requirements"].items
    assert after.open_questions[0].startswith("Not taken here, because it belongs to the product brief")

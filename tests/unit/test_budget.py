"""Caps: when a call may begin, when 80 % are used, and how amounts are said. The store's side: test_budgets.py."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.config.settings import BudgetSettings, CodeCapSettings, Settings
from orchestrator.domain import budget
from orchestrator.domain.errors import UsageError
from orchestrator.domain.estimate import estimate
from orchestrator.views.budget import budget_of

NOTHING = dict.fromkeys(budget.MEASURES, 0)


def test_amounts_are_counted_in_their_smallest_part() -> None:
    found = budget.caps({"usd": 1.5, "tokens": 1000, "turns": 3, "minutes": 0.5})

    assert found == {"usd": 1_500_000, "tokens": 1000, "turns": 3, "minutes": 30_000_000}
    assert budget.caps({"usd": None}) == {}


@pytest.mark.parametrize("amount", [0, -1, float("nan"), float("inf"), 1e10])
def test_an_amount_that_cannot_be_a_cap_is_refused(amount: float) -> None:
    with pytest.raises(UsageError, match="--max-usd"):
        budget.caps({"usd": amount})


@pytest.mark.parametrize(
    ("used", "measure"), [(99, None), (100, "turns"), (101, "turns")], ids=["below", "at it", "above"]
)
def test_a_cap_is_reached_when_nothing_is_left(used: int, measure: str | None) -> None:
    assert budget.reached({"usd": 1, "turns": 100}, {**NOTHING, "turns": used}) == measure


@pytest.mark.parametrize(("used", "near"), [(79, []), (80, ["turns"]), (100, ["turns"])])
def test_eighty_percent_is_near(used: int, near: list[str]) -> None:
    assert budget.nearly({"turns": 100}, {**NOTHING, "turns": used}) == near


def test_a_raised_cap_is_warned_of_anew_and_the_others_are_not() -> None:
    old = {"session": {"usd": 1, "turns": 2}, "warned": ["session:usd", "session:turns", "task:usd:T-001"]}

    new = budget.raised(old, "session", {"usd": 5})

    assert new["session"] == {"usd": 5, "turns": 2}
    assert new["warned"] == ["session:turns", "task:usd:T-001"]
    assert budget.raised(None, "task", {"turns": 5}) == {"task": {"turns": 5}, "warned": []}


@pytest.mark.parametrize(
    ("cap", "used", "done", "left", "suggested"),
    [
        (45, 50, 1, 1, 120),  # 50 + 50 * 1.25 = 112.5, in two digits
        (450_000, 500_000, 2, 4, 1_800_000),
        (10, 10, 10, 1, 12),
        (10, 10, 0, 6, 20),  # nothing is done: twice the cap
        (10, 50, 0, 6, 60),
        (10, 0, 2, 4, 20),  # nothing was used: twice the cap
        (1, 1, 1, 0, 2),
    ],
)
def test_a_suggested_cap_is_computed_from_what_remains(
    cap: int, used: int, done: int, left: int, suggested: int
) -> None:
    assert budget.suggested(cap, used, done, left) == suggested


@example(cap=1, used=250_000_000_000, done=0, left=0, unit=1)
@given(
    cap=st.integers(1, 10**9),
    used=st.integers(0, 10**12),
    done=st.integers(0, 500),
    left=st.integers(0, 500),
    unit=st.sampled_from(sorted(budget.MEASURES.values())),
)
def test_a_suggested_cap_is_above_what_is_used(cap: int, used: int, done: int, left: int, unit: int) -> None:
    assert budget.suggested(cap, used, done, left, unit) > used


@pytest.mark.parametrize(
    ("measure", "amount", "shown"),
    [
        ("usd", 1_200_000, "$1.20"),
        ("usd", 0, "$0.00"),
        ("usd", 1_500, "$0.0015"),
        ("tokens", 12_345_678, "12345678 tokens"),
        ("turns", 3, "3 turns"),
        ("minutes", 90_000_000, "1.5 minutes"),
    ],
)
def test_amounts_are_said_in_the_units_of_people(measure: str, amount: int, shown: str) -> None:
    assert budget.shown(measure, amount) == shown


def test_an_estimate_is_the_sum_of_medians_and_names_what_was_never_seen() -> None:
    past = {("DRAFT-001", "a"): [100, 300, 900], ("risk", "b"): [10, 20]}

    found = estimate([("DRAFT-001", "a"), ("risk", "b"), ("risk", "b"), ("risk", "c")], past)

    assert (found.micros, found.times, found.missing) == (330, 5, (("risk", "c"),))


@settings(max_examples=300, deadline=None)
@given(
    cap=st.integers(1, 1_000),
    reserved=st.integers(1, 200),
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 500)), max_size=60),
)
def test_the_sum_passes_a_cap_by_no_more_than_the_calls_in_flight(
    cap: int, reserved: int, steps: list[tuple[bool, int]]
) -> None:
    flying: list[int] = []  # what each call in flight will have cost
    spent, limit = 0, cap
    for begins, amount in steps:
        used: dict[str, Any] = {**NOTHING, "usd": spent + reserved * len(flying)}
        if begins and budget.reached({"usd": cap}, used) is None:
            flying.append(amount)
            limit = cap + sum(flying)
        elif not begins and flying:
            spent += flying.pop(amount % len(flying))
    total = spent + sum(flying)

    assert total < limit
    assert len(flying) <= -(-cap // reserved)


@pytest.mark.parametrize(
    ("tasks", "code"),
    [
        (["RESEARCH-001", "DRAFT-001"], None),
        (
            ["PLAN-001", "IMPL-001"],
            {"usd": 20_000_000, "tokens": 20_000_000, "turns": 7, "minutes": 10_800_000_000},
        ),
        (["TEST-001"], {"usd": 20_000_000, "tokens": 20_000_000, "turns": 7, "minutes": 10_800_000_000}),
    ],
)
def test_tasks_that_edit_code_have_caps_without_being_told(tasks: list[str], code: Any) -> None:
    chosen = Settings(budget=BudgetSettings(code=CodeCapSettings(max_turns=7)))

    assert (budget_of(chosen, tasks) or {}).get("code") == code
    assert "code" not in (budget_of(chosen, tasks, "review") or {})

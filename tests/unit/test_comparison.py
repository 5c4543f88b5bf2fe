"""Which side is better, and where that is not defined."""

from __future__ import annotations

import pytest

from orchestrator.domain.comparison import Better, Side, Value, better, row


@pytest.mark.parametrize(
    ("a", "b", "rule", "side"),
    [
        (80.0, 90.0, Better.MORE, Side.B),
        (80.0, 90.0, Better.LESS, Side.A),
        (80.0, 80.0, Better.MORE, None),
        (80.0, 90.0, Better.NONE, None),
        (None, 90.0, Better.MORE, None),
        (0, 3, Better.LESS, Side.A),
        ("PASS", "REVIEW", Better.GATE, Side.A),
        ("FAIL", "REVIEW", Better.GATE, Side.B),
        ("APPROVE", "BLOCK", Better.REVIEW, Side.A),
        ("CONDITIONAL", "APPROVE", Better.REVIEW, Side.B),
        ("PASS", "UNVERIFIED", Better.TESTS, None),
        ("PASS", "FIX_REQUIRED", Better.TESTS, Side.A),
        ("spec-only", "impl-only", Better.MORE, None),
    ],
)
def test_the_better_side(a: Value, b: Value, rule: Better, side: Side | None) -> None:
    assert better(a, b, rule) is side


def test_no_side_is_better_where_it_would_not_be_fair() -> None:
    assert row("cost", "cost", (1.0, 2.0), Better.LESS, fair=False).better is None

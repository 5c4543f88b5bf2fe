"""Which of two sessions is better in one respect, where better is defined; elsewhere a person decides."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.review_verdicts import APPROVE, BLOCK, CONDITIONAL

Value = str | float | None


class Side(StrEnum):
    A = "a"
    B = "b"


class Better(StrEnum):
    """What makes a value the better one."""

    MORE = "more"
    LESS = "less"
    NONE = "none"  # nothing: neither is better
    GATE = "gate"
    REVIEW = "review"
    TESTS = "tests"


_RANKS = {  # the worst first; a word that is not listed is not compared
    Better.GATE: ("FAIL", "REVIEW", "PASS"),
    Better.REVIEW: (BLOCK, CONDITIONAL, APPROVE),
    Better.TESTS: ("FIX_REQUIRED", "PASS"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One respect in which two sessions are compared; `kind`: how its values are shown."""

    group: str
    name: str
    a: Value
    b: Value
    better: Side | None
    kind: str = "text"  # text, percent, number, rating, usd, seconds


def row(
    group: str,
    name: str,
    both: Sequence[Value],
    rule: Better = Better.NONE,
    kind: str = "text",
    *,
    fair: bool = True,
) -> Row:
    """The two values, with the better side; none where one is missing, both are equal, or it would not be `fair`."""
    a, b = both
    return Row(group, name, a, b, better(a, b, rule) if fair else None, kind)


def better(a: Value, b: Value, rule: Better) -> Side | None:
    if rule is Better.NONE or a is None or b is None:
        return None
    first, second = _rank(a, rule), _rank(b, rule)
    if first is None or second is None or first == second:
        return None
    return Side.A if first > second else Side.B


def _rank(value: str | float, rule: Better) -> float | None:
    """The higher the better."""
    if isinstance(value, str):
        ranks = _RANKS.get(rule, ())
        return ranks.index(value) if value in ranks else None
    return -value if rule is Better.LESS else value

"""Caps on what a session or one of its tasks may use: when one is reached, when it is nearly, and how both are said.

Amounts are counted as whole numbers: micro-dollars, tokens, turns, microseconds of agents' work. A call may begin while
every cap is above what was used, where a call in flight counts with what was reserved for it. So a cap is passed by what
the calls in flight cost more than was reserved for them, and by nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.pipelines import Role

MEASURES: Mapping[str, int] = {  # name -> what one of it is counted as
    "usd": 1_000_000,
    "tokens": 1,
    "turns": 1,
    "minutes": 60_000_000,
}
SCOPES = ("session", "task", "code")  # a cap of `code` is one of each task that has an agent edit files
CODE = ("IMPL", "TEST", "DEV-FE")  # prefixes of these tasks
WARN_PERCENT = 80
LEAST_MICROS = 10_000  # reserved for a call of an agent whose price was never seen: a cent
LEAST_TOKENS = 1_000
LARGEST = 10**9  # dollars, tokens, turns, minutes

Caps = Mapping[str, int]
Used = Mapping[str, int]


def caps(given: Mapping[str, float | None]) -> dict[str, int]:
    """Caps by measure, counted, from amounts as people give them. Raises UsageError for one that cannot be."""
    found: dict[str, int] = {}
    for measure, amount in given.items():
        if amount is None:
            continue
        if not math.isfinite(amount) or not 0 < amount <= LARGEST:
            raise UsageError(
                f"--max-{measure} {amount:g} is not a valid cap",
                why=f"it must be above 0 and at most {LARGEST}",
                fix="give another amount",
            )
        found[measure] = max(1, round(amount * MEASURES[measure]))
    return found


def scopes_of(task: str) -> tuple[str, ...]:
    """The scopes whose caps hold for a call of the task, by its key."""
    return SCOPES if edits_code(task) else SCOPES[:-1]


def edits_code(task: str) -> bool:
    """Whether the task, by its key, has an agent edit files."""
    return any(task.startswith(f"{prefix}-") for prefix in CODE)


def needs_editing(role: Role) -> bool:
    """Whether the role's tasks are done by agents that edit files alone."""
    return not set(CODE).isdisjoint(role.prefixes)


def reached(caps: Caps, used: Used) -> str | None:
    """The first measure of which nothing is left."""
    return next((measure for measure, cap in caps.items() if used[measure] >= cap), None)


def nearly(caps: Caps, used: Used) -> list[str]:
    """The measures of which 80 % and more are used."""
    return [measure for measure, cap in caps.items() if used[measure] * 100 >= cap * WARN_PERCENT]


def suggested(cap: int, used: int, done: int, left: int, unit: int = 1) -> int:
    """A cap for the `left` tasks: what is used, and for each of them the average of those `done`, with a quarter more.

    Without a task done nothing is known of the rest: twice the cap. Rounded up to two digits of `unit`.
    """
    quarters = 4 * done if done and used else 1  # in whole numbers: a float has not enough digits for micros
    need = quarters * used + 5 * used * left if done and used else max(2 * cap, used + cap)
    return _rounded_up(max(need, quarters * (used + 1)), quarters * unit, unit)


def _rounded_up(amount: int, of: int, unit: int) -> int:
    """The units of `amount / of`, rounded up to two digits, times `unit`."""
    digit = math.floor(math.log10(amount / of)) - 1
    step: int = 10 ** max(digit, 0)
    part: int = 10 ** max(-digit, 0)
    steps = -(-amount * part // (of * step))
    return -(-steps * step * unit // part)


def raised(budget: Mapping[str, Json] | None, scope: str, more: Caps) -> JsonObject:
    """The budget with new caps; what was warned of before counts anew for them."""
    old = dict(budget or {})
    warned = [mark for mark in old.get("warned", []) if not _is_about(mark, scope, more)]
    return {**old, scope: {**old.get(scope, {}), **more}, "warned": warned}


def inherited(
    defaults: Mapping[str, Json] | None, before: Mapping[str, Json] | None, more: Caps
) -> JsonObject | None:
    """The budget of a session that begins where another one stood: `defaults`, then the caps of `before`, then new ones.

    What was warned of before counts anew. None without any cap.
    """
    given = [defaults or {}, before or {}, {"session": dict(more)}]
    found = {
        scope: {measure: cap for each in given for measure, cap in (each.get(scope) or {}).items()}
        for scope in SCOPES
        if any(scope in each for each in given)
    }
    return found if any(found.values()) else None


def mark(scope: str, task: str, measure: str) -> str:
    """Names one cap among those that were warned of."""
    return f"{scope}:{measure}" if scope == "session" else f"{scope}:{measure}:{task}"


def shown(measure: str, amount: int) -> str:
    """`$1.20`, `1200 tokens`, `3 turns`, `4.5 minutes`."""
    if measure == "usd":
        dollars = amount / MEASURES[measure]
        return f"${dollars:.2f}" if dollars >= 0.1 or not amount else f"${dollars:.4g}"
    return f"{amount / MEASURES[measure]:.10g} {measure}" if measure != "minutes" else _minutes(amount)


def view(scope: str, measure: str, cap: int, used: int) -> JsonObject:
    """One cap as plain values, in the units people use."""
    whole = MEASURES[measure]
    return {
        "scope": scope,
        "measure": measure,
        "cap": cap / whole if whole > 1 else cap,
        "used": used / whole if whole > 1 else used,
        "percent": used * 100 // cap,
        "says": f"{shown(measure, used)} of {shown(measure, cap)}",
    }


def _minutes(amount: int) -> str:
    return f"{round(amount / MEASURES['minutes'], 1):g} minutes"


def _is_about(mark: str, scope: str, more: Caps) -> bool:
    name, measure, *_ = mark.split(":")
    return name == scope and measure in more

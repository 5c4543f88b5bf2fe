"""A command agent's last line on standard error: its usage, believed only as far as it can be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestrator.domain.prices import Usage
from workers.agents.programs.reported_usage import usage_in

GOOD = {
    "model": "m-1",
    "tokens_in": 10,
    "tokens_cached": 4,
    "tokens_cache_written": 6,
    "tokens_cache_written_1h": 2,
    "tokens_out": 5,
    "cost_usd": 0.5,
}


def line(used: Any, **more: Any) -> str:
    return json.dumps({"lifecycle_usage": used, **more})


@pytest.mark.parametrize("after", ["", "\n", "\r\n", "\n\n  \n"])
def test_the_last_line_of_standard_error_is_the_usage(after: str) -> None:
    assert usage_in(f"working ...\n{line(GOOD)}{after}") == (Usage("m-1", 10, 5, 0.5, 4, 6, 2), None)


@pytest.mark.parametrize(
    "errors", ["", "\n", "a warning", f"{line(GOOD)}\nsomething after it", '{"usage": 1}']
)
def test_without_a_last_line_of_usage_it_is_unknown(errors: str) -> None:
    assert usage_in(errors) == (Usage(), None)


def test_each_part_may_be_left_out() -> None:
    assert usage_in(line({"tokens_out": 5})) == (Usage(tokens_out=5), None)
    assert usage_in(line({})) == (Usage(), None)


@pytest.mark.parametrize(
    "text",
    [
        line({**GOOD, "tokens_in": -1}),
        line({**GOOD, "tokens_cache_written": 7}),
        line({**GOOD, "tokens_cache_written_1h": 7}),
        line({**GOOD, "tokens_in": True}),
        line({**GOOD, "tokens_in": "10"}),
        line({**GOOD, "tokens_in": 10.0}),
        line({**GOOD, "tokens_out": 10**11}),
        line({**GOOD, "tokens_cached": 11}),
        line({**GOOD, "cost_usd": -0.1}),
        line({**GOOD, "cost_usd": True}),
        line({**GOOD, "cost_usd": 1e9}),
        line({**GOOD, "cost_usd": float("nan")}),
        line({**GOOD, "cost_usd": float("inf")}),
        line({**GOOD, "model": ""}),
        line({**GOOD, "model": "m" * 201}),
        line({**GOOD, "model": "m 1\u001b[31m"}),
        line({**GOOD, "more": 1}),
        line(GOOD, more=1),
        line([GOOD]),
        line(None),
        line(GOOD)[:-1],
        f"note: {line(GOOD)}",
        line({**GOOD, "model": "m" * 5_000}),
        '{"lifecycle_usage":' * 300 + "1" + "}" * 300,
        '{"lifecycle_usage": {"tokens_in": ' + "9" * 1_900 + "}}",
    ],
)
def test_a_line_that_is_not_right_counts_for_nothing_and_says_why(text: str) -> None:
    usage, fault = usage_in(text)

    assert usage == Usage()
    assert fault is not None and fault.startswith("its usage was not understood: ")
    assert len(fault) < 400

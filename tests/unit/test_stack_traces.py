"""A stack trace in a request is one block of code, cited by its error and its places."""
# ruff: noqa: E501 - traces are read whole

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import ask
from workers.builtin import analyse_request
from workers.documents.fates import book
from workers.documents.outline import outline
from workers.documents.stack_traces import cited, error_of, with_fences

TRACES = {
    "python": (
        'Traceback (most recent call last):\n  File "/srv/jobs/nightly.py", line 88, in run\n    made = build(customer)\n  File "/srv/build.py", line 41, in build\n'
        "    rate = RATES[customer.country.upper()]\n                 ^^^^^^^^^^^^^^^^^^^^^^^^\nAttributeError: 'NoneType' object has no attribute 'upper'\n2025-03-02 02:14:07 ERROR job nightly failed after 12/40 customers",
        "AttributeError: 'NoneType' object has no attribute 'upper' (/srv/build.py:41, /srv/jobs/nightly.py:88)",
    ),
    "javascript": (
        "Uncaught TypeError: Cannot read properties of undefined (reading 'amount')\n    at renderTotals (checkout.js:214:31)\n    at HTMLDocument.<anonymous> (main.js:12:3)",
        "TypeError: Cannot read properties of undefined (reading 'amount') (checkout.js:214, main.js:12)",
    ),
    "java": (
        'Exception in thread "main" java.lang.IllegalStateException: no price for SKU 12\n\tat com.shop.Price.of(Price.java:41)\nCaused by: java.lang.NullPointerException\n\tat com.shop.Db.get(Db.java:9)\n\t... 2 more',
        "java.lang.IllegalStateException: no price for SKU 12 (Price.java:41, Db.java:9)",
    ),
    "go": (
        "panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\nmain.pick(0xc000012345, 0x3)\n\t/srv/app/pick.go:18 +0x1d\nmain.main()\n\t/srv/app/main.go:7 +0x25\nexit status 2",
        "panic: runtime error: index out of range [3] (/srv/app/pick.go:18, /srv/app/main.go:7)",
    ),
    "ruby": (
        "app/models/order.rb:12:in `total': undefined method `sum' for nil (NoMethodError)\n\tfrom app/models/cart.rb:5:in `checkout'",
        "undefined method `sum' for nil (NoMethodError) (app/models/order.rb:12, app/models/cart.rb:5)",
    ),
    "dotnet": (
        "Unhandled exception. System.NullReferenceException: Object reference not set.\n   at Shop.Cart.Total(Order order) in /src/Cart.cs:line 33\n   at Shop.Program.Main(String[] args) in /src/Program.cs:line 10",
        "System.NullReferenceException: Object reference not set. (/src/Cart.cs:33, /src/Program.cs:10)",
    ),
}


@pytest.mark.parametrize("name", [*TRACES])
@pytest.mark.parametrize("apart", ["\n", "\n\n"])
def test_a_trace_without_a_fence_is_one_block_of_code(name: str, apart: str) -> None:
    trace, _ = TRACES[name]

    blocks = outline(f"The job stops every night.{apart}{trace}{apart}Only one shop is affected.")

    assert [(block.kind, block.text) for block in blocks] == [
        ("paragraph", "The job stops every night."),
        ("code", trace),
        ("paragraph", "Only one shop is affected."),
    ]


@pytest.mark.parametrize("name", [*TRACES])
def test_a_trace_is_cited_by_its_error_and_its_places_innermost_first(name: str) -> None:
    trace, told = TRACES[name]

    assert cited(trace) == told
    assert told.startswith(error_of(trace))


@pytest.mark.parametrize(
    "text",
    [
        "We meet\nat the office (or at home)\nand at work(shops).",
        "The train leaves\nat noon:30, or so it says.",
        "TypeError: this is all that we were told.",
        "Call `run()` in main.py, line 3.",
    ],
)
def test_prose_is_no_trace(text: str) -> None:
    assert with_fences(text) == text
    assert cited(text) == ""


def test_a_trace_in_a_fence_is_left_as_it_is() -> None:
    text = f"Look:\n\n```\n{TRACES['python'][0]}\n```\n\nPlease help."

    assert with_fences(text) == text


def test_the_ledger_takes_a_trace_as_evidence_and_the_problem_cites_it() -> None:
    trace, told = TRACES["javascript"]
    request = f"The checkout page is blank.\n\nExpected: the form is shown.\n\n```\n{trace}\n```\n"

    found = analyse_request(request)
    code = next(
        entry
        for entry in book(
            request, ask("discovery", request=request, language="en", codebase=None)
        ).ledger.entries
        if entry.kind == "code"
    )

    assert told in found.situation
    assert (code.fate, code.taken_as) == ("taken", ("evidence",))

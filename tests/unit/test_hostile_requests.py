"""A request that is made to take long is read like any other: in proportion to its length, and to an answer."""

from __future__ import annotations

import re
import time

import pytest

from orchestrator.domain import feedback, request_forms
from tests.unit.builtin_chain import ask
from workers.documents import forms, plain_text

REQUESTS = {
    "blanks within": f"Drop the{' ' * 20_000}CSV export",
    "blank lines": "\n" * 10_000 + "The app must export lists.",
    "lines of a blank": " \n" * 5_000,
    "cheers": f"Ann: we need a list of boats\nBob: {'hi all ' * 16}x\nAnn: it must show the owner\n",
    "one wish again and again": "please " * 2_000,
    "one letter": "a" * 20_000,
    "marks of items": "- " * 10_000,
    "bars": "|" * 20_000,
    "boxes": "* [ ] " * 3_000,
    "brackets": "(" * 20_000,
    "digits": "1" * 5_000,
    "full stops": ". " * 5_000,
}
PATTERNS = {
    "a story told apart": plain_text._TOLD_APART,
    "told": forms._TOLD,
    "a wish": request_forms.WISH,
    "an order": feedback._ASKS,
}
SHORT, LONG = 2_000, 16_000


@pytest.mark.parametrize("name", REQUESTS)
def test_a_hostile_request_is_read(name: str) -> None:
    found = ask("discovery", request=REQUESTS[name], language="en", codebase=None)

    assert found.complexity


@pytest.mark.parametrize("name", PATTERNS)
def test_eight_times_the_request_takes_about_eight_times_as_long(name: str) -> None:
    for piece in ("\n", " \n", "\t", "- ", "hi all ", "I want it so that "):
        short, long = (_seconds(PATTERNS[name], (piece * size)[:size]) for size in (SHORT, LONG))

        assert long < 30 * short + 0.002, piece  # in proportion to the square it were 64 times


def _seconds(pattern: re.Pattern[str], text: str) -> float:
    """Of this thread alone, whatever else the machine does."""
    pattern.search(text[:1])
    taken = []
    for _ in range(3):
        begun = time.thread_time()
        list(pattern.finditer(f"x {text}!"))
        taken.append(time.thread_time() - begun)
    return min(taken)

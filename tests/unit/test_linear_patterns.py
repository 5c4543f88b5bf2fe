"""Patterns over what an agent wrote take time in proportion to its length, whatever it is made of."""

from __future__ import annotations

import re
import time

import pytest

from workers.evidence import facts_of_other_tests, javascript_runners, refuted_claims, review_rules

SHORT, LONG = 2_000, 16_000
PIECES = [".", "-", "_", "a", "A", "A1", " ", "\n", "a.", "a-a.", "@Ignore "]
PATTERNS = {
    "reference": review_rules._REFERENCE,
    "missing": refuted_claims._MISSING,
    "not loaded": javascript_runners._NOT_LOADED,
    "skipped class": facts_of_other_tests._SKIPPED_CLASS,
}


@pytest.mark.parametrize("name", PATTERNS)
def test_eight_times_the_text_takes_about_eight_times_as_long(name: str) -> None:
    for piece in PIECES:
        short, long = (_seconds(PATTERNS[name], (piece * size)[:size]) for size in (SHORT, LONG))

        assert long < 30 * short + 0.001, piece  # in proportion to the square it were 64 times


def _seconds(pattern: re.Pattern[str], text: str) -> float:
    """Of this thread alone, whatever else the machine does."""
    pattern.search(text[:1])
    taken = []
    for _ in range(3):
        begun = time.thread_time()
        list(pattern.finditer(f"x {text}!"))
        taken.append(time.thread_time() - begun)
    return min(taken)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("see ABC-12", True), ("fix(ABC2-12)", True), ("xABC-1", True), ("A-1", False), ("-12", False)],
)
def test_a_reference_is_still_told(text: str, is_one: bool) -> None:
    assert bool(review_rules._REFERENCE.search(text)) == is_one

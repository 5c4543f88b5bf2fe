"""Tests whose names differ from run to run: they are counted, and no suite gets weaker by it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from orchestrator.domain.evidence import TestRun
from workers.evidence.set_logic import compare
from workers.evidence.unstable_names import steady, stem, sure, unstable

FIXED = "t.py::test_fixed"


def run(*tests: str, bad: Sequence[str] = ()) -> TestRun:
    return TestRun("pytest", (), {**dict.fromkeys(tests, "passed"), **dict.fromkeys(bad, "failed")})


BASE = run(FIXED, "t.py::test_at[12:01]", "t.py::test_at[12:02]")
AGAIN = run(FIXED, "t.py::test_at[12:03]", "t.py::test_at[12:04]")
NAMES = unstable(BASE, AGAIN)
SURE = sure(steady(BASE, NAMES), steady(AGAIN, NAMES))


@pytest.mark.parametrize(
    ("test", "same"),
    [
        ("t.py::test_at[<object at 0x7f01>]", "t.py::test_at[<object at 0x7f02>]"),
        ("a.test.js::runs at 12:03:11", "a.test.js::runs at 12:04:59"),
        (
            "a.test.js::id 0b5ef4b8-2c52-4c6c-a3a5-1b2f6d7e8f90",
            "a.test.js::id 4b5ef4b8-2c52-4c6c-a3a5-1b2f6d7e8f91",
        ),
    ],
)
def test_what_varies_is_no_part_of_the_stem(test: str, same: str) -> None:
    assert stem(test) == stem(same)
    assert stem(test) != stem("t.py::test_other[1]")


def test_a_file_with_numbers_in_its_name_keeps_them() -> None:
    assert stem("t1.py::test_a") != stem("t2.py::test_a")


@pytest.mark.parametrize(
    ("now", "missing", "regressions"),
    [
        (run(FIXED, "t.py::test_at[13:01]", "t.py::test_at[13:02]"), 0, 0),
        (run(FIXED, "t.py::test_at[13:01]", "t.py::test_at[13:02]", "t.py::test_at[13:03]"), 0, 0),
        (run(FIXED, "t.py::test_at[13:01]"), 1, 0),
        (run(FIXED), 2, 0),
        (run("t.py::test_at[13:01]", "t.py::test_at[13:02]"), 1, 0),
        (run(FIXED, "t.py::test_at[13:01]", bad=["t.py::test_at[13:02]"]), 0, 1),
        (run(FIXED, "t.py::test_else[13:01]", "t.py::test_else[13:02]"), 2, 0),
    ],
)
def test_as_many_must_be_there_and_pass(now: TestRun, missing: int, regressions: int) -> None:
    found = compare(SURE, steady(now, NAMES))

    assert (len(found.missing), len(found.regressions)) == (missing, regressions)


def test_a_base_whose_names_stay_has_no_unstable_ones() -> None:
    assert unstable(BASE, BASE) == frozenset()


def test_what_the_base_itself_passes_only_at_times_is_not_charged() -> None:
    other = run("t.py::test_at[12:03]", "t.py::test_at[12:04]", bad=[FIXED])

    assert sure(steady(BASE, NAMES), steady(other, NAMES)).bad == {FIXED}

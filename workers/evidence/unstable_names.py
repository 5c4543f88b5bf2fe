"""Tests whose names differ from run to run of the same tree: by a time, an address, a random parameter.

They are told by two runs of the base, so that no candidate can make a test unstable, and then counted: of each such test
there must be as many as before, and as many must pass.
"""

from __future__ import annotations

from collections import defaultdict

from orchestrator.domain.dataclass import replace
from orchestrator.domain.evidence import BAD, PASSED, TestRun
from orchestrator.domain.patterns import expression

_VARYING = expression(
    r"0x[0-9a-fA-F]+|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|\d+(?:[.,:T-]+\d+)*"
)


def stem(test: str) -> str:
    """What stays of a test's id: without its parameters, else without numbers and addresses in its name."""
    place, separator, name = test.rpartition("::")
    name, bracket, _ = name.partition("[")
    return f"{place}{separator}{name}[" if bracket else f"{place}{separator}{_VARYING.sub('#', name)}"


def unstable(one: TestRun, other: TestRun) -> frozenset[str]:
    """The stems of the tests that only one of two runs of the same tree has."""
    return frozenset(map(stem, one.outcomes.keys() ^ other.outcomes.keys()))


def steady(run: TestRun, stems: frozenset[str]) -> TestRun:
    """The run with numbers in place of the names of these tests, those that passed first."""
    outcomes: dict[str, str] = {}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for test, outcome in run.outcomes.items():
        if stem(test) in stems:
            groups[stem(test)].append(outcome)
        else:
            outcomes[test] = outcome
    for name, found in groups.items():
        found.sort(key=lambda outcome: (outcome != PASSED, outcome))
        outcomes |= {f"{name} no. {number}": outcome for number, outcome in enumerate(found, 1)}
    return replace(run, outcomes=outcomes)


def sure(one: TestRun, other: TestRun) -> TestRun:
    """Of two runs of the same tree what both have; a test passed if it did so in both."""
    return replace(
        one,
        outcomes={
            test: other.outcomes[test] if outcome not in BAD else outcome
            for test, outcome in one.outcomes.items()
            if test in other.outcomes
        },
    )

"""What the checks of a supervisor come to (docs/domain.md, section 12).

Each check passes (1.0), warns (0.5) or fails (0.0). From a mean of 0.8 on the session goes on, from 0.5 on it goes on with
what was found noted as risks, and below that it pauses for a person. It pauses as well where a decisive check fails: two
documents that say opposite things are wrong however well the rest agrees.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import JsonObject

SUPERVISE = "SUPERVISE"  # the prefix of its tasks
FOLDER = "qa/supervise-"
PASS, WARN, FAIL = "pass", "warn", "fail"
BLOCK = "block"
POINTS = {PASS: 1.0, WARN: 0.5, FAIL: 0.0}
PASS_MEAN, WARN_MEAN = 0.8, 0.5
MOST_ERRORS = 3  # failed attempts of one role from which its work is doubted
SHOWN = 10  # pieces of evidence that one check keeps


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where something was found, and the words there."""

    place: str  # an identifier, a path, a task
    text: str
    other: str = ""  # what it does not agree with

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" + (f" | {self.other}" if self.other else "")

    def as_json(self) -> JsonObject:
        return {"place": self.place, "text": self.text, "other": self.other}


@dataclass(frozen=True, slots=True)
class Check:
    """One check with its result; `said` is the result in a sentence."""

    name: str
    result: str  # pass, warn or fail
    said: str
    evidence: tuple[Evidence, ...] = ()
    decisive: bool = False  # failing alone blocks
    source: str = "rules"  # or the agent that was asked

    def as_json(self) -> JsonObject:
        return {
            "check": self.name,
            "result": self.result,
            "says": self.said,
            "evidence": [each.as_json() for each in self.evidence[:SHOWN]],
            "found": len(self.evidence),
            "decisive": self.decisive,
            "source": self.source,
        }


def mean_of(checks: Sequence[Check]) -> float:
    """The mean of the checks' points; 1.0 where nothing could be checked."""
    return sum(POINTS[each.result] for each in checks) / len(checks) if checks else 1.0


def verdict_of(checks: Sequence[Check]) -> str:
    """pass, warn or block."""
    mean = mean_of(checks)
    if mean < WARN_MEAN or any(each.decisive and each.result == FAIL for each in checks):
        return BLOCK
    return PASS if mean >= PASS_MEAN else WARN


def risks_of(checks: Sequence[Check]) -> list[str]:
    """What did not pass, a line for each check, with its first evidence."""
    return [
        f"{each.name}: {each.said}" + (f" ({each.evidence[0]})" if each.evidence else "")
        for each in checks
        if each.result != PASS
    ]


def graded(count: int, of: int, *, most: float = 0.25) -> str:
    """pass where nothing was found, warn up to a share of the whole, fail above it; one alone only warns."""
    if not count:
        return PASS
    return WARN if (count == 1 and of > 1) or count <= most * of else FAIL

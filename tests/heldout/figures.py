"""What the attempts came to: the table, the three figures, and whether the measurement failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SOLVED, ACCEPTED, REFUSED, TURNED_AWAY, FAULT = "solved", "ACCEPTED", "REFUSED", "refused", "fault"
OWN_TESTS = "accepted"  # by tests that the agent wrote for it: only a reader can tell
WHY = 300  # characters


@dataclass(frozen=True, slots=True)
class Scored:
    """An attempt, its word one of those above: capitals where it ended wrong."""

    word: str
    why: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Result:
    """A recipe's attempts by the variant's name."""

    recipe: str
    attempts: Mapping[str, Scored]


def count(results: Sequence[Result], word: str) -> int:
    return sum(each.word == word for result in results for each in result.attempts.values())


def failed(results: Sequence[Result]) -> bool:
    """Whether something was accepted though it is not solved, or could not be tried."""
    return count(results, ACCEPTED) + count(results, FAULT) > 0


def figures(results: Sequence[Result]) -> dict[str, Any]:
    """The figures for a program."""
    return {
        "recipes": len(results),
        "attempts": sum(len(result.attempts) for result in results),
        "solved": count(results, SOLVED),
        "accepted_though_unsolved": count(results, ACCEPTED),
        "refused_though_solved": count(results, REFUSED),
        "accepted_by_own_tests": count(results, OWN_TESTS),
        "faults": count(results, FAULT),
        "each": {
            result.recipe: {
                name: {"word": each.word, "why": each.why, "seconds": round(each.seconds, 1)}
                for name, each in result.attempts.items()
            }
            for result in results
        },
    }


def lines(results: Sequence[Result]) -> list[str]:
    """A line for each recipe: how many attempts ended as they should, and each that did not."""
    found = []
    for result in results:
        words = [each.word for each in result.attempts.values()]
        seconds = sum(each.seconds for each in result.attempts.values())
        gold = next((each.word for name, each in result.attempts.items() if name == "gold"), "-")
        refused = words.count(TURNED_AWAY)
        others = len(words) - ("gold" in result.attempts)
        found.append(
            f"{result.recipe:<28} gold {gold:<8} others refused {refused:>2} of {others:<3} {seconds:>5.0f} s"
        )
        found += [
            f"    {name}: {each.word}: {' '.join(each.why.split())[:WHY]}"
            for name, each in result.attempts.items()
            if each.word in (ACCEPTED, REFUSED, OWN_TESTS, FAULT)
        ]
    return found

"""What a candidate's checks and tests came to, as one value: what blocks it, what is known, and what shows each criterion."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.door.desk import Link

SHOWN = 3  # tests that are named
HELD = "tests that pass without the change, too"
NO_TEST = "no test"
ONLY_CHANGE = "no test, only by a change"
UNSHOWN = {  # how a criterion is shown, as the finding, the pull request and the review say it
    "none": f"is shown by {NO_TEST}",
    "change": f"is shown by {ONLY_CHANGE}",
    "held": f"is shown by {HELD}",
}


@dataclass(frozen=True, slots=True)
class CriterionEvidence:
    """An acceptance criterion, and what shows that it is met.

    `test`, `change`, `none`, or `held`: its tests pass, and would without the change.
    """

    id: str
    files: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    verified: str = "none"
    not_found: tuple[str, ...] = ()  # tests that were named, and that no runner has
    not_mentioned: tuple[str, ...] = ()  # code that it names, and that the tests named for it do not

    @property
    def unshown(self) -> str:
        """Why it counts as not shown by a test, for people; empty where it is."""
        told = UNSHOWN.get(self.verified)
        return "" if told is None else told + not_found(self.not_found) + not_mentioned(self.not_mentioned)


def not_found(names: Sequence[str]) -> str:
    """What is said of tests that were named and are not there, behind something else; empty for none."""
    if not names:
        return ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"; named test not found: {', '.join(one_line(each, 200) for each in names[:SHOWN])}{more}"


def not_mentioned(names: Sequence[str]) -> str:
    """What is said of code that no test named for a criterion mentions, behind something else; empty for none."""
    if not names:
        return ""
    return f"; named test does not mention {', '.join(f'`{one_line(each, 100)}`' for each in names[:SHOWN])}"


@dataclass(frozen=True, slots=True)
class Judged:
    """The findings, the summary of the tests, and the criteria of one candidate."""

    findings: tuple[Finding, ...] = ()
    tests: JsonObject | None = None  # as the record of the run says it; None: nothing was run
    criteria: tuple[CriterionEvidence, ...] = ()
    links: tuple[Link, ...] = ()
    unverified: str = ""  # why the tests say nothing; empty: they do

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """What the candidate must not land with."""
        return tuple(finding for finding in self.findings if finding.blocks)

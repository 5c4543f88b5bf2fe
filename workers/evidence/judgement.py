"""What a candidate's checks and tests came to, as one value: what blocks it, what is known, and what shows each criterion."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import Finding
from orchestrator.domain.json_types import JsonObject
from orchestrator.door.desk import Link


@dataclass(frozen=True, slots=True)
class CriterionEvidence:
    """An acceptance criterion, and what shows that it is met.

    `test`, `change`, `none`, or `held`: its tests pass, and would without the change.
    """

    id: str
    files: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    verified: str = "none"


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

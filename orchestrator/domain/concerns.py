"""What an architect's advice comes to: its modes, its concerns and the verdict over them (docs/domain.md, section 12).

Advice never blocks: a verdict tells how much there is to think about, and people and later tasks read the concerns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import State

ARCH = "ARCH"  # the prefix of its tasks
MODE, QUESTION, AT = "mode", "question", "at"  # of their payloads
FOLDER = "architecture/"
HIGH, MEDIUM, LOW = "high", "medium", "low"
BLOCK, CONCERN, APPROVE = "BLOCK", "CONCERN", "APPROVE"
FEASIBLE, RISKY, INFEASIBLE = "FEASIBLE", "RISKY", "INFEASIBLE"
UNJUDGED = "UNJUDGED"  # a question that no agent has answered, and that rules found nothing against
FINE = (APPROVE, FEASIBLE, UNJUDGED)
MANY_HIGH, MANY_MEDIUM = 2, 3  # concerns from which advice says BLOCK, or CONCERN


class AdviceMode(State):
    SPEC = "spec"  # the architecture as it is written
    PLAN = "plan"  # the plan, before it is carried out
    CODE = "code"  # the code as it has landed, else the project's
    CONSULT = "consult"  # a question
    FEASIBILITY = "feasibility"  # whether something can be done here


ASKED = (AdviceMode.CONSULT, AdviceMode.FEASIBILITY)  # modes that answer a question


@dataclass(frozen=True, slots=True)
class Place:
    """A line that shows a concern: of the project, or of a file of the session."""

    path: str
    line: int
    quote: str

    def as_json(self) -> JsonObject:
        return {"path": self.path, "line": self.line, "quote": self.quote}


@dataclass(frozen=True, slots=True)
class Concern:
    severity: str  # high, medium or low
    text: str
    evidence: tuple[Place, ...] = ()
    options: tuple[str, ...] = ()
    dimension: str = "judgement"
    rule: str = ""  # empty: an agent's
    about: tuple[str, ...] = ()  # files and plan tasks

    def as_json(self) -> JsonObject:
        return {
            "severity": self.severity,
            "text": self.text,
            "evidence": [each.as_json() for each in self.evidence],
            "options": list(self.options),
            "dimension": self.dimension,
            "rule": self.rule or None,
            "about": list(self.about),
        }


def verdict_of(concerns: Sequence[Concern], mode: AdviceMode, *, by_rules: bool = False) -> str:
    """BLOCK, CONCERN or APPROVE; of feasibility INFEASIBLE, RISKY or FEASIBLE.

    `by_rules`: no agent has said anything. Rules can speak against what a question asks, and cannot approve it.
    """
    counts = Counter(each.severity for each in concerns)
    worst = 0
    if counts[HIGH] >= MANY_HIGH:
        worst = 2
    elif counts[HIGH] or counts[MEDIUM] >= MANY_MEDIUM:
        worst = 1
    if by_rules and not worst and mode in ASKED:
        return UNJUDGED
    words = (FEASIBLE, RISKY, INFEASIBLE) if mode is AdviceMode.FEASIBILITY else (APPROVE, CONCERN, BLOCK)
    return words[worst]


def rating_of(concerns: Sequence[Concern]) -> str:
    """How a dimension with these concerns is rated: good, acceptable or weak."""
    severities = {each.severity for each in concerns}
    return "weak" if HIGH in severities else "acceptable" if MEDIUM in severities else "good"


def record_path(key: str) -> str:
    """Where the advice of a task is kept, by the key of the task or of what it revises."""
    return f"{FOLDER}arch-{key.removeprefix(ARCH).strip('-').lower()}.json"

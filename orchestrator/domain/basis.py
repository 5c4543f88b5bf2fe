"""What a specification rests on: how much of it somebody stated, and which questions nobody has answered.

A statement is *given* when the request, the repository or a person says it; everything else is a proposal of the writer.
"""

from __future__ import annotations

from enum import StrEnum

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.pipelines import Gates


class Question(StrEnum):
    """What a request can tell; the more it tells, the less has to be proposed."""

    WHAT = "what"  # a requirement
    WHY = "why"  # a goal, or what is bad today
    WHO = "who"  # a user
    MEASURE = "measure"  # a figure of a goal or a quality, or a criterion of acceptance
    BOUNDS = "bounds"  # a constraint, dependency, quality or exclusion


@dataclass(frozen=True, slots=True)
class Basis:
    """Goals and requirements that are given and that are proposed, and the questions that are answered."""

    given: int
    proposed: int
    answered: frozenset[Question]

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions that nobody has answered."""
        return tuple(each for each in Question if each not in self.answered)

    @property
    def share(self) -> float:
        """Percent of the goals and requirements that are given; 100 where there is none."""
        whole = self.given + self.proposed
        return 100 * self.given / whole if whole else 100.0


@dataclass(frozen=True, slots=True)
class Lack:
    """One thing that keeps a specification from PASS. `code` is for programs and translations."""

    code: str
    found: str
    wanted: str = ""


def lacks(
    total: float, coverage: float, gates: Gates, errors: int = 0, basis: Basis | None = None
) -> tuple[Lack, ...]:
    """What keeps a specification from PASS; score and coverage in percent, `errors` of the lint."""
    found = []
    if total < gates.pass_score:
        found.append(Lack("score", f"{total:.1f}", f"{gates.pass_score:g}"))
    if coverage < gates.pass_coverage:
        found.append(Lack("coverage", f"{coverage:.1f}", f"{gates.pass_coverage:g}"))
    if errors:
        found.append(Lack("errors", str(errors)))
    if basis is not None and basis.share < gates.pass_given:
        found.append(Lack("given", str(basis.proposed), str(basis.given + basis.proposed)))
    if basis is not None and len(basis.answered) < gates.pass_answers:
        found.append(Lack("answers", " ".join(basis.open), f"{gates.pass_answers:g}"))
    return tuple(found)

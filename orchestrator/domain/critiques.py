"""Critiques, the divergences between them and the verdict of a round, as plain values (docs/domain.md, section 8)."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.model import Consensus, Severity


@dataclass(frozen=True, slots=True)
class Reply:
    """One perspective's critique, as plain values."""

    perspective: str
    rating: int  # 1 to 5
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[tuple[str, str], ...] = ()  # (text, severity: low, medium, high, critical)
    suggestions: tuple[str, ...] = ()
    missing_requirements: tuple[str, ...] = ()
    risk_level: str | None = None  # low, medium, high, critical
    risks: tuple[str, ...] = ()
    testability_issues: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Divergence:
    kind: str  # missing, risk, weakness, gate, rating, spread, suggestions
    severity: Severity
    text: str
    perspectives: tuple[str, ...]  # who holds it


@dataclass(frozen=True, slots=True)
class Verdict:
    consensus: Consensus
    severity: Severity | None  # only when blocked
    mean: float
    divergences: tuple[Divergence, ...] = ()  # gravest first
    converged: bool = True  # some two perspectives agree on something

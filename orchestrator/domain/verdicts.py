"""The verdict on a round of critiques, and what follows: a warning, a revision or a pause (docs/domain.md, section 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

from orchestrator.domain.critiques import Divergence, Reply, Verdict
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.inert import one_line
from orchestrator.domain.model import Consensus, Severity
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.synthesis import themes

__all__ = ["Consequence", "Divergence", "Reply", "Verdict", "consequence", "judge", "report_text"]

DEFAULT_THRESHOLD = 3.0  # mean rating, 1 to 5
LOW_RATING = 2  # this rating and lower ones divide
SPREAD = 3  # ratings this far apart divide


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows a verdict; the caller applies it inside the completing transaction."""

    kind: Literal["none", "warn", "revise", "pause"]
    pause: PauseReason | None = None
    completes: bool = True  # False: the run closes `released` and its task waits for the decision
    ends_loop: bool = False  # the run reports instead of going on

    @property
    def warns(self) -> bool:
        """Whether warning and action items go into wisdom/issues.md."""
        return self.kind == "warn"


def judge(
    replies: Iterable[Reply],
    threshold: float = DEFAULT_THRESHOLD,
    standalone: bool = False,
    *,
    failed: bool = False,
) -> Verdict:
    """The verdict of a round. Needs at least one reply; their order does not matter.

    `failed`: the gate of what is signed off is FAIL. Then no agreement is reached, whatever the ratings.
    """
    given = list(replies)
    if not given:
        raise ValueError("a verdict needs at least one reply")
    mean = sum(reply.rating for reply in given) / len(given)
    found = divergences(given, failed=failed)
    converged = converges(given)
    reached = not failed and mean >= threshold and not any(d.severity is Severity.HIGH for d in found)
    if reached and (converged or not standalone):
        return Verdict(Consensus.REACHED, None, mean, found, converged)
    grave = severity(given)
    if failed and grave is Severity.LOW:
        grave = Severity.MEDIUM
    return Verdict(Consensus.BLOCKED, grave, mean, found, converged)


def divergences(replies: Sequence[Reply], *, failed: bool = False) -> tuple[Divergence, ...]:
    """Everything that divides the perspectives, or all of them from the gate, gravest first."""
    found: list[Divergence] = []
    if failed:
        everybody = tuple(sorted(reply.perspective for reply in replies))
        found.append(Divergence("gate", Severity.MEDIUM, "the gate is FAIL", everybody))
    for reply in replies:
        who: tuple[str, ...] = (reply.perspective,)
        for text in reply.missing_requirements:
            found.append(Divergence("missing", Severity.HIGH, f"missing requirement: {text}", who))
        if reply.risk_level in ("high", "critical"):
            found.append(Divergence("risk", Severity.HIGH, f"risk level {reply.risk_level}", who))
        for text, grade in reply.weaknesses:
            if grade == "critical":
                found.append(Divergence("weakness", Severity.HIGH, text, who))
        if reply.rating <= LOW_RATING:
            text = f"rated {reply.rating} of 5" + (f": {key_finding(reply)}" if key_finding(reply) else "")
            found.append(Divergence("rating", Severity.MEDIUM, text, who))
    found += _spread(replies)
    if not found and any(reply.suggestions for reply in replies):
        who = tuple(sorted(reply.perspective for reply in replies if reply.suggestions))
        found.append(Divergence("suggestions", Severity.LOW, "suggestions only", who))
    return tuple(sorted(found, key=_order))


def _order(divergence: Divergence) -> tuple[int, int, tuple[str, ...], str]:
    kind = _KINDS.index(divergence.kind)
    return _GRAVITY[divergence.severity], kind, divergence.perspectives, divergence.text


def _spread(replies: Sequence[Reply]) -> list[Divergence]:
    low = min(reply.rating for reply in replies)
    high = max(reply.rating for reply in replies)
    if high - low < SPREAD:
        return []
    ends = tuple(sorted(reply.perspective for reply in replies if reply.rating in (low, high)))
    return [Divergence("spread", Severity.MEDIUM, f"ratings from {low} to {high}", ends)]


def severity(replies: Sequence[Reply]) -> Severity:
    """How grave a blocked round is: the first matching row from the top."""
    low = sum(reply.rating <= LOW_RATING for reply in replies)
    if (
        any(reply.risk_level == "critical" for reply in replies)
        or any(grade == "critical" for reply in replies for _, grade in reply.weaknesses)
        or any(reply.missing_requirements for reply in replies)
        or low >= 2
        or (low == 1 and len(replies) == 1)
    ):
        return Severity.HIGH
    if low == 1 or any(reply.risk_level == "high" for reply in replies):
        return Severity.MEDIUM
    return Severity.LOW


def converges(replies: Sequence[Reply]) -> bool:
    """Whether any two perspectives agree: they name the same thing, or rate within one point."""
    ratings = sorted(reply.rating for reply in replies)
    near = any(right - left <= 1 for left, right in pairwise(ratings))
    return len(replies) == 1 or near or bool(themes(replies))


def key_finding(reply: Reply) -> str:
    """What a perspective would say in one line."""
    worst = sorted(reply.weaknesses, key=lambda weakness: _GRADES.get(weakness[1], len(_GRADES)))
    candidates = (
        [text for text, grade in worst if grade == "critical"]
        + list(reply.missing_requirements)
        + [text for text, _ in worst]
        + list(reply.suggestions if reply.rating <= LOW_RATING else reply.strengths)
        + list(reply.strengths)
        + list(reply.suggestions)
    )
    return candidates[0] if candidates else ""


def recommendation(verdict: Verdict, *, signs_off: bool, is_revision: bool) -> str:
    """`proceed`, `proceed-with-caution`, `revise` or `escalate`."""
    if verdict.consensus is Consensus.REACHED:
        return "proceed"
    if verdict.severity is not Severity.HIGH:
        return "proceed-with-caution"
    return "escalate" if is_revision or signs_off else "revise"


def consequence(
    verdict: Verdict, *, signs_off: bool, is_revision: bool, standalone: bool = False, decided: bool = False
) -> Consequence:
    """What follows a verdict. `signs_off`: of the round; `decided`: a person has already taken an option for this discussion.

    The sign-off round comes before the rule for revisions, since a recheck is a revision too.
    """
    grave = verdict.severity is Severity.HIGH or (standalone and not verdict.converged)
    if grave and signs_off:
        return Consequence("pause", PauseReason.SIGNOFF_BLOCKED, ends_loop=True)
    if grave and is_revision:
        return Consequence("pause", PauseReason.REVISION_EXHAUSTED, ends_loop=True)
    if grave and standalone and not decided:
        return Consequence("pause", PauseReason.DISCUSSION_BLOCKED, completes=False, ends_loop=True)
    if grave and not standalone:
        return Consequence("revise", ends_loop=True)
    divided = any(d.severity is Severity.MEDIUM for d in verdict.divergences)
    if grave or divided or verdict.severity is Severity.MEDIUM:
        return Consequence("warn")
    return Consequence("none")


def report_text(
    role: str,
    task: str,
    round_key: str,
    verdict: Verdict,
    actions: Sequence[str],
    artifact: str,
    record: str | None,
    *,
    signs_off: bool = False,
    is_revision: bool = False,
    by_rules: bool = False,
) -> str:
    """A worker's report on a discussed task, in its fixed form: what agents wrote cannot add a line to it.

    `by_rules`: no model has judged, which a sign-off says.
    """
    alone = ", by rules alone" if signs_off and by_rules else ""
    lines = [f"[{role}] {task} complete. Discuss {round_key}: {_outcome(verdict, alone)}"]
    if verdict.consensus is Consensus.BLOCKED:
        lines += ["Divergences:"]
        lines += [
            f"- ({d.severity}) {one_line(d.text)} [{', '.join(d.perspectives)}]"
            for d in verdict.divergences[:3]
        ]
    lines += ["Action items:"] + [f"{n}. {one_line(text)}" for n, text in enumerate(actions[:3], start=1)]
    lines += [
        f"Recommendation: {recommendation(verdict, signs_off=signs_off, is_revision=is_revision)}",
        f"Artifact: {artifact}",
        f"Discussion: {record or 'not written'}",
    ]
    return "\n".join(lines)


def _outcome(verdict: Verdict, alone: str) -> str:
    if verdict.consensus is Consensus.REACHED:
        return f"consensus_reached (mean={verdict.mean:.1f}{alone})"
    return f"consensus_blocked (severity={verdict.severity}{alone})"


_GRAVITY = {Severity.HIGH: 0, Severity.MEDIUM: 1, Severity.LOW: 2}
_KINDS = ("missing", "risk", "weakness", "gate", "rating", "spread", "suggestions")
_GRADES = {"critical": 0, "high": 1, "medium": 2, "low": 3}

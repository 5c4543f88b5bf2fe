"""What a critique found is kept when another answer counts in its place: asked again, or given by the next agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from workers.agents.choices import GRADES
from workers.documents.content import Critique, Risk, Weakness

KEPT = "it was asked again, and what its first answer found is kept"
T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
N = TypeVar("N", bound=BaseModel)


def with_findings(taken: M, before: BaseModel | None) -> M:
    """`taken` with the weaknesses, missing requirements and risks of `before`, each in the gravest words that were used."""
    if before is not None and not isinstance(taken, Critique):
        return _each(taken, before, lambda one, other: with_findings(one, other))
    if not isinstance(taken, Critique) or not isinstance(before, Critique):
        return taken
    levels = [level for level in (taken.risk_level, before.risk_level) if level is not None]
    return taken.model_copy(
        update={
            "weaknesses": _weaknesses(taken.weaknesses, before.weaknesses),
            "missing_requirements": _joined(taken.missing_requirements, before.missing_requirements, str),
            "risks": _joined(taken.risks, before.risks, _description),
            "risk_level": max(levels, key=GRADES.index, default=None),
        }
    )


def not_friendlier(taken: M, before: BaseModel) -> M:
    """The same, where another agent stands in for the one who said `before`: no better rating than that one's."""
    if not isinstance(taken, Critique):
        return _each(taken, before, lambda one, other: not_friendlier(one, other))
    merged = with_findings(taken, before)
    if isinstance(merged, Critique) and isinstance(before, Critique):
        return merged.model_copy(update={"rating": min(merged.rating, before.rating)})
    return merged


def _each(taken: N, before: BaseModel, merge: Callable[[Critique, Critique], Critique]) -> N:
    """The same for an answer that holds the critiques of several perspectives; one that `taken` lacks is `before`'s."""
    mine, theirs = _critiques(taken), _critiques(before)
    both = {name: merge(mine[name], each) if name in mine else each for name, each in theirs.items()}
    return taken.model_copy(update=both) if type(taken) is type(before) and both else taken


def _critiques(answer: BaseModel) -> dict[str, Critique]:
    given = {name: getattr(answer, name) for name in type(answer).model_fields}
    return {name: each for name, each in given.items() if isinstance(each, Critique)}


def _weaknesses(taken: Sequence[Weakness], before: Sequence[Weakness]) -> list[Weakness]:
    graver = [
        max(
            [one, *(each for each in before if _same(one.text, each.text))],
            key=lambda w: GRADES.index(w.severity),
        )
        for one in taken
    ]
    kept = [
        one.model_copy(update={"severity": found.severity}) for one, found in zip(taken, graver, strict=True)
    ]
    return _joined(kept, before, lambda weakness: weakness.text)


def _joined(taken: Sequence[T], before: Sequence[T], text: Callable[[T], str]) -> list[T]:
    """Both, without what `taken` says in the same words; an answer that broke off may end in the middle of them."""
    return [*taken, *(each for each in before if not any(_same(text(one), text(each)) for one in taken))]


def _same(whole: str, part: str) -> bool:
    return whole.casefold().startswith(part.casefold())


def _description(risk: Risk) -> str:
    return risk.description

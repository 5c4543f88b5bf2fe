"""What a round's replies say together: themes, opposed views, gaps, what to do first (docs/domain.md, section 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.domain.critiques import Divergence, Reply, Verdict
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.model import Severity
from orchestrator.domain.text import keywords

SAME = 0.5  # this share of the shorter statement's keywords makes two statements the same
SAME_WORDS = 2  # and at least so many of them


@dataclass(frozen=True, slots=True)
class Theme:
    text: str
    kind: str  # strength or concern
    perspectives: tuple[str, ...]  # two or more


@dataclass(frozen=True, slots=True)
class ActionItem:
    text: str
    priority: str  # high, medium, low
    perspectives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Synthesis:
    themes: tuple[Theme, ...]
    views: tuple[Divergence, ...]  # the verdict's divergences, then what one praises and another blames
    gaps: tuple[str, ...]  # missing requirements
    actions: tuple[ActionItem, ...]  # most urgent first
    questions: tuple[str, ...]
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    rank: int  # lower is more urgent
    text: str
    perspective: str
    words: frozenset[str]


def synthesize(replies: Iterable[Reply], verdict: Verdict) -> Synthesis:
    """Everything the record of a round tells beside the ratings; the replies' order does not matter."""
    ordered = sorted(replies, key=lambda reply: reply.perspective)
    return Synthesis(
        themes=themes(ordered),
        views=verdict.divergences + _opposed(ordered),
        gaps=_unique(text for reply in ordered for text in reply.missing_requirements),
        actions=_actions(ordered),
        questions=_unique(text for reply in ordered for text in reply.open_questions),
        assumptions=_unique(text for reply in ordered for text in reply.assumptions),
    )


def themes(replies: Sequence[Reply]) -> tuple[Theme, ...]:
    """What two or more perspectives say, praise apart from blame; most shared first."""
    found = [
        Theme(group[0].text, kind, holders)
        for kind, said in (("concern", _concerns(replies)), ("strength", _strengths(replies)))
        for group in _groups(said)
        if len(holders := _holders(group)) > 1
    ]
    return tuple(sorted(found, key=lambda theme: (-len(theme.perspectives), theme.kind, theme.text)))


def _actions(replies: Sequence[Reply]) -> tuple[ActionItem, ...]:
    """Missing requirements and critical weaknesses first, then what several ask for, then the rest."""
    items: list[tuple[tuple[int, int, str], ActionItem]] = []
    for group in _groups(_concerns(replies)):
        rank, holders = group[0].rank, _holders(group)
        priority = "high" if rank <= 1 else "medium" if rank == 2 or len(holders) > 1 else "low"
        item = ActionItem(group[0].text, priority, holders)
        items.append(((_PRIORITIES.index(priority), rank, item.text), item))
    return tuple(item for _, item in sorted(items, key=lambda pair: pair[0]))


def _opposed(replies: Sequence[Reply]) -> tuple[Divergence, ...]:
    """What one perspective counts as a strength and another as a weakness."""
    blamed = [said for said in _concerns(replies) if said.rank != _SUGGESTION]
    views = {
        Divergence("opposed", Severity.LOW, weakness.text, (praise.perspective, weakness.perspective))
        for praise in _strengths(replies)
        for weakness in blamed
        if praise.perspective != weakness.perspective and _same(praise.words, weakness.words)
    }
    return tuple(sorted(views, key=lambda view: (view.text, view.perspectives)))


def _concerns(replies: Sequence[Reply]) -> list[_Said]:
    said = [
        _Said(rank, text, reply.perspective, keywords(text))
        for reply in replies
        for rank, text in (
            *((0, text) for text in reply.missing_requirements),
            *((_WEAKNESS.get(grade, 3), text) for text, grade in reply.weaknesses),
            *((_SUGGESTION, text) for text in reply.suggestions),
            *((_SUGGESTION, text) for text in reply.testability_issues),
        )
    ]
    return sorted(said, key=lambda one: (one.rank, one.text, one.perspective))


def _strengths(replies: Sequence[Reply]) -> list[_Said]:
    said = [_Said(0, text, r.perspective, keywords(text)) for r in replies for text in r.strengths]
    return sorted(said, key=lambda one: (one.text, one.perspective))


def _groups(said: Sequence[_Said]) -> list[list[_Said]]:
    """Statements that say the same; each group is led by its most urgent one."""
    groups: list[list[_Said]] = []
    for one in said:
        group = next((group for group in groups if _same(group[0].words, one.words)), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return groups


def _same(left: frozenset[str], right: frozenset[str]) -> bool:
    shared = len(left & right)
    return left == right or (shared >= SAME_WORDS and shared >= SAME * min(len(left), len(right)))


def _holders(group: Sequence[_Said]) -> tuple[str, ...]:
    return tuple(sorted({one.perspective for one in group}))


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


_WEAKNESS = {"critical": 1, "high": 2, "medium": 3, "low": 4}
_SUGGESTION = 5
_PRIORITIES = ("high", "medium", "low")

"""Analyses: the perspectives of a request, the tasks of each, and what the next round is for (docs/analyze.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.model import TaskDef
from orchestrator.domain.text import mentions

EXPLORE, ANALYZE, DISCUSS, SYNTH = "EXPLORE", "ANALYZE", "DISCUSS", "SYNTH"
PHASE = "analyze"
PERSPECTIVE, LEADS, ROUND, DIRECTION, DIRECTED = (
    "perspective",
    "leads",  # the first perspective answers the question itself
    "analysis_round",
    "direction",
    "directed",
)  # of a payload
MOST_BY_WORDS, MOST_NAMED, FEWEST = 4, 7, 2  # perspectives
LAST_ROUND = 5


class RoundType(StrEnum):
    INITIAL = "initial"  # all analyses come together
    DEEPEN = "deepen"  # the same direction, further
    ADJUSTED = "direction-adjusted"  # an analysis with another focus comes first
    QUESTIONS = "specific-questions"
    DONE = "done"  # no round: the conclusions are written


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """One perspective of an analysis."""

    label: str
    angle: str  # of the exploration
    words: tuple[str, ...] = ()
    usual: bool = False  # taken where the request chooses too few


@dataclass(frozen=True, slots=True)
class AnalysisRules:
    """The rules of config/analysis.yaml."""

    perspectives: Mapping[str, Viewpoint] = field(default_factory=dict)
    directions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # type of round -> words


@dataclass(frozen=True, slots=True)
class Direction:
    """What a person asks of the next round."""

    type: RoundType
    text: str
    clear: bool = True  # False: no word told, so the round deepens


def chosen_perspectives(
    request: str, named: Sequence[str], rules: AnalysisRules, most: int
) -> tuple[str, ...]:
    """The perspectives of an analysis: `named` ones, else by the request's words, at most `most` (of `named` 7).

    Raises UnknownName, and UsageError for too many or none.
    """
    for name in named:
        if name not in rules.perspectives:
            raise UnknownName("perspective of an analysis", name, rules.perspectives)
    if named:
        given = tuple(dict.fromkeys(named))
        allowed = 1 if most == 1 else MOST_NAMED
        if len(given) > allowed:
            raise UsageError(
                f"{len(given)} perspectives are too many",
                why=f"this mode takes at most {allowed}",
                fix="name fewer, or choose mode analyze-standard" if most == 1 else "name fewer",
            )
        return given
    best = named_perspectives(request, rules)[:most]
    for name, each in rules.perspectives.items():
        if each.usual and name not in best and len(best) < min(FEWEST, most):
            best.append(name)
    if not best:
        raise UsageError(
            "no perspective fits the request",
            why="none of its words chooses one, and none is `usual` in the settings",
            fix=f"lifecycle start --perspectives {','.join(rules.perspectives) or 'NAME'}",
        )
    return tuple(best)


def named_perspectives(text: str, rules: AnalysisRules) -> list[str]:
    """The perspectives whose words a text has, those with most of them first."""
    found = {
        name: sum(mentions(text, word) for word in each.words) for name, each in rules.perspectives.items()
    }
    return sorted((name for name in found if found[name]), key=lambda name: -found[name])


def of_perspectives(tasks: Sequence[TaskDef], names: Sequence[str], *, directed: bool) -> list[TaskDef]:
    """The pipeline with an EXPLORE and an ANALYZE task for each perspective; what waits for the first waits for all.

    `directed`: a person says after each discussion what the next one is for.
    """
    made: list[TaskDef] = []
    for task in tasks:
        if task.prefix in (EXPLORE, ANALYZE):
            made += [
                replace(
                    task,
                    key=_nth(task.key, n),
                    blocked_by=tuple(_nth(blocker, n) for blocker in task.blocked_by),
                    payload={**task.payload, PERSPECTIVE: name, **({} if n else {LEADS: True})},
                )
                for n, name in enumerate(names)
            ]
            continue
        blockers = tuple(
            dict.fromkeys(key for blocker in task.blocked_by for key in _all(blocker, len(names)))
        )
        payload = dict(task.payload)
        if task.prefix == DISCUSS:
            payload |= {ROUND: RoundType.INITIAL.value, **({DIRECTED: True} if directed else {})}
        made.append(replace(task, blocked_by=blockers, payload=payload))
    return made


def _all(key: str, count: int) -> Iterable[str]:
    return (_nth(key, n) for n in range(count)) if ids.parse_key(key).stem in (EXPLORE, ANALYZE) else (key,)


def _nth(key: str, n: int) -> str:
    parsed = ids.parse_key(key)
    return f"{parsed.stem}-{int(parsed.base[-3:]) + n:03d}"


def direction_of(text: str, rules: AnalysisRules) -> Direction:
    """What the next round is for, by the words of a person. Raises UsageError for none."""
    said = text.strip()
    if not said:
        raise UsageError(
            "the direction is empty",
            why="the next round goes where you say",
            fix='lifecycle resume --decide "deepen", a question, another focus, or "done"',
        )
    if "?" in said or "？" in said:
        return Direction(RoundType.QUESTIONS, said)
    for kind, words in rules.directions.items():
        if any(mentions(said, word) for word in words):
            return Direction(RoundType(kind), said)
    return Direction(RoundType.DEEPEN, said, clear=False)


def round_number(key: str) -> int:
    """Of a DISCUSS task; DISCUSS-001 is round 1."""
    return int(ids.parse_key(key).base[-3:])

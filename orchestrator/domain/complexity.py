"""How hard a request is, and from where it is explored, by its words (docs/planning.md)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.plan import Complexity
from orchestrator.domain.text import mentions


@dataclass(frozen=True, slots=True)
class WordGroup:
    """Words that add points once, however many of them occur."""

    points: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Level:
    low: int  # the lowest score of the level
    angles: int  # how many angles are explored at most


@dataclass(frozen=True, slots=True)
class Preset:
    """Angles for a kind of work, the most telling first; without words it is for all that no other fits."""

    angles: tuple[str, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanningRules:
    """The rules of config/planning.yaml."""

    groups: tuple[WordGroup, ...] = ()
    levels: Mapping[str, Level] = field(default_factory=dict)
    presets: Mapping[str, Preset] = field(default_factory=dict)


def complexity_of(text: str, rules: PlanningRules) -> Complexity:
    """The score of a text, its level, and the words that gave it."""
    score, said = 0, []
    for group in rules.groups:
        found = [word for word in group.words if mentions(text, word)]
        if found:
            score += group.points
            said += found
    reached = [name for name, level in rules.levels.items() if score >= level.low]
    level = max(reached, key=lambda name: rules.levels[name].low)
    return Complexity(score, level, tuple(said))


def angles_of(text: str, level: str, rules: PlanningRules) -> tuple[str, ...]:
    """The angles to explore: those of the preset with most words in the text, as many as the level has."""
    fitting = {
        name: sum(mentions(text, word) for word in preset.words) for name, preset in rules.presets.items()
    }
    best = max(fitting, key=lambda name: fitting[name])
    if not fitting[best]:
        best = next(name for name, preset in rules.presets.items() if not preset.words)
    return rules.presets[best].angles[: rules.levels[level].angles]

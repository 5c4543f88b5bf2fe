"""The rules of `config/planning.yaml`: words that tell how hard a request is, and angles for kinds of work."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from orchestrator.config import resources, shipped_yaml
from orchestrator.domain.complexity import Level, PlanningRules, Preset, WordGroup
from workers.explore.knowledge import knowledge


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Group(_Strict):
    points: int
    words: list[str]


class _Level(_Strict):
    low: int = Field(alias="from")
    angles: int = Field(ge=1)


class _Preset(_Strict):
    words: list[str]
    angles: list[str]


class _File(_Strict):
    complexity: list[_Group]
    levels: dict[str, _Level]
    presets: dict[str, _Preset]


@cache
def planning_rules() -> PlanningRules:
    """The shipped rules. Raises UnknownName for an angle that no exploration has."""
    return read_rules(resources() / "config" / "planning.yaml")


def read_rules(file: Path) -> PlanningRules:
    """The rules in a file. Raises UnknownName, ConfigError, pydantic's ValidationError."""
    read = _File.model_validate(shipped_yaml.read(file))
    for preset in read.presets.values():
        for angle in preset.angles:
            knowledge().angle(angle)
    return PlanningRules(
        tuple(WordGroup(group.points, tuple(group.words)) for group in read.complexity),
        {name: Level(level.low, level.angles) for name, level in read.levels.items()},
        {name: Preset(tuple(preset.angles), tuple(preset.words)) for name, preset in read.presets.items()},
    )

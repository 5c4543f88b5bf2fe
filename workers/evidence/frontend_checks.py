"""config/frontend.yaml: what an audit of frontend work looks at, checked as a whole when it is read."""

from __future__ import annotations

import re
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from orchestrator.config import resources, shipped_yaml


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DeliveryCheck(_Row):
    """One row of `checks`."""

    dimension: Literal["quality", "accessibility", "design", "experience", "delivery"]
    severity: Literal["critical", "high", "medium", "low"]
    looks_at: Literal["elements", "styles", "lines"]
    text: str = Field(min_length=1)
    do: str = Field(min_length=1)
    dont: str = Field(min_length=1)
    pattern: re.Pattern[str] | None = None  # of a check that looks at lines
    axe: tuple[str, ...] = ()  # rules of axe-core that find the same
    tokens: bool = False  # it means something only where there are design tokens

    @model_validator(mode="after")
    def _has_a_pattern(self) -> DeliveryCheck:
        if (self.pattern is not None) != (self.looks_at == "lines"):
            raise ValueError("`pattern` belongs to checks that look at lines, and to no others")
        return self


class FrontendChecks(_Row):
    files: tuple[str, ...] = Field(min_length=1)  # suffixes
    checks: dict[str, DeliveryCheck]

    def covers(self, path: str) -> bool:
        """Whether a file of this name is checked."""
        return path.rpartition("/")[2].rpartition(".")[2].lower() in self.files

    @cached_property
    def by_axe(self) -> dict[str, str]:
        """Rule of axe-core -> the check that finds the same."""
        return {rule: name for name, check in self.checks.items() for rule in check.axe}


@cache
def frontend_checks() -> FrontendChecks:
    """The shipped checks."""
    return read_checks(resources() / "config" / "frontend.yaml")


def read_checks(file: Path) -> FrontendChecks:
    """The checks in a file. Raises ConfigError, pydantic's ValidationError."""
    return FrontendChecks.model_validate(shipped_yaml.read(file))

"""What agents say as architect and as supervisor; what counts of it is found out by code (docs/advice.md).

An agent gives text with places. A concern whose place is not there, and a contradiction of which one side cannot be found,
are noted and count for nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from workers.documents.analysis_content import Place

Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
Level = Literal["high", "medium", "low"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")


class Judged(_Answer):
    """One dimension, judged in a sentence."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
    rating: Literal["good", "acceptable", "weak"]
    text: Said


class Raised(_Answer):
    """A concern, with the lines that show it."""

    severity: Level = Field(
        description="high: it should not be built like that; medium: it will cost later; low: a remark"
    )
    text: Said
    evidence: list[Place] = Field(
        default_factory=list,
        max_length=10,
        description="lines of the project, or of the files that you are given",
    )
    options: list[Said] = Field(default_factory=list, max_length=5, description="what could be done instead")


class AdviceContent(_Answer):
    """What an architect says."""

    answer: Annotated[str, StringConstraints(strip_whitespace=True, max_length=4_000)] = Field(
        "", description="the answer to the question, where one is asked"
    )
    dimensions: list[Judged] = Field(default_factory=list, max_length=8)
    concerns: list[Raised] = Field(default_factory=list, max_length=15)
    recommendations: list[Said] = Field(default_factory=list, max_length=10)


class Side(_Answer):
    """Words of a file, copied."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=400)]
    quote: Annotated[str, StringConstraints(strip_whitespace=True, min_length=6, max_length=600)]


class Contradiction(_Answer):
    """Two places that cannot both hold."""

    severity: Level
    text: Said
    one: Side
    other: Side


class ConsistencyContent(_Answer):
    """What does not agree between the files that were given."""

    contradictions: list[Contradiction] = Field(default_factory=list, max_length=12)

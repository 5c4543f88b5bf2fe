"""What agents say in dynamic mode: findings about the project, documents, and work that is nobody's yet (docs/dynamic.md)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from workers.documents.analysis_content import AnalysisContent, Place, Text

Heading = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Prose = Annotated[str, StringConstraints(strip_whitespace=True, max_length=15_000)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")


class CapabilityGap(_Answer):
    """Work that the request needs and that lies outside of the role's own."""

    capability: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)] = Field(
        description="what kind of work it is: one of the team's capabilities"
    )
    task: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_000)] = Field(
        description="what has to be done, in one or two sentences"
    )


Gaps = Annotated[
    list[CapabilityGap],
    Field(
        max_length=5,
        description="only for work that the request needs, that is not yours, and that no other task of the team does",
    ),
]


class Findings(AnalysisContent):
    """What the project holds for the request, and work that it needs besides."""

    capability_gaps: Gaps = Field(default_factory=list)


class TeamPoint(_Answer):
    text: Text
    evidence: list[Place] = Field(default_factory=list, max_length=10)


class TeamSection(_Answer):
    heading: Heading
    text: Prose = ""
    points: list[TeamPoint] = Field(default_factory=list, max_length=40)


class TeamDocument(_Answer):
    """A document by its sections, in the order in which they are read."""

    title: Heading
    summary: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4_000)]
    sections: list[TeamSection] = Field(min_length=1, max_length=20)
    key_decisions: list[Text] = Field(default_factory=list, max_length=15)
    open_questions: list[Text] = Field(default_factory=list, max_length=15)
    capability_gaps: Gaps = Field(default_factory=list)

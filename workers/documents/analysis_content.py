"""What agents say of a project in an analysis, and what is kept of it (docs/analyze.md).

An agent gives text with places; whether a place is there is found out by code (workers/explore/citations.py), and only
evidence that was found counts.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
Level = Literal["high", "medium", "low"]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore")


class Place(_Answer):
    """A line that shows what is said."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=400)]
    line: int = Field(ge=0, description="from 1; 0 where you do not know it")
    quote: Annotated[str, StringConstraints(max_length=400)] = Field(
        "", description="the line, word for word"
    )


class Insight(_Answer):
    text: Text
    answers: bool = Field(default=False, description="true where it answers what the request asks")
    evidence: list[Place] = Field(default_factory=list, max_length=20)


class Recommendation(_Answer):
    action: Text
    rationale: Text
    priority: Level = "medium"


class AnalysisContent(_Answer):
    """What one perspective sees."""

    key_insights: list[Insight] = Field(max_length=20)
    key_findings: list[Text] = Field(default_factory=list, max_length=20)
    discussion_points: list[Text] = Field(default_factory=list, max_length=10)
    open_questions: list[Text] = Field(default_factory=list, max_length=10)
    recommendations: list[Recommendation] = Field(default_factory=list, max_length=15)


class Answered(_Answer):
    """An answer to a question of the person."""

    question: Text
    answer: Text
    evidence: list[Place] = Field(default_factory=list, max_length=20)


class RoundContent(_Answer):
    """What a round adds to what was understood before it."""

    confirmed: list[Insight] = Field(default_factory=list, max_length=30)
    corrected: list[Text] = Field(default_factory=list, max_length=20)
    new_insights: list[Insight] = Field(default_factory=list, max_length=20)
    new_findings: list[Text] = Field(default_factory=list, max_length=20)
    new_questions: list[Text] = Field(default_factory=list, max_length=10)
    answers: list[Answered] = Field(default_factory=list, max_length=10)


class ConclusionsContent(_Answer):
    summary: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4_000)]
    key_conclusions: list[Insight] = Field(max_length=20)
    recommendations: list[Recommendation] = Field(default_factory=list, max_length=15)
    open_questions: list[Text] = Field(default_factory=list, max_length=15)
    follow_up: list[Text] = Field(default_factory=list, max_length=10)

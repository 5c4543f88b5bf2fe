"""What an agent answers that has edited a private tree. Its words only choose what is checked."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from workers.documents.team_content import Gaps
from workers.evidence.claims import Claim

Line = Annotated[str, Field(max_length=2_000)]


class Question(BaseModel):
    """What only a person can decide."""

    model_config = ConfigDict(extra="ignore")

    question: Line
    options: list[Line] = Field(default=[], max_length=6)


class WorkAnswer(BaseModel):
    """The end of a turn in which files were edited."""

    model_config = ConfigDict(extra="ignore")

    summary: Line = Field(description="what was changed and why, in one or two sentences")
    criteria: list[Claim] = Field(default=[], max_length=100)
    no_change: Line | None = Field(
        default=None, description="only where the criteria are met already: why nothing was changed"
    )
    needs: Question | None = Field(
        default=None, description="only where the work cannot go on without a person's decision"
    )
    capability_gaps: SkipJsonSchema[Gaps] = Field(
        default_factory=list
    )  # only a generated role is asked for them


class TeamWorkAnswer(WorkAnswer):
    """The same of a generated role, which may find work that is nobody's yet."""

    capability_gaps: Gaps = Field(default_factory=list)

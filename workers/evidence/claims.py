"""What an agent says of its own work: it only chooses what is looked at."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Line = Annotated[str, Field(max_length=2_000)]


class Claim(BaseModel):
    """Where an acceptance criterion is met, as the agent says."""

    model_config = ConfigDict(extra="ignore")

    id: Annotated[str, Field(max_length=60)] = Field(description="the criterion, as the task names it")
    files: list[Line] = Field(default=[], max_length=100, description="changed files that meet it")
    tests: list[Line] = Field(
        default=[], max_length=100, description="tests that show it, by path or `path::name`"
    )

"""The arguments of each tool that reads or sends messages: what the schema shows to an agent.

Those of the tools that change sessions are in `commands.command_arguments`, which other interfaces share.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from orchestrator.commands.command_arguments import Arguments, Name, Session, Text
from orchestrator.domain.json_types import JsonObject


class TeamMsg(Arguments):
    operation: Literal["log", "read", "list", "status", "broadcast", "state", "get_state", "delete", "clear"]
    session: Session = None
    team: Annotated[Name | None, Field(description="An alias of session.")] = None
    sender: Annotated[
        Text | None,
        Field(
            alias="from",
            description="log, broadcast: the sender (a worker: always its role). list: only from this sender.",
        ),
    ] = None
    to: Annotated[
        Text | None,
        Field(description="log: the recipient, default the coordinator. list: only to this recipient."),
    ] = None
    type: Annotated[
        Text | None,
        Field(description="log, broadcast: the type, default state_update. list: only of this type."),
    ] = None
    summary: Annotated[
        str | None, Field(description="log, broadcast: the text, at most 20000 characters.")
    ] = None
    ref: Annotated[str | None, Field(description="log, broadcast: the artifact it is about.")] = None
    data: Annotated[
        JsonObject | str | None,
        Field(description="log, broadcast: more data: an object, or any JSON as text."),
    ] = None
    id: Annotated[Name | None, Field(description="read: the message's id, as in MSG-001.")] = None
    last: Annotated[int | None, Field(ge=1, le=100_000, description="list: the newest N, default 20.")] = None
    role: Annotated[Name | None, Field(description="state: only this role's field.")] = None


class OfSession(Arguments):
    session: Session = None


class SessionList(Arguments):
    state: Annotated[
        Literal["active", "paused", "completed", "cancelled"] | None, Field(description="Only these.")
    ] = None
    search: Annotated[Name | None, Field(description="Only those with the text in their title or id.")] = None
    before: Annotated[
        Annotated[str, Field(max_length=300)] | None,
        Field(description="The key `next` of the page before; default the newest sessions."),
    ] = None
    limit: Annotated[int | None, Field(ge=1, le=200, description="At most so many, default 50.")] = None
    archived: Annotated[bool, Field(description="Also archived ones.")] = False


class OfTask(OfSession):
    task: Annotated[Name, Field(description="A task's id, for example DRAFT-002.")]


class TaskGet(OfTask):
    at: Annotated[
        Name | None,
        Field(description="Explain its state as of a time (ISO 8601) or message (MSG-012) of the past."),
    ] = None


class OfImpact(OfSession):
    name: Annotated[
        Annotated[str, Field(max_length=500)] | None,
        Field(
            description="An id (REQ-003, DRAFT-002, TASK-001, IMPL-002) or a file; default: what has changed."
        ),
    ] = None


class ArtifactRead(OfSession):
    artifact: Annotated[
        Annotated[str, Field(max_length=1_000)],
        Field(description="Its path in the session, or the end of it: product-brief.md"),
    ]
    version: Annotated[int | None, Field(ge=1, le=1_000_000, description="An older version.")] = None
    offset: Annotated[int, Field(ge=0, description="Number of characters to skip, to continue reading.")] = 0


class Explore(Arguments):
    query: Annotated[str, Field(max_length=2_000, description="What to look for, in words.")] = ""
    angle: Annotated[
        Name,
        Field(description="For example general, architecture, dependencies, security, testing, data-access."),
    ] = "general"


class WisdomAdd(OfSession):
    file: Literal["learnings", "decisions", "conventions", "issues"]
    text: Annotated[Text, Field(description="One thing that the team should know, at most 4000 characters.")]
    task: Annotated[Name | None, Field(description="The task it comes from (a worker: always its own).")] = (
        None
    )

"""What differs from client to client: how it is called for a turn, and what its output says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from orchestrator.config.settings import AgentSettings
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentUnavailable,
)
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from workers.agents.programs.process import Ended
from workers.agents.protocol import AgentRequest, Usage

_UNREACHABLE = expression(
    r"ECONNREFUSED|ENOTFOUND|EAI_AGAIN|connection refused|fetch failed|waiting for network", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Call:
    """How the program is started for one turn; the prompt goes to its standard input."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)  # beside what it may see of ours


@dataclass(frozen=True, slots=True)
class ParsedOutput:
    """What the output says."""

    text: str = ""
    data: Json = None  # a structured answer, as it was given
    usage: Usage = field(default_factory=Usage)
    session: str | None = None  # where the conversation can be gone on with
    fault: AgentError | None = None  # it says itself that it failed
    notes: tuple[str, ...] = ()


class Dialect(Protocol):
    streams: bool  # whether it says something while it works, so that silence means something
    can_resume: bool  # whether a conversation can be gone on with

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        """`folder` is its own for as long as the inner loop lasts; and a program
        that goes on with conversations is started in `folder / "work"`, since many only find them in the same place."""

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        """`ended` is None while it still runs: then only what cannot be mended counts as a fault."""


MakeDialect = Callable[[str, AgentSettings, Mapping[str, str]], Dialect]  # program, settings, environment


def private_json(file: Path, value: Json) -> Path:
    """Write `value` where nobody else reads it: a command line is everybody's to read, and it may hold a run's token."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


def refused(tools: Iterable[str]) -> tuple[str, ...]:
    """The note about tools that its model asked for and did not get."""
    named = ", ".join(sorted({tool for tool in tools if tool}))
    return (f"it was refused: {named}",) if named else ()


def by_status(status: int | None, says: str, *, login: str) -> AgentError:
    """The class of a fault that a model's server told by its HTTP status; `login` is what to do about a refused key."""
    if status in (401, 403):
        return AgentUnavailable("it is not logged in, or its key is refused", why=says, fix=login)
    if status == 429:
        return AgentLimited("its account has reached a limit", why=says)
    if status == 404:
        return AgentUnavailable("its model is not there", why=says, fix="change `model` of the agent")
    if status is not None and status >= 500:
        return AgentOverloaded(f"its server refuses for the moment ({status})", why=says)
    if status is None and _UNREACHABLE.search(says):
        return AgentOverloaded("its server cannot be reached", why=says)
    return AgentCrashed(
        "it failed" if status is None else f"its server refused the request ({status})", why=says
    )

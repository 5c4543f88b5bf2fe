"""The seam between a run and whatever does its thinking (docs/configuration.md).

An agent is asked with an `AgentRequest` and answers with an `AgentReply`, or raises one of the `AgentError`s of
`orchestrator.domain.errors`. `ask` has no side effect on the work tree; `work` edits files below `request.place`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict

from pydantic import BaseModel

from orchestrator.config.settings import AgentLimits
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.exits import Exit
from orchestrator.domain.prices import Usage
from workers.agents.pointing import Places

if TYPE_CHECKING:
    from workers.host.live_runs import Guardian

__all__ = ["Agent", "AgentReply", "AgentRequest", "Exit", "Protected", "Timeouts", "Usage", "is_metered"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds; None means no such limit."""

    start: float | None = 60.0  # until the first byte of output
    silence: float | None = 300.0  # between two bytes of output
    turn: float | None = 900.0
    total: float | None = 1800.0
    output_bytes: int = 10 * 1024 * 1024  # more than this and the agent is stopped

    @classmethod
    def of(cls, given: AgentLimits) -> Timeouts:
        """The timeouts that the settings give."""
        return cls(given.start, given.silence, given.turn, given.total)


def _nothing_is_ours(_: Path) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Protected:
    """What an agent may not change, save its own folders in it: in read-only (ask) mode, and outside the tree it edits."""

    root: Path  # the user's project
    database: Path
    is_ours: Callable[[Path], bool] = _nothing_is_ours  # whether a file is as the product itself wrote it
    trees: Path | None = None  # the private trees of this project, for one that edits


class StdioServer(TypedDict):
    """A server that the client starts and speaks to over standard input and output."""

    command: str
    args: list[str]
    env: dict[str, str]


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """One question. `facts` holds the same things as `prompt`, as values, for agents that read no prose."""

    kind: str  # discovery, brief, requirements, architecture, architecture_review, epics, critique
    prompt: str  # everything a language model needs, the schema's JSON included
    schema: type[BaseModel] | None  # the reply must validate against this
    facts: Mapping[str, object]  # keys are named in workers/agents/facts.py
    workdir: Path  # the run's private directory
    session: str
    task: str
    role: str
    run: str  # marks every process of the run: LIFECYCLE_RUN
    round: str | None = None
    perspective: str | None = None
    folder: Path | None = None  # shared by the runs of an inner loop, private to it
    mcp: Mapping[str, StdioServer] = field(default_factory=dict)  # servers to hand over, by name
    edits: bool = False  # `work`: it may edit files below `place`
    tree: Path | None = None  # what it edits and is started in; `workdir` stays the run's own
    protected: Protected | None = None
    unconfined: bool = False  # it may edit where the system cannot keep it from `protected`
    resume: str | None = None  # the client's own session to go on with, from `AgentReply.client_session`
    news: str | None = None  # what to say where `resume` is gone on with; None: the prompt
    breaks: tuple[int, ...] = ()  # where `prompt` may be divided for a cache: others begin with the same
    places: Places | None = None  # of a critique: what it has to point to
    timeouts: Timeouts = field(default_factory=Timeouts)
    stop: threading.Event = field(default_factory=threading.Event)  # set: the run is over, give up at once
    on_guardian: Callable[[Guardian], None] | None = (
        None  # told of each external process's guardian when it starts
    )

    @property
    def place(self) -> Path:
        """The folder in which files may be edited."""
        return self.tree or self.workdir


@dataclass(frozen=True, slots=True)
class AgentReply:
    text: str
    data: BaseModel | None  # an instance of request.schema, or None when no schema was asked for
    agent: str
    usage: Usage = field(default_factory=Usage)
    retries: int = 0  # repair turns
    notes: tuple[str, ...] = ()  # what was cut, replaced or extracted; goes into the record
    unmet: tuple[str, ...] = ()  # words of a person that it could not act on, each with the reason
    client_session: str | None = None  # what the client calls the conversation, where it can be gone on with
    exit: Exit | None = None  # of the last turn, where the agent is a program
    extracted: bool = False  # the data was extracted from prose, not given as structured data


class Agent(Protocol):
    name: str

    def available(self) -> str | None:
        """None when usable now, else why not and what to do, in one line. Cheap; calls no model."""

    def ask(self, request: AgentRequest) -> AgentReply:
        """Answer without touching the work tree. Raises an AgentError."""

    def work(self, request: AgentRequest) -> AgentReply:
        """Edit files below `request.place`. Raises an AgentError."""


def is_metered(agent: Agent) -> bool:
    """Whether its calls count to the caps of a budget; an agent that is free says so by `metered = False`."""
    return bool(getattr(agent, "metered", True))


def edits_files(agent: Agent) -> bool:
    """Whether it can be given a private tree to work in."""
    return bool(getattr(agent, "edits_files", False))

"""The settings: each with its default, its unit and its doc."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
)

from orchestrator.domain.agent_kinds import BUILTIN, CLIENTS, KINDS
from orchestrator.domain.budget import LARGEST
from orchestrator.domain.json_types import Json


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("expected a number, found true or false")
    return value


Seconds = Annotated[
    float, BeforeValidator(_no_truth_value), Field(gt=0, le=7 * 24 * 3600, allow_inf_nan=False)
]
Count = Annotated[int, BeforeValidator(_no_truth_value), Field(ge=1, le=256)]
Number = Annotated[float, BeforeValidator(_no_truth_value), Field(allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


def _address(value: str) -> str:
    try:
        parts = urlsplit(value.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("expected an address, as in http://127.0.0.1:8000/v1")
    return value


def _variable(value: str) -> str:
    """Who puts the key itself here is not told its letters back."""
    if not (value.isascii() and value.isidentifier()):
        raise ValueError("expected the name of an environment variable, as in MY_KEY, not its value")
    return value


def _known_kind(value: str) -> str:
    if value not in KINDS:
        raise ValueError(f"expected one of {', '.join(KINDS)}")
    return value


Address = Annotated[Name, AfterValidator(_address)]
Variable = Annotated[Name, AfterValidator(_variable)]
KindName = Annotated[Name, AfterValidator(_known_kind)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AgentLimits(_Part):
    start: Seconds = Field(default=60.0, description="seconds until the first output")
    silence: Seconds = Field(default=300.0, description="seconds between two outputs")
    turn: Seconds = Field(default=900.0, description="seconds for one answer")
    total: Seconds = Field(default=1800.0, description="seconds for all answers of one run")


class AgentSettings(_Part):
    kind: KindName = Field(default="command", description="how the agent is reached")
    command: list[Name] = Field(
        default=[], description="program and arguments; prompt on stdin, answer on stdout"
    )
    env: list[Variable] = Field(default=[], description="names of the environment variables passed to it")
    model: Name | None = Field(
        default=None, description="its model; for kind `api` with the provider: `anthropic:claude-sonnet-4-5`"
    )
    effort: Literal["low", "medium", "high"] | None = Field(
        default=None, description="how much the model may think, if the agent has such an option"
    )
    base_url: Address | None = Field(
        default=None, description="address of the model's server; default the provider's"
    )
    key_env: Variable | None = Field(
        default=None,
        description="name of the environment variable with its key; default the provider's usual one",
    )
    account: Name | None = Field(
        default=None,
        description="agents of one account share its rate limits; default one account per kind",
    )
    edits_files: bool = Field(
        default=False, description="whether it can edit files in a work tree (a coding agent)"
    )
    confine: bool = Field(default=True, description="in read-only mode it cannot write to the project")
    limits: AgentLimits | None = Field(
        default=None, description="its own time limits; default `agent_limits`"
    )


class CapSettings(_Part):
    max_usd: Annotated[Number, Field(gt=0, le=LARGEST)] | None = Field(default=None, description="US dollars")
    max_tokens: Annotated[int, BeforeValidator(_no_truth_value), Field(gt=0, le=LARGEST)] | None = Field(
        default=None, description="tokens, input and output"
    )
    max_turns: Annotated[int, BeforeValidator(_no_truth_value), Field(gt=0, le=LARGEST)] | None = Field(
        default=None, description="agent turns, including repairs"
    )
    max_minutes: Annotated[Number, Field(gt=0, le=LARGEST)] | None = Field(
        default=None, description="minutes of agent time; parallel calls add up"
    )


class CodeCapSettings(CapSettings):
    """Caps of a task that has an agent edit files: it works for long, and nobody reads what it writes meanwhile."""

    max_usd: Annotated[Number, Field(gt=0, le=LARGEST)] | None = Field(default=20.0, description="US dollars")
    max_tokens: Annotated[int, BeforeValidator(_no_truth_value), Field(gt=0, le=LARGEST)] | None = Field(
        default=20_000_000, description="tokens, input and output"
    )
    max_turns: Annotated[int, BeforeValidator(_no_truth_value), Field(gt=0, le=LARGEST)] | None = Field(
        default=30, description="agent turns, including repairs"
    )
    max_minutes: Annotated[Number, Field(gt=0, le=LARGEST)] | None = Field(
        default=180.0, description="minutes of agent time; parallel calls add up"
    )


class BudgetSettings(CapSettings):
    task: CapSettings = Field(default=CapSettings(), description="the same caps, for each task")
    code: CodeCapSettings = Field(
        default=CodeCapSettings(), description="the same caps, for each task that has an agent edit files"
    )


class WorkSettings(_Part):
    trees: Name | None = Field(
        default=None,
        description="the folder of the private trees in which agents edit code, outside every project; "
        "default `lifecycle/trees` in the user's state folder",
    )
    test_command: list[Name] = Field(
        default=[], description="the command that runs the project's tests; default found by its manifests"
    )
    test_report: Name | None = Field(
        default=None, description="where `test_command` writes JUnit files, as a pattern below the project"
    )
    setup: list[Name] = Field(
        default=[],
        description="the command that prepares a fresh checkout for its tests; default by the lock file",
    )
    required: bool = Field(
        default=False, description="a task fails where no tests can be run, instead of ending unverified"
    )
    unconfined: bool = Field(
        default=False,
        description="where the system has no sandbox, tests and coding agents run without one",
    )
    test_seconds: Seconds = Field(default=1800.0, description="seconds for one run of all tests")
    serve: list[Name] = Field(
        default=[],
        description="the command that serves the project's pages for the frontend audit, in its sandbox; default HTML "
        "files as they are, else a script of package.json",
    )
    pages: list[Name] = Field(
        default=[],
        description="the pages that the frontend audit opens, as paths; default the HTML files of the project",
    )


class PriceSettings(_Part):
    input: Annotated[Number, Field(ge=0)] = Field(description="US dollars per million input tokens")
    output: Annotated[Number, Field(ge=0)] = Field(description="US dollars per million output tokens")
    cached_input: Annotated[Number, Field(ge=0)] | None = Field(
        default=None,
        description="US dollars for a million tokens read from a cache, else such a call is unpriced",
    )
    cache_write: Annotated[Number, Field(ge=0)] | None = Field(
        default=None,
        description="US dollars for a million tokens written into a cache, else such a call is unpriced",
    )
    cache_write_1h: Annotated[Number, Field(ge=0)] | None = Field(
        default=None, description="the same for what the cache keeps for an hour"
    )
    date: Name | None = Field(default=None, description="the date of the price; recorded with each cost")


class NotifySettings(_Part):
    """Whom to tell of what; nobody by default."""

    on: list[Literal["waits", "failed", "finished"]] = Field(
        default=["waits", "failed", "finished"],
        description="what is told: a session waits for you, a task of it failed for good, it is completed",
    )
    command: list[Name] = Field(
        default=[],
        description="a program with its arguments, run without a shell; the notice is JSON on its standard input",
    )
    desktop: bool = Field(
        default=False, description="a notice on the desktop by `notify-send`, if that is there"
    )
    webhook: Annotated[Name, Field(pattern=r"^https?://[^\s/@]+(/\S*)?$")] | None = Field(
        default=None,
        description="an address, http or https, that gets each notice as JSON by POST",
    )

    @property
    def is_on(self) -> bool:
        return bool(self.on and (self.command or self.desktop or self.webhook))


class Settings(BaseModel):
    """Everything a user can set, beside the packs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lease_seconds: Seconds = Field(
        default=30.0, description="seconds after which a worker host without a sign of life has lost its runs"
    )
    renew_seconds: Seconds = Field(default=5.0, description="seconds between two renewals of a lease")
    watchdog_margin_seconds: Seconds = Field(
        default=5.0,
        description="seconds before a lease's end at which agents are stopped",
    )
    reconcile_seconds: Seconds = Field(
        default=10.0, description="seconds between two checks for lost or stalled work"
    )
    max_attempts: Count = Field(default=3, description="attempts that count before a task fails")
    backoff_seconds: list[Seconds] = Field(
        default=[5.0, 20.0, 80.0],
        min_length=1,
        max_length=20,
        description="seconds to wait before the 2nd, 3rd, ... attempt; the last one repeats",
    )
    slots: Count = Field(default=4, description="tasks that a worker host runs at the same time")
    agent_processes: Count | None = Field(
        default=None,
        description="agent processes of a worker host; without it as many as its slots or, "
        "where that is more, as the largest round has perspectives",
    )
    discuss_seconds: Seconds = Field(
        default=600.0,
        description="seconds for a discussion; then its record is PARTIAL",
    )
    drain_seconds: Seconds = Field(
        default=20.0,
        description="seconds a stopping worker host lets its runs finish before it releases them",
    )
    agent_limits: AgentLimits = Field(default=AgentLimits(), description="time limits of agents")
    idle_exit_seconds: Seconds = Field(
        default=900.0,
        description="seconds without work after which the coordinator exits; at most 30 if memory is short",
    )
    journal: Literal["wal", "truncate"] = Field(
        default="wal", description="SQLite's journal; truncate is slower and avoids the WAL-reset bug"
    )
    synchronous: Literal["FULL", "NORMAL"] = Field(
        default="FULL",
        description="NORMAL is faster, but a power failure may lose the last acknowledged changes",
    )
    discuss: Literal["inline", "standalone", "off"] = Field(
        default="inline", description="how artifacts are discussed"
    )
    critics: Literal["auto", "separate", "merged"] = Field(
        default="auto",
        description="which perspectives of a discussion share a call: none (separate), all (merged), "
        "or those of one agent where the artifact is small",
    )
    execution: Literal["parallel", "sequential"] = Field(
        default="parallel", description="all ready tasks at once, or one at a time"
    )
    approve_plan: bool = Field(
        default=False, description="a session pauses for you before its plan becomes tasks"
    )
    fix: Literal["critical", "high"] = Field(
        default="critical",
        description="from which severity on a finding of the code review makes a fix round",
    )
    consensus_threshold: Annotated[Number, Field(ge=1, le=5)] | None = Field(
        default=None, description="mean rating (1 to 5) that a discussion needs; default from the pack"
    )
    agents: dict[Name, AgentSettings] = Field(default={}, description="your own agents, by name")
    hand_over_mcp: bool = Field(
        default=False,
        description="coding agents get the MCP server of their run while they write; "
        "without the extra `mcp` they write without it, and `doctor` says so",
    )
    agents_off: list[Name] = Field(default=[], description="agents that are never used, even if installed")
    roles: dict[Name, list[Name]] = Field(default={}, description="the agents of each role, in order")
    perspectives: dict[Name, list[Name]] = Field(
        default={}, description="the agents of each perspective, in order"
    )
    budget: BudgetSettings = Field(default=BudgetSettings(), description="caps at which a session pauses")
    work: WorkSettings = Field(default=WorkSettings(), description="where code is written")
    prices: dict[Name, PriceSettings] = Field(default={}, description="your own prices, by model")
    notify: NotifySettings = Field(
        default=NotifySettings(), description="who is told when a session waits, fails or is finished"
    )

    @field_validator("agents", mode="before")
    @classmethod
    def _clients_by_name(cls, given: Json) -> Json:
        """An agent with the name of a kind is of that kind without being told so."""
        if not isinstance(given, Mapping):
            return given
        return {name: with_kind(name, value) for name, value in given.items()}


def with_kind(name: str, given: Json) -> Json:
    return {"kind": name, **given} if name in (*CLIENTS, BUILTIN) and isinstance(given, Mapping) else given

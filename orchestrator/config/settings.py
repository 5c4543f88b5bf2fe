"""The settings: each with its default, its unit and its doc; all sources are checked together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)

from orchestrator import config
from orchestrator.config import agent_options, references
from orchestrator.config.agent_options import Found
from orchestrator.config.layers import Layer, environ_layer, file_layer, merged
from orchestrator.config.references import Names
from orchestrator.domain.agents import BUILTIN, CLIENTS
from orchestrator.domain.budget import LARGEST
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.plain_values import unknown


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("expected a number, found a truth value")
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
        raise ValueError("expected the name of an environment variable, as in MY_KEY, not what it holds")
    return value


Address = Annotated[Name, AfterValidator(_address)]
Variable = Annotated[Name, AfterValidator(_variable)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AgentLimits(_Part):
    start: Seconds = Field(default=config.AGENT_START_SECONDS, description="seconds until the first output")
    silence: Seconds = Field(default=config.AGENT_SILENCE_SECONDS, description="seconds between two outputs")
    turn: Seconds = Field(default=config.AGENT_TURN_SECONDS, description="seconds for one answer")
    total: Seconds = Field(
        default=config.AGENT_TOTAL_SECONDS, description="seconds for all answers of one run"
    )


class AgentSettings(_Part):
    kind: Literal["command", "builtin", "claude", "codex", "gemini", "qwen", "opencode", "api"] = Field(
        default="command", description="how the agent is reached"
    )
    command: list[Name] = Field(
        default=[], description="program and arguments; prompt on stdin, answer on stdout"
    )
    env: list[Variable] = Field(default=[], description="names of the environment variables it may see")
    model: Name | None = Field(
        default=None, description="its model; for kind `api` with the provider: `anthropic:claude-sonnet-4-5`"
    )
    effort: Literal["low", "medium", "high"] | None = Field(
        default=None, description="how long the model may think, where it can be told"
    )
    base_url: Address | None = Field(
        default=None, description="where its model is served, else the provider's own"
    )
    key_env: Variable | None = Field(
        default=None,
        description="name of the environment variable with its key, else the provider's usual one",
    )
    pool: Name | None = Field(
        default=None, description="agents of one pool share an account and its limits; else the kind's own"
    )
    edits_files: bool = Field(
        default=False, description="whether it can edit files in a work tree (a coding agent)"
    )
    confine: bool = Field(default=True, description="while it is only asked, it cannot write to the project")
    limits: AgentLimits | None = Field(default=None, description="its own time limits, else `agent_limits`")


class CapSettings(_Part):
    max_usd: Annotated[Number, Field(gt=0, le=LARGEST)] | None = Field(default=None, description="US dollars")
    max_tokens: Annotated[int, BeforeValidator(_no_truth_value), Field(gt=0, le=LARGEST)] | None = Field(
        default=None, description="tokens, read and written"
    )
    max_turns: Annotated[int, BeforeValidator(_no_truth_value), Field(gt=0, le=LARGEST)] | None = Field(
        default=None, description="answers asked of agents, repairs counted"
    )
    max_minutes: Annotated[Number, Field(gt=0, le=LARGEST)] | None = Field(
        default=None, description="minutes in which agents worked; those of calls at the same time add up"
    )


class BudgetSettings(CapSettings):
    task: CapSettings = Field(default=CapSettings(), description="the same caps for each task")


class PriceSettings(_Part):
    input: Annotated[Number, Field(ge=0)] = Field(description="US dollars for a million tokens read")
    output: Annotated[Number, Field(ge=0)] = Field(description="US dollars for a million tokens written")
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
    date: Name | None = Field(default=None, description="when you looked it up; kept with what it priced")


class Settings(BaseModel):
    """Everything a user can set, beside the packs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lease_seconds: Seconds = Field(
        default=config.LEASE_SECONDS, description="seconds a worker host may be silent"
    )
    renew_seconds: Seconds = Field(
        default=config.RENEW_SECONDS, description="seconds between two renewals of a lease"
    )
    watchdog_margin_seconds: Seconds = Field(
        default=config.WATCHDOG_MARGIN_SECONDS,
        description="seconds before a lease's end at which agents are stopped",
    )
    reconcile_seconds: Seconds = Field(
        default=config.RECONCILE_SECONDS, description="seconds between two looks at what has stopped moving"
    )
    max_attempts: Count = Field(
        default=config.MAX_ATTEMPTS, description="charged attempts before a task has failed"
    )
    backoff_seconds: list[Seconds] = Field(
        default=list(config.BACKOFF_SECONDS),
        min_length=1,
        max_length=20,
        description="seconds to wait before the 2nd, 3rd, ... attempt; the last one repeats",
    )
    slots: Count = Field(default=config.SLOTS, description="runs a worker host does at the same time")
    agent_processes: Count | None = Field(
        default=None,
        description="agent processes of a worker host; without it as many as its slots or, "
        "where that is more, as the largest round has perspectives",
    )
    discuss_seconds: Seconds = Field(
        default=config.DISCUSS_SECONDS,
        description="seconds for a discussion, after which its record is PARTIAL",
    )
    drain_seconds: Seconds = Field(
        default=config.DRAIN_SECONDS,
        description="seconds an ending worker host lets its runs finish before it gives them back",
    )
    agent_limits: AgentLimits = Field(default=AgentLimits(), description="time limits of agents")
    idle_exit_seconds: Seconds = Field(
        default=config.IDLE_EXIT_SECONDS,
        description="seconds without work after which the daemon leaves; at most 30 where memory is short",
    )
    journal: Literal["wal", "truncate"] = Field(
        default="wal", description="SQLite's journal; truncate is slower and avoids the WAL-reset bug"
    )
    synchronous: Literal["FULL", "NORMAL"] = Field(
        default="FULL", description="NORMAL is faster; a power cut may then lose what was acknowledged last"
    )
    discuss: Literal["inline", "standalone", "off"] = Field(
        default="inline", description="how artifacts are discussed"
    )
    execution: Literal["parallel", "sequential"] = Field(
        default="parallel", description="all ready tasks, or one at a time"
    )
    consensus_threshold: Annotated[Number, Field(ge=1, le=5)] | None = Field(
        default=None, description="mean rating (1 to 5) a discussion needs; without it the pack's gate"
    )
    agents: dict[Name, AgentSettings] = Field(default={}, description="your own agents by name")
    hand_over_mcp: bool = Field(
        default=False,
        description="coding agents get the MCP server of their run while they write; "
        "without the extra `mcp` they write without it, and `doctor` says so",
    )
    agents_off: list[Name] = Field(default=[], description="agents that are never used, installed or not")
    roles: dict[Name, list[Name]] = Field(default={}, description="role -> its agents in order")
    perspectives: dict[Name, list[Name]] = Field(default={}, description="perspective -> its agents in order")
    budget: BudgetSettings = Field(
        default=BudgetSettings(), description="caps of a session, at which it pauses"
    )
    prices: dict[Name, PriceSettings] = Field(default={}, description="your own prices by model")

    @field_validator("agents", mode="before")
    @classmethod
    def _clients_by_name(cls, given: Any) -> Any:
        """`[agents.claude]` is a claude without being told so."""
        if not isinstance(given, Mapping):
            return given
        return {name: _with_kind(name, value) for name, value in given.items()}


def _with_kind(name: str, given: Any) -> Any:
    return {"kind": name, **given} if name in (*CLIENTS, BUILTIN) and isinstance(given, Mapping) else given


@dataclass(frozen=True, slots=True)
class Sources:
    """What all layers say, not checked yet."""

    layers: Sequence[Layer]
    values: Mapping[str, Any]

    @property
    def agents(self) -> frozenset[str] | None:
        """The names of all agents; None when a layer that could not be read may name more."""
        if not all(layer.whole for layer in self.layers):
            return None
        own = self.values.get("agents")
        return frozenset({BUILTIN, *CLIENTS, *(own if isinstance(own, Mapping) else ())})

    @property
    def orders(self) -> bool:
        """Whether roles or perspectives of the pack are named."""
        return bool(self.values.get("roles") or self.values.get("perspectives"))

    def settings(self, names: Names | None = None) -> Settings:
        """The settings, or a ConfigError with every fault of every layer; `names`: what the pack knows."""
        faults = [fault for layer in self.layers for fault in layer.faults]
        bad: set[str] = set()
        made = None
        try:
            made = Settings.model_validate(self.values)
        except ValidationError as error:
            for one in error.errors(include_url=False, include_input=False):
                bad.add(str(one["loc"][0]) if one["loc"] else "")
                faults.append(_fault(self.layers, one["loc"], one["type"], one["msg"]))
        faults += _together(self.layers, bad)
        for place, text in self._senseless(names):
            faults.append(_fault(self.layers, place, "senseless", text))
        if faults or made is None:
            raise ConfigError(dict.fromkeys(faults))
        return made

    def _senseless(self, names: Names | None) -> Iterator[Found]:
        """What has the right type and cannot be meant; agents that have not are told already."""
        own = self.values.get("agents")
        agents: dict[str, AgentSettings] = {}
        for name, given in own.items() if isinstance(own, Mapping) else ():
            agent, left_out = _without_faults(_with_kind(name, given))
            if agent is not None:
                agents[name] = agent
                for place, text in agent_options.faults(name, agent, left_out):
                    yield ("agents", name, *place), text
        yield from references.faults(self.values, agents, self.agents, names)


def _without_faults(given: Any) -> tuple[AgentSettings | None, frozenset[str]]:
    """An agent from those of its options that are well-formed, and the names of the others; None without its kind."""
    try:
        return AgentSettings.model_validate(given), frozenset()
    except ValidationError as error:
        bad = frozenset(str(one["loc"][0]) for one in error.errors() if one["loc"])
    if not bad or "kind" in bad:
        return None, bad
    return AgentSettings.model_validate({key: given[key] for key in given if key not in bad}), bad


def read(files: Sequence[Path], environ: Mapping[str, str], flags: Mapping[str, Any]) -> Sources:
    """What files, environment and flags say; a file named later goes over one before it."""
    given = {name: value for name, value in flags.items() if value is not None}
    layers = [
        Layer(given, _flag),
        environ_layer(environ, Settings.model_fields),
        *(file_layer(path) for path in reversed(files)),
    ]
    return Sources(layers, merged(layers))


def _fault(layers: Sequence[Layer], place: tuple[str | int, ...], kind: str, text: str) -> str:
    held = place[:-1] if kind == "missing" else place
    layer = next((layer for layer in layers if layer.has(held)), None)
    where = layer.where(place) if layer else "settings"
    dotted = ".".join(map(str, place))
    if kind == "extra_forbidden":
        return f"{where}: {unknown('setting', dotted, _siblings(place))}"
    return f"{where}: {dotted}: {_EXPECTED.get(kind) or text.removeprefix('Value error, ')}"


def _siblings(place: tuple[str | int, ...]) -> list[str]:
    """The names that would be known where an unknown one stands, with the path in front."""
    parts = [str(part) for part in place[:-1]]
    model: type[BaseModel] = _MODELS.get(parts[0] if parts else "", Settings)
    if parts and parts[-1] == "limits":
        model = AgentLimits
    if parts == ["budget", "task"]:
        model = CapSettings
    return [".".join([*parts, name]) for name in model.model_fields]


def _together(layers: Sequence[Layer], bad: Collection[str]) -> list[str]:
    """What single settings allow and two of them together do not."""

    def number(name: str) -> float | None:
        if name in bad:
            return None
        layer = next((layer for layer in layers if name in layer.values), None)
        return float(layer.values[name] if layer else Settings.model_fields[name].default)

    def where(*names: str) -> str:
        return next((layer.where((n,)) for layer in layers for n in names if n in layer.values), "settings")

    faults: list[str] = []
    lease, renew, margin = map(number, ("lease_seconds", "renew_seconds", "watchdog_margin_seconds"))
    if lease is not None and renew is not None and lease < 2 * renew:
        at = where("lease_seconds", "renew_seconds")
        faults.append(f"{at}: lease_seconds ({lease:g}) must be at least twice renew_seconds ({renew:g})")
    if lease is not None and renew is not None and margin is not None and lease <= renew + margin:
        at = where("watchdog_margin_seconds", "lease_seconds", "renew_seconds")
        faults.append(f"{at}: lease_seconds ({lease:g}) must exceed renew_seconds + watchdog_margin_seconds")
    return faults


def _flag(place: tuple[str | int, ...]) -> str:
    names = [part for part in place if isinstance(part, str)]
    return f"--{names[-1].replace('_', '-')}" if names else "flags"


_EXPECTED = {  # pydantic's own words name our classes
    "model_type": "expected a table of settings",
    "dict_type": "expected a table of settings",
    "list_type": "expected a list",
    "string_type": "expected text",
}
_MODELS: dict[str, type[BaseModel]] = {
    "agent_limits": AgentLimits,
    "agents": AgentSettings,
    "budget": BudgetSettings,
    "prices": PriceSettings,
}

"""The settings: each with its default, its unit and its doc.

They are plain dataclasses, so that a process that only reads them needs no library. Annotations are no texts here: types
are built and checked by them (plain_settings.py, settings_layers.py).
"""

import re
from collections.abc import Mapping
from copy import copy
from typing import Annotated, ClassVar, Literal, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from orchestrator.config.value_checks import After, Before, Ge, Gt, Le, MaxLen, MinLen
from orchestrator.domain.agent_kinds import BUILTIN, CLIENTS, KINDS
from orchestrator.domain.budget import LARGEST
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import Json


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("expected a number, found true or false")
    return value


_NO_TRUTH_VALUE = Before(_no_truth_value)
Seconds = Annotated[float, _NO_TRUTH_VALUE, Gt(0), Le(7 * 24 * 3600)]
Count = Annotated[int, _NO_TRUTH_VALUE, Ge(1), Le(256)]
Number = Annotated[float, _NO_TRUTH_VALUE]
Name = Annotated[str, MinLen(1), MaxLen(200)]


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


def _webhook(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s/@]+(/\S*)?", value):
        raise ValueError("expected an address, http or https, without a login: https://example.org/hook")
    return value


def _collector(value: str) -> str:
    """Who puts a secret here is not told its letters back."""
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[\s@?#]", value):
        raise ValueError(
            "expected an address, http or https, without a login or a query, as in http://127.0.0.1:4318; "
            "what lets us in belongs in OTEL_EXPORTER_OTLP_HEADERS"
        )
    return value


def _database_url(value: str) -> str:
    """Who puts the password here is not told its letters back."""
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("postgresql", "postgres") and parts.fragment == ""
        given = parse_qs(parts.query)
        secret = parts.password is not None or any(name in given for name in ("password", "sslpassword"))
    except ValueError:
        usable = secret = False
    if not usable:
        raise ValueError("expected an address, as in postgresql://USER@HOST/DATABASE")
    if secret:
        raise ValueError(
            "a password does not belong in a file: leave it out, and set PGPASSWORD, "
            "database.password_env, database.password_file or ~/.pgpass"
        )
    return value


def _known_kind(value: str) -> str:
    if value not in KINDS:
        raise ValueError(f"expected one of {', '.join(KINDS)}")
    return value


Address = Annotated[Name, After(_address)]
Variable = Annotated[Name, After(_variable)]
Webhook = Annotated[Name, After(_webhook)]
Collector = Annotated[Name, After(_collector)]
DatabaseUrl = Annotated[str, MinLen(1), MaxLen(2000), After(_database_url)]
KindName = Annotated[Name, After(_known_kind)]
T = TypeVar("T")


def setting(default: T, doc: str) -> T:
    """A field with its default, and what it means."""
    if isinstance(default, list | dict):
        return cast(T, field(default_factory=lambda: copy(default), metadata={"doc": doc}))
    return field(default=default, metadata={"doc": doc})


def _clients_by_name(given: Json) -> Json:
    """An agent with the name of a kind is of that kind without being told so."""
    if not isinstance(given, Mapping):
        return given
    return {name: with_kind(name, value) for name, value in given.items()}


def with_kind(name: str, given: Json) -> Json:
    return {"kind": name, **given} if name in (*CLIENTS, BUILTIN) and isinstance(given, Mapping) else given


class _Part:
    """A table of settings: nothing but its fields may be given, and no infinity."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True, kw_only=True)
class AgentLimits(_Part):
    start: Seconds = setting(60.0, "seconds until the first output")
    silence: Seconds = setting(300.0, "seconds between two outputs")
    turn: Seconds = setting(900.0, "seconds for one answer")
    total: Seconds = setting(1800.0, "seconds for all answers of one run")


@dataclass(frozen=True, kw_only=True)
class AgentSettings(_Part):
    kind: KindName = setting("command", "how the agent is reached")
    command: list[Name] = setting([], "program and arguments; prompt on stdin, answer on stdout")
    env: list[Variable] = setting([], "names of the environment variables passed to it")
    model: Name | None = setting(
        None, "its model; for kind `api` with the provider: `anthropic:claude-sonnet-4-5`"
    )
    effort: Literal["low", "medium", "high"] | None = setting(
        None, "how much the model may think, if the agent has such an option"
    )
    base_url: Address | None = setting(None, "address of the model's server; default the provider's")
    key_env: Variable | None = setting(
        None,
        "name of the environment variable with its key; default the provider's usual one",
    )
    account: Name | None = setting(
        None,
        "agents of one account share its rate limits; default one account per kind",
    )
    edits_files: bool = setting(False, "whether it can edit files in a work tree (a coding agent)")
    confine: bool = setting(True, "in read-only mode it cannot write to the project")
    limits: AgentLimits | None = setting(None, "its own time limits; default `agent_limits`")


@dataclass(frozen=True, kw_only=True)
class CapSettings(_Part):
    max_usd: Annotated[Number, Gt(0), Le(LARGEST)] | None = setting(None, "US dollars")
    max_tokens: Annotated[int, _NO_TRUTH_VALUE, Gt(0), Le(LARGEST)] | None = setting(
        None, "tokens, input and output"
    )
    max_turns: Annotated[int, _NO_TRUTH_VALUE, Gt(0), Le(LARGEST)] | None = setting(
        None, "agent turns, including repairs"
    )
    max_minutes: Annotated[Number, Gt(0), Le(LARGEST)] | None = setting(
        None, "minutes of agent time; parallel calls add up"
    )


@dataclass(frozen=True, kw_only=True)
class CodeCapSettings(CapSettings):
    """Caps of a task that has an agent edit files: it works for long, and nobody reads what it writes meanwhile."""

    max_usd: Annotated[Number, Gt(0), Le(LARGEST)] | None = setting(20.0, "US dollars")
    max_tokens: Annotated[int, _NO_TRUTH_VALUE, Gt(0), Le(LARGEST)] | None = setting(
        20_000_000, "tokens, input and output"
    )
    max_turns: Annotated[int, _NO_TRUTH_VALUE, Gt(0), Le(LARGEST)] | None = setting(
        30, "agent turns, including repairs"
    )
    max_minutes: Annotated[Number, Gt(0), Le(LARGEST)] | None = setting(
        180.0, "minutes of agent time; parallel calls add up"
    )


@dataclass(frozen=True, kw_only=True)
class BudgetSettings(CapSettings):
    task: CapSettings = setting(CapSettings(), "the same caps, for each task")
    code: CodeCapSettings = setting(
        CodeCapSettings(), "the same caps, for each task that has an agent edit files"
    )


@dataclass(frozen=True, kw_only=True)
class WorkSettings(_Part):
    trees: Name | None = setting(
        None,
        "the folder of the private trees in which agents edit code, outside every project; "
        "default `lifecycle/trees` in the user's state folder",
    )
    test_command: list[Name] = setting(
        [], "the command that runs the project's tests; default found by its manifests"
    )
    test_report: Name | None = setting(
        None, "where `test_command` writes JUnit files, as a pattern below the project"
    )
    setup: list[Name] = setting(
        [],
        "the command that prepares a fresh checkout for its tests; default by the lock file",
    )
    required: bool = setting(False, "a task fails where no tests can be run, instead of ending unverified")
    unconfined: bool = setting(
        False,
        "where the system has no sandbox, tests and coding agents run without one",
    )
    test_seconds: Seconds = setting(1800.0, "seconds for one run of all tests")
    checked_at_once: Count | None = setting(
        None,
        "changes of one session that a worker host checks at the same time, those of earlier tasks first; without it as many "
        "as it has processors",
    )
    serve: list[Name] = setting(
        [],
        "the command that serves the project's pages for the frontend audit, in its sandbox; default HTML "
        "files as they are, else a script of package.json",
    )
    pages: list[Name] = setting(
        [],
        "the pages that the frontend audit opens, as paths; default the HTML files of the project",
    )


@dataclass(frozen=True, kw_only=True)
class PriceSettings(_Part):
    input: Annotated[Number, Ge(0)] = field(metadata={"doc": "US dollars per million input tokens"})
    output: Annotated[Number, Ge(0)] = field(metadata={"doc": "US dollars per million output tokens"})
    cached_input: Annotated[Number, Ge(0)] | None = setting(
        None,
        "US dollars for a million tokens read from a cache, else such a call is unpriced",
    )
    cache_write: Annotated[Number, Ge(0)] | None = setting(
        None,
        "US dollars for a million tokens written into a cache, else such a call is unpriced",
    )
    cache_write_1h: Annotated[Number, Ge(0)] | None = setting(
        None, "the same for what the cache keeps for an hour"
    )
    date: Name | None = setting(None, "the date of the price; recorded with each cost")


@dataclass(frozen=True, kw_only=True)
class NotifySettings(_Part):
    """Whom to tell of what; nobody by default."""

    on: list[Literal["waits", "failed", "finished"]] = setting(
        ["waits", "failed", "finished"],
        "what is told: a session waits for you, a task of it failed for good, it is completed",
    )
    command: list[Name] = setting(
        [],
        "a program with its arguments, run without a shell; the notice is JSON on its standard input",
    )
    desktop: bool = setting(False, "a notice on the desktop by `notify-send`, if that is there")
    webhook: Webhook | None = setting(
        None,
        "an address, http or https, that gets each notice as JSON by POST",
    )

    @property
    def is_on(self) -> bool:
        return bool(self.on and (self.command or self.desktop or self.webhook))


@dataclass(frozen=True, kw_only=True)
class DatabaseSettings(_Part):
    """A project's database on a server; without an address it is the SQLite file in `.workflow`."""

    url: DatabaseUrl | None = setting(
        None, "a PostgreSQL database, as in postgresql://USER@HOST/DATABASE, without a password"
    )
    password_env: Variable | None = setting(
        None, "name of the environment variable with its password; default libpq's own ways, as PGPASSWORD"
    )
    password_file: Name | None = setting(
        None, "a file with its password alone; a relative path begins at the project"
    )
    project: Name | None = setting(
        None, "the project that the database is of, by name; default the name of the project's folder"
    )


def _queue_prefix(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", value):
        raise ValueError("expected letters, digits, and . _ - between them")
    return value


def _engine_address(value: str) -> str:
    host, _, port = value.rpartition(":")
    if (
        not re.fullmatch(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]", host)
        or not port.isdigit()
        or not 0 < int(port) < 65_536
    ):
        raise ValueError("expected a name and a port, as in temporal.example.org:7233")
    return value


EngineAddress = Annotated[Name, After(_engine_address)]
QueuePrefix = Annotated[str, MinLen(1), MaxLen(100), After(_queue_prefix)]


@dataclass(frozen=True, kw_only=True)
class TemporalSettings(_Part):
    """The Temporal server that delivers offers, where `dispatch` says so."""

    address: EngineAddress = setting("127.0.0.1:7233", "its frontend, as NAME:PORT")
    namespace: Name = setting("default", "the namespace, which must be there")
    queues: QueuePrefix = setting("lifecycle", "how the names of its task queues begin")
    tls: bool | None = setting(None, "whether to use TLS; default: unless the address is this machine's own")
    tls_ca: Name | None = setting(
        None, "a file with the certificates (PEM) that may sign the server's; default the system's"
    )
    tls_cert: Name | None = setting(
        None, "a file with this side's certificate (PEM), where the server asks for one"
    )
    tls_key: Name | None = setting(None, "a file with the key of that certificate (PEM)")
    api_key_env: Variable | None = setting(
        None, "name of the environment variable with an API key for the server"
    )


@dataclass(frozen=True, kw_only=True)
class TracesSettings(_Part):
    """Where traces of runs are sent; nowhere by default."""

    endpoint: Collector | None = setting(
        None,
        "the address of a collector that takes OTLP over HTTP; `/v1/traces` is added where it has no path",
    )


@dataclass(frozen=True, kw_only=True)
class Settings(_Part):
    """Everything a user can set, beside the packs."""

    lease_seconds: Seconds = setting(
        30.0, "seconds after which a worker host without a sign of life has lost its runs"
    )
    renew_seconds: Seconds = setting(5.0, "seconds between two renewals of a lease")
    watchdog_margin_seconds: Seconds = setting(
        5.0,
        "seconds before a lease's end at which agents are stopped",
    )
    reconcile_seconds: Seconds = setting(10.0, "seconds between two checks for lost or stalled work")
    max_attempts: Count = setting(3, "attempts that count before a task fails")
    backoff_seconds: Annotated[list[Seconds], MinLen(1), MaxLen(20)] = setting(
        [5.0, 20.0, 80.0],
        "seconds to wait before the 2nd, 3rd, ... attempt; the last one repeats",
    )
    slots: Count = setting(4, "tasks that a worker host runs at the same time")
    own_host: bool = setting(
        True, "the coordinator keeps a worker host on its machine; without it, only joined hosts work"
    )
    dispatch: Literal["desk", "temporal"] = setting(
        "desk", "how worker hosts get offered tasks: they ask for them, or a Temporal server delivers them"
    )
    temporal: TemporalSettings = setting(TemporalSettings(), "that Temporal server")
    agent_processes: Count | None = setting(
        None,
        "agent processes of a worker host; without it as many as its slots or, "
        "where that is more, as the largest round has perspectives",
    )
    discuss_seconds: Seconds = setting(
        600.0,
        "seconds for a discussion; then its record is PARTIAL",
    )
    drain_seconds: Seconds = setting(
        20.0,
        "seconds a stopping worker host lets its runs finish before it releases them",
    )
    agent_limits: AgentLimits = setting(AgentLimits(), "time limits of agents")
    idle_exit_seconds: Seconds = setting(
        900.0,
        "seconds without work after which the coordinator exits; at most 30 if memory is short",
    )
    database: DatabaseSettings = setting(
        DatabaseSettings(), "the project's database, where that is no SQLite file"
    )
    journal: Literal["wal", "truncate"] = setting(
        "wal", "SQLite's journal; truncate is slower and avoids the WAL-reset bug"
    )
    synchronous: Literal["FULL", "NORMAL"] = setting(
        "FULL",
        "NORMAL is faster, but a power failure may lose the last acknowledged changes",
    )
    discuss: Literal["inline", "standalone", "off"] = setting("inline", "how artifacts are discussed")
    critics: Literal["auto", "separate", "merged"] = setting(
        "auto",
        "which perspectives of a discussion share a call: none (separate), all (merged), "
        "or those of one agent where the artifact is small",
    )
    execution: Literal["parallel", "sequential"] = setting(
        "parallel", "all ready tasks at once, or one at a time"
    )
    approve_plan: bool = setting(False, "a session pauses for you before its plan becomes tasks")
    fix: Literal["critical", "high"] = setting(
        "critical",
        "from which severity on a finding of the code review makes a fix round",
    )
    consensus_threshold: Annotated[Number, Ge(1), Le(5)] | None = setting(
        None, "mean rating (1 to 5) that a discussion needs; default from the pack"
    )
    agents: Annotated[dict[Name, AgentSettings], Before(_clients_by_name)] = setting(
        {}, "your own agents, by name"
    )
    hand_over_mcp: bool = setting(
        False,
        "coding agents get the MCP server of their run while they write; "
        "without the extra `mcp` they write without it, and `doctor` says so",
    )
    agents_off: list[Name] = setting([], "agents that are never used, even if installed")
    roles: dict[Name, list[Name]] = setting(
        {},
        "the agents of each role, in order; `dynamic` for those that mode dynamic makes and that have none by name",
    )
    perspectives: dict[Name, list[Name]] = setting({}, "the agents of each perspective, in order")
    budget: BudgetSettings = setting(BudgetSettings(), "caps at which a session pauses")
    work: WorkSettings = setting(WorkSettings(), "where code is written")
    prices: dict[Name, PriceSettings] = setting({}, "your own prices, by model")
    notify: NotifySettings = setting(
        NotifySettings(), "who is told when a session waits, fails or is finished"
    )
    traces: TracesSettings = setting(TracesSettings(), "where OpenTelemetry traces of runs are sent")

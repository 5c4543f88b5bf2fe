"""The tables; the constraint is where the rule lives (architecture, "Tables").

Times are integers in microseconds: wall-clock UTC for records (`*_at`), the kernel's monotonic clock for leases
(`*_until`), which no change of the wall clock moves. A monotonic time is only comparable within one boot, so it
always stands beside a `boot` id; another boot's lease is over.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import (
    BindParameter,
    CheckConstraint,
    Column,
    ColumnElement,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    select,
    text,
)
from sqlalchemy.types import REAL, TypeDecorator

from orchestrator.domain.model import PauseReason, RunOutcome, SessionStatus, TaskStatus

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Json(TypeDecorator[Any]):
    """A JSON value kept as text; lone surrogates are replaced, since no database takes them."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else _encode(value).encode("utf-8", "replace").decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


def _table(name: str, *items: Any, clustered: bool = False) -> Table:
    """`clustered`: kept in the order of its primary key, without a second tree (SQLite's WITHOUT ROWID)."""
    options: dict[str, Any] = {"sqlite_with_rowid": False} if clustered else {}
    return Table(name, metadata, *items, sqlite_strict=True, **options)


def _is_any(column: str, *values: str) -> str:
    """SQLite builds a table for each IN of more than two values, every time a row is checked; this it just compares."""
    return "(" + " OR ".join(f"{column} = '{value}'" for value in values) + ")"


def _one_of(column: str, values: Any, name: str) -> CheckConstraint:
    return CheckConstraint(_is_any(column, *values), name=name)


def _flag(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} IN (0, 1)", name=column)


sessions = _table(
    "sessions",
    Column("id", Text, primary_key=True),
    Column("mode", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("workspace", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("pause_reason", Text),
    Column("gate", Text),
    Column("score", REAL),
    Column("dirty", Integer, nullable=False, server_default=text("1")),  # a beat is wanted
    Column("messages", Integer, nullable=False, server_default=text("0")),  # the last number given
    Column("projected", Integer, nullable=False, server_default=text("0")),  # the number the files show
    Column("archived", Integer, nullable=False, server_default=text("0")),
    Column("created_at", Integer, nullable=False),
    Column("updated_at", Integer, nullable=False),
    Column("finished_at", Integer),
    Column("options", Json, nullable=False),
    Column("pause_detail", Json),
    Column("budget", Json),  # caps, counted (domain/budget.py), and which were warned of; NULL: none
    Column("request", Text, nullable=False),
    _one_of("status", SessionStatus, "status"),
    _one_of("pause_reason", PauseReason, "pause_reason"),
    CheckConstraint("(status = 'paused') = (pause_reason IS NOT NULL)", name="paused_has_reason"),
    CheckConstraint("(status IN ('completed', 'cancelled')) = (finished_at IS NOT NULL)", name="finished"),
    CheckConstraint("projected <= messages", name="projected"),
    _flag("dirty"),
    _flag("archived"),
)
Index("ix_sessions_dirty", sessions.c.id, sqlite_where=text("dirty = 1"))
Index("ix_sessions_status", sessions.c.status)
Index("ix_sessions_unprojected", sessions.c.id, sqlite_where=text("projected < messages"))

snapshots = (
    _table(  # pipeline, roles, perspectives and gates a session was started with; large, and never changed
        "snapshots",
        Column("session_id", Text, ForeignKey(sessions.c.id), primary_key=True),
        Column("data", Json, nullable=False),
    )
)

tasks = _table(
    "tasks",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("key", Text, nullable=False),
    Column("seq", Integer, nullable=False),  # order of creation within the session
    Column("role", Text, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("phase", Text, nullable=False),
    Column("round", Text),
    Column("revision_of", Text),
    Column("revision_no", Integer, nullable=False, server_default=text("0")),
    Column("made_for", Integer, nullable=False, server_default=text("0")),
    Column("checkpoint_after", Integer, nullable=False, server_default=text("0")),
    Column("status", Text, nullable=False),
    Column(
        "unmet", Integer, nullable=False, server_default=text("0")
    ),  # blockers not yet completed or skipped
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("max_attempts", Integer, nullable=False),
    Column("epoch", Integer, nullable=False, server_default=text("0")),
    Column("priority", Integer, nullable=False, server_default=text("0")),
    Column("not_before", Integer),
    Column("limited_by", Text),  # the account whose limit has to end until then
    Column("created_at", Integer, nullable=False),
    Column("offered_at", Integer),
    Column("started_at", Integer),
    Column("finished_at", Integer),
    Column("payload", Json, nullable=False),
    Column("error", Text),
    UniqueConstraint("session_id", "key"),
    UniqueConstraint("session_id", "id"),
    _one_of("status", TaskStatus, "status"),
    CheckConstraint("offered_at IS NULL OR (status = 'pending' AND unmet = 0)", name="offered_is_ready"),
    CheckConstraint("status <> 'in_progress' OR unmet = 0", name="runs_unblocked"),
    CheckConstraint("unmet >= 0", name="unmet"),
    CheckConstraint("attempts >= 0 AND attempts <= max_attempts", name="attempts"),
    CheckConstraint("limited_by IS NULL OR not_before IS NOT NULL", name="limited_until"),
    CheckConstraint("(revision_of IS NULL) = (revision_no = 0)", name="revision"),
    CheckConstraint(
        f"{_is_any('status', 'completed', 'skipped', 'cancelled', 'failed')} = (finished_at IS NOT NULL)",
        name="finished",
    ),
    _flag("made_for"),
    _flag("checkpoint_after"),
)
Index(
    "ix_tasks_ready",
    tasks.c.session_id,
    tasks.c.offered_at,
    tasks.c.seq,
    sqlite_where=text("status = 'pending' AND unmet = 0"),
)
Index(
    "ix_tasks_offered",
    tasks.c.priority.desc(),
    tasks.c.offered_at,
    sqlite_where=text("offered_at IS NOT NULL"),
)

edges = _table(
    "edges",  # its key's columns come first: SQLite 3.40 takes others before them for NULL when it checks itself
    Column("task_id", Integer, nullable=False),
    Column("blocker_id", Integer, nullable=False),
    Column("session_id", Text, nullable=False),
    PrimaryKeyConstraint("task_id", "blocker_id"),
    ForeignKeyConstraint(["session_id", "task_id"], [tasks.c.session_id, tasks.c.id], name="fk_edges_task"),
    ForeignKeyConstraint(
        ["session_id", "blocker_id"], [tasks.c.session_id, tasks.c.id], name="fk_edges_blocker"
    ),
    CheckConstraint("task_id <> blocker_id", name="no_self_edge"),
    clustered=True,
)
Index("ix_edges_blocker_id", edges.c.blocker_id)

hosts = _table(
    "hosts",
    Column("incarnation", Text, primary_key=True),  # uuid of one process start
    Column("boot", Text, nullable=False),
    Column("pid_space", Text, nullable=False),  # a pid means something only within one container
    Column("pid", Integer, nullable=False),
    Column("process_start", Integer, nullable=False),  # clock ticks since boot: tells a reused pid apart
    Column("roles", Json, nullable=False),
    Column("slots", Integer, nullable=False),
    Column("lease_until", Integer, nullable=False),
    Column("draining", Integer, nullable=False, server_default=text("0")),
    Column("started_at", Integer, nullable=False),
    CheckConstraint("slots > 0", name="slots"),
    _flag("draining"),
)

runs = _table(
    "runs",
    Column("id", Text, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("task_id", Integer, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("host", Text, ForeignKey(hosts.c.incarnation), nullable=False),
    Column("opened_by", Text, nullable=False),  # offer, loop, fast
    Column("loop", Text, nullable=False),  # id of the inner loop's first run
    Column("lease_until", Integer, nullable=False),
    Column("opened_at", Integer, nullable=False),
    Column("closed_at", Integer),
    Column("outcome", Text),
    Column("charged", Integer, nullable=False, server_default=text("0")),
    Column("phase", Text, nullable=False, server_default=text("'context'")),
    Column("agent", Text),
    Column("error", Text),
    Column("timings", Json),
    Column("accumulator", Json),
    Column("input_digest", Text),
    Column("produced", Json),  # what the run made and says of it, before it reports
    Column("produced_at", Integer),
    ForeignKeyConstraint(["session_id", "task_id"], [tasks.c.session_id, tasks.c.id], name="fk_runs_task"),
    UniqueConstraint("task_id", "epoch"),
    _one_of("opened_by", ("offer", "loop", "fast"), "opened_by"),
    _one_of("outcome", RunOutcome, "outcome"),
    CheckConstraint("(outcome IS NULL) = (closed_at IS NULL)", name="closed"),
    CheckConstraint("charged = 0 OR outcome IN ('failed', 'lost')", name="charged"),
)
Index("uq_runs_open", runs.c.session_id, runs.c.task_id, unique=True, sqlite_where=text("outcome IS NULL"))
Index("uq_runs_completed", runs.c.task_id, unique=True, sqlite_where=text("outcome = 'completed'"))

contents = _table(
    "contents",
    Column("sha256", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("body", LargeBinary),  # NULL: kept as a file named by its digest
    CheckConstraint("length(sha256) = 64", name="sha256"),
)

products = _table(  # what a run has produced and not yet reported
    "products",
    Column("run_id", Text, ForeignKey(runs.c.id), nullable=False),
    Column("path", Text, nullable=False),
    Column("sha256", Text, ForeignKey(contents.c.sha256), nullable=False),
    Column("kind", Text, nullable=False),
    PrimaryKeyConstraint("run_id", "path"),
    clustered=True,
)

critiques = _table(  # each perspective's reply, stored as it comes
    "critiques",
    Column("run_id", Text, ForeignKey(runs.c.id), nullable=False),
    Column("perspective", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("reply", Json, nullable=False),
    Column("notes", Json, nullable=False),
    Column("created_at", Integer, nullable=False),
    PrimaryKeyConstraint("run_id", "perspective"),
)

artifacts = _table(
    "artifacts",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("path", Text, nullable=False),  # relative to the session directory
    Column("version", Integer, nullable=False),
    Column("sha256", Text, ForeignKey(contents.c.sha256), nullable=False),
    Column("size", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("author", Text, nullable=False),  # a role, or "user" for a hand edit
    Column("task_id", Integer),
    Column("run_id", Text, ForeignKey(runs.c.id)),
    Column("created_at", Integer, nullable=False),
    UniqueConstraint("session_id", "path", "version"),
    CheckConstraint("version > 0", name="version"),
)

projections = _table(  # what the projector last wrote under a path: tells a hand edit apart
    "projections",
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("path", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    PrimaryKeyConstraint("session_id", "path"),
)

messages = _table(
    "messages",
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", Integer, nullable=False),
    Column("sender", Text, nullable=False),
    Column("recipient", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("known", Integer, nullable=False, server_default=text("1")),
    Column("summary", Text, nullable=False),
    Column("ref", Text),
    Column("data", Json),
    PrimaryKeyConstraint("session_id", "number"),
    _one_of("kind", ("message", "event"), "kind"),
    CheckConstraint("number > 0", name="number"),
    clustered=True,
)

verdicts = _table(
    "verdicts",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("task_id", Integer, nullable=False),
    Column("run_id", Text, ForeignKey(runs.c.id), nullable=False),
    Column("kind", Text, nullable=False),
    Column("round", Text),
    Column("consensus", Text),
    Column("severity", Text),
    Column("mean", REAL),
    Column("gate", Text),
    Column("score", REAL),
    Column("record", Text),
    Column("data", Json, nullable=False),
    Column("created_at", Integer, nullable=False),
    UniqueConstraint("run_id", "kind"),
    _one_of("kind", ("discuss", "gate"), "kind"),
    _one_of("consensus", ("reached", "blocked"), "consensus"),
    _one_of("severity", ("HIGH", "MEDIUM", "LOW"), "severity"),
    _one_of("gate", ("PASS", "REVIEW", "FAIL"), "gate"),
)
Index("ix_verdicts_session", verdicts.c.session_id)

findings = _table(
    "findings",
    Column("verdict_id", Integer, ForeignKey(verdicts.c.id), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),  # divergence, action, missing, weakness, risk
    Column("severity", Text),
    Column("perspective", Text),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("verdict_id", "number"),
)

agent_calls = _table(
    "agent_calls",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("task_id", Integer, nullable=False),
    Column("run_id", Text, ForeignKey(runs.c.id), nullable=False),
    Column("agent", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("perspective", Text),
    Column("prompt_digest", Text, nullable=False),
    Column("started_at", Integer, nullable=False),
    Column("finished_at", Integer),  # NULL: still under way, or cut off with its run
    Column("outcome", Text),
    Column("model", Text),
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("tokens_cached", Integer),  # of tokens_in
    Column("cost_micros", Integer),
    Column("cost_source", Text, nullable=False, server_default=text("'unknown'")),
    Column("prices_of", Text),  # the date of the price it was computed with
    Column(
        "metered", Integer, nullable=False, server_default=text("1")
    ),  # 0: the built-in agent's, which is free
    Column("reserved_micros", Integer),  # counted against the caps while it is under way
    Column("reserved_tokens", Integer),
    Column("retries", Integer, nullable=False, server_default=text("0")),
    Column("error", Text),
    _one_of("cost_source", ("reported", "computed", "unknown"), "cost_source"),
    CheckConstraint("(cost_micros IS NULL) = (cost_source = 'unknown')", name="cost_has_source"),
    CheckConstraint("(prices_of IS NOT NULL) = (cost_source = 'computed')", name="computed_has_prices"),
    _flag("metered"),
)
Index("ix_agent_calls_session", agent_calls.c.session_id)
Index("ix_agent_calls_run", agent_calls.c.run_id)
Index(
    "ix_agent_calls_history",
    agent_calls.c.agent,
    sqlite_where=text("metered = 1 AND finished_at IS NOT NULL"),
)

decisions = _table(
    "decisions",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("subject", Text, nullable=False),  # a pause reason, "gate", a task key
    Column("digest", Text),  # of what was approved
    Column("who", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("forced", Integer, nullable=False, server_default=text("0")),
    Column("at", Integer, nullable=False),
    _flag("forced"),
)
Index("ix_decisions_session", decisions.c.session_id)

memory = _table(
    "memory",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),  # wisdom: its file; shared: the role's field
    Column("author", Text, nullable=False),
    Column("task_key", Text),
    Column("data", Json, nullable=False),
    Column("at", Integer, nullable=False),
    _one_of("kind", ("wisdom", "shared"), "kind"),
    CheckConstraint("kind <> 'shared' OR name = author", name="own_field"),
    CheckConstraint(
        f"kind <> 'wisdom' OR {_is_any('name', 'learnings', 'decisions', 'conventions', 'issues')}",
        name="wisdom_file",
    ),
)
Index(
    "uq_memory_shared", memory.c.session_id, memory.c.name, unique=True, sqlite_where=text("kind = 'shared'")
)
Index("ix_memory_session", memory.c.session_id)

commands = _table(
    "commands",
    Column("id", Text, primary_key=True),  # given by the caller: handled twice, applied once
    Column("name", Text, nullable=False),
    Column("session_id", Text),
    Column("digest", Text, nullable=False),  # of its arguments: one id for two commands is refused
    Column("answer", Json, nullable=False),
    Column("at", Integer, nullable=False),
)

leases = _table(
    "leases",
    Column("name", Text, primary_key=True),  # "coordinator"
    Column("holder", Text, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("boot", Text, nullable=False),
    Column("pid_space", Text, nullable=False),  # a pid means something only within one container
    Column("pid", Integer, nullable=False),
    Column("process_start", Integer, nullable=False),
    Column("until", Integer, nullable=False),
    Column("at", Integer, nullable=False),
    CheckConstraint("epoch > 0", name="epoch"),
)

pools = _table(  # accounts that reached a limit; a row stays until the account answers again, and counts when not yet over
    "pools",
    Column("name", Text, primary_key=True),  # the project's, whatever session or host met the limit
    Column("paused_until", Integer, nullable=False),  # wall clock: it is told so, and outlasts a reboot
    Column(
        "since_at", Integer, nullable=False
    ),  # an answer to a call that began before it says nothing of it
    Column("guesses", Integer, nullable=False),  # how often in a row nobody said when it ends
    Column("agent", Text, nullable=False),  # who met it
    Column("why", Text, nullable=False),
    CheckConstraint("name <> ''", name="name"),
    CheckConstraint("paused_until > since_at", name="paused_until"),
    CheckConstraint("guesses >= 0", name="guesses"),
    CheckConstraint("length(why) <= 500", name="why"),
)


def of_session(table: Table) -> ColumnElement[bool]:
    """The rows of `:session`. Runs and edges are found by their tasks, and have no index of their own for it."""
    mine: BindParameter[str] = bindparam("session")
    if table in (runs, edges):
        return table.c.task_id.in_(select(tasks.c.id).where(tasks.c.session_id == mine))
    return table.c.session_id == mine

"""The tables of a session; the constraint is where the rule lives (docs/architecture.md)."""

from __future__ import annotations

from sqlalchemy import (
    BindParameter,
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKey,
    ForeignKeyConstraint,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
    bindparam,
    select,
    text,
)

from orchestrator.domain.model import RunOutcome, SessionStatus, TaskStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.store.project_tables import contents, hosts
from orchestrator.store.table_conventions import (
    Integer,
    JsonText,
    Real,
    Text,
    flag,
    index,
    is_any,
    metadata,
    one_of,
    table,
)
from orchestrator.store.work_tables import candidates, checks, commits, links, trees, works

__all__ = [
    "agent_calls",
    "agent_tokens",
    "artifacts",
    "candidates",
    "checks",
    "commits",
    "critiques",
    "decisions",
    "edges",
    "findings",
    "links",
    "memory",
    "messages",
    "metadata",
    "of_session",
    "products",
    "projections",
    "runs",
    "sessions",
    "snapshots",
    "table_of",
    "tasks",
    "trees",
    "verdicts",
    "works",
]

sessions = table(
    "sessions",
    Column("id", Text, primary_key=True),
    Column("mode", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("workspace", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("pause_reason", Text),
    Column("gate", Text),
    Column("score", Real),
    Column("needs_beat", Integer, nullable=False, server_default=text("1")),  # a beat is wanted
    Column("messages", Integer, nullable=False, server_default=text("0")),  # the last number given
    Column("projected", Integer, nullable=False, server_default=text("0")),  # the number the files show
    Column("archived", Integer, nullable=False, server_default=text("0")),
    Column("created_at", Integer, nullable=False),
    Column("updated_at", Integer, nullable=False),
    Column("finished_at", Integer),
    Column("options", JsonText, nullable=False),
    Column("pause_detail", JsonText),
    Column("budget", JsonText),  # caps, counted (domain/budget.py), and which were warned of; NULL: none
    Column("request", Text, nullable=False),
    one_of("status", SessionStatus, "status"),
    one_of("pause_reason", PauseReason, "pause_reason"),
    CheckConstraint("(status = 'paused') = (pause_reason IS NOT NULL)", name="paused_has_reason"),
    CheckConstraint("(status IN ('completed', 'cancelled')) = (finished_at IS NOT NULL)", name="finished"),
    CheckConstraint("projected <= messages", name="projected"),
    flag("needs_beat"),
    flag("archived"),
)
index("ix_sessions_needs_beat", sessions.c.id, where="needs_beat = 1")
index("ix_sessions_status", sessions.c.status)
index("ix_sessions_created", sessions.c.created_at, sessions.c.id)  # the order of lists
index("ix_sessions_unprojected", sessions.c.id, where="projected < messages")

snapshots = (
    table(  # pipeline, roles, perspectives and gates a session was started with; large, and never changed
        "snapshots",
        Column("session_id", Text, ForeignKey(sessions.c.id), primary_key=True),
        Column("data", JsonText, nullable=False),
    )
)

tasks = table(
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
    Column("payload", JsonText, nullable=False),
    Column("error", Text),
    UniqueConstraint("session_id", "key"),
    UniqueConstraint("session_id", "id"),
    one_of("status", TaskStatus, "status"),
    CheckConstraint("offered_at IS NULL OR (status = 'pending' AND unmet = 0)", name="offered_is_ready"),
    CheckConstraint("status <> 'in_progress' OR unmet = 0", name="runs_unblocked"),
    CheckConstraint("unmet >= 0", name="unmet"),
    CheckConstraint("attempts >= 0 AND attempts <= max_attempts", name="attempts"),
    CheckConstraint("limited_by IS NULL OR not_before IS NOT NULL", name="limited_until"),
    CheckConstraint("(revision_of IS NULL) = (revision_no = 0)", name="revision"),
    CheckConstraint(
        f"{is_any('status', 'completed', 'skipped', 'cancelled', 'failed')} = (finished_at IS NOT NULL)",
        name="finished",
    ),
    flag("made_for"),
    flag("checkpoint_after"),
)
index(
    "ix_tasks_ready",
    tasks.c.session_id,
    tasks.c.offered_at,
    tasks.c.seq,
    where="status = 'pending' AND unmet = 0",
)
index(
    "ix_tasks_offered",
    tasks.c.priority.desc(),
    tasks.c.offered_at,
    where="offered_at IS NOT NULL",
)

edges = table(
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
index("ix_edges_blocker_id", edges.c.blocker_id)

runs = table(
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
    Column("counted", Integer, nullable=False, server_default=text("0")),
    Column("phase", Text, nullable=False, server_default=text("'context'")),
    Column("agent", Text),
    Column("error", Text),
    Column("timings", JsonText),
    Column("accumulator", JsonText),
    Column("input_digest", Text),
    Column("produced", JsonText),  # what the run made and says of it, before it reports
    Column("produced_at", Integer),
    ForeignKeyConstraint(["session_id", "task_id"], [tasks.c.session_id, tasks.c.id], name="fk_runs_task"),
    UniqueConstraint("task_id", "epoch"),
    one_of("opened_by", ("offer", "loop", "fast"), "opened_by"),
    one_of("outcome", RunOutcome, "outcome"),
    CheckConstraint("(outcome IS NULL) = (closed_at IS NULL)", name="closed"),
    CheckConstraint("counted = 0 OR outcome IN ('failed', 'lost')", name="counted"),
)
index("uq_runs_open", runs.c.session_id, runs.c.task_id, unique=True, where="outcome IS NULL")
index("uq_runs_completed", runs.c.task_id, unique=True, where="outcome = 'completed'")

products = table(  # what a run has produced and not yet reported
    "products",
    Column("run_id", Text, ForeignKey(runs.c.id), nullable=False),
    Column("path", Text, nullable=False),
    Column("sha256", Text, ForeignKey(contents.c.sha256), nullable=False),
    Column("kind", Text, nullable=False),
    PrimaryKeyConstraint("run_id", "path"),
    clustered=True,
)

agent_tokens = table(  # by which agents of the run on other machines ask the server
    "agent_tokens",
    Column("run_id", Text, ForeignKey(runs.c.id), nullable=False),
    Column("sha256", Text, nullable=False),  # of the token, which nobody keeps
    PrimaryKeyConstraint("run_id", "sha256"),
    CheckConstraint("length(sha256) = 64", name="sha256"),
    clustered=True,
)

critiques = table(  # each perspective's reply, stored as it comes
    "critiques",
    Column("run_id", Text, ForeignKey(runs.c.id), nullable=False),
    Column("perspective", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("reply", JsonText, nullable=False),
    Column("notes", JsonText, nullable=False),
    Column("created_at", Integer, nullable=False),
    PrimaryKeyConstraint("run_id", "perspective"),
)

artifacts = table(
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

projections = table(  # what the projector last wrote under a path: tells a hand edit apart
    "projections",
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("path", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    PrimaryKeyConstraint("session_id", "path"),
)

messages = table(
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
    Column("data", JsonText),
    PrimaryKeyConstraint("session_id", "number"),
    one_of("kind", ("message", "event"), "kind"),
    CheckConstraint("number > 0", name="number"),
    clustered=True,
)
index(
    "ix_messages_notices", messages.c.at, where="type = 'paused' OR type = 'completed'"
)  # what people are told
index(
    "ix_messages_edit_conflicts",
    messages.c.session_id,
    messages.c.number,
    where="type = 'edit_conflict' OR type = 'edit_conflict_settled'",
)

verdicts = table(
    "verdicts",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("task_id", Integer, nullable=False),
    Column("run_id", Text, ForeignKey(runs.c.id), nullable=False),
    Column("kind", Text, nullable=False),
    Column("round", Text),
    Column("consensus", Text),
    Column("severity", Text),
    Column("mean", Real),
    Column("gate", Text),
    Column("score", Real),
    Column("record", Text),
    Column("data", JsonText, nullable=False),
    Column("created_at", Integer, nullable=False),
    UniqueConstraint("run_id", "kind"),
    one_of("kind", ("discuss", "gate", "test", "review"), "kind"),
    one_of("consensus", ("reached", "blocked"), "consensus"),
    one_of("severity", ("HIGH", "MEDIUM", "LOW"), "severity"),
    one_of("gate", ("PASS", "REVIEW", "FAIL"), "gate"),
)
index("ix_verdicts_session", verdicts.c.session_id)

findings = table(
    "findings",
    Column("verdict_id", Integer, ForeignKey(verdicts.c.id), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),  # divergence, action, missing, weakness, risk
    Column("severity", Text),
    Column("perspective", Text),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("verdict_id", "number"),
)

agent_calls = table(
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
    Column("call", Text),  # the id that its caller gave it
    Column("account", Text),  # whose limit it asked as it began
    one_of("cost_source", ("reported", "computed", "unknown"), "cost_source"),
    CheckConstraint("(cost_micros IS NULL) = (cost_source = 'unknown')", name="cost_has_source"),
    CheckConstraint("(prices_of IS NOT NULL) = (cost_source = 'computed')", name="computed_has_prices"),
    flag("metered"),
)
index("ix_agent_calls_session", agent_calls.c.session_id)
index("ix_agent_calls_run", agent_calls.c.run_id)
index("uq_agent_calls_call", agent_calls.c.run_id, agent_calls.c.call, unique=True, where="call IS NOT NULL")
index(
    "ix_agent_calls_history",
    agent_calls.c.agent,
    where="metered = 1 AND finished_at IS NOT NULL",
)

decisions = table(
    "decisions",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("subject", Text, nullable=False),  # a pause reason, "gate", a task key
    Column("digest", Text),  # of what was approved
    Column("who", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("forced", Integer, nullable=False, server_default=text("0")),
    Column("at", Integer, nullable=False),
    flag("forced"),
)
index("ix_decisions_session", decisions.c.session_id)

memory = table(
    "memory",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey(sessions.c.id), nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),  # wisdom: its file; shared: the role's field
    Column("author", Text, nullable=False),
    Column("task_key", Text),
    Column("data", JsonText, nullable=False),
    Column("at", Integer, nullable=False),
    one_of("kind", ("wisdom", "shared"), "kind"),
    CheckConstraint("kind <> 'shared' OR name = author", name="own_field"),
    CheckConstraint(
        f"kind <> 'wisdom' OR {is_any('name', 'learnings', 'decisions', 'conventions', 'issues')}",
        name="wisdom_file",
    ),
)
index("uq_memory_shared", memory.c.session_id, memory.c.name, unique=True, where="kind = 'shared'")
index("ix_memory_session", memory.c.session_id)


def table_of(name: str) -> Table:
    return metadata.tables[name]


def of_session(of: Table) -> ColumnElement[bool]:
    """The rows of `:session`. Runs and edges are found by their tasks, and have no index of their own for it."""
    mine: BindParameter[str] = bindparam("session")
    if of.name in (runs.name, edges.name):
        return of.c.task_id.in_(select(tasks.c.id).where(tasks.c.session_id == mine))
    return of.c.session_id == mine

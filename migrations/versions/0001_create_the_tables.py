"""Create the tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "commands",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commands")),
        sqlite_strict=True,
    )
    op.create_table(
        "contents",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.CheckConstraint("length(sha256) = 64", name=op.f("ck_contents_sha256")),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_contents")),
        sqlite_strict=True,
    )
    op.create_table(
        "hosts",
        sa.Column("incarnation", sa.Text(), nullable=False),
        sa.Column("boot", sa.Text(), nullable=False),
        sa.Column("pid_space", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("process_start", sa.Integer(), nullable=False),
        sa.Column("roles", sa.Text(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.Integer(), nullable=False),
        sa.Column("draining", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("started_at", sa.Integer(), nullable=False),
        sa.CheckConstraint("draining IN (0, 1)", name=op.f("ck_hosts_draining")),
        sa.CheckConstraint("slots > 0", name=op.f("ck_hosts_slots")),
        sa.PrimaryKeyConstraint("incarnation", name=op.f("pk_hosts")),
        sqlite_strict=True,
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("boot", sa.Text(), nullable=False),
        sa.Column("pid_space", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("process_start", sa.Integer(), nullable=False),
        sa.Column("until", sa.Integer(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.CheckConstraint("epoch > 0", name=op.f("ck_leases_epoch")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
        sqlite_strict=True,
    )
    op.create_table(
        "pools",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("paused_until", sa.Integer(), nullable=False),
        sa.Column("since_at", sa.Integer(), nullable=False),
        sa.Column("guesses", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.CheckConstraint("name <> ''", name=op.f("ck_pools_name")),
        sa.CheckConstraint("guesses >= 0", name=op.f("ck_pools_guesses")),
        sa.CheckConstraint("length(why) <= 500", name=op.f("ck_pools_why")),
        sa.CheckConstraint("paused_until > since_at", name=op.f("ck_pools_paused_until")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_pools")),
        sqlite_strict=True,
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("pause_reason", sa.Text(), nullable=True),
        sa.Column("gate", sa.Text(), nullable=True),
        sa.Column("score", sa.REAL(), nullable=True),
        sa.Column("dirty", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("messages", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("projected", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("archived", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.Integer(), nullable=False),
        sa.Column("finished_at", sa.Integer(), nullable=True),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("pause_detail", sa.Text(), nullable=True),
        sa.Column("budget", sa.Text(), nullable=True),
        sa.Column("request", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "(pause_reason = 'checkpoint' OR pause_reason = 'signoff_blocked' OR pause_reason = 'revision_exhausted' OR pause_reason = 'task_failed' OR pause_reason = 'discussion_blocked' OR pause_reason = 'plan_approval' OR pause_reason = 'supervision_blocked' OR pause_reason = 'discussion_feedback' OR pause_reason = 'agent_unavailable' OR pause_reason = 'disk' OR pause_reason = 'stalled' OR pause_reason = 'budget' OR pause_reason = 'user')",
            name=op.f("ck_sessions_pause_reason"),
        ),
        sa.CheckConstraint(
            "(status = 'active' OR status = 'paused' OR status = 'completed' OR status = 'cancelled')",
            name=op.f("ck_sessions_status"),
        ),
        sa.CheckConstraint(
            "(status = 'paused') = (pause_reason IS NOT NULL)", name=op.f("ck_sessions_paused_has_reason")
        ),
        sa.CheckConstraint(
            "(status IN ('completed', 'cancelled')) = (finished_at IS NOT NULL)",
            name=op.f("ck_sessions_finished"),
        ),
        sa.CheckConstraint("archived IN (0, 1)", name=op.f("ck_sessions_archived")),
        sa.CheckConstraint("dirty IN (0, 1)", name=op.f("ck_sessions_dirty")),
        sa.CheckConstraint("projected <= messages", name=op.f("ck_sessions_projected")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.create_index(
            "ix_sessions_dirty",
            ["id"],
            unique=False,
            sqlite_where=sa.text("dirty = 1"),
        )
        batch_op.create_index("ix_sessions_status", ["status"], unique=False)
        batch_op.create_index(
            "ix_sessions_unprojected",
            ["id"],
            unique=False,
            sqlite_where=sa.text("projected < messages"),
        )

    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("forced", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.CheckConstraint("forced IN (0, 1)", name=op.f("ck_decisions_forced")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_decisions_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("decisions", schema=None) as batch_op:
        batch_op.create_index("ix_decisions_session", ["session_id"], unique=False)

    op.create_table(
        "memory",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("task_key", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.CheckConstraint("(kind = 'wisdom' OR kind = 'shared')", name=op.f("ck_memory_kind")),
        sa.CheckConstraint("kind <> 'shared' OR name = author", name=op.f("ck_memory_own_field")),
        sa.CheckConstraint(
            "kind <> 'wisdom' OR (name = 'learnings' OR name = 'decisions' OR name = 'conventions' OR name = 'issues')",
            name=op.f("ck_memory_wisdom_file"),
        ),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_memory_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memory")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("memory", schema=None) as batch_op:
        batch_op.create_index("ix_memory_session", ["session_id"], unique=False)
        batch_op.create_index(
            "uq_memory_shared",
            ["session_id", "name"],
            unique=True,
            sqlite_where=sa.text("kind = 'shared'"),
        )

    op.create_table(
        "messages",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.Integer(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("known", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), nullable=True),
        sa.CheckConstraint("(kind = 'message' OR kind = 'event')", name=op.f("ck_messages_kind")),
        sa.CheckConstraint("number > 0", name=op.f("ck_messages_number")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_messages_session_id")),
        sa.PrimaryKeyConstraint("session_id", "number", name=op.f("pk_messages")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "projections",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_projections_session_id")),
        sa.PrimaryKeyConstraint("session_id", "path", name=op.f("pk_projections")),
        sqlite_strict=True,
    )
    op.create_table(
        "snapshots",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_snapshots_session_id")),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_snapshots")),
        sqlite_strict=True,
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("round", sa.Text(), nullable=True),
        sa.Column("revision_of", sa.Text(), nullable=True),
        sa.Column("revision_no", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("made_for", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("checkpoint_after", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("unmet", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("priority", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("not_before", sa.Integer(), nullable=True),
        sa.Column("limited_by", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.Column("offered_at", sa.Integer(), nullable=True),
        sa.Column("started_at", sa.Integer(), nullable=True),
        sa.Column("finished_at", sa.Integer(), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(status = 'completed' OR status = 'skipped' OR status = 'cancelled' OR status = 'failed') = (finished_at IS NOT NULL)",
            name=op.f("ck_tasks_finished"),
        ),
        sa.CheckConstraint(
            "(status = 'pending' OR status = 'in_progress' OR status = 'completed' OR status = 'failed' OR status = 'skipped' OR status = 'cancelled')",
            name=op.f("ck_tasks_status"),
        ),
        sa.CheckConstraint(
            "offered_at IS NULL OR (status = 'pending' AND unmet = 0)", name=op.f("ck_tasks_offered_is_ready")
        ),
        sa.CheckConstraint("status <> 'in_progress' OR unmet = 0", name=op.f("ck_tasks_runs_unblocked")),
        sa.CheckConstraint("(revision_of IS NULL) = (revision_no = 0)", name=op.f("ck_tasks_revision")),
        sa.CheckConstraint("attempts >= 0 AND attempts <= max_attempts", name=op.f("ck_tasks_attempts")),
        sa.CheckConstraint("checkpoint_after IN (0, 1)", name=op.f("ck_tasks_checkpoint_after")),
        sa.CheckConstraint("made_for IN (0, 1)", name=op.f("ck_tasks_made_for")),
        sa.CheckConstraint("unmet >= 0", name=op.f("ck_tasks_unmet")),
        sa.CheckConstraint(
            "limited_by IS NULL OR not_before IS NOT NULL", name=op.f("ck_tasks_limited_until")
        ),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_tasks_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
        sa.UniqueConstraint("session_id", "id", name=op.f("uq_tasks_session_id_id")),
        sa.UniqueConstraint("session_id", "key", name=op.f("uq_tasks_session_id_key")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("tasks", schema=None) as batch_op:
        batch_op.create_index(
            "ix_tasks_offered",
            [sa.literal_column("priority DESC"), "offered_at"],
            unique=False,
            sqlite_where=sa.text("offered_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_tasks_ready",
            ["session_id", "offered_at", "seq"],
            unique=False,
            sqlite_where=sa.text("status = 'pending' AND unmet = 0"),
        )

    op.create_table(
        "edges",
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("blocker_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.CheckConstraint("task_id <> blocker_id", name=op.f("ck_edges_no_self_edge")),
        sa.ForeignKeyConstraint(
            ["session_id", "blocker_id"], ["tasks.session_id", "tasks.id"], name="fk_edges_blocker"
        ),
        sa.ForeignKeyConstraint(
            ["session_id", "task_id"], ["tasks.session_id", "tasks.id"], name="fk_edges_task"
        ),
        sa.PrimaryKeyConstraint("task_id", "blocker_id", name=op.f("pk_edges")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("edges", schema=None) as batch_op:
        batch_op.create_index("ix_edges_blocker_id", ["blocker_id"], unique=False)

    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("opened_by", sa.Text(), nullable=False),
        sa.Column("loop", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.Integer(), nullable=False),
        sa.Column("closed_at", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("charged", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("phase", sa.Text(), server_default=sa.text("'context'"), nullable=False),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("timings", sa.Text(), nullable=True),
        sa.Column("accumulator", sa.Text(), nullable=True),
        sa.Column("input_digest", sa.Text(), nullable=True),
        sa.Column("produced", sa.Text(), nullable=True),
        sa.Column("produced_at", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "(opened_by = 'offer' OR opened_by = 'loop' OR opened_by = 'fast')",
            name=op.f("ck_runs_opened_by"),
        ),
        sa.CheckConstraint(
            "(outcome = 'completed' OR outcome = 'failed' OR outcome = 'lost' OR outcome = 'released' OR outcome = 'cancelled')",
            name=op.f("ck_runs_outcome"),
        ),
        sa.CheckConstraint("charged = 0 OR outcome IN ('failed', 'lost')", name=op.f("ck_runs_charged")),
        sa.CheckConstraint("(outcome IS NULL) = (closed_at IS NULL)", name=op.f("ck_runs_closed")),
        sa.ForeignKeyConstraint(["host"], ["hosts.incarnation"], name=op.f("fk_runs_host")),
        sa.ForeignKeyConstraint(
            ["session_id", "task_id"], ["tasks.session_id", "tasks.id"], name="fk_runs_task"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("task_id", "epoch", name=op.f("uq_runs_task_id_epoch")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.create_index(
            "uq_runs_completed",
            ["task_id"],
            unique=True,
            sqlite_where=sa.text("outcome = 'completed'"),
        )
        batch_op.create_index(
            "uq_runs_open",
            ["session_id", "task_id"],
            unique=True,
            sqlite_where=sa.text("outcome IS NULL"),
        )

    op.create_table(
        "agent_calls",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("perspective", sa.Text(), nullable=True),
        sa.Column("prompt_digest", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Integer(), nullable=False),
        sa.Column("finished_at", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("tokens_in", sa.Integer(), nullable=True),
        sa.Column("tokens_out", sa.Integer(), nullable=True),
        sa.Column("tokens_cached", sa.Integer(), nullable=True),
        sa.Column("cost_micros", sa.Integer(), nullable=True),
        sa.Column("cost_source", sa.Text(), server_default=sa.text("'unknown'"), nullable=False),
        sa.Column("prices_of", sa.Text(), nullable=True),
        sa.Column("metered", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("reserved_micros", sa.Integer(), nullable=True),
        sa.Column("reserved_tokens", sa.Integer(), nullable=True),
        sa.Column("retries", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(cost_source = 'reported' OR cost_source = 'computed' OR cost_source = 'unknown')",
            name=op.f("ck_agent_calls_cost_source"),
        ),
        sa.CheckConstraint(
            "(cost_micros IS NULL) = (cost_source = 'unknown')",
            name=op.f("ck_agent_calls_cost_has_source"),
        ),
        sa.CheckConstraint(
            "(prices_of IS NOT NULL) = (cost_source = 'computed')",
            name=op.f("ck_agent_calls_computed_has_prices"),
        ),
        sa.CheckConstraint("metered IN (0, 1)", name=op.f("ck_agent_calls_metered")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_agent_calls_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_agent_calls_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_calls")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("agent_calls", schema=None) as batch_op:
        batch_op.create_index(
            "ix_agent_calls_history",
            ["agent"],
            unique=False,
            sqlite_where=sa.text("metered = 1 AND finished_at IS NOT NULL"),
        )
        batch_op.create_index("ix_agent_calls_run", ["run_id"], unique=False)
        batch_op.create_index("ix_agent_calls_session", ["session_id"], unique=False)

    op.create_table(
        "artifacts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.CheckConstraint("version > 0", name=op.f("ck_artifacts_version")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_artifacts_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_artifacts_session_id")),
        sa.ForeignKeyConstraint(["sha256"], ["contents.sha256"], name=op.f("fk_artifacts_sha256")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_artifacts")),
        sa.UniqueConstraint(
            "session_id", "path", "version", name=op.f("uq_artifacts_session_id_path_version")
        ),
        sqlite_strict=True,
    )
    op.create_table(
        "critiques",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("perspective", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_critiques_run_id")),
        sa.PrimaryKeyConstraint("run_id", "perspective", name=op.f("pk_critiques")),
        sqlite_strict=True,
    )
    op.create_table(
        "products",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_products_run_id")),
        sa.ForeignKeyConstraint(["sha256"], ["contents.sha256"], name=op.f("fk_products_sha256")),
        sa.PrimaryKeyConstraint("run_id", "path", name=op.f("pk_products")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "verdicts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("round", sa.Text(), nullable=True),
        sa.Column("consensus", sa.Text(), nullable=True),
        sa.Column("severity", sa.Text(), nullable=True),
        sa.Column("mean", sa.REAL(), nullable=True),
        sa.Column("gate", sa.Text(), nullable=True),
        sa.Column("score", sa.REAL(), nullable=True),
        sa.Column("record", sa.Text(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "(consensus = 'reached' OR consensus = 'blocked')", name=op.f("ck_verdicts_consensus")
        ),
        sa.CheckConstraint(
            "(gate = 'PASS' OR gate = 'REVIEW' OR gate = 'FAIL')", name=op.f("ck_verdicts_gate")
        ),
        sa.CheckConstraint("(kind = 'discuss' OR kind = 'gate')", name=op.f("ck_verdicts_kind")),
        sa.CheckConstraint(
            "(severity = 'HIGH' OR severity = 'MEDIUM' OR severity = 'LOW')",
            name=op.f("ck_verdicts_severity"),
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_verdicts_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_verdicts_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verdicts")),
        sa.UniqueConstraint("run_id", "kind", name=op.f("uq_verdicts_run_id_kind")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("verdicts", schema=None) as batch_op:
        batch_op.create_index("ix_verdicts_session", ["session_id"], unique=False)

    op.create_table(
        "findings",
        sa.Column("verdict_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=True),
        sa.Column("perspective", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["verdict_id"], ["verdicts.id"], name=op.f("fk_findings_verdict_id")),
        sa.PrimaryKeyConstraint("verdict_id", "number", name=op.f("pk_findings")),
        sqlite_strict=True,
    )


def downgrade() -> None:
    raise NotImplementedError("restore the backup that was made before the upgrade")

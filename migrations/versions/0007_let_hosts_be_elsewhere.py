"""Let worker hosts be on other machines: tokens of hosts, whose token a host has, calls with their ids and accounts"""

import sqlalchemy as sa
from alembic import op

from orchestrator.store.table_conventions import Integer, Text

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "host_tokens",
        sa.Column("name", Text, nullable=False),
        sa.Column("sha256", Text, nullable=False),
        sa.Column("roles", Text, nullable=False),
        sa.Column("slots", Integer, nullable=False),
        sa.Column("created_at", Integer, nullable=False),
        sa.Column("revoked_at", Integer),
        sa.CheckConstraint("length(sha256) = 64", name=op.f("ck_host_tokens_sha256")),
        sa.CheckConstraint("slots > 0", name=op.f("ck_host_tokens_slots")),
        sa.CheckConstraint("name <> ''", name=op.f("ck_host_tokens_name")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_host_tokens")),
        sa.UniqueConstraint("sha256", name=op.f("uq_host_tokens_sha256")),
        sqlite_strict=True,
    )
    op.add_column("hosts", sa.Column("token", Text))
    op.add_column("agent_calls", sa.Column("call", Text))
    op.add_column("agent_calls", sa.Column("account", Text))
    where = sa.text("call IS NOT NULL")
    op.create_index(
        "uq_agent_calls_call",
        "agent_calls",
        ["run_id", "call"],
        unique=True,
        sqlite_where=where,
        postgresql_where=where,
    )

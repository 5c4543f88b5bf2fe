"""Let people be elsewhere: tokens of their mirrors, and an index of edits that were in conflict"""

import sqlalchemy as sa
from alembic import op

from orchestrator.store.table_conventions import Integer, Text

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "person_tokens",
        sa.Column("name", Text, nullable=False),
        sa.Column("sha256", Text, nullable=False),
        sa.Column("created_at", Integer, nullable=False),
        sa.Column("revoked_at", Integer),
        sa.CheckConstraint("length(sha256) = 64", name=op.f("ck_person_tokens_sha256")),
        sa.CheckConstraint("name <> ''", name=op.f("ck_person_tokens_name")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_person_tokens")),
        sa.UniqueConstraint("sha256", name=op.f("uq_person_tokens_sha256")),
        sqlite_strict=True,
    )
    where = sa.text("type = 'edit_conflict' OR type = 'edit_conflict_settled'")
    op.create_index(
        "ix_messages_edit_conflicts",
        "messages",
        ["session_id", "number"],
        sqlite_where=where,
        postgresql_where=where,
    )

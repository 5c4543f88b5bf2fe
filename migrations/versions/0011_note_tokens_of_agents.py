"""Note the tokens of agents elsewhere, so that each server of a project knows those that another one has given"""

import sqlalchemy as sa
from alembic import op

from orchestrator.store.table_conventions import Text

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "agent_tokens",
        sa.Column("run_id", Text, nullable=False),
        sa.Column("sha256", Text, nullable=False),
        sa.CheckConstraint("length(sha256) = 64", name=op.f("ck_agent_tokens_sha256")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_agent_tokens_run_id")),
        sa.PrimaryKeyConstraint("run_id", "sha256", name=op.f("pk_agent_tokens")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )

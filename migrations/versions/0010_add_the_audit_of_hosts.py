"""Add the audit of hosts: who let them in and who turned them out, and what they were refused"""

import sqlalchemy as sa
from alembic import op

from orchestrator.store.table_conventions import Integer, Text

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("id", Integer, nullable=False),
        sa.Column("at", Integer, nullable=False),
        sa.Column("what", Text, nullable=False),
        sa.Column("name", Text, nullable=False),
        sa.Column("who", Text, nullable=False),
        sa.Column("detail", Text, nullable=False),
        sa.CheckConstraint(
            "(what = 'added' OR what = 'revoked' OR what = 'joined' OR what = 'refused')",
            name=op.f("ck_audit_what"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_strict=True,
    )

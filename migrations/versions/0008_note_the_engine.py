"""Note which engine delivers offers, and since when it can be reached, or cannot"""

import sqlalchemy as sa
from alembic import op

from orchestrator.store.table_conventions import Integer, Text

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "engines",
        sa.Column("address", Text, nullable=False),
        sa.Column("queues", Text, nullable=False),
        sa.Column("version", Text),
        sa.Column("since_at", Integer, nullable=False),
        sa.Column("why", Text, nullable=False),
        sa.CheckConstraint("address <> ''", name=op.f("ck_engines_address")),
        sa.CheckConstraint("length(why) <= 500", name=op.f("ck_engines_why")),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_engines")),
        sqlite_strict=True,
    )

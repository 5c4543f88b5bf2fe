"""Note which engine delivers offers; which cell of a fleet a session is in, and which cells there are"""

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
    op.create_table(
        "custody",
        sa.Column("session_id", Text, nullable=False),
        sa.Column("epoch", Integer, nullable=False),
        sa.Column("state", Text, nullable=False),
        sa.Column("peer", Text, nullable=False),
        sa.Column("messages", Integer, nullable=False),
        sa.Column("at", Integer, nullable=False),
        sa.CheckConstraint("epoch > 0", name=op.f("ck_custody_epoch")),
        sa.CheckConstraint("state IN ('here', 'leaving', 'coming', 'gone')", name=op.f("ck_custody_state")),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_custody")),
        sqlite_strict=True,
    )
    op.create_table(
        "residents",
        sa.Column("session_id", Text, nullable=False),
        sa.Column("cell", Text, nullable=False),
        sa.Column("epoch", Integer, nullable=False),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_residents")),
        sqlite_strict=True,
    )
    op.create_table(
        "cells",
        sa.Column("name", Text, nullable=False),
        sa.Column("state", Text, nullable=False),
        sa.Column("at", Integer, nullable=False),
        sa.CheckConstraint(
            "state IN ('open', 'draining', 'drained', 'retired')", name=op.f("ck_cells_state")
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_cells")),
        sqlite_strict=True,
    )

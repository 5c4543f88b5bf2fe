"""Rename sessions.dirty, runs.charged and the table pools after what they hold"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

CONSTRAINTS = {
    "ck_sessions_dirty": "ck_sessions_needs_beat",
    "ck_runs_charged": "ck_runs_counted",
    "pk_pools": "pk_rate_limits",
    "ck_pools_paused_until": "ck_rate_limits_limited_until",
    "ck_pools_": "ck_rate_limits_",
}


def upgrade() -> None:
    _rename_constraints()
    op.alter_column("sessions", "dirty", new_column_name="needs_beat")
    op.alter_column("runs", "charged", new_column_name="counted")
    op.alter_column("pools", "paused_until", new_column_name="limited_until")
    op.rename_table("pools", "rate_limits")
    op.drop_index("ix_sessions_dirty", "sessions")
    op.create_index("ix_sessions_needs_beat", "sessions", ["id"], sqlite_where=sa.text("needs_beat = 1"))


def _rename_constraints() -> None:
    """SQLite has no statement for it, and documents that the text of its schema may be edited for such a change."""
    connection = op.get_bind()
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    rename = sa.text("UPDATE sqlite_schema SET sql = replace(sql, :old, :new) WHERE type = 'table'")
    connection.execute(rename, [{"old": old, "new": new} for old, new in CONSTRAINTS.items()])
    connection.exec_driver_sql("PRAGMA writable_schema = OFF")

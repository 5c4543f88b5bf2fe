"""Add checks of a tree, links between what belongs together, and verdicts of tests and reviews"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

REASONS = (
    "pause_reason = 'discussion_blocked' OR ",
    "pause_reason = 'discussion_blocked' OR pause_reason = 'work_question' OR ",
)
KINDS = (
    "(kind = 'discuss' OR kind = 'gate')",
    "(kind = 'discuss' OR kind = 'gate' OR kind = 'test' OR kind = 'review')",
)


def upgrade() -> None:
    _widen("verdicts", *KINDS)
    _widen("sessions", *REASONS)
    op.create_table(
        "checks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("tree_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("seconds", sa.REAL(), nullable=False),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "(outcome = 'passed' OR outcome = 'failed' OR outcome = 'unverified')",
            name=op.f("ck_checks_outcome"),
        ),
        sa.CheckConstraint("length(tree_id) IN (40, 64)", name=op.f("ck_checks_tree_id")),
        sa.CheckConstraint("seconds >= 0", name=op.f("ck_checks_seconds")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_checks_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["works.session_id"], name=op.f("fk_checks_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_checks")),
        sa.UniqueConstraint(
            "session_id", "tree_id", "kind", "key", name=op.f("uq_checks_session_id_tree_id_kind_key")
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_checks_run", "checks", ["run_id"], unique=False)
    op.create_table(
        "links",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("from_kind", sa.Text(), nullable=False),
        sa.Column("from_id", sa.Text(), nullable=False),
        sa.Column("from_digest", sa.Text(), nullable=True),
        sa.Column("to_kind", sa.Text(), nullable=False),
        sa.Column("to_id", sa.Text(), nullable=False),
        sa.Column("to_digest", sa.Text(), nullable=True),
        sa.Column("how", sa.Text(), nullable=False),
        sa.Column("verified", sa.Integer(), nullable=False),
        sa.Column("check_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.CheckConstraint("verified = 0 OR check_id IS NOT NULL", name=op.f("ck_links_verified_by_check")),
        sa.CheckConstraint("verified IN (0, 1)", name=op.f("ck_links_verified")),
        sa.ForeignKeyConstraint(["check_id"], ["checks.id"], name=op.f("fk_links_check_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_links_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["works.session_id"], name=op.f("fk_links_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_links")),
        sa.UniqueConstraint(
            "session_id",
            "from_kind",
            "from_id",
            "to_kind",
            "to_id",
            "how",
            "run_id",
            name=op.f("uq_links_session_id_from_kind_from_id_to_kind_to_id_how_run_id"),
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_links_to", "links", ["session_id", "to_kind", "to_id"], unique=False)


def _widen(table: str, old: str, new: str) -> None:
    """SQLite has no statement for it, and documents that the text of its schema may be edited for such a change."""
    connection = op.get_bind()
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    widen = sa.text(
        "UPDATE sqlite_schema SET sql = replace(sql, :old, :new) WHERE type = 'table' AND name = :name"
    )
    connection.execute(widen, {"old": old, "new": new, "name": table})
    connection.exec_driver_sql("PRAGMA writable_schema = OFF")

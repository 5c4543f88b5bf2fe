"""Add work in private trees"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "works",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("commits", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("tickets", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("branch", sa.Text(), nullable=True),
        sa.Column("published", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.CheckConstraint("(origin = 'repository' OR origin = 'snapshot')", name=op.f("ck_works_origin")),
        sa.CheckConstraint("(branch IS NULL) = (published IS NULL)", name=op.f("ck_works_published")),
        sa.CheckConstraint("(commits = 0) <= (head = base)", name=op.f("ck_works_head_without_commits")),
        sa.CheckConstraint("length(base) IN (40, 64)", name=op.f("ck_works_base")),
        sa.CheckConstraint("length(head) IN (40, 64)", name=op.f("ck_works_head")),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=op.f("fk_works_session_id")),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_works")),
        sqlite_strict=True,
    )
    op.create_table(
        "candidates",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("input_digest", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("commit_id", sa.Text(), nullable=False),
        sa.Column("tree_id", sa.Text(), nullable=False),
        sa.Column("flags", sa.Text(), nullable=False),
        sa.Column("ticket", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.CheckConstraint("length(base) IN (40, 64)", name=op.f("ck_candidates_base")),
        sa.CheckConstraint("length(commit_id) IN (40, 64)", name=op.f("ck_candidates_commit")),
        sa.CheckConstraint("length(tree_id) IN (40, 64)", name=op.f("ck_candidates_tree")),
        sa.CheckConstraint("ticket > 0", name=op.f("ck_candidates_ticket")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_candidates_run_id")),
        sa.ForeignKeyConstraint(
            ["session_id", "task_id"], ["tasks.session_id", "tasks.id"], name="fk_candidates_task"
        ),
        sa.ForeignKeyConstraint(["session_id"], ["works.session_id"], name=op.f("fk_candidates_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_candidates")),
        sa.UniqueConstraint("run_id", "commit_id", name=op.f("uq_candidates_run_id_commit_id")),
        sa.UniqueConstraint("session_id", "ticket", name=op.f("uq_candidates_session_id_ticket")),
        sqlite_strict=True,
    )
    op.create_index("ix_candidates_task", "candidates", ["task_id"], unique=False)
    op.create_table(
        "commits",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("commit_id", sa.Text(), nullable=False),
        sa.Column("parent", sa.Text(), nullable=False),
        sa.Column("tree_id", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.CheckConstraint("(author = 'run' OR author = 'user')", name=op.f("ck_commits_author")),
        sa.CheckConstraint("(author = 'run') = (run_id IS NOT NULL)", name=op.f("ck_commits_author_has_run")),
        sa.CheckConstraint("commit_id <> parent", name=op.f("ck_commits_parent")),
        sa.CheckConstraint("length(commit_id) IN (40, 64)", name=op.f("ck_commits_commit")),
        sa.CheckConstraint("length(tree_id) IN (40, 64)", name=op.f("ck_commits_tree")),
        sa.CheckConstraint("number > 0", name=op.f("ck_commits_number")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_commits_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["works.session_id"], name=op.f("fk_commits_session_id")),
        sa.PrimaryKeyConstraint("session_id", "number", name=op.f("pk_commits")),
        sa.UniqueConstraint("session_id", "commit_id", name=op.f("uq_commits_session_id_commit_id")),
        sa.UniqueConstraint("session_id", "parent", name=op.f("uq_commits_session_id_parent")),
        sqlite_strict=True,
    )
    op.create_index("ix_commits_run", "commits", ["run_id"], unique=False)
    op.create_table(
        "trees",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("lane", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("nonce", sa.Text(), nullable=False),
        sa.Column("folder", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("chain", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Integer(), nullable=False),
        sa.Column("retired_at", sa.Integer(), nullable=True),
        sa.Column("removed_at", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "(retired_at IS NOT NULL) = (state IN ('retired', 'trash'))", name=op.f("ck_trees_retired")
        ),
        sa.CheckConstraint(
            "(state = 'making' OR state = 'live' OR state = 'retired' OR state = 'trash')",
            name=op.f("ck_trees_state"),
        ),
        sa.CheckConstraint("removed_at IS NULL OR state = 'trash'", name=op.f("ck_trees_removed")),
        sa.CheckConstraint("lane >= 0 AND generation > 0", name=op.f("ck_trees_numbers")),
        sa.CheckConstraint("length(base) IN (40, 64)", name=op.f("ck_trees_base")),
        sa.CheckConstraint("length(nonce) = 32", name=op.f("ck_trees_nonce")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_trees_run_id")),
        sa.ForeignKeyConstraint(["session_id"], ["works.session_id"], name=op.f("fk_trees_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trees")),
        sa.UniqueConstraint("nonce", name=op.f("uq_trees_nonce")),
        sa.UniqueConstraint(
            "session_id", "lane", "generation", name=op.f("uq_trees_session_id_lane_generation")
        ),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_trees_left", "trees", ["session_id"], unique=False, sqlite_where=sa.text("removed_at IS NULL")
    )
    op.create_index(
        "uq_trees_in_use",
        "trees",
        ["session_id", "lane"],
        unique=True,
        sqlite_where=sa.text("state = 'making' OR state = 'live'"),
    )

"""The tables of work in private trees (docs/trees.md): what the session's store holds, and whose each tree is."""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    LargeBinary,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)

from orchestrator.store.table_conventions import Integer, JsonText, Real, Text, flag, index, one_of, table

__all__ = ["candidates", "checks", "commits", "links", "trees", "works"]

TREE_STATES = ("making", "live", "retired", "trash")
OUTCOMES = ("passed", "failed", "unverified")


def _is_id(column: str) -> str:
    """An object's id: 40 hexadecimal digits, or 64 of SHA-256."""
    return f"length({column}) IN (40, 64)"


works = table(  # the base of a session's work, and its newest commit, which its branches follow
    "works",
    Column("session_id", Text, ForeignKey("sessions.id"), primary_key=True),
    Column("origin", Text, nullable=False),
    Column("base", Text, nullable=False),
    Column("head", Text, nullable=False),
    Column("commits", Integer, nullable=False, server_default=text("0")),  # the last number given
    Column("tickets", Integer, nullable=False, server_default=text("0")),  # the last ticket given
    Column("branch", Text),  # where it was published last; NULL: nowhere yet
    Column("published", Text),  # the commit that we put there
    Column("created_at", Integer, nullable=False),
    one_of("origin", ("repository", "snapshot"), "origin"),
    CheckConstraint(_is_id("base"), name="base"),
    CheckConstraint(_is_id("head"), name="head"),
    CheckConstraint("(commits = 0) <= (head = base)", name="head_without_commits"),
    CheckConstraint("(branch IS NULL) = (published IS NULL)", name="published"),
)

trees = table(  # one generation of a lane; a row is never deleted before its session
    "trees",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey("works.session_id"), nullable=False),
    Column("lane", Integer, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("nonce", Text, nullable=False, unique=True),
    Column("folder", LargeBinary, nullable=False),  # a path need not be text
    Column("state", Text, nullable=False),
    Column("chain", Text, nullable=False),  # of the runs that may use it: runs.loop
    Column("run_id", Text, ForeignKey("runs.id"), nullable=False),  # who uses it, or did last
    Column("base", Text, nullable=False),  # the commit that was checked out last
    Column("created_at", Integer, nullable=False),
    Column("retired_at", Integer),
    Column("removed_at", Integer),  # the folder is gone
    UniqueConstraint("session_id", "lane", "generation"),
    one_of("state", TREE_STATES, "state"),
    CheckConstraint("lane >= 0 AND generation > 0", name="numbers"),
    CheckConstraint("length(nonce) = 32", name="nonce"),
    CheckConstraint(_is_id("base"), name="base"),
    CheckConstraint("(retired_at IS NOT NULL) = (state IN ('retired', 'trash'))", name="retired"),
    CheckConstraint("removed_at IS NULL OR state = 'trash'", name="removed"),
)
index(
    "uq_trees_in_use",
    trees.c.session_id,
    trees.c.lane,
    unique=True,
    where="state = 'making' OR state = 'live'",
)
index("ix_trees_left", trees.c.session_id, where="removed_at IS NULL")

candidates = table(  # what a run left in its tree, as a commit on its base, and its turn to land
    "candidates",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey("works.session_id"), nullable=False),
    Column("task_id", Integer, nullable=False),
    Column("run_id", Text, ForeignKey("runs.id"), nullable=False),
    Column("input_digest", Text, nullable=False),
    Column("base", Text, nullable=False),
    Column("commit_id", Text, nullable=False),
    Column("tree_id", Text, nullable=False),
    Column("flags", JsonText, nullable=False),  # what a check has to decide on
    Column("ticket", Integer),  # its place in the queue; NULL: not asked for yet
    Column("created_at", Integer, nullable=False),
    ForeignKeyConstraint(
        ["session_id", "task_id"], ["tasks.session_id", "tasks.id"], name="fk_candidates_task"
    ),
    UniqueConstraint("run_id", "commit_id"),
    UniqueConstraint("session_id", "ticket"),
    CheckConstraint(_is_id("base"), name="base"),
    CheckConstraint(_is_id("commit_id"), name="commit"),
    CheckConstraint(_is_id("tree_id"), name="tree"),
    CheckConstraint("ticket > 0", name="ticket"),
)
index("ix_candidates_task", candidates.c.task_id)

commits = table(  # what has landed, in one line from the base
    "commits",
    Column("session_id", Text, ForeignKey("works.session_id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("commit_id", Text, nullable=False),
    Column("parent", Text, nullable=False),
    Column("tree_id", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("run_id", Text, ForeignKey("runs.id")),  # NULL: the user's own commits
    Column("created_at", Integer, nullable=False),
    PrimaryKeyConstraint("session_id", "number"),
    UniqueConstraint("session_id", "commit_id"),
    UniqueConstraint("session_id", "parent"),
    one_of("author", ("run", "user"), "author"),
    CheckConstraint("(author = 'run') = (run_id IS NOT NULL)", name="author_has_run"),
    CheckConstraint("number > 0", name="number"),
    CheckConstraint("commit_id <> parent", name="parent"),
    CheckConstraint(_is_id("commit_id"), name="commit"),
    CheckConstraint(_is_id("tree_id"), name="tree"),
)
index("ix_commits_run", commits.c.run_id)

checks = table(  # what was found about one tree of files, once: a second look at the same tree takes the row
    "checks",
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, ForeignKey("works.session_id"), nullable=False),
    Column("tree_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Text, nullable=False),  # digest of everything else that shapes the outcome
    Column("outcome", Text, nullable=False),
    Column("data", JsonText, nullable=False),
    Column("run_id", Text, ForeignKey("runs.id"), nullable=False),  # who made it
    Column("seconds", Real, nullable=False),
    Column("created_at", Integer, nullable=False),
    UniqueConstraint("session_id", "tree_id", "kind", "key"),
    one_of("outcome", OUTCOMES, "outcome"),
    CheckConstraint(_is_id("tree_id"), name="tree_id"),
    CheckConstraint("seconds >= 0", name="seconds"),
)
index("ix_checks_run", checks.c.run_id)

links = (
    table(  # what belongs to what: a criterion to its test, a plan task to its commit, a commit to its files
        "links",
        Column("id", Integer, primary_key=True),
        Column("session_id", Text, ForeignKey("works.session_id"), nullable=False),
        Column("from_kind", Text, nullable=False),
        Column("from_id", Text, nullable=False),
        Column("from_digest", Text),
        Column("to_kind", Text, nullable=False),
        Column("to_id", Text, nullable=False),
        Column("to_digest", Text),
        Column("how", Text, nullable=False),  # claimed, diff, test, plan
        Column("verified", Integer, nullable=False),
        Column("check_id", Integer, ForeignKey("checks.id")),  # what verified it
        Column("run_id", Text, ForeignKey("runs.id"), nullable=False),
        Column("created_at", Integer, nullable=False),
        UniqueConstraint("session_id", "from_kind", "from_id", "to_kind", "to_id", "how", "run_id"),
        flag("verified"),
        CheckConstraint("verified = 0 OR check_id IS NOT NULL", name="verified_by_check"),
    )
)
index("ix_links_to", links.c.session_id, links.c.to_kind, links.c.to_id)

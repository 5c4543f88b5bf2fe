"""What the commits of sessions changed, counted, and how the work of two of them differs."""

from __future__ import annotations

import os

from orchestrator.domain.json_types import JsonObject
from workers.git.session_work import SessionWork

_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")


def changes_of(work: SessionWork) -> JsonObject:
    """How many commits landed, and the files and lines that they changed in all. Raises GitError."""
    row = work.row()
    words = ("diff", "--numstat", "-z", *_PLAIN, work.compared_with(row), row.head)
    counts = [each.split(b"\t", 2)[:2] for each in work.private.git.run(*words).fields]
    return {
        "base": row.base,
        "head": row.head,
        "commits": len(work.desk.landed(work.session)),
        "files": len(counts),
        "added": sum(
            int(added) for added, _ in counts if added != b"-"
        ),  # of a binary file nothing is counted
        "removed": sum(int(removed) for _, removed in counts if removed != b"-"),
    }


def difference(a: SessionWork, b: SessionWork) -> str:
    """The patch from what `a` has to what `b` has; each store reads the objects of the other for it. Raises GitError."""
    others = os.fspath(b.private.path / "objects")
    git = a.private.git.using(environment=(("GIT_ALTERNATE_OBJECT_DIRECTORIES", others),))
    return git.run("diff", *_PLAIN, a.row().head, b.row().head).out.decode("utf-8", "replace")


def own_difference(work: SessionWork) -> str:
    """The patch of what the session changed. Raises GitError."""
    row = work.row()
    words = ("diff", *_PLAIN, work.compared_with(row), row.head)
    return work.private.git.run(*words).out.decode("utf-8", "replace")

"""What a plan is checked against: the files that are there, and the items of the specification (docs/planning.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from orchestrator.domain.approvals import digest_of
from orchestrator.domain.patterns import expression
from orchestrator.domain.plan_checks import GROUND, Ground
from orchestrator.domain.spec_items import SpecItem, digests, items_of_pages
from workers.context.run_context import RunContext
from workers.context.written_documents import known_of
from workers.documents.content import Requirements
from workers.git.session_work import SessionWork
from workers.roles.plan_following import Following

MOST_PATHS = 20_000  # files that are known; of more, nothing is said about which exist
_IDS = expression(r"\b(?:REQ-\d{3}|NFR-[A-Z]{1,2}-\d{3}|ADR-\d{3}|EPIC-\d{3}|STORY-\d{3}-\d{3}|G-\d{3})\b")


def paths_of(work: SessionWork, commit: str) -> frozenset[str] | None:
    """The files of a commit; None where there are too many. Raises GitError."""
    listed = work.private.git.run("ls-tree", "-r", "-z", "--name-only", commit).fields
    if len(listed) > MOST_PATHS:
        return None
    paths = sorted(os.fsdecode(name) for name in listed)
    kept = [path for path in paths if not any(0xD800 <= ord(char) < 0xE000 for char in path)]
    return frozenset(kept)


def spec_digest(context: RunContext) -> str:
    """Of the specification as it is now."""
    return digest_of(("spec/",), {path: row.sha256 for path, row in context.artifacts.items()})


def items_now(context: RunContext) -> dict[str, SpecItem]:
    """The specification's items."""
    pages = [path for path in context.artifacts if path.startswith("spec/") and path.endswith(".md")]
    return items_of_pages({path: context.text(path) or "" for path in pages}, context.pack.documents)


def ground_of(
    context: RunContext,
    paths: frozenset[str] | None,
    items: Mapping[str, SpecItem],
    follows: Following | None,
) -> Ground:
    """The files, and the ids that the specification has; with what a plan before has made of it already."""
    known = known_of(context, context.pack.documents)
    ids = {name for each in known.values() for name in each.ids()}
    if not ids:  # a specification that was brought along: its ids are those that its text names
        texts = (context.text(path) or "" for path in context.artifacts if path.startswith("spec/"))
        ids = {name for text in texts for name in _IDS.findall(text)}
    listed = [
        item
        for each in known.values()
        if isinstance(each.content, Requirements)
        for item in each.content.items
    ]
    removed = frozenset[str]() if follows is None else follows.removed
    return Ground(
        paths,
        frozenset(ids) | removed,
        frozenset(item.id for item in listed if item.moscow == "Must"),
        digests(items),
        frozenset[str]() if follows is None else follows.settled,
        removed,
    )


def keep(context: RunContext, tree: str, ground: Ground) -> None:
    """Note what the plan is checked against, for whoever checks an edit of it. Raises LeaseLost."""
    row, digest = context.row, spec_digest(context)
    context.desk.add_check(row, tree, GROUND, digest, "passed", ground.as_json())

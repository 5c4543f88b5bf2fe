"""What the queries of `work.py` return: one named tuple for each kind of row."""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.named_tuple import NamedTuple


class Work(NamedTuple):
    """The base of a session's commits and the newest of them."""

    session_id: str
    origin: str
    base: str
    head: str
    commits: int
    tickets: int
    branch: str | None
    published: str | None
    created_at: int


class Tree(NamedTuple):
    """One generation of a lane."""

    id: int
    session_id: str
    lane: int
    generation: int
    nonce: str
    folder: bytes
    state: str
    chain: str
    run_id: str
    base: str
    created_at: int
    retired_at: int | None
    removed_at: int | None

    @property
    def path(self) -> Path:
        return Path(os.fsdecode(self.folder))


class LeftTree(NamedTuple):
    """A tree whose folder is not gone, and what became of the run that used it last."""

    id: int
    session_id: str
    nonce: str
    folder: bytes
    state: str
    base: str
    run_id: str
    outcome: str | None  # NULL: the run is open
    key: str
    epoch: int
    retired_at: int | None

    @property
    def path(self) -> Path:
        return Path(os.fsdecode(self.folder))


class Proposed(NamedTuple):
    """A candidate."""

    id: int
    session_id: str
    task_id: int
    run_id: str
    input_digest: str
    base: str
    commit_id: str
    tree_id: str
    flags: list[JsonObject]
    ticket: int | None
    created_at: int


class Commit(NamedTuple):
    """A commit that has landed."""

    session_id: str
    number: int
    commit_id: str
    parent: str
    tree_id: str
    author: str
    run_id: str | None
    created_at: int

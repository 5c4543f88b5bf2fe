"""A session's commits in a file of their own, and out of one into a store of this project."""

from __future__ import annotations

from pathlib import Path

from orchestrator.domain.errors import GitError, RepositoryUnusable
from orchestrator.domain.json_types import JsonObject
from workers.git.private_store import BASE, PrivateStore, create_store
from workers.git.publishing import is_ancestor, store_head
from workers.git.session_work import SessionWork
from workers.git.user_repository import UserRepository, find_repository

FETCH = ("protocol.file.allow=always", "fetch.fsckObjects=true")  # the file may come from a stranger
ARRIVED = "refs/lifecycle/arrived"


def write_bundle(work: SessionWork, to: Path) -> None:
    """Write what has landed as a git bundle; it builds on the base where that is a commit of the user's. Raises GitError."""
    row = work.row()
    store_head(work.private, row.head)
    without = ["--not", row.base] if row.origin == "repository" else []
    work.private.git.run("bundle", "create", "--quiet", str(to), work.private.branch, *without)


def read_bundle(
    workflow: Path, session: str, project: Path, base: str, origin: str, file: Path | None
) -> JsonObject:
    """Make the session's store from a bundle: its `head` and `line`, from the oldest: commit, parent and tree.

    None where nothing has landed. Raises RepositoryUnusable where the base is not here, GitError for a bundle that is not of
    this session.
    """
    _refuse_missing_base(find_repository(project), base, "repository" if file is None else origin)
    store = create_store(workflow, session, project)
    head = base if file is None else _fetched(store, session, base, file)
    known = store.ref(store.branch)
    if known is not None and not is_ancestor(
        store, known, head
    ):  # else it is what the session was here before
        raise GitError(
            "there is another store of this session",
            why=str(store.path),
            fix="move it away, then import again",
        )
    if origin == "repository":
        store.pin("base", base)
    if store.ref(BASE) is None:
        store.keep("base", base)
    store_head(store, head)
    words = ("log", "--reverse", "--first-parent", "--format=%H %P %T", f"{base}..{head}")
    line = [each.split() for each in store.git.run(*words).out.decode().splitlines()]
    return {"head": head, "line": [[each[0], each[1], each[-1]] for each in line]}


def _fetched(store: PrivateStore, session: str, base: str, file: Path) -> str:
    """The head that the bundle holds, its commits in the store."""
    source = f"+refs/heads/lifecycle/{session}:{ARRIVED}"
    words = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
    with store.writing_refs() as (git, _):
        git.using(config=FETCH).run(*words, str(file), source)
    head = store.ref(ARRIVED)
    if head is None or not store.has(head) or not is_ancestor(store, base, head):
        raise GitError(
            "the bundle does not hold the session's commits",
            why=f"they do not build on {base[:12]}",
            fix="export the session again",
        )
    return head


def _refuse_missing_base(repository: UserRepository | None, base: str, origin: str) -> None:
    if origin == "repository" and (repository is None or not repository.has(base)):
        raise RepositoryUnusable(
            "the project does not have the commit that the session's work builds on",
            why=base,
            fix="import it into a clone of the repository that has this commit",
        )

"""The session's branch in the user's repository: it lags behind the database's head, and never leads.

Nothing of the user's is overwritten. A branch that the user moved forward is adopted; one that was rewritten, or is in the
way, is left alone and the work goes to `lifecycle/<session>.2` instead; one that is checked out is not moved.
"""

from __future__ import annotations

from enum import StrEnum

from orchestrator import failpoints
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import GitError
from workers.git.git_process import Git
from workers.git.private_store import PrivateStore
from workers.git.user_repository import UserRepository

REVIEWED = "refs/lifecycle/reviewed"  # in the store of a session whose head is the user's already
PARENT = "refs/heads/lifecycle"  # a branch of the user's of this name excludes all of ours
LAST_BRANCH = 20  # of the branches tried when the earlier ones were rewritten


class Publication(StrEnum):
    """What became of a publication."""

    DONE = "done"  # the branch is at the head
    CHECKED_OUT = "checked_out"  # the user works on the branch: it was not moved
    ADVANCED = "advanced"  # the user committed on top of ours: these commits are to be adopted
    NOWHERE = (
        "nowhere"  # nothing has landed, or there is no repository with a commit: results come by `apply`
    )
    REFUSED = "refused"  # git would not write the ref


@dataclass(frozen=True, slots=True)
class Published:
    """Where the work can be found in the user's repository, and why not where it should be."""

    what: Publication
    branch: str
    commit: str | None  # what the branch is at
    why: str = ""


def store_head(store: PrivateStore, head: str) -> None:
    """Let the store's own branch follow the database's head. Raises GitError."""
    with store.writing_refs() as (git, _):
        git.run("update-ref", store.branch, head)


def publish(store: PrivateStore, head: str, published: str | None, base: str) -> Published:
    """Bring the user's branch to `head` by fetch and compare-and-swap; `published`: the last commit that we put there.

    Raises GitError when the objects cannot be brought over; then no ref has changed.
    """
    repository = store.repository
    if repository is None or repository.head() is None or head == base:
        return Published(Publication.NOWHERE, store.branch, None)
    if store.ref(REVIEWED) is not None:
        return Published(Publication.NOWHERE, store.branch, None, "the session reviews what is there already")
    for number in range(1, LAST_BRANCH + 1):
        branch = store.branch if number == 1 else f"{store.branch}.{number}"
        found = _publish(store, repository, branch, head, published, base)
        if found is not None:
            return found
    return Published(
        Publication.REFUSED, store.branch, None, f"{LAST_BRANCH} branches of that name were rewritten"
    )


def _publish(
    store: PrivateStore, repository: UserRepository, branch: str, head: str, published: str | None, base: str
) -> Published | None:
    """None where this branch is not at a commit of ours: it is left as it is."""
    at = repository.ref(branch)
    if at == head:
        return Published(Publication.DONE, branch, at)
    if at is not None and published == head and is_ancestor(store, head, at):
        return Published(Publication.ADVANCED, branch, at, "it has commits of yours on top")
    if at is not None and (not is_ancestor(store, at, head) or is_ancestor(store, at, base)):
        return None  # rewritten, or never ours
    place = repository.checked_out(branch)
    if place is not None:
        return Published(Publication.CHECKED_OUT, branch, at, f"{place} has it checked out")
    with store.writing_refs() as (git, users):
        _bring(store, git, users, head)
        try:
            users.run("update-ref", branch, head, at or "0" * len(head))
        except GitError as error:
            return Published(Publication.REFUSED, branch, at, _in_the_way(repository, branch) or error.why)
    failpoints.hit("head.published")
    return Published(Publication.DONE, branch, head)


def _in_the_way(repository: UserRepository, branch: str) -> str:
    """Which branch of the user's cannot exist beside ours, since one would be the other's folder; "" where none is."""
    found = repository.git.run("for-each-ref", "--count=1", "--format=%(refname)", branch).line
    if not found and repository.ref(PARENT) is not None:
        found = PARENT
    if not found or found == branch:
        return ""
    name, ours = (ref.removeprefix("refs/heads/") for ref in (found, branch))
    return (
        f"your branch {name} is in the way, git cannot have {ours} beside it: "
        f"`git branch -m {name} NAME` renames yours, `lifecycle apply` works without ours"
    )


def is_ancestor(store: PrivateStore, older: str, newer: str) -> bool:
    """Whether `newer` builds on `older`; both are read through the store's loan."""
    return store.git.run("merge-base", "--is-ancestor", older, newer, ok=(0, 1, 128)).code == 0


def adopt(store: PrivateStore, number: int, commit: str) -> None:
    """Keep the user's commits that are going to be part of ours, in both repositories. Raises GitError."""
    if store.repository is None:
        raise GitError("there is no repository to adopt from")
    store.pin(f"user/{number}", commit)
    store.keep(f"user/{number}", commit)


def bring(store: PrivateStore, head: str) -> None:
    """Copy what `head` needs into the user's repository, below one ref of ours. Raises GitError."""
    with store.writing_refs() as (git, users):
        _bring(store, git, users, head)


def _bring(store: PrivateStore, git: Git, users: Git, head: str) -> None:
    """Copy what `head` needs into the user's repository: objects, and one ref of ours."""
    git.run("update-ref", store.branch, head)
    users.using(config=("protocol.file.allow=always",)).run(
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-prune",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--no-recurse-submodules",
        "--no-show-forced-updates",
        str(store.path),
        f"+{store.branch}:refs/lifecycle/{store.session}/incoming",
    )

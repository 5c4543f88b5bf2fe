"""`lifecycle rebase`: the user's branch as it is now, which a session's work is to be brought onto."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import GitError, NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from workers.git.applying import assert_landed, branch_of, shown
from workers.git.merging import merge
from workers.git.publishing import is_ancestor
from workers.git.session_work import SessionWork


@dataclass(frozen=True, slots=True)
class UsersBranch:
    """What the user has checked out, and how it fits to the session's head."""

    commit: str
    name: str  # of the branch, else HEAD
    commits: int  # that the session does not have
    conflicts: tuple[bytes, ...]

    def as_json(self) -> JsonObject:
        return {
            "onto": self.commit,
            "name": self.name,
            "commits": self.commits,
            "conflicts": [shown(path) for path in self.conflicts],
        }


def users_branch(work: SessionWork) -> UsersBranch:
    """What is checked out; its commit is kept from now on, in both repositories, for the task that merges it.

    Raises NotAllowedNow where there is nothing to merge, GitError.
    """
    repository = work.private.repository
    if repository is None or work.row().origin == "snapshot":
        raise NotAllowedNow(
            f"{work.session} cannot be rebased: its folder had no commit",
            why="there is no branch that could have moved",
            fix=f"`lifecycle apply {work.session}` writes its files",
        )
    work.follow()
    head = assert_landed(work)
    commit = repository.head()
    if commit is None:
        raise NotAllowedNow(
            "your current branch has no commit",
            why="the session's work builds on another one",
            fix="`git switch` to the branch that it is meant for, then repeat the command",
        )
    git = work.private.git
    if commit == head:
        raise _merged(work, "what you have checked out is its last commit")
    if is_ancestor(work.private, commit, head):
        raise NotAllowedNow(
            f"{work.session} is on top of your branch already",
            why=f"all of {commit[:12]} is in it",
            fix=f"lifecycle apply {work.session}",
        )
    if git.run("merge-base", head, commit, ok=(0, 1)).code != 0:
        raise GitError(
            f"{work.session} and your branch have no commit in common",
            why=f"{head[:12]} and {commit[:12]}",
            fix="`git switch` to the branch that it is meant for, then repeat the command",
        )
    merged = merge(work.private, head, commit)
    if not merged.conflicts and merged.tree == work.private.tree_of(commit):
        raise _merged(work, "a merge would change nothing in it")
    work.private.pin(f"onto/{commit}", commit)
    work.private.keep(f"onto/{commit}", commit)
    count = git.run("rev-list", "--count", f"{head}..{commit}").line
    return UsersBranch(commit, branch_of(repository) or "HEAD", int(count), tuple(sorted(merged.conflicts)))


def _merged(work: SessionWork, why: str) -> NotAllowedNow:
    return NotAllowedNow(
        f"your branch has everything of {work.session} already",
        why=why,
        fix=f"nothing need be done; `lifecycle check {work.session}` shows its commits",
    )

"""`lifecycle apply`: a session's work into what the user has checked out, in the foreground and by the user's own git.

nothing has landed, or a merge is going on   refused, as is a repository that is locked or another user's
a dry merge in the private store             conflicts are listed, nothing is touched
changed files that the merge would touch     refused, named
`git merge`, with hooks and signing          on any fault undone, and compared with before
"""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import GitError, NotAllowedNow
from orchestrator.domain.inert import inert, one_line
from orchestrator.domain.json_types import JsonObject
from workers.git.candidates import Change, changes_between
from workers.git.git_process import version
from workers.git.merging import merge
from workers.git.publishing import bring, is_ancestor
from workers.git.session_work import SessionWork
from workers.git.snapshot_files import write_files
from workers.git.user_repository import UserRepository
from workers.git.users_git import UsersGit

PULL_REQUEST = "qa/pull-request.md"
UNDO = "\n## How to undo\n"  # its last section
SHOWN = 20  # paths that an error names
UNDER_WAY = (
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "BISECT_LOG",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
)
UNMERGED = ("DD", "AU", "UD", "UA", "DU", "AA", "UU")


@dataclass(frozen=True, slots=True)
class Applied:
    """What `apply` did: fast_forwarded, merged, squashed, written (files, where there is no commit), already."""

    what: str
    head: str  # of the session
    before: str | None  # what was checked out
    commit: str | None  # what is now
    paths: tuple[bytes, ...] = ()
    branch: str | None = None  # that is checked out; None where HEAD is detached, and without a commit

    def as_json(self) -> JsonObject:
        paths = [shown(path) for path in self.paths]
        return {
            "what": self.what,
            "head": self.head,
            "before": self.before,
            "commit": self.commit,
            "branch": self.branch,
            "keep": "git switch -c NAME" if self.commit is not None and self.branch is None else None,
            "paths": paths,
        }


def shown(path: bytes) -> str:
    """A path for people; bytes that are no text are escaped."""
    return one_line(path.decode("utf-8", "backslashreplace"))


def apply(work: SessionWork, folder: Path, *, squash: bool, umask: int) -> Applied:
    """Bring the session's head into the user's current branch, or write its files where the base is no commit.

    Raises NotAllowedNow where that cannot be, with nothing changed; GitError.
    """
    row = work.row()
    if row.origin == "snapshot":
        assert_landed(work)
        top = folder if work.private.repository is None else work.private.repository.top or folder
        paths = write_files(work.private, row.base, row.head, top, umask)
        return Applied("written" if paths else "already", row.head, None, None, tuple(paths))
    repository = work.private.repository
    assert repository is not None  # the store was opened with its loan
    work.follow()
    head = assert_landed(work)
    top = _refuse_bare(repository)
    before = _checked_out(repository)
    branch = branch_of(repository)
    version(work.private.git)  # the user's shell may find another git than the coordinator
    users = UsersGit(top, umask)
    _refuse_under_way(repository, users)
    _refuse_locked(repository)
    if not repository.has(head):  # the branch could not be moved
        bring(work.private, head)
    if is_ancestor(work.private, head, before):
        return Applied("already", head, before, before, branch=branch)
    changes = _dry_merge(work, before, head)
    if not changes and not is_ancestor(
        work.private, before, head
    ):  # as after a squash: a merge would be empty
        return Applied("already", head, before, before, branch=branch)
    _refuse_changed(users, top, changes)
    (_squash if squash else _merge)(work, users, before, head)
    now = repository.head()
    what = "squashed" if squash else "fast_forwarded" if now == head else "merged"
    return Applied(what, head, before, now, tuple(change.path for change in changes), branch)


def assert_landed(work: SessionWork) -> str:
    """The head, where something is on top of the base. Raises NotAllowedNow."""
    row = work.row()
    if row.head == row.base:
        raise NotAllowedNow(
            f"{work.session} has no work to apply",
            why="none of its tasks has landed a commit",
            fix=f"`lifecycle check {work.session}` shows how far it is",
        )
    return row.head


def _refuse_bare(repository: UserRepository) -> Path:
    if repository.top is None:
        raise NotAllowedNow(
            "a bare repository has no files to apply to",
            why=str(repository.git_dir),
            fix="use the session's branch from a clone, or `lifecycle apply --patch FILE`",
        )
    return repository.top


def branch_of(repository: UserRepository) -> str | None:
    """The branch that is checked out; None where HEAD is detached."""
    name = repository.git.run("symbolic-ref", "--short", "--quiet", "HEAD", ok=(0, 1))
    return name.line if name.code == 0 else None


def _checked_out(repository: UserRepository) -> str:
    head = repository.head()
    if head is None:
        raise NotAllowedNow(
            "your current branch has no commit",
            why="the session's work builds on another one",
            fix="`git switch` to the branch that it is meant for, then repeat the command",
        )
    return head


def _refuse_under_way(repository: UserRepository, users: UsersGit) -> None:
    """Raises NotAllowedNow in the middle of a merge, a rebase and the like."""
    for name in UNDER_WAY:
        if (repository.git_dir / name).exists() or (name.isupper() and repository.ref(name) is not None):
            raise NotAllowedNow(
                "your repository is in the middle of another operation",
                why=f"{name} is there",
                fix="finish or abort it (`git status` says how), then repeat the command",
            )
    unmerged = [path for code, path in _status(users) if code in UNMERGED]
    if unmerged:
        raise NotAllowedNow("files in your folder have conflicts", why=_listed(unmerged), fix="resolve them")


def _refuse_locked(repository: UserRepository) -> None:
    """Raises NotAllowedNow where git could not write the index or the branch."""
    branch = repository.git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)).line
    locks = [repository.git_dir / "index.lock", repository.git_dir / "HEAD.lock"]
    locks += [repository.common_dir / f"{branch}.lock"] if branch else []
    found = next((lock for lock in locks if os.path.lexists(lock)), None)
    if found is not None:
        raise NotAllowedNow(
            "your repository is locked; nothing was changed",
            why=f"{found} is there: another git command is at work, or was killed",
            fix="wait until it has ended, or remove the file if none is running; then repeat the command",
        )


def _dry_merge(work: SessionWork, before: str, head: str) -> list[Change]:
    """What a merge would change in what is checked out. Raises NotAllowedNow for conflicts and unrelated histories."""
    if work.private.git.run("merge-base", before, head, ok=(0, 1)).code == 1:
        raise NotAllowedNow(
            f"your branch and the work of {work.session} have no commit in common",
            why=f"the work builds on {work.row().base[:12]}, which your branch does not have",
            fix="`git switch` to the branch that it is meant for, or take `lifecycle apply --patch FILE`",
        )
    merged = merge(work.private, before, head)
    if merged.conflicts:
        branch = (work.row().branch or work.private.branch).removeprefix("refs/heads/")
        raise NotAllowedNow(
            f"{work.session} conflicts with your branch; nothing was changed",
            why=_listed(sorted(merged.conflicts)),
            fix=f"`lifecycle rebase {work.session}` has the team resolve them; or `git merge {branch}` and do it yourself",
        )
    return changes_between(work.private.git, before, merged.tree)


def _refuse_changed(users: UsersGit, top: Path, changes: Sequence[Change]) -> None:
    """Raises NotAllowedNow for uncommitted changes that would be in the way.

    Whatever is staged is: a new commit would take it in, and undoing a merge would lose it.
    """
    touched = {change.path for change in changes}
    status = _status(users)
    found = {path for _, path in status if path in touched}
    found |= {path for code, path in status if code[0] not in " ?!"}
    new = [change.path for change in changes if change.status == "A"]
    found |= {path for path in new if _is_taken(top, path, touched)}
    if found:
        raise NotAllowedNow(
            "uncommitted changes of yours are in the way; nothing was changed",
            why=_listed(sorted(found)),
            fix="`git commit` or `git stash` them, then repeat the command",
        )


def _is_taken(top: Path, path: bytes, touched: Container[bytes]) -> bool:
    """Whether something that git does not track lies where a file is to go: it may be ignored, and would be lost."""
    if os.path.lexists(top / os.fsdecode(path)):
        return True
    parts = path.split(b"/")
    folders = [b"/".join(parts[:end]) for end in range(1, len(parts))]
    return any(
        folder not in touched and os.path.lexists(full) and (full.is_symlink() or not full.is_dir())
        for folder in folders
        for full in (top / os.fsdecode(folder),)
    )


def _status(users: UsersGit) -> list[tuple[str, bytes]]:
    """The changed files that git tracks, each with its two letters."""
    words = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all")
    fields = users.ask(*words).fields
    return [(field[:2].decode(), field[3:]) for field in fields]


def _listed(paths: Sequence[bytes]) -> str:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return ", ".join(shown(path) for path in paths[:SHOWN]) + more


def _merge(work: SessionWork, users: UsersGit, before: str, head: str) -> None:
    subject = f"Merge {work.session}: {work.desk.title(work.session)}"
    message = f"{one_line(subject)}\n\nLifecycle-Session: {work.session}\n"
    with _Undo(users, before) as undo:
        with_commit = [*_own_line(work), "-m", message] if _makes_commit(work, users, before, head) else []
        words = ("merge", "--commit", "--no-squash", "--no-autostash", "--no-edit", *with_commit, head)
        undo.check(users.do(*words), head)


def _own_line(work: SessionWork) -> list[str]:
    """After a rebase the session's first parents are not those of the user's branch: it has to keep its own."""
    row = work.row()
    return [] if work.compared_with(row) == row.base else ["--no-ff"]


def _makes_commit(work: SessionWork, users: UsersGit, before: str, head: str) -> bool:
    """Whether the merge will be a commit: with a message for nothing, git would print a remark."""
    if _own_line(work) or not is_ancestor(work.private, before, head):
        return True
    return users.ask("config", "--get", "merge.ff", ok=(0, 1)).line in ("false", "no", "off", "0")


def _squash(work: SessionWork, users: UsersGit, before: str, head: str) -> None:
    file = work.private.path / "squash.message"
    file.write_text(squash_message(work), encoding="utf-8")
    try:
        with _Undo(users, before) as undo:
            undo.check(users.do("merge", "--squash", "--ff", "--no-autostash", "--no-edit", head), None)
            undo.check(users.do("commit", "--cleanup=whitespace", "--no-edit", "-F", os.fspath(file)), None)
    finally:
        file.unlink()


class _Undo:
    """Brings the user's branch, index and files back to `before` unless the block comes to its end."""

    def __init__(self, users: UsersGit, before: str) -> None:
        self._users = users
        self._before = before
        self._status = _status(users)

    def __enter__(self) -> _Undo:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            return
        ask, do = self._users.ask, self._users.do
        if ask("rev-parse", "--verify", "--quiet", "MERGE_HEAD", ok=(0, 1)).code == 0:
            do("merge", "--abort")
        elif ask("rev-parse", "HEAD").line == self._before and _status(self._users) != self._status:
            do("reset", "--quiet", "--merge")
        if ask("rev-parse", "HEAD").line != self._before or _status(self._users) != self._status:
            raise GitError(
                "git stopped in the middle, and its merge could not be undone",
                why="your branch, or files in your folder, are not as they were",
                fix="`git status` shows what is left; `git merge --abort` may undo it",
            )

    def check(self, code: int, merged: str | None) -> None:
        """Raises GitError where git said no, and the branch does not have `merged` all the same."""
        if code == 0:
            return
        ask = self._users.ask
        if merged is not None and ask("merge-base", "--is-ancestor", merged, "HEAD", ok=(0, 1)).code == 0:
            return  # a hook that runs afterwards failed, and git has said so
        raise GitError(
            "git did not make the commit; everything is as it was",
            why="a hook, signing or a setting of yours refused it; what git said is above",
            fix="put that right and repeat the command, or take `lifecycle apply --patch FILE`",
        )


def squash_message(work: SessionWork) -> str:
    """The message of one commit for all: the session's pull request, else its title and what has landed."""
    told = work.desk.newest_text(work.session, PULL_REQUEST)
    if told is None:
        keys = [each.task or "your own commit" for each in work.desk.landed(work.session)]
        told = work.desk.title(work.session) + "\n\n" + "\n".join(f"- {key}" for key in keys) + "\n"
    else:
        told = told.lstrip("# \n").partition(UNDO)[0]  # how a merge is undone: one commit is reverted
    subject, _, rest = inert(told).partition("\n")
    return f"{one_line(subject)}\n\n{rest.strip()}\n\nLifecycle-Session: {work.session}\n"


def patch_of(work: SessionWork) -> bytes:
    """Everything that has landed as one patch for `git apply`. Raises NotAllowedNow, GitError."""
    head = assert_landed(work)
    return diff_of(work, work.compared_with(work.row()), head)


def diff_of(work: SessionWork, before: str, after: str) -> bytes:
    """The difference of two commits as a patch."""
    words = (
        "diff",
        "--binary",
        "--full-index",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
    )
    return work.private.git.run(*words, before, after).out

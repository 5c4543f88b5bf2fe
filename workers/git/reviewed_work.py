"""The work of a session that reviews commits of the user's: found out before it is made, begun by its first task.

The user's refs stay as they are, save `refs/lifecycle/<session>/` with the base and the head, which garbage collection
must not take. Nothing is ever published: the head is the user's already.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Mapping
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, fields
from orchestrator.domain.errors import GitError, UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.door.work_desk import WorkDesk
from orchestrator.store.forked_stores import drop_orphan
from workers.git.git_process import Git
from workers.git.private_store import PrivateStore, create_store, snapshot_of_user
from workers.git.publishing import REVIEWED, is_ancestor
from workers.git.session_work import SessionWork
from workers.git.user_repository import UserRepository, find_repository

MAIN = ("main", "master", "trunk", "develop")
PATCH_BYTES = 20_000_000
MOST_COMMITS = 200  # that are noted one by one
NAMED = 5


@dataclass(frozen=True, slots=True)
class ReviewSubject:
    """What is to be reviewed. `patch` comes on top of `head`."""

    base: str
    head: str
    base_name: str
    head_name: str
    commits: int
    files: int
    left_out: int  # changed files of the user's that are not in it
    patch: bytes | None = None

    def as_json(self) -> JsonObject:
        """For the one who asked, in another process."""
        patch = None if self.patch is None else base64.b64encode(self.patch).decode()
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "patch": patch}


def find_subject(
    folder: Path, base: str | None, head: str | None, patch: Path | None, *, include_dirty: bool = False
) -> ReviewSubject:
    """What these options name, checked; nothing is written to the repository. Raises UsageError, GitError."""
    repository = find_repository(folder)
    if repository is None:
        raise UsageError(
            "there is nothing to review: the project is no git repository",
            why=str(folder),
            fix="change to a repository, or make one with `git init` and a first commit",
        )
    if repository.head() is None and head is None:
        raise UsageError(
            "there is nothing to review: the repository has no commit",
            why=str(folder),
            fix="commit what is to be reviewed, and then what is added to it",
        )
    with tempfile.TemporaryDirectory(prefix="lifecycle-review-") as scratch:
        return _Resolver(repository, folder, Path(scratch)).subject(base, head, patch, include_dirty)


@dataclass(frozen=True)
class _Resolver:
    repository: UserRepository
    folder: Path
    scratch: Path

    @property
    def git(self) -> Git:
        return self.repository.git

    def subject(
        self, base: str | None, head: str | None, patch: Path | None, include_dirty: bool
    ) -> ReviewSubject:
        top = self._commit("head", head or "HEAD")
        body, left_out = None, 0
        if patch is not None:
            body = _read_patch(patch)
        elif head is None:
            tree, left_out = self._dirty(top)
            if include_dirty and left_out:
                body, left_out = self._patch_to(top, tree), 0
        if base is None and body is not None:
            bottom, base_name = top, head or "HEAD"
        else:
            bottom, base_name = self._base(base, top)
        if bottom != top and not self._is_ancestor(bottom, top):
            raise UsageError(
                f"{base_name} is not an ancestor of {head or 'HEAD'}",
                why="the review is of what was added since the base",
                fix=f"name the commit where both parted: --base $(git merge-base {base_name} {head or 'HEAD'})"
                if base is not None
                else "name it: --base REF",
            )
        files = self._changed(bottom, top) + (self._applied(top, body) if body is not None else 0)
        if not files:
            more = f"; {left_out} changed files are not committed" if left_out else ""
            raise UsageError(
                "there is nothing to review: the difference is empty",
                why=f"{base_name} and {head or 'HEAD'} hold the same files{more}",
                fix="--include-dirty adds what is not committed"
                if left_out
                else "name what to compare with: --base REF",
            )
        count = int(self.git.run("rev-list", "--count", f"{bottom}..{top}").line)
        return ReviewSubject(bottom, top, base_name, head or self._branch(), count, files, left_out, body)

    def _commit(self, what: str, name: str) -> str:
        if name.startswith("-") or "\0" in name or "\n" in name:
            raise UsageError(
                f"the {what} {name!r} is no commit",
                why="a ref does not look like this",
                fix="name a branch, a tag or a commit",
            )
        found = self.git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", ok=(0, 1, 128))
        if found.code != 0:
            known = self.git.run(
                "for-each-ref", f"--count={NAMED}", "--format=%(refname:short)", "refs/heads"
            )
            names = ", ".join(known.out.decode("utf-8", "replace").split()) or "(none)"
            raise UsageError(
                f"the {what} {name!r} is no commit of this repository",
                why=f"branches: {names}",
                fix="`git branch -a` and `git log --oneline` list what there is",
            )
        return found.line

    def _base(self, base: str | None, top: str) -> tuple[str, str]:
        """The base that was named, else where HEAD parted from its upstream or from the main branch."""
        if base is not None:
            return self._commit("base", base), base
        upstream = self.git.run(
            "rev-parse", "--symbolic-full-name", "--verify", "--quiet", "@{upstream}", ok=(0, 1, 128)
        )
        remote = self.git.run("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD", ok=(0, 1, 128))
        names = [each.line for each in (remote, upstream) if each.code == 0]
        for name in (*names, *(f"refs/heads/{each}" for each in MAIN)):
            found = self.git.run("merge-base", name, top, ok=(0, 1, 128))
            if found.code == 0 and found.line != top:
                short = name.removeprefix("refs/heads/").removeprefix("refs/remotes/")
                return found.line, short
        raise UsageError(
            "it is not clear what to compare with",
            why="HEAD has nothing on top of its upstream, or of a branch named " + " or ".join(MAIN[:2]),
            fix="name it: --base REF, for example --base HEAD~1",
        )

    def _branch(self) -> str:
        """The name of the branch that is checked out, else HEAD."""
        found = self.git.run("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1, 128))
        return found.line if found.code == 0 else "HEAD"

    def _is_ancestor(self, older: str, newer: str) -> bool:
        return self.git.run("merge-base", "--is-ancestor", older, newer, ok=(0, 1)).code == 0

    def _changed(self, before: str, after: str) -> int:
        return len(self.git.run("diff-tree", "-r", "-z", "--name-only", before, after).fields)

    def _store(self) -> PrivateStore:
        """A store that borrows the user's objects and is gone after the question."""
        return create_store(self.scratch, "review", self.folder)

    def _dirty(self, top: str) -> tuple[str, int]:
        """The tree of the user's folder, and how many files differ from `top`."""
        if self.repository.top is None:
            return top, 0
        tree, count = snapshot_of_user(self._store(), self.repository.top, top)
        return tree, count

    def _patch_to(self, top: str, tree: str) -> bytes:
        words = (
            "diff-tree",
            "-p",
            "--binary",
            "--full-index",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
        )
        body = self._store().git.run(*words, top, tree).out
        if len(body) > PATCH_BYTES:
            raise UsageError(
                "the uncommitted changes are too large",
                why=f"more than {PATCH_BYTES // 1_000_000} MB",
                fix="commit them, or have git ignore large files that are not part of the change",
            )
        return body

    def _applied(self, top: str, patch: bytes) -> int:
        """How many files a patch changes on `top`. Raises UsageError where it does not apply."""
        store = self._store()
        return self._count(store, top, apply_patch(store, top, patch))

    def _count(self, store: PrivateStore, top: str, tree: str) -> int:
        return len(store.git.run("diff-tree", "-r", "-z", "--name-only", top, tree).fields)


def apply_patch(store: PrivateStore, onto: str, patch: bytes) -> str:
    """The tree of the commit `onto` with the patch applied, in the store. Raises UsageError where it does not apply."""
    index = store.path / "patch.index"
    for stale in (index, index.with_name("patch.index.lock")):
        stale.unlink(missing_ok=True)
    git = store.git.using(index=index)
    try:
        git.run("read-tree", onto)
        done = git.run("apply", "--cached", "--whitespace=nowarn", "-", stdin=patch, ok=(0, 1, 128))
        if done.code != 0:
            said = done.err.decode("utf-8", "replace").strip().splitlines()
            raise UsageError(
                "the patch does not apply to HEAD",
                why="; ".join(said[:3]) or "git gave no reason",
                fix="make it against HEAD: git diff HEAD > change.patch",
            )
        return git.run("write-tree").line
    finally:
        index.unlink(missing_ok=True)


def _read_patch(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise UsageError(f"there is no patch {path}", why="it is no file", fix="name a file with a diff")
        if path.stat().st_size > PATCH_BYTES:
            raise UsageError(
                f"the patch {path} is too large",
                why=f"more than {PATCH_BYTES // 1_000_000} MB",
                fix="commit it on a branch and review that: --base REF --head BRANCH",
            )
        body = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"the patch {path} cannot be read", why=str(error), fix="name a file that you may read"
        ) from error
    if not body.strip():
        raise UsageError(
            "there is nothing to review: the patch is empty",
            why=str(path),
            fix="make it with a difference: git diff HEAD > change.patch",
        )
    return body


def open_reviewed_work(
    desk: WorkDesk,
    folder: Path,
    session: str,
    trees: Path,
    subject: Mapping[str, Json],
    patch: bytes | None,
    created_at: int,
) -> SessionWork:
    """The work of a review session, begun if it is not yet: the commits from its base to its head are adopted.

    A second call, also one at the same time, goes on with the first. Raises GitError, RepositoryUnusable.
    """
    begun = desk.work(session) is not None
    if not begun:
        drop_orphan(desk.workflow, session)
    private = create_store(desk.workflow, session, folder)
    done = SessionWork(desk, private, trees)
    if begun and private.ref(REVIEWED) is not None:
        return done
    base, head = str(subject["base"]), str(subject["head"])
    for name, commit in (("base", base), ("head", head)):
        if private.repository is None or not private.repository.has(commit):
            raise GitError(
                f"the {name} of the review is gone from the repository", why=commit, fix="start a new review"
            )
        private.pin(name, commit)
    private.keep("base", base)
    if patch is not None:
        message = f"Apply the patch under review\n\nLifecycle-Session: {session}\n"
        head = private.commit_tree(apply_patch(private, head, patch), head, message, created_at)
    private.keep("reviewed", head)
    desk.begin_work(session, "repository", base, _line(private, base, head))
    return done


def _line(store: PrivateStore, base: str, head: str) -> list[tuple[str, str]]:
    """(commit, tree) from the oldest; only the head where the first parents do not lead to the base, or are many."""
    words = ("log", "--reverse", "--first-parent", "--format=%H %T %P", f"{base}..{head}")
    found = [each.split() for each in store.git.run(*words).out.decode().splitlines()]
    parents = [base, *(each[0] for each in found)]
    is_line = all(parent in each[2:3] for parent, each in zip(parents, found, strict=False))
    if is_line and len(found) <= MOST_COMMITS:
        return [(each[0], each[1]) for each in found]
    return [(head, store.tree_of(head))] if is_ancestor(store, base, head) and base != head else []

"""The private bare store of a session: all its commits, on top of the user's objects, which it borrows.

It is created in steps that can be repeated, and opened with its loan checked: after a move of the project it borrows from
the new place. Only our commands run in it, so nothing that an agent plants is ever read as its configuration.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.errors import GitDiskFull, GitError, RepositoryUnusable
from orchestrator.domain.patterns import expression
from orchestrator.store.forked_stores import place
from workers.git.git_process import Git, version
from workers.git.ref_locks import fixing_base, writing_refs
from workers.git.tree_scan import nested_repositories
from workers.git.user_repository import OURS, Submodule, UserRepository, find_repository

AUTHOR = ("lifecycle", "session@lifecycle.invalid")
BASE = "refs/lifecycle/base"
CACHES = "__pycache__/\n*.py[co]\n.pytest_cache/\n.mypy_cache/\n.ruff_cache/\n"  # that nobody commits; tracked ones stay
_ID = expression("[0-9a-f]{40}|[0-9a-f]{64}")
PROMISOR = "lifecycle"  # stands for the remotes of a partial clone; it has no address


@dataclass(frozen=True, slots=True)
class Base:
    """What a session's work starts from."""

    commit: str
    origin: str  # repository, or snapshot: of a folder that has no commit
    left_out: int  # changed files of the user's that are not in it
    nested: tuple[str, ...] = ()  # repositories below the folder, which a snapshot leaves out


@dataclass(frozen=True)
class PrivateStore:
    """A session's store, as `create_store` or `open_store` gives it."""

    path: Path
    session: str
    repository: UserRepository | None

    @cached_property
    def git(self) -> Git:
        return Git(self.path, cwd=self.path, config=("core.sparseCheckout=true",) if self.is_sparse else ())

    @property
    def is_sparse(self) -> bool:
        """Whether its trees leave out what the user's sparse checkout leaves out."""
        return (self.path / "info" / "sparse-checkout").is_file()

    @property
    def branch(self) -> str:
        return f"refs/heads/lifecycle/{self.session}"

    def has(self, commit: str) -> bool:
        """Whether the commit is here with all that it reaches."""
        lacking = self.repository is not None and self.repository.promisors()
        words = ("--missing=allow-promisor",) if lacking else ()
        return self.git.run("rev-list", "--objects", "--quiet", *words, commit, ok=(0, 128)).code == 0

    def ref(self, name: str) -> str | None:
        """The commit of a ref, None where there is no such ref."""
        found = self.git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", ok=(0, 1))
        return found.line if found.code == 0 else None

    @contextmanager
    def writing_refs(self) -> Iterator[tuple[Git, Git]]:
        """Git on the store and on the user's repository, to write refs with; one of our processes at a time."""
        common = None if self.repository is None else self.repository.common_dir
        with writing_refs(self.path, common) as locked:
            users = self.git if self.repository is None else self.repository.git
            yield replace(self.git, holds=(locked,)), replace(users, holds=(locked,))

    def pin(self, name: str, commit: str) -> None:
        """Keep `commit` from the user's garbage collection, under refs/lifecycle/<session>/`name` there."""
        with self.writing_refs() as (_, users):
            users.run("update-ref", f"refs/lifecycle/{self.session}/{name}", commit)

    def keep(self, name: str, commit: str) -> None:
        """Create refs/lifecycle/`name`, or pass when it is equal. Raises GitError when it is another commit."""
        ref = f"refs/lifecycle/{name}"
        with self.writing_refs() as (git, _):
            try:
                git.run("update-ref", ref, commit, "0" * len(commit))
            except GitDiskFull:
                raise
            except GitError:
                if (known := self.ref(ref)) is None:
                    raise
                if known != commit:
                    raise GitError(
                        f"{ref} is another commit", why=f"it is {known}, expected {commit}"
                    ) from None

    def tree_of(self, commit: str) -> str:
        """The id of the commit's tree."""
        known = self._trees.get(commit)
        if known is None:
            known = self.git.run("rev-parse", "--verify", f"{commit}^{{tree}}").line
            if _ID.fullmatch(commit):
                self._trees[commit] = known
        return known

    @cached_property
    def _trees(self) -> dict[str, str]:
        return {}  # by a commit's id, which stands for one tree for ever

    @cached_property
    def line_ends(self) -> bool:
        """Whether the configuration says that files are converted on their way to a work tree."""
        words = ("config", "--get-regexp", r"^core\.(autocrlf|eol)$")
        return self.git.run(*words, ok=(0, 1)).code == 0

    def submodules(self, commit: str) -> list[Submodule]:
        """The submodules of a commit, with the objects that the user has of them."""
        if self.repository is None or commit in self._linkless:
            return []
        found = self.repository.submodules(commit, self.git)
        if not found and _ID.fullmatch(commit):
            self._linkless.add(commit)
        return found

    @cached_property
    def _linkless(self) -> set[str]:
        return set()  # commits without a submodule

    def parents_of(self, commit: str) -> list[str]:
        """The ids of the commit's parents."""
        return self.git.run("rev-parse", f"{commit}^@").out.decode().split()

    def commit_tree(
        self, tree: str, parent: str | None, message: str, at: int, merged: Sequence[str] = ()
    ) -> str:
        """Store a commit by us, dated `at` (microseconds of UTC), synced; its id. `merged`: its other parents."""
        name, email = AUTHOR
        when = f"@{at // 1_000_000} +0000"
        who = [
            (f"GIT_{role}_{part}", value)
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", name), ("EMAIL", email), ("DATE", when))
        ]
        parents = [] if parent is None else ["-p", parent]
        parents += [word for other in merged for word in ("-p", other)]
        git = self.git.using(environment=who)
        return git.run(
            "commit-tree", tree, *parents, "-F", "-", stdin=message.encode("utf-8", "replace")
        ).line


def create_store(workflow: Path, session: str, folder: Path, *, path: Path | None = None) -> PrivateStore:
    """Make the session's store for the project `folder`, or finish one that was begun; `path`: in another place than its own.

    Raises GitMissing, RepositoryUnusable for objects that a partial clone lacks, GitError.
    """
    repository = find_repository(folder)
    path = path or place(workflow, session)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    outside = Git(None, cwd=path.parent)
    version(outside)
    form = "sha1" if repository is None else repository.object_format
    store = PrivateStore(path, session, repository)
    with store.writing_refs():
        outside.run("init", "--quiet", "--bare", "--template=", f"--object-format={form}", os.fspath(path))
        (path / "info").mkdir(exist_ok=True)
        (path / "info" / "exclude").write_text(CACHES)
        if repository is not None:
            _borrow(store, repository)
            _configure(store, repository)
    return PrivateStore(path, session, repository)


def open_store(workflow: Path, session: str, folder: Path) -> PrivateStore:
    """The session's store, its loan renewed where the project has moved. Raises RepositoryUnusable, GitError."""
    path = place(workflow, session)
    if not (path / "HEAD").is_file():
        raise RepositoryUnusable(
            f"the private store of {session} is gone",
            why=f"{path} is not there",
            fix=f"bring it back from a copy; what was published is on lifecycle/{session} in your repository",
        )
    repository = find_repository(folder)
    store = PrivateStore(path, session, repository)
    if repository is not None:
        _borrow(store, repository)
    elif (path / "objects" / "info" / "alternates").is_file():
        raise RepositoryUnusable(
            f"the repository of {session} is gone",
            why=f"{folder} is no repository any more, and the session's commits build on it",
            fix="bring the repository back, then repeat the command",
        )
    _refuse_lost_base(store)
    return store


def fix_base(store: PrivateStore, folder: Path, now: int, *, include_dirty: bool = False) -> Base:
    """Choose the base, pin it in the user's repository and name it in the store. Repeating it keeps the first.

    The base is HEAD, with the user's changes on top if `include_dirty`, or a snapshot of `folder` where there is no
    commit. `now`: microseconds of UTC. Tasks of a session that begin side by side choose one. Raises RepositoryUnusable,
    GitError.
    """
    with fixing_base(store.path):
        return _fix_base(store, folder, now, include_dirty=include_dirty)


def _fix_base(store: PrivateStore, folder: Path, now: int, *, include_dirty: bool) -> Base:
    repository = store.repository
    head = None if repository is None else repository.head()
    if repository is not None and head is not None:
        _refuse_missing(repository, head)
        store.pin("base", head)
    known = store.ref(BASE)
    if known is not None:
        return Base(known, "snapshot" if head is None else "repository", 0)
    top = folder if repository is None or repository.top is None else repository.top
    is_bare = repository is not None and repository.top is None
    if is_bare and head is None:
        raise RepositoryUnusable("the repository is bare and has no commit", why=str(folder))
    nested = () if is_bare else tuple(nested_repositories(top))
    tree, count = (None, 0) if is_bare else _snapshot_of_user(store, top, head, nested)
    commit = head
    if tree is not None and (head is None or (include_dirty and count)):
        message = f"Take over {'uncommitted changes' if head else 'the folder'}\n\nLifecycle-Session: {store.session}\n"
        commit = store.commit_tree(tree, head, message, now)
        count = 0
    assert commit is not None
    store.keep("base", commit)
    return Base(commit, "snapshot" if head is None else "repository", count, tuple(map(os.fsdecode, nested)))


def snapshot_of_user(store: PrivateStore, top: Path, head: str) -> tuple[str, int]:
    """The tree of what lies in the user's folder, in the store, and how many files differ from the commit `head`."""
    return _snapshot_of_user(store, top, head, tuple(nested_repositories(top)))


def _snapshot_of_user(
    store: PrivateStore, top: Path, head: str | None, nested: tuple[bytes, ...]
) -> tuple[str, int]:
    """The tree of what lies in the user's folder, and how many files differ from `head`; by our index, nothing written."""
    repository = store.repository
    index = store.path / "user.index"
    index.unlink(missing_ok=True)
    index.with_name("user.index.lock").unlink(missing_ok=True)
    ignored = store.path / "user.ignored"
    ignored.write_bytes(b"" if repository is None else repository.ignore_rules())
    config = ("core.fsyncMethod=batch", f"core.excludesFile={ignored}")
    git = store.git.using(work_tree=top, index=index, config=config)
    known = [] if head is None or repository is None else repository.submodules(head, store.git)
    links = {module.path for module in known}
    left = [
        b":(exclude,literal,top)" + path
        for path in nested
        if path not in links or _leads_nowhere(top / os.fsdecode(path))
    ]
    try:
        git.run("read-tree", *(["--empty"] if head is None else [head]))
        if repository is not None and head is not None and repository.sparse_patterns() is not None:
            left_out = b"".join(path + b"\0" for path in repository.left_out_paths())
            git.run("update-index", "-z", "--skip-worktree", "--stdin", stdin=left_out)
        git.run("add", "-A", "--sparse", "--", ".", OURS, *left)
        tree = git.run("write-tree").line
    finally:
        index.unlink(missing_ok=True)
        ignored.unlink(missing_ok=True)
    if head is None:
        return tree, 0
    changed = store.git.run("diff-tree", "-r", "-z", "--name-only", "--ignore-submodules=all", head, tree)
    return tree, len(changed.fields)


def _leads_nowhere(folder: Path) -> bool:
    """Whether a submodule's `.git` file names a folder that is gone: `git add` would fail as a whole."""
    marker = folder / ".git"
    if not marker.is_file():
        return False
    named = marker.read_bytes().removeprefix(b"gitdir:").strip()
    return not (folder / os.fsdecode(named)).exists()


def _refuse_lost_base(store: PrivateStore) -> None:
    """Raises RepositoryUnusable where the base is named, and its commit is not there any more."""
    if store.git.run("cat-file", "-e", f"{BASE}^{{commit}}", ok=(0, 1, 128)).code == 0:
        return
    named = store.git.run("rev-parse", "--verify", "--quiet", BASE, ok=(0, 1)).line
    if named:
        raise RepositoryUnusable(
            f"the commit that {store.session} builds on is gone",
            why=f"{named} is not in your repository any more: its pin refs/lifecycle/{store.session}/base was removed",
            fix=f"`git fetch REMOTE {named}` brings it back from another clone, then repeat the command",
        )


def _borrow(store: PrivateStore, repository: UserRepository) -> None:
    """Let the store read the user's objects."""
    objects = os.fsencode(repository.objects)
    if b"\n" in objects or objects.startswith((b'"', b"#")):
        raise RepositoryUnusable(
            "the repository's path cannot be borrowed from", why="it has a line break, or begins with a quote"
        )
    _replace(store.path / "objects" / "info" / "alternates", objects + b"\n")
    shallow = repository.shallow()
    if shallow is not None:
        _replace(store.path / "shallow", shallow)


def _configure(store: PrivateStore, repository: UserRepository) -> None:
    """Take over how files are written to work trees, what is checked out, and what a partial clone may lack."""
    for name, value in repository.conversions.items():
        store.git.run("config", name, value)
    if repository.promisors():
        store.git.run("config", "core.repositoryFormatVersion", "1")
        store.git.run("config", "extensions.partialClone", PROMISOR)
        store.git.run("config", f"remote.{PROMISOR}.promisor", "true")
    patterns = repository.sparse_patterns()
    if patterns is not None:
        _replace(store.path / "info" / "sparse-checkout", patterns)
        store.git.run("config", "core.sparseCheckoutCone", "true" if repository.is_cone() else "false")


def _refuse_missing(repository: UserRepository, head: str) -> None:
    if not repository.promisors():
        return
    missing = repository.missing(head)
    if missing:
        raise RepositoryUnusable(
            "the partial clone lacks files of its newest commit",
            why=f"{len(missing)} objects were never fetched, the first is {missing[0]}",
            fix="`git fetch --refetch --no-filter` fetches them, then repeat the command",
        )


def _replace(path: Path, body: bytes) -> None:
    """Write the file unless it says this already; a reader sees the old one or the new one."""
    if path.is_file() and path.read_bytes() == body:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.write_bytes(body)
    new.replace(path)

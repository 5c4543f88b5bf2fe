"""A candidate: what an agent left in its tree, as a commit by us, on our own index.

Whatever the agent did to its .git (commits, stashes, rebases, hooks, deleting it) has no effect. Nested repositories are
moved aside, since one without a commit makes `git add` fail as a whole, one with a commit hides its files, and one with a
FIFO among its own holds git up; so does a FIFO for a .gitignore or .gitattributes, which goes the same way. A file
whose bytes are those of its base keeps the base's entry, though conversions of line ends would store it differently.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from orchestrator import failpoints
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import GitError, TreeError
from orchestrator.store.deletion import remove_folder
from workers.git.checkouts import Checkout, submodule_git
from workers.git.git_process import Answer, Git, Word
from workers.git.parent_folders import parent_folder
from workers.git.private_store import PrivateStore
from workers.git.tree_scan import ATTRIBUTES, Flag, Scan, flags_of_file, scan, twins

GITLINK = "160000"
LINK = "120000"
_ADDED = (0, 1, 128)  # exit codes of `git add` that it says a reason with
FOLDERS_BYTES = 50_000  # of the names of folders that are listed one by one
ATTRIBUTES_ANYWHERE = (".gitattributes", ":(glob)**/.gitattributes")


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs between two trees. Modes and ids are zeros where it is not there."""

    path: bytes
    status: str  # A, M, D, T, R
    mode_before: str
    mode: str
    id_before: str
    id: str
    path_before: bytes | None = None  # of a rename


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a tree holds, and what a check has to decide on."""

    tree: str
    changes: Sequence[Change]
    flags: Sequence[Flag]


def take_snapshot(
    store: PrivateStore,
    checkout: Checkout,
    base: str,
    *,
    index: Path | None = None,
    known: Container[str] = (),
) -> Snapshot:
    """Store everything in the tree that git would take; `base` is the commit that it was checked out from.

    `index`: instead of the tree's own, which a killed git may have left locked. `known`: trees of which only the id is
    wanted; such a snapshot tells no changes, and no flags but those of submodules.
    Nested repositories, and what else git would wait for, are moved to `aside`. Raises TreeError where the tree is not ours
    or a file cannot be read, GitError.
    """
    checkout.assert_ours()
    if checkout.work.is_symlink() or not checkout.work.is_dir():
        raise TreeError(why=f"{checkout.work} is no folder any more")
    git = checkout.git(store).using(index=index)
    # Git would ask a repository in a submodule's place what has changed there, with its configuration: what outlives an
    # agent's turn may put one there at any moment.
    # Git refuses a path beyond a link, and does not look there.
    left_out = [
        b":(exclude,literal)" + module.path
        for module in store.submodules(base)
        if not _is_beyond_link(checkout.work, module.path)
    ]
    add: Sequence[Word] = ("add", "-A", "--sparse", "--", ".", *left_out)
    found, added = _scan_and_add(checkout.work, git, add)
    flags = [Flag("special", path) for path in found.special]
    flags += [Flag("name", path.partition(b"/")[0]) for path in found.too_deep]
    flags += [Flag("nested", path) for path in found.nested]
    for path in found.blocking:
        _move_aside(checkout, path)
    if added is None:
        added = git.run(*add, ok=_ADDED)
    if added.code != 0:
        raise TreeError("the tree cannot be stored", why=added.err.decode(errors="replace").strip()[:500])
    tree = git.run("write-tree").line
    if tree in known:
        return Snapshot(tree, (), _changed_submodules(store, checkout, base, git))
    changes = changes_between(store.git, base, tree)
    untouched = _phantoms(store, checkout, git, base, changes, has_attributes=bool(found.attributes))
    if untouched:
        entries = b"".join(
            f"{change.mode_before} {change.id_before}\t".encode() + change.path + b"\0"
            for change in untouched
        )
        git.run("update-index", "-z", "--index-info", stdin=entries)
        tree = git.run("write-tree").line
        changes = [change for change in changes if change not in untouched]
    failpoints.hit("snap.objects")
    flags += _flags(store, checkout, git, base, tree, changes)
    return Snapshot(tree, changes, flags)


def _scan_and_add(work: Path, git: Git, add: Sequence[Word]) -> tuple[Scan, Answer | None]:
    """Walk a tree while git adds what is in it, which takes as long.

    Where the walk finds something that git must not meet there is no answer, and the index is as before: git may wait for
    it without end, and is stopped.
    """
    assert git.index is not None
    own, next_index = git.index, git.index.with_name(f"{git.index.name}.next")
    for left in (next_index, next_index.with_name(f"{next_index.name}.lock")):  # of a git that was killed
        left.unlink(missing_ok=True)
    if own.exists():
        shutil.copy2(own, next_index)  # with its time, by which git knows the files that it has to read again
    found, added = _scanned_beside(
        work, lambda stop: git.using(index=next_index).run(*add, ok=_ADDED, stop=stop)
    )
    if added is not None and added.code == 0:
        next_index.replace(own)
    next_index.unlink(missing_ok=True)
    return found, added


def _scanned_beside(work: Path, run: Callable[[int], Answer]) -> tuple[Scan, Answer | None]:
    """What a walk found, and what git said that ran meanwhile, unless something blocks it. Raises what either raised."""
    stop, stopping = os.pipe()

    def end_in_vain(walked: Future[Scan]) -> None:
        if walked.exception() or walked.result().blocking:
            os.write(stopping, b".")

    added = None
    try:
        with ThreadPoolExecutor(1, "scan") as walker:
            walk = walker.submit(scan, work)
            walk.add_done_callback(end_in_vain)
            try:
                added = run(stop)
            except GitError:
                if not walk.result().blocking:
                    raise
    finally:
        os.close(stop)
        os.close(stopping)
    found = walk.result()
    return found, None if found.blocking else added


def _is_beyond_link(top: Path, path: bytes) -> bool:
    """Whether a folder on the way to the path is a symbolic link."""
    return any((top / folder).is_symlink() for folder in Path(os.fsdecode(path)).parents)


def changes_between(git: Git, before: str, after: str, *, renames: bool = False) -> list[Change]:
    """The paths that differ between two commits or trees."""
    found = ["-M"] if renames else ["--no-renames"]
    words = ("diff-tree", "-r", "-z", "--no-ext-diff", "--no-textconv", *found, before, after)
    fields = iter(git.run(*words).fields)
    return [_change(described, fields) for described in fields]


def _change(described: bytes, fields: Iterator[bytes]) -> Change:
    mode_before, mode, id_before, id, status = described.decode().removeprefix(":").split()
    path = next(fields)
    before = path if status[0] in "RC" else None
    return Change(next(fields) if before else path, status[0], mode_before, mode, id_before, id, before)


def commit_message(subject: str, trailers: Mapping[str, str]) -> str:
    """A commit's message; `trailers` by their names after `Lifecycle-`, empty ones left out."""
    lines = [f"Lifecycle-{name}: {' '.join(value.split())}" for name, value in trailers.items() if value]
    return " ".join(subject.split()) + "\n\n" + "\n".join(lines) + "\n"


def _move_aside(checkout: Checkout, path: bytes) -> None:
    """Keep a nested .git out of the tree, under a number of its own. Nothing is moved that lies behind a link.

    Raises TreeError where it is gone or cannot be moved.
    """
    checkout.aside.mkdir(exist_ok=True)
    number = sum(1 for _ in checkout.aside.iterdir())
    try:
        with parent_folder(checkout.work, path) as folder:
            os.rename(path.rpartition(b"/")[2], checkout.aside / str(number), src_dir_fd=folder)
    except OSError as error:
        raise TreeError("what git cannot store cannot be moved out of the tree", why=str(error)) from error


def _phantoms(
    store: PrivateStore,
    checkout: Checkout,
    own: Git,
    base: str,
    changes: Sequence[Change],
    *,
    has_attributes: bool,
) -> list[Change]:
    """The changed files whose bytes in the tree are those that a checkout of their base entry gives."""
    modified = [
        change
        for change in changes
        if change.status == "M" and change.mode == change.mode_before and change.mode not in (GITLINK, LINK)
    ]
    if not modified or not (has_attributes or _may_convert(store, own, changes)):
        return []
    given = checkout.folder / "given"  # without attributes of the agent's, so that the base's count
    if given.exists():
        remove_folder(given)
    given.mkdir()
    index = checkout.folder / "given.index"
    index.with_name("given.index.lock").unlink(missing_ok=True)
    git = store.git.using(work_tree=given, index=index, config=("core.sparseCheckout=false",))
    try:
        git.run("read-tree", "--reset", base)
        git.run("checkout-index", "-z", "--stdin", stdin=b"".join(c.path + b"\0" for c in modified))
        return [change for change in modified if _is_equal(given, checkout.work, change.path)]
    finally:
        index.unlink(missing_ok=True)
        remove_folder(given)


def _may_convert(store: PrivateStore, own: Git, changes: Sequence[Change]) -> bool:
    """Whether what is not in the tree could store a file in another form than it has there: attributes that are gone, or
    that a sparse checkout leaves out, or the configuration."""
    return (
        any(change.path.rpartition(b"/")[2] == ATTRIBUTES for change in changes)
        or (store.is_sparse and bool(own.run("ls-files", "-z", "--", *ATTRIBUTES_ANYWHERE).out))
        or store.line_ends
    )


def _is_equal(one: Path, other: Path, path: bytes) -> bool:
    """Whether a file has the same bytes in both folders."""
    return filecmp.cmp(one / os.fsdecode(path), other / os.fsdecode(path), shallow=False)


def _flags(
    store: PrivateStore, checkout: Checkout, own: Git, base: str, tree: str, changes: Sequence[Change]
) -> list[Flag]:
    flags: list[Flag] = []
    new = [change.path for change in changes if change.status in "AR"]
    for change in changes:
        if GITLINK in (change.mode, change.mode_before):
            flags.append(Flag("submodule", change.path))
        elif change.status != "D":
            flags += flags_of_file(checkout.work, change.path)
    if new:
        flags += [Flag("twin", path) for path in twins(new, _names_around(store.git, tree, new))]
    return flags + _changed_submodules(store, checkout, base, own)


def _names_around(git: Git, tree: str, paths: Sequence[bytes]) -> list[bytes]:
    """What lies in the folders of `tree` that lead to `paths`, by whole paths; of many folders, all there is."""
    folders = {path[: at.end()] for path in paths for at in re.finditer(b"/", path)}
    words = ("ls-tree", "-z", "--name-only", "--full-tree")
    if sum(map(len, folders)) > FOLDERS_BYTES:
        return git.run(*words, "-r", tree).fields
    top = git.run(*words, tree).fields
    return top if not folders else top + git.run(*words, "--", tree, *folders).fields


def _changed_submodules(store: PrivateStore, checkout: Checkout, base: str, own: Git) -> list[Flag]:
    """Submodules in whose folder something differs from what was checked out: nothing of it can land."""
    flags = []
    for number, module in enumerate(store.submodules(base)):
        git = submodule_git(store, checkout, module, checkout.folder / f"submodule-{number}.index")
        folder = checkout.work / os.fsdecode(module.path)
        if not os.path.lexists(folder):
            shown = own.run("ls-files", "-v", "-z", "--", b":(literal)" + module.path)
            changed = not shown.out.startswith(b"S")  # a sparse checkout leaves it out
        elif git is None:
            changed = folder.is_symlink() or not folder.is_dir() or any(folder.iterdir())
        else:
            changed = bool(git.run("ls-files", "-z", "-m", "-d", "-o", "--exclude-standard").out)
        if changed:
            flags.append(Flag("submodule", module.path))
    return flags


@dataclass(frozen=True, slots=True)
class Candidate:
    """A commit of ours on its base, ready to be checked and landed."""

    base: str
    commit: str
    tree: str
    changes: Sequence[Change] = field(default=())
    flags: Sequence[Flag] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs from the base."""
        return not self.changes


def make_candidate(
    store: PrivateStore,
    checkout: Checkout,
    base: str,
    refs: str,
    message: str,
    now: int,
    merged: Sequence[str] = (),
) -> Candidate:
    """Commit what the tree holds, synced, under its id below refs/lifecycle/`refs`; `merged`: its other parents.

    Raises TreeError, GitError.
    """
    snapshot = take_snapshot(store, checkout, base)
    commit = store.commit_tree(snapshot.tree, base, message, now, merged)
    store.keep(f"{refs}/{commit}", commit)
    failpoints.hit("snap.ref")
    return Candidate(base, commit, snapshot.tree, snapshot.changes, snapshot.flags)

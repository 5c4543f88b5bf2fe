"""Plain checkouts for agents, outside the project, and the proof of whose they are.

<trees>/<project>/<session>/<lane>-<generation>/
    owner.json    the nonce of the tree's row; without it nothing below is ever deleted
    index         ours, which decides what a snapshot takes
    work/         the agent's; work/.git is a throwaway that none of our commands reads
    aside/        nested repositories that a snapshot moved out of the way
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from orchestrator import failpoints
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import GitError, NoRoomForTree, RepositoryUnusable, TreeError
from orchestrator.domain.identity import ProjectId
from orchestrator.store import files
from orchestrator.store.deletion import remove_folder
from workers.git.git_process import Git
from workers.git.private_store import PrivateStore
from workers.git.tree_files import has_equal_attributes, take, without_index
from workers.git.tree_scan import ignores_case, twins
from workers.git.user_repository import Submodule

RESERVE_BYTES = 256 << 20  # what a disk must have left before a tree is made
OWNER = "owner.json"
SHA1_DIGITS = 40  # of an id; those of SHA-256 are longer


@dataclass(frozen=True, slots=True)
class Checkout:
    """The folder of one generation of a lane; it need not be there."""

    folder: Path
    nonce: str

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def index(self) -> Path:
        return self.folder / "index"

    @property
    def aside(self) -> Path:
        return self.folder / "aside"

    def is_ours(self) -> bool:
        """Whether the folder is there and its ownership file has our nonce."""
        return read_nonce(self.folder) == self.nonce

    def assert_ours(self) -> None:
        """Raises TreeError."""
        if not self.is_ours():
            raise TreeError(why=f"{self.folder} is gone, or its {OWNER} has another nonce")

    def git(self, store: PrivateStore) -> Git:
        """Git on the store with this work tree and our index."""
        return store.git.using(work_tree=self.work, index=self.index)


def read_nonce(folder: Path) -> str | None:
    """The nonce that a folder's ownership file has, None where there is none or it is damaged."""
    if folder.is_symlink():
        return None
    try:
        owner = json.loads((folder / OWNER).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return owner.get("nonce") if isinstance(owner, dict) else None


def trees_folder(chosen: str | None) -> Path:
    """Where the trees of all projects are: the setting `work.trees`, else the user's state folder."""
    if chosen is not None:
        return Path(chosen).expanduser().absolute()
    return platformdirs.user_state_path("lifecycle", appauthor=False) / "trees"


def project_folder(trees: Path, project: ProjectId) -> Path:
    """Where the trees of one project are, under a name that no other project has."""
    return trees / hashlib.sha256(os.fsencode(project)).hexdigest()[:16]


def assert_room(trees: Path) -> None:
    """Raises NoRoomForTree before a tree is begun that could fill the disk."""
    trees.mkdir(mode=0o700, parents=True, exist_ok=True)
    free = shutil.disk_usage(trees).free
    if free < RESERVE_BYTES:
        raise NoRoomForTree(
            why=f"{free >> 20} MB are free below {trees}, {RESERVE_BYTES >> 20} MB are needed"
        )


@dataclass(frozen=True, slots=True)
class Spare:
    """A folder of files that is needed no more, and the index that we have of it."""

    files: Path
    index: Path


def make_checkout(
    store: PrivateStore, checkout: Checkout, commit: str, spare: Spare | None = None
) -> list[Submodule]:
    """Check `commit` out into a new folder; the submodules that are empty since their objects are not here.

    The ownership file is written first, so that a tree of any age can be proved ours, and our index last, so that nothing of
    a tree that was never finished is kept. `spare` is used up. Raises TreeError where the folder is there already,
    RepositoryUnusable for names that collide on its file system, GitError.
    """
    checkout.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        checkout.folder.mkdir(mode=0o700)
    except FileExistsError as error:
        raise TreeError(why=f"{checkout.folder} is there already") from error
    files.write(checkout.folder, OWNER, json.dumps({"nonce": checkout.nonce}).encode())
    checkout.work.mkdir()
    _refuse_collisions(store, checkout.folder, commit)
    if spare is None or not _taken(store, checkout, commit, spare):
        checkout.git(store).run("read-tree", "--reset", "-u", commit)
    empty = _fill_submodules(store, checkout, commit)
    failpoints.hit("tree.made")
    _make_throwaway(store, checkout, commit)
    return empty


def _taken(store: PrivateStore, checkout: Checkout, commit: str, spare: Spare) -> bool:
    """Make the tree of `spare`; False where it is still to be written."""
    if store.is_sparse or store.line_ends:
        return False
    index = checkout.folder / "taken.index"
    try:
        if take(checkout.git(store).using(index=index), commit, spare.files, spare.index):
            index.replace(checkout.index)
            return True
    except (GitError, OSError):  # what lies there cannot be read or removed, or is being deleted
        pass
    finally:
        without_index(index)
    if any(checkout.work.iterdir()):
        remove_folder(checkout.work)
        checkout.work.mkdir()
    return False


def reset_checkout(store: PrivateStore, checkout: Checkout, commit: str, held: str | None = None) -> None:
    """Bring a clean tree to `commit`; ignored files (caches, builds) stay. Raises TreeError, GitError.

    `held`: the tree that a snapshot has just found in it, so that only files which differ from that are looked at.
    """
    checkout.assert_ours()
    git = checkout.git(store)
    by_differences = ("read-tree", "-m", "-u", held or "", commit)
    is_like = held is not None and has_equal_attributes(git, commit)  # they say how files are written
    if not is_like or git.run(*by_differences, ok=(0, 128)).code != 0:
        git.run("read-tree", "--reset", "-u", commit)
    throwaway = checkout.work / ".git"
    if throwaway.is_dir() and not throwaway.is_symlink():
        remove_folder(throwaway)
    else:
        throwaway.unlink(missing_ok=True)
    _make_throwaway(store, checkout, commit)


def _make_throwaway(store: PrivateStore, checkout: Checkout, commit: str) -> None:
    """Give the agent a repository in which `git status` and `git diff` work; nothing of it is ever read by us."""
    own = checkout.work / ".git"
    for folder in ("objects/info", "refs/heads"):
        (own / folder).mkdir(parents=True)
    alternates = os.fsencode(store.path / "objects") + b"\n"
    (own / "objects" / "info" / "alternates").write_bytes(alternates)
    (own / "refs" / "heads" / "work").write_text(f"{commit}\n")
    (own / "HEAD").write_text("ref: refs/heads/work\n")
    is_sha1 = len(commit) == SHA1_DIGITS
    config = {"repositoryformatversion": "0" if is_sha1 else "1", "bare": "false"}
    if store.repository is not None:
        config |= {name.removeprefix("core."): value for name, value in store.repository.conversions.items()}
    lines = ["[core]", *(f"\t{name} = {_quoted(value)}" for name, value in config.items())]
    lines += [] if is_sha1 else ["[extensions]", "\tobjectformat = sha256"]
    (own / "config").write_bytes(os.fsencode("\n".join(lines) + "\n"))
    if (store.path / "shallow").is_file():
        shutil.copyfile(store.path / "shallow", own / "shallow")
    shutil.copy2(checkout.index, own / "index")  # says what a sparse checkout leaves out, too


def _quoted(value: str) -> str:
    """A value as git's configuration files have it."""
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        value = value.replace(plain, escaped)
    return f'"{value}"'


def _refuse_collisions(store: PrivateStore, folder: Path, commit: str) -> None:
    if not ignores_case(folder):
        return
    names = store.git.run("ls-tree", "-r", "-z", "--name-only", commit).fields
    refuse_twins(names)


def refuse_twins(names: Sequence[bytes]) -> None:
    """Raises RepositoryUnusable where names differ only in case or normal form."""
    found = twins(names, names)
    if found:
        shown = ", ".join(name.decode("utf-8", "backslashreplace") for name in found[:20])
        raise RepositoryUnusable(
            "names in the repository collide on this file system",
            why=f"{len(found)} of them, such as {shown}",
            fix="set `work.trees` to a folder on a file system that tells upper from lower case",
        )


def _fill_submodules(store: PrivateStore, checkout: Checkout, commit: str) -> list[Submodule]:
    """Check submodules out from the objects that the user has; those that have none here."""
    empty = []
    for number, module in enumerate(store.submodules(commit)):
        index = checkout.folder / f"submodule-{number}.index"
        git = submodule_git(store, checkout, module, index)
        if git is None:
            empty.append(module)
            continue
        git.run("read-tree", "--reset", "-u", module.commit)
    return empty


def submodule_git(store: PrivateStore, checkout: Checkout, module: Submodule, index: Path) -> Git | None:
    """Git on a submodule's folder with the user's objects of it, None where its commit is not here."""
    folder = checkout.work / os.fsdecode(module.path)
    if module.objects is None or folder.is_symlink() or not folder.is_dir():
        return None
    lent = [("GIT_ALTERNATE_OBJECT_DIRECTORIES", os.fspath(module.objects))]
    whole = ("core.sparseCheckout=false",)  # the patterns are those of the tree around it
    git = store.git.using(work_tree=folder, index=index, config=whole, environment=lent)
    return git if git.run("cat-file", "-e", f"{module.commit}^{{commit}}", ok=(0, 1, 128)).code == 0 else None

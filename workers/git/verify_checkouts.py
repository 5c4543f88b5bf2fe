"""Trees of files to run tests in: mixed from two trees, and checked out beside an agent's tree, where no agent works."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.domain.errors import GitError
from workers.git.candidates import changes_between
from workers.git.checkouts import Checkout, delete_folder
from workers.git.git_process import Git
from workers.git.private_store import PrivateStore


@dataclass(frozen=True, slots=True)
class VerifyCheckout:
    """A plain folder with the files of one tree at a time and no .git; it is made and emptied by us."""

    store: PrivateStore
    folder: Path  # of its own, beside the agent's

    @classmethod
    def beside(cls, store: PrivateStore, checkout: Checkout) -> VerifyCheckout:
        """The one of a lane's generation."""
        return cls(store, checkout.folder / "verify")

    @property
    def for_checks(self) -> VerifyCheckout:
        """Another one, for what runs beside the tests in this one."""
        return VerifyCheckout(self.store, self.folder.with_name(f"{self.folder.name}-checks"))

    @property
    def files(self) -> Path:
        return self.folder / "files"

    @property
    def scratch(self) -> Path:
        """For temporary files and reports, outside the tree."""
        return self.folder / "tmp"

    @property
    def git(self) -> Git:
        return self.store.git.using(work_tree=self.files, index=self.folder / "index")

    def put(self, tree: str) -> Path:
        """The folder with exactly the files of `tree`: what runs before left there is gone. Raises GitError."""
        _empty(self.scratch)
        if not self._cleaned(tree):
            _empty(self.files)
            index = self.folder / "index"
            for stale in (index, index.with_name("index.lock")):
                stale.unlink(missing_ok=True)
            self.switch(tree)
        return self.files

    def _cleaned(self, tree: str) -> bool:
        """Bring the files of an earlier tree to `tree`, which is fast where both are large; False where that failed."""
        own = self.files / ".git"
        if (
            self.files.is_symlink()
            or not (self.folder / "index").is_file()
            or own.is_symlink()
            or own.exists()
        ):
            return False
        (self.folder / "index.lock").unlink(missing_ok=True)
        try:
            self.switch(tree)
            if self._is_exact():
                return True
            self.git.run("clean", "-ffdxq")
            return self._is_exact()
        except GitError:
            return False

    def _is_exact(self) -> bool:
        """Whether no file and no folder is there that is not the tree's, and each of the tree's is as it is there."""
        words = ("ls-files", "-z", "--others", "--directory", "--modified", "--deleted")
        return not self.git.run(*words).out

    def switch(self, tree: str) -> None:
        """Make the tracked files those of `tree`; what was installed beside them stays. Raises GitError."""
        git = self.git.using(config=("core.sparseCheckout=false",))
        before = self._attributes()
        git.run("read-tree", "--reset", "-u", tree)
        if (
            self._attributes() != before
        ):  # they say how files are written, and those that are the same in both were left
            git.run("read-tree", "--empty")
            git.run("read-tree", "--reset", "-u", tree)

    def _attributes(self) -> bytes:
        """What the index has of .gitattributes."""
        return self.git.run("ls-files", "-s", "-z", "--", ":(glob)**/.gitattributes").out

    def untracked(self) -> list[str]:
        """What lies beside the tracked files, a folder as one name. Raises GitError."""
        found = self.git.run("ls-files", "-z", "--others", "--directory").fields
        return [os.fsdecode(name).rstrip("/") for name in found]

    def stamps(self, wanted: Callable[[str], bool]) -> dict[str, tuple[int, ...]]:
        """What changes of a tracked file whenever something writes to it or replaces it, even if its bytes and its time are
        put back; of the paths that are `wanted`. Raises GitError."""
        found: dict[str, tuple[int, ...]] = {}
        for name in map(os.fsdecode, self.git.run("ls-files", "-z").fields):
            if wanted(name):
                with suppress(OSError):  # a file that is not there has none
                    stat = (self.files / name).lstat()
                    found[name] = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        return found

    def remove(self) -> None:
        """Delete all of it."""
        if self.folder.is_dir() and not self.folder.is_symlink():
            delete_folder(self.folder)


def _empty(folder: Path) -> None:
    """Make the folder anew, without anything in it."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        delete_folder(folder)
    folder.mkdir(mode=0o700, parents=True)


def mix_trees(store: PrivateStore, onto: str, source: str, paths: Iterable[bytes], scratch: Path) -> str:
    """The id of the tree `onto` with `paths` as they are in `source`; one that is not there is removed. Raises GitError."""
    wanted = set(paths)
    found = changes_between(store.git, onto, source) if wanted else []
    due = [change for change in found if change.path in wanted]  # the others are alike in both
    if not due:
        return store.git.run("rev-parse", "--verify", f"{onto}^{{tree}}").line
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    index = scratch / "mix.index"
    for stale in (index, index.with_name("mix.index.lock")):
        stale.unlink(missing_ok=True)
    git = store.git.using(index=index)
    git.run("read-tree", onto)
    entries = [
        f"{change.mode.lstrip('0') or 0} {change.id}\t".encode() + change.path + b"\0" for change in due
    ]
    git.run("update-index", "-z", "--index-info", stdin=b"".join(entries))
    tree = git.run("write-tree").line
    index.unlink()
    return tree

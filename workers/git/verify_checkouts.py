"""Trees of files to run tests in: mixed from two trees, and checked out beside an agent's tree, where no agent works."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import GitError
from orchestrator.store.deletion import remove_folder
from workers.git.candidates import changes_between
from workers.git.checkouts import Checkout, Spare
from workers.git.git_process import Git
from workers.git.private_store import PrivateStore
from workers.git.tree_files import clean, settle, switch, take, without_index
from workers.git.tree_scan import scan


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
    def index(self) -> Path:
        return self.folder / "index"

    @property
    def as_spare(self) -> Spare:
        """What another checkout can be made of."""
        return Spare(self.files, self.index)

    @property
    def scratch(self) -> Path:
        """For temporary files and reports, outside the tree."""
        return self.folder / "tmp"

    @property
    def git(self) -> Git:
        return self.store.git.using(work_tree=self.files, index=self.index)

    @property
    def given(self) -> Spare:
        """The checkout before this one in its lane, to be taken over."""
        return Spare(self.folder / "given", self.folder / "given.index")

    def give(self, after: VerifyCheckout) -> None:
        """Leave the files to a checkout that has none yet. Raises OSError."""
        if self.files.is_dir() and not self.files.is_symlink():
            after.folder.mkdir(mode=0o700)
            if self.index.is_file():
                self.index.rename(after.given.index)
            self.files.rename(after.given.files)

    def put(self, tree: str) -> Path:
        """The folder with exactly the files of `tree`: what runs before left there is gone. Raises GitError."""
        _empty(self.scratch)
        if not (self._cleaned(tree) or self._taken(tree)):
            _empty(self.files)
            without_index(self.index)
            self.switch(tree)
        return self.files

    def _cleaned(self, tree: str) -> bool:
        """Bring the files of an earlier tree to `tree`, which is fast where both are large; False where that failed."""
        if self.files.is_symlink() or not self.index.is_file():
            return False
        found = scan(self.files)
        if found.blocking or found.too_deep or os.path.lexists(self.files / ".git"):
            return False  # git passes over a repository beside files of the tree
        (self.folder / "index.lock").unlink(missing_ok=True)
        try:
            if found.attributes and not clean(self._whole):
                return False  # those that git does not track would say how it writes the files of `tree`
            self.switch(tree)
            return clean(self._whole)
        except GitError:
            return False

    def _taken(self, tree: str) -> bool:
        """Begin with the files of the checkout before this one; False where there are none, or that failed."""
        given = self.given
        if not given.files.is_dir() or self.store.line_ends:
            return False
        _empty(self.files)
        without_index(self.index)
        try:
            return take(self._whole, tree, given.files, given.index)
        except (GitError, OSError):
            return False

    @property
    def _whole(self) -> Git:
        """Git that leaves no file out."""
        return self.git.using(config=("core.sparseCheckout=false",))

    def switch(self, tree: str) -> None:
        """Make the tracked files those of `tree`; what was installed beside them stays. Raises GitError."""
        switch(self._whole, tree)

    def untracked(self) -> list[str]:
        """What lies beside the tracked files, a folder as one name. Raises GitError."""
        found = self.git.run("ls-files", "-z", "--others", "--directory").fields
        return [os.fsdecode(name).rstrip("/") for name in found]

    def tracked(self) -> list[str]:
        """The tracked files. Raises GitError."""
        return [os.fsdecode(name) for name in self.git.run("ls-files", "-z").fields]

    def stamps(self, names: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """What changes of a file whenever something writes to it or replaces it, even if bytes and time are put back."""
        found: dict[str, tuple[int, ...]] = {}
        for name in names:
            with suppress(OSError):  # a file that is not there has none
                stat = (self.files / name).lstat()
                found[name] = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        return found

    def settle(self) -> None:
        """Let later commands on the files be quick (`settle`). Raises GitError."""
        settle(self._whole)

    def remove(self) -> None:
        """Delete all of it."""
        if self.folder.is_dir() and not self.folder.is_symlink():
            remove_folder(self.folder)


def _empty(folder: Path) -> None:
    """Make the folder anew, without anything in it."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        remove_folder(folder)
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
    without_index(index)
    git = store.git.using(index=index)
    git.run("read-tree", onto)
    entries = [
        f"{change.mode.lstrip('0') or 0} {change.id}\t".encode() + change.path + b"\0" for change in due
    ]
    git.run("update-index", "-z", "--index-info", stdin=b"".join(entries))
    tree = git.run("write-tree").line
    index.unlink()
    return tree

"""The files of a project that count: what Git would track or offer to track, bounded in number and time."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter, deque
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.named_tuple import NamedTuple
from workers.explore.ignore import IgnoreRules, ignored
from workers.explore.root import Root, shown

MAX_FILES = 50_000
MAX_ENTRIES = 250_000  # looked at, ignored ones included
MAX_DEPTH = 60
_IGNORE_FILE_BYTES = 16 * 1024 * 1024
_ALWAYS_OUT = frozenset({".git", ".workflow", ".hg", ".svn", ".jj", "CVS"})
_MARKERS = frozenset(
    {"CACHEDIR.TAG", "pyvenv.cfg"}
)  # directories that say themselves that a tool filled them


class File(NamedTuple):
    path: str  # relative, with /, undecodable bytes as surrogates
    size: int
    mtime_ns: int


@dataclass(slots=True)
class Inventory:
    files: list[File] = field(default_factory=list)
    truncated: bool = False
    out_of_time: bool = False
    notes: list[str] = field(default_factory=list)

    def digest(self) -> str:
        """Changes when a file appears, goes, or is written.

        Size and time stand for the content: reading every byte to find that nothing changed would cost more than most
        explorations, and a time that is too new only costs one exploration.
        """
        sha = hashlib.sha256(f"{self.truncated}\n".encode())
        for file in self.files:
            sha.update(f"{file.path}\0{file.size}\0{file.mtime_ns}\n".encode("utf-8", "surrogateescape"))
        return sha.hexdigest()


Chain = tuple[tuple[int, IgnoreRules], ...]


class _Walk:
    def __init__(
        self, root: Root, skip_names: frozenset[str], skip_path: Path | None, late: Callable[[], bool]
    ) -> None:
        self.root = root
        self.skip_names = skip_names
        self.skip_inode = _inode(skip_path)
        self.late = late
        self.found = Inventory()
        self.counts: Counter[str] = Counter()
        self.skipped_names: set[str] = set()
        self.entries = 0
        self.is_repository = (root.path / ".git").exists()

    def run(self) -> Inventory:
        chain: Chain = ((0, rules),) if (rules := self._rules(".git/info/exclude")) else ()
        waiting: deque[tuple[str, int, Chain]] = deque(
            [("", 0, chain)]
        )  # breadth first: a cut keeps the overview
        while waiting and not self._full():
            directory, depth, chain = waiting.popleft()
            waiting.extend(self._directory(directory, depth, chain))
        self.found.files.sort()
        self._note(unfinished=bool(waiting))
        return self.found

    def _full(self) -> bool:
        if self.late():
            self.found.out_of_time = True
        too_many = len(self.found.files) >= MAX_FILES or self.entries >= MAX_ENTRIES
        self.found.truncated = self.found.truncated or too_many or self.found.out_of_time
        return self.found.truncated

    def _directory(self, directory: str, depth: int, chain: Chain) -> list[tuple[str, int, Chain]]:
        try:
            with self.root.scan(directory) as scan:
                entries = sorted(islice(scan, MAX_ENTRIES - self.entries + 1), key=lambda e: e.name)
                self.entries += len(entries)
                return self._entries(directory, depth, chain, entries)
        except OSError:
            self.counts["folder(s) could not be read"] += 1
            return []

    def _entries(
        self, directory: str, depth: int, chain: Chain, entries: list[os.DirEntry[str]]
    ) -> list[tuple[str, int, Chain]]:
        names = {entry.name: entry for entry in entries}
        if directory and self._foreign(names):
            return []
        prefix = f"{directory}/" if directory else ""
        if ".gitignore" in names and (rules := self._rules(f"{prefix}.gitignore")):
            chain = (*chain, (len(prefix), rules))
        below = []
        for i, entry in enumerate(entries):
            if i % 256 == 255 and self._full():
                break
            path = prefix + entry.name
            if entry.is_symlink():
                self.counts["symbolic link(s) not followed"] += 1
            elif entry.is_dir(follow_symlinks=False):
                if self._enter(entry, path, chain):
                    below.append((path, depth + 1, chain))
            elif not ignored(chain, path, False):
                self._file(entry, path)
        if below and depth >= MAX_DEPTH:
            self.counts[f"folder(s) deeper than {MAX_DEPTH} levels left out"] += len(below)
            return []
        return below

    def _foreign(self, names: dict[str, os.DirEntry[str]]) -> bool:
        """Whether this folder belongs to another repository or to a tool."""
        git = names.get(".git")
        if git is not None and (self.is_repository or git.is_file(follow_symlinks=False)):
            self.counts["submodule(s) or nested repositories left out"] += 1
            return True
        if not _MARKERS.isdisjoint(names):
            self.counts["folder(s) of caches or virtual environments left out"] += 1
            return True
        return False

    def _enter(self, entry: os.DirEntry[str], path: str, chain: Chain) -> bool:
        if entry.name in _ALWAYS_OUT or ignored(chain, path, True):
            return False
        if entry.name in self.skip_names:
            self.skipped_names.add(entry.name)
            return False
        return self.skip_inode is None or _inode_of(entry) != self.skip_inode

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            info = entry.stat(follow_symlinks=False)
        except OSError:
            self.counts["file(s) vanished or could not be examined"] += 1
            return
        if stat.S_ISREG(info.st_mode):
            self.found.files.append(File(path, info.st_size, info.st_mtime_ns))
        else:
            self.counts["pipe(s), socket(s) or device(s) left out"] += 1

    def _rules(self, path: str) -> IgnoreRules | None:
        data = self.root.read(path, _IGNORE_FILE_BYTES)
        if not data:
            return None
        lines = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")
        rules = IgnoreRules(lines)
        if rules.left_out:
            self.found.notes.append(
                f"{shown(path)}: {rules.left_out} rule(s) not applied (invalid, or too many)"
            )
        return rules

    def _note(self, unfinished: bool) -> None:
        notes = self.found.notes
        if self.found.truncated or unfinished:
            why = "the time was up" if self.found.out_of_time else "there are more files than are looked at"
            notes.append(f"inventory cut after {len(self.found.files)} files: {why}")
        notes.extend(f"{n} {what}" for what, n in sorted(self.counts.items()))
        if self.skipped_names:
            notes.append("installed or generated folders left out: " + ", ".join(sorted(self.skipped_names)))


def _inode(path: Path | None) -> tuple[int, int] | None:
    try:
        info = path.stat() if path else None
    except OSError:
        return None
    return (info.st_dev, info.st_ino) if info else None


def _inode_of(entry: os.DirEntry[str]) -> tuple[int, int] | None:
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    return (info.st_dev, info.st_ino)


def take_inventory(
    root: Root, *, skip_names: Iterable[str] = (), skip_path: Path | None = None, late: Callable[[], bool]
) -> Inventory:
    """The project's files, sorted by path. `late()` says when to stop; `skip_path` is a folder of our own inside it."""
    return _Walk(root, frozenset(skip_names), skip_path, late).run()

"""What lies in a work tree that git would not take, or must not: found by walking it, without following links."""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.patterns import expression
from orchestrator.store.files import UnsafePath, clean

ATTRIBUTES = b".gitattributes"
_READ_BY_GIT = (ATTRIBUTES, b".gitignore")  # wherever they lie
LARGEST_BYTES = 10_000_000  # of a file that is not flagged
_IGNORABLE = expression("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")  # HFS+ does not see them


@dataclass(frozen=True, slots=True)
class Flag:
    """Something in a tree that a check has to decide on."""

    kind: str  # nested, special, link, large, twin, name, submodule
    path: bytes

    @property
    def shown(self) -> str:
        """The path as text; bytes that are none are escaped."""
        return self.path.decode("utf-8", "backslashreplace")


def is_git_directory_name(name: bytes) -> bool:
    """Whether some file system takes this name for `.git`; git refuses to track it."""
    if name[:1] not in (b".", b"g", b"G") and name.isascii():
        return False
    plain = _IGNORABLE.sub("", name.decode("utf-8", "surrogateescape")).split(":")[0].rstrip(" .").casefold()
    return plain in (".git", "git~1")


@dataclass(frozen=True, slots=True)
class Scan:
    """What a walk found, relative to the tree."""

    nested: list[bytes]  # .git of repositories below the top, files or folders
    special: list[bytes]  # FIFOs, sockets, devices
    too_deep: list[bytes]  # folders that no path is long enough for: neither git nor we look below
    attributes: list[bytes]  # .gitattributes: files may be stored in another form than they have here

    @property
    def blocking(self) -> list[bytes]:
        """What git must not meet: it passes over a repository, or opens its files and waits for whoever writes to a FIFO
        among them, as it does where one has the place of a file that it reads."""
        return [
            *self.nested,
            *(path for path in self.special if path.rpartition(b"/")[2].lower() in _READ_BY_GIT),
        ]


def scan(tree: Path) -> Scan:
    """Walk a work tree; what is inside a .git is not looked at. A folder that cannot be read is skipped."""
    found = Scan([], [], [], [])
    top = os.fsencode(tree)
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            entries = os.scandir(folder)
        except (PermissionError, FileNotFoundError, NotADirectoryError):
            continue  # git cannot read it either and says so, or it is gone
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            found.too_deep.append(folder[len(top) + 1 :])
            continue
        with entries:
            for entry in entries:
                if is_git_directory_name(entry.name):
                    found.nested.append(entry.path[len(top) + 1 :])
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                    continue
                if entry.name == ATTRIBUTES:
                    found.attributes.append(entry.path[len(top) + 1 :])
                if not (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                    found.special.append(entry.path[len(top) + 1 :])
    return replace(found, nested=[path for path in found.nested if path != b".git"])


def nested_repositories(top: Path) -> list[bytes]:
    """Folders below `top` that are repositories of their own."""
    return [path.rpartition(b"/")[0] for path in scan(top).nested]


def leads_outside(path: bytes, target: bytes) -> bool:
    """Whether a link at `path`, relative to the tree, points out of the tree or into its .git."""
    if target.startswith(b"/"):
        return True
    parts: list[bytes] = []
    for part in [*path.split(b"/")[:-1], *target.split(b"/")]:
        if part == b"..":
            if not parts:
                return True
            parts.pop()
        elif part not in (b"", b"."):
            parts.append(part)
    return any(is_git_directory_name(part) for part in parts[:1])


def is_refused_name(path: bytes) -> bool:
    """Whether a name could lead elsewhere or collide on another system."""
    try:
        clean(path.decode())
    except (UnsafePath, UnicodeDecodeError):
        return True
    return False


def _folded(path: bytes) -> str:
    if path.isascii():
        return path.decode().casefold()
    return unicodedata.normalize("NFC", path.decode("utf-8", "surrogateescape")).casefold()


def twins(paths: Sequence[bytes], among: Iterable[bytes]) -> list[bytes]:
    """Those of `paths` that differ from another of `among` only in case or normal form, in a folder's name too."""
    parts = {path: list(_prefixes(path)) for path in paths}
    spelled: dict[str, set[bytes]] = {_folded(part): set() for found in parts.values() for part in found}
    for part in {part for path in among for part in _prefixes(path)}:
        if (folded := _folded(part)) in spelled:
            spelled[folded].add(part)
    return [path for path in paths if any(len(spelled[_folded(part)]) > 1 for part in parts[path])]


def _prefixes(path: bytes) -> Iterator[bytes]:
    """A path's folders, then itself."""
    at = path.find(b"/")
    while at >= 0:
        yield path[:at]
        at = path.find(b"/", at + 1)
    yield path


def flags_of_file(tree: Path, path: bytes) -> list[Flag]:
    """What is to be said of one changed file."""
    found = [Flag("name", path)] if is_refused_name(path) else []
    full = tree / os.fsdecode(path)
    try:
        status = full.lstat()
        target = os.fsencode(full.readlink()) if stat.S_ISLNK(status.st_mode) else None
    except FileNotFoundError:  # outside a sparse checkout
        return found
    if target is not None and leads_outside(path, target):
        found.append(Flag("link", path))
    if target is None and status.st_size > LARGEST_BYTES:
        found.append(Flag("large", path))
    return found


def ignores_case(folder: Path) -> bool:
    """Whether the file system below `folder` takes names that differ in case for one. Writes and removes a probe."""
    probe = folder / ".Case-Probe"
    probe.touch()
    try:
        return (folder / ".case-probe").exists()
    finally:
        probe.unlink(missing_ok=True)

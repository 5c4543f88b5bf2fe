"""The files of a mirror: looked at, written and moved so that no text of a person's is ever overwritten.

A file is put in its place by exchanging two names at once: what stood there is then in the mirror's own folder, and is only
removed when it is known. Anything else gets a name beside the file. Paths come from a server, and none leads out of here.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
import uuid
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress
from pathlib import Path, PurePosixPath

from orchestrator import failpoints
from orchestrator.domain.dataclass import dataclass
from orchestrator.door.mirror_wire import LARGEST_CONTENT
from orchestrator.mirror.known import OWN
from orchestrator.store import files

CHUNK = 1024 * 1024
MARK = ".conflict-"  # in the name of a file that has a person's text
LISTED = 100  # files that are not the mirror's
RACY_NS = 1_000_000_000  # a file that was changed just now may be changed again within one tick of its times
_Stat = tuple[int, int, int, int]
OnOther = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it is. `sha256` is empty for one that is larger than any document."""

    sha256: str
    size: int


class Folder:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._known: dict[str, tuple[_Stat, Seen]] = {}

    def look(self, path: str) -> Seen | None:
        """The file, None when nothing is there; read only where it has changed. Raises UnsafePath."""
        before = self._known.get(path)
        if before is not None and _stat_of(self.root / path) == before[0]:
            return before[1]
        self._known.pop(path, None)
        with files.opened(self.root, path) as descriptor:
            if descriptor is None:
                return None
            found = os.fstat(descriptor)
            seen = Seen(_digest(descriptor) if found.st_size <= LARGEST_CONTENT else "", found.st_size)
            is_old = time.time_ns() - found.st_ctime_ns > RACY_NS
            if is_old and _key(found) == _key(os.fstat(descriptor)):
                self._known[path] = _key(found), seen
            return seen

    def read(self, path: str) -> bytes | None:
        """Raises UnsafePath."""
        return files.read(self.root, path, LARGEST_CONTENT)

    def place(self, path: str, body: bytes, known: Collection[str] | None, on_other: OnOther) -> str | None:
        """Write a file; what stood there goes, if it has a digest that is `known`, else beside it: then the name of that.

        None: nobody's text is kept. `on_other` is told name and digest before it is moved there. Raises UnsafePath, OSError.
        """
        name = files.clean(path)
        key = _draft(path)
        with files.parent(self.root, name, create=True) as directory, self._drafts() as drafts:
            self._write_draft(drafts, key, body)
            _put(drafts, key, directory, name.name)
            failpoints.hit("mirror.placed")
            own = None if known is None else {*known, hashlib.sha256(body).hexdigest()}
            other = self._clear(drafts, path, own, on_other)
            os.fsync(directory)
        return other

    def recover(self, path: str, known: Collection[str] | None, on_other: OnOther) -> str | None:
        """End what a killed mirror has begun with this file, as `place` does."""
        with self._drafts() as drafts:
            return self._clear(drafts, path, known, on_other)

    def write(self, path: str, body: bytes) -> None:
        """Write a file of which nobody's edit is kept. Raises UnsafePath, OSError."""
        files.write(self.root, path, body)

    def is_settled(self, path: str, nanoseconds: int) -> bool:
        """Whether a file was not changed for so long."""
        found = _stat_of(self.root / path)
        return found is None or time.time_ns() - max(found[2:]) >= nanoseconds

    def remove_empty(self, path: str) -> None:
        """Remove a folder and those in it that have nothing; links are not followed."""
        for inner, _, _ in os.walk(self.root / path, topdown=False):
            with suppress(OSError):
                Path(inner).rmdir()

    def others(self, path: str, known: Collection[str]) -> list[str]:
        """The files below a folder that are none of these."""
        top = self.root / path
        found: list[str] = []
        for inner, folders, names in os.walk(top):
            links = [each for each in folders if Path(inner, each).is_symlink()]
            for name in (*names, *links):
                relative = Path(inner, name).relative_to(top).as_posix()
                if relative not in known:
                    found.append(relative)
                if len(found) >= LISTED:
                    return found
        return found

    def keep(self, path: str, body: bytes) -> None:
        """Write a text of the person's under a name that nobody has, or that has it already."""
        if files.read(self.root, path) != body:
            files.write(self.root, path, body)

    def remove(self, path: str, sha256: str) -> bool:
        """Remove a file that has this digest; whether none is left. Raises UnsafePath, OSError."""
        seen = self.look(path)
        if seen is not None and seen.sha256 != sha256:
            return False
        files.remove(self.root, path)
        return True

    def _drafts(self) -> AbstractContextManager[int]:
        return files.parent(self.root, PurePosixPath(OWN, "drafts", "x"), create=True)

    def _write_draft(self, drafts: int, key: str, body: bytes) -> None:
        """Whole under its name, or not there."""
        half = f"{key}.half"
        with suppress(FileNotFoundError):
            os.unlink(half, dir_fd=drafts)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(half, flags, 0o600, dir_fd=drafts), "wb") as file:
            file.write(body[: len(body) // 2])
            file.flush()
            failpoints.hit("mirror.draft_half")
            file.write(body[len(body) // 2 :])
            file.flush()
            os.fsync(file.fileno())
        os.rename(half, key, src_dir_fd=drafts, dst_dir_fd=drafts)
        os.fsync(drafts)
        failpoints.hit("mirror.draft_written")

    def _clear(self, drafts: int, path: str, known: Collection[str] | None, on_other: OnOther) -> str | None:
        """Remove what stood in a file's place if it is known, else give it a name beside the file."""
        key = _draft(path)
        other = None
        for draft in (key, f"{key}.was"):
            try:
                found = os.stat(draft, dir_fd=drafts, follow_symlinks=False)
            except FileNotFoundError:
                continue
            digest = _digest_of(drafts, draft, found)
            if known is None or digest in known:
                os.unlink(draft, dir_fd=drafts)
                continue
            other = beside(path, digest)
            on_other(other, digest)
            failpoints.hit("mirror.replaced_noted")
            with files.parent(self.root, files.clean(other), create=True) as directory:
                _give_name(drafts, draft, directory, PurePosixPath(other).name)
                os.fsync(directory)
            failpoints.hit("mirror.replaced_kept")
        return other


def beside(path: str, digest: str) -> str:
    """The name of a file that has a person's text of this document."""
    name = PurePosixPath(path)
    mark = digest[:12] or uuid.uuid4().hex[:12]
    stem = name.stem.encode()[:100].decode(errors="ignore")
    return name.with_name(f"{stem}{MARK}{mark}{name.suffix[:50]}").as_posix()


def _put(drafts: int, key: str, directory: int, name: str) -> None:
    """Give the draft its name; what had it has the draft's, or that with `.was`. Linux does it at once."""
    for _ in range(3):  # somebody may make or remove the file meanwhile
        if files.exchange(drafts, key, directory, name) or files.rename_to_new(drafts, key, directory, name):
            return
    with suppress(FileNotFoundError):
        os.rename(name, f"{key}.was", src_dir_fd=directory, dst_dir_fd=drafts)
    os.rename(key, name, src_dir_fd=drafts, dst_dir_fd=directory)


def _give_name(drafts: int, draft: str, directory: int, name: str) -> None:
    if files.rename_to_new(drafts, draft, directory, name):
        return
    try:
        taken = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(draft, name, src_dir_fd=drafts, dst_dir_fd=directory)
        return
    stands = _digest_of(directory, name, taken)
    if stands and stands == _digest_of(drafts, draft, os.stat(draft, dir_fd=drafts, follow_symlinks=False)):
        os.unlink(draft, dir_fd=drafts)
        return
    stem, dot, suffix = name.partition(MARK)
    other = f"{stem}{MARK}{uuid.uuid4().hex[:8]}-{suffix}" if dot else f"{name}{MARK}{uuid.uuid4().hex[:8]}"
    os.rename(draft, other, src_dir_fd=drafts, dst_dir_fd=directory)


def _draft(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:40]


def _stat_of(file: Path) -> _Stat | None:
    try:
        return _key(file.lstat())
    except OSError:
        return None


def _key(found: os.stat_result) -> _Stat:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _digest(descriptor: int) -> str:
    digest = hashlib.sha256()
    while chunk := os.read(descriptor, CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _digest_of(directory: int, name: str, found: os.stat_result) -> str:
    """Empty for what is no file, or larger than any document."""
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_CONTENT:
        return ""
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    try:
        return _digest(descriptor)
    finally:
        os.close(descriptor)

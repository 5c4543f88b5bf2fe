"""Files below a directory by names that others chose: never outside it, never through a link, never half written."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from orchestrator import failpoints
from orchestrator.domain.errors import LifecycleError

MAX_NAME_BYTES = 200
_DEVICES = frozenset(["con", "prn", "aux", "nul"]) | {
    f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10)
}


class UnsafePath(LifecycleError):
    """The path does not name a plain file inside the directory."""


def clean(path: str) -> PurePosixPath:
    """The relative path, when it is one. Raises UnsafePath for anything that could lead elsewhere or collide."""
    parts = path.split("/")
    faults = [
        (not path or path != path.strip(), "empty, or with spaces around it"),
        ("\\" in path or ":" in path or path.startswith("~"), "a drive, a home or a backslash"),
        (any(part in ("", ".", "..") for part in parts), "absolute, or with empty, '.' or '..' parts"),
        (any(ord(char) < 32 or 0xD800 <= ord(char) < 0xE000 for char in path), "control characters"),
        (unicodedata.normalize("NFC", path) != path, "not in normal form"),
        (any(part.endswith((".", " ")) for part in parts), "a part that ends in a dot or space"),
        (any(part.split(".")[0].lower() in _DEVICES for part in parts), "a device's name"),
    ]
    for bad, why in faults:
        if bad:
            raise UnsafePath(f"unsafe path {path[:200]!r}", why=why)
    if any(len(part.encode()) > MAX_NAME_BYTES for part in parts) or len(parts) > 16:
        raise UnsafePath(f"unsafe path {path[:200]!r}", why="too long or too deep")
    return PurePosixPath(path)


@contextmanager
def _parent(root: Path, path: PurePosixPath, create: bool) -> Iterator[int]:
    """A descriptor of the directory that holds `path`, reached from `root` one component at a time without links."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(root, flags)
    try:
        for part in path.parts[:-1]:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=descriptor)
            inner = os.open(part, flags, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def write(root: Path, path: str, body: bytes) -> None:
    """Put `body` under its final name, complete and synced, replacing what was there. Raises UnsafePath, OSError."""
    name = clean(path)
    draft = f".{name.name[:100]}.{os.getpid()}.new"
    with _parent(root, name, create=True) as directory:
        descriptor = os.open(
            draft,
            os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o600,
            dir_fd=directory,
        )
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            failpoints.hit("projector.before_rename")
            os.rename(draft, name.name, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=directory)
            raise
        failpoints.hit("projector.after_rename")
        os.fsync(directory)


def append(root: Path, path: str, body: bytes) -> None:
    """Add `body` to the end of a file and sync it."""
    name = clean(path)
    with _parent(root, name, create=True) as directory:
        descriptor = os.open(
            name.name,
            os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o600,
            dir_fd=directory,
        )
        with os.fdopen(descriptor, "ab") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())


def read(root: Path, path: str, limit: int = 256 * 1024 * 1024) -> bytes | None:
    """The bytes of a plain file with one name, None when nothing is there. Raises UnsafePath for anything else."""
    name = clean(path)
    try:
        with _parent(root, name, create=False) as directory:
            descriptor = os.open(
                name.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory
            )
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnsafePath(
            f"unsafe path {path[:200]!r}", why=f"a link or no directory on the way: {error.strerror}"
        ) from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
            raise UnsafePath(f"unsafe path {path[:200]!r}", why="not a plain file of one name")
        if found.st_size > limit:
            raise UnsafePath(
                f"unsafe path {path[:200]!r}", why=f"{found.st_size} bytes are over the limit of {limit}"
            )
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(limit + 1)
    finally:
        os.close(descriptor)

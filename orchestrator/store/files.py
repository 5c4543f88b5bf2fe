"""Files below a directory by names that others chose: never outside it, never through a link, never half written."""

from __future__ import annotations

import errno
import math
import os
import signal
import stat
import time
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from orchestrator import failpoints
from orchestrator.domain.errors import LifecycleError

MAX_NAME_BYTES = 200
LARGEST = 256 * 1024 * 1024  # bytes that are read
_NOREPLACE, _EXCHANGE = 1, 2  # RENAME_NOREPLACE, RENAME_EXCHANGE, linux/fs.h
_DEVICES = frozenset(["con", "prn", "aux", "nul"]) | {
    f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10)
}

# Where a lease is refused for want of the server's consent, also while nobody writes; linux/magic.h
_CONSENT_NEEDED = frozenset({0x6969, 0x517B, 0xFF534D42, 0xFE534D42})  # NFS, SMB, CIFS, SMB2

_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFREG: "a file",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class UnsafePath(LifecycleError):
    """The path does not name a plain file inside the directory."""

    remedy = "`lifecycle repair` names what stands in its place"


class BeingWritten(LifecycleError):
    """Somebody has files of the session open for writing."""

    remedy = "they are written once that program has closed them"

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = sorted(paths)
        self.faults = [f"{path}: another program has it open for writing" for path in self.paths]
        super().__init__(
            f"{len(self.paths)} of the session's files are being written", why="; ".join(self.faults)
        )


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
def parent(root: Path, path: PurePosixPath, create: bool) -> Iterator[int]:
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


def write(
    root: Path, path: str, body: bytes, *, executable: bool = False, spare: bool = False
) -> bytes | None:
    """Put `body` under its final name, complete and synced; what stood there until then. Raises UnsafePath, OSError.

    Where the system can exchange two names at once, the answer is what was replaced at that instant, so that an edit
    made a moment before can be taken in; elsewhere it is None. `spare` a file that somebody has open for writing, whose
    edit would go to a file without a name: it stays where it is. Raises BeingWritten then.
    """
    name = clean(path)
    draft = f".{name.name[:100]}.{os.getpid()}.new"
    with parent(root, name, create=True) as directory:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=directory)  # one that a crash left, or another name of a file elsewhere
        descriptor = os.open(
            draft,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o700 if executable else 0o600,
            dir_fd=directory,
        )
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            if spare and _is_open_for_writing(directory, name.name):
                raise BeingWritten([path])
            failpoints.hit("projector.before_rename")
            if exchange(directory, draft, directory, name.name):
                if spare and _is_open_for_writing(directory, draft):  # it was opened since
                    _put_back(directory, draft, name.name)
                    raise BeingWritten([path])
                replaced = _plain_bytes(directory, draft)
            else:
                os.rename(draft, name.name, src_dir_fd=directory, dst_dir_fd=directory)
                replaced = None
        finally:
            with suppress(FileNotFoundError):
                os.unlink(draft, dir_fd=directory)
        failpoints.hit("projector.after_rename")
        os.fsync(directory)
    return replaced


def exchange(here: int, one: str, there: int, other: str) -> bool:
    """Swap two names at once; False where there is nothing to swap with, or the system cannot."""
    return _rename(here, one, there, other, _EXCHANGE)


def rename_to_new(here: int, one: str, there: int, other: str) -> bool:
    """Rename to a name that nobody has; False where somebody does, or the system cannot."""
    return _rename(here, one, there, other, _NOREPLACE)


def _rename(here: int, one: str, there: int, other: str, flags: int) -> bool:
    import ctypes  # few commands write files

    call = getattr(ctypes.CDLL(None), "renameat2", None)  # Linux; Python has no name for it
    return call is not None and call(here, os.fsencode(one), there, os.fsencode(other), flags) == 0


def _put_back(directory: int, draft: str, name: str) -> None:
    """Undo an exchange, also where the name was removed since."""
    for move in (
        exchange,
        rename_to_new,
        exchange,
    ):  # the last one: where another file got the name in between
        if move(directory, draft, directory, name):
            return


def _plain_bytes(directory: int, name: str) -> bytes | None:
    descriptor = _opened_plain(directory, name)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def _opened_plain(directory: int, name: str) -> int | None:
    try:
        descriptor = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory
        )
    except OSError:  # a link or a device: nothing of a person's that could be kept
        return None
    if _is_plain(descriptor, directory, name):
        return descriptor
    os.close(descriptor)
    return None


def _is_open_for_writing(directory: int, name: str) -> bool:
    descriptor = _opened_plain(directory, name)
    if descriptor is None:
        return False
    try:
        return _has_writer(descriptor)
    finally:
        os.close(descriptor)


def _has_writer(descriptor: int) -> bool:
    """Whether somebody has the file open for writing; False where the system cannot tell."""
    with _without_writers(descriptor) as is_free:
        return not is_free


@contextmanager
def _without_writers(descriptor: int) -> Iterator[bool]:
    """Whether nobody has the file open for writing, or nothing is known; who opens it for that waits while this lasts."""
    import fcntl

    if not hasattr(fcntl, "F_SETLEASE"):
        yield True
        return
    try:
        # Whoever opens the file meanwhile sends us this signal, which is ignored, and not SIGIO, which would end us.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        yield error.errno != errno.EAGAIN or _file_system(descriptor) in _CONSENT_NEEDED
        return
    try:
        yield True
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _file_system(descriptor: int) -> int:
    """What kind of file system has the file, by its number in linux/magic.h; 0 where the system does not tell."""
    import ctypes

    found = (ctypes.c_uint32 * 64)()  # struct statfs, which begins with it
    call = getattr(ctypes.CDLL(None), "fstatfs", None)  # Python's fstatvfs has no such field
    return int(found[0]) if call is not None and call(descriptor, found) == 0 else 0


def _is_plain(descriptor: int, directory: int, name: str) -> bool:
    """Whether this is the one name of the file that was opened under it: with another one it may lie elsewhere.

    A second name that is being removed meanwhile is detected by the second check: to rename a file to its own name changes
    nothing, and waits for whoever changes the directory.
    """
    opened = os.fstat(descriptor)
    for _ in range(2):
        try:
            named = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return False
        if not stat.S_ISREG(named.st_mode) or named.st_nlink != 1 or not os.path.samestat(named, opened):
            return False
        with suppress(OSError):  # gone: the second check reports it; read-only: then nobody changes it
            os.rename(name, name, src_dir_fd=directory, dst_dir_fd=directory)
    return True


def in_the_way(root: Path, path: str) -> tuple[Path, str] | None:
    """What keeps a file from its place, and what it is; None when nothing of that kind does. Raises UnsafePath."""
    parts = clean(path).parts
    for count in range(1, len(parts) + 1):
        where = root.joinpath(*parts[:count])
        try:
            found = where.lstat()
        except OSError:
            return None
        wanted = stat.S_ISREG if count == len(parts) else stat.S_ISDIR
        if not wanted(found.st_mode):
            return where, _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
            return where, "a file with a second name (a hard link)"
        needs = os.R_OK if count == len(parts) else os.R_OK | os.W_OK | os.X_OK
        if not os.access(where, needs):
            return where, f"something we have no right to (mode {stat.S_IMODE(found.st_mode):04o})"
    return None


def append(root: Path, path: str, body: bytes) -> None:
    """Add `body` to the end of a file and sync it. Raises UnsafePath, OSError."""
    name = clean(path)
    with parent(root, name, create=True) as directory:
        descriptor = os.open(
            name.name,
            os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
            0o600,
            dir_fd=directory,
        )
        with os.fdopen(descriptor, "ab") as file:
            if not _is_plain(descriptor, directory, name.name):
                raise UnsafePath(f"unsafe path {path[:200]!r}", why="not a plain file of one name")
            file.write(body)
            file.flush()
            os.fsync(file.fileno())


def remove(root: Path, path: str) -> None:
    """Let nothing stand under a name; a link itself is removed, not what it leads to. Raises UnsafePath, OSError."""
    name = clean(path)
    with suppress(FileNotFoundError), parent(root, name, create=False) as directory:
        os.unlink(name.name, dir_fd=directory)


def sync_directory(directory: Path) -> None:
    """Let the names in it survive a power cut: a synced file whose name is not on the disk is lost all the same."""
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return  # a directory that may not be read cannot be synced; the file system keeps its names as well as it does
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def opened(root: Path, path: str) -> Iterator[int | None]:
    """A descriptor to read a plain file with one name, None when nothing is there. Raises UnsafePath for anything else."""
    name = clean(path)
    try:
        with parent(root, name, create=False) as directory:
            descriptor = os.open(
                name.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory
            )
            plain = _is_plain(descriptor, directory, name.name)
    except FileNotFoundError:
        yield None
        return
    except OSError as error:
        raise UnsafePath(
            f"unsafe path {path[:200]!r}", why=f"a link or no directory on the way: {error.strerror}"
        ) from error
    try:
        if not plain:
            raise UnsafePath(f"unsafe path {path[:200]!r}", why="not a plain file of one name")
        yield descriptor
    finally:
        os.close(descriptor)


def read(root: Path, path: str, limit: int = LARGEST) -> bytes | None:
    """The bytes of a plain file with one name, None when nothing is there. Raises UnsafePath for anything else."""
    with opened(root, path) as descriptor:
        return None if descriptor is None else _bytes(descriptor, path, limit)


def read_saved(root: Path, path: str) -> bytes | None:
    """The same of a file that nobody has open for writing: who saves one empties it first.

    Raises UnsafePath, BeingWritten.
    """
    with opened(root, path) as descriptor:
        if descriptor is None:
            return None
        with _without_writers(descriptor) as is_free:
            if not is_free:
                raise BeingWritten([path])
            return _bytes(descriptor, path, LARGEST)


def _bytes(descriptor: int, path: str, limit: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > limit:
        raise UnsafePath(f"unsafe path {path[:200]!r}", why=f"{size} bytes are over the limit of {limit}")
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read(limit + 1)


def is_being_written(root: Path, path: str, within: float = math.inf) -> bool:
    """Whether somebody has a plain file open for writing, and has changed it `within` so many seconds."""
    try:
        with opened(root, path) as descriptor:
            return (
                descriptor is not None
                and abs(time.time() - os.fstat(descriptor).st_mtime) < within
                and _has_writer(descriptor)
            )
    except (UnsafePath, FileNotFoundError):
        return False

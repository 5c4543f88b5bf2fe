"""Makes folders read-only for a process and for whatever it starts, without needing any rights (Linux).

In a user namespace anyone may arrange mounts of his own. It is entered twice: in the first one the folders become
read-only, and in the second one that cannot be undone, not by root either, because the kernel locks what a namespace
takes over from one with more rights.

The guardian imports this file under `python -I -S`: the standard library alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator, Sequence

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 18
KEPT = {
    b"nosuid": 2,
    b"nodev": 4,
    b"noexec": 8,
    b"nosymfollow": 256,
}  # a remount would clear them, and may not


def confine(read_only: Sequence[str], writable: Sequence[str]) -> None:
    """Make the folders `read_only` with all that is mounted below them, save the paths `writable`.

    Paths are absolute and hold no link. Raises OSError; this process is then of no use any more.
    """
    _enter_namespaces()
    _mount("/", MS_REC | MS_PRIVATE)
    for folder in read_only:
        _mount(folder, MS_BIND | MS_REC, folder)
    inside = {at: flags for folder in read_only for at, flags in _mounts() if _lies_in(at, folder)}
    for at, flags in inside.items():
        with contextlib.suppress(OSError):  # one lies hidden below another: what counts is the next line
            _mount(at, MS_REMOUNT | MS_BIND | MS_RDONLY | flags)
        with contextlib.suppress(FileNotFoundError):
            if not os.statvfs(at).f_flag & os.ST_RDONLY:
                raise OSError(f"{os.fsdecode(at)} cannot be made read-only")
    for path in writable:
        _mount(path, MS_BIND | MS_REC, path)
        _mount(path, MS_REMOUNT | MS_BIND | dict(_mounts())[os.fsencode(path)])
    _enter_namespaces()


def _enter_namespaces() -> None:
    """Be in a new user and a new mount namespace, where every id is what it was."""
    own = os.getpid()
    ready, tell = os.pipe()
    helper = os.fork()
    if helper == 0:  # who is inside may not map more than one id
        status = 1
        try:
            os.close(tell)
            if os.read(ready, 1):
                _map_ids(own)
            status = 0
        except OSError as error:
            status = error.errno or 1
        finally:
            os._exit(status)
    os.close(ready)
    try:
        _called("unshare", _libc().unshare(CLONE_NEWUSER | CLONE_NEWNS))
        os.write(tell, b".")
    finally:
        os.close(tell)
        status = os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1])
    if status:
        raise OSError(status, f"ids cannot be mapped: {os.strerror(status)}")


def _map_ids(pid: int) -> None:
    """To themselves: all of them where we may, else our own."""
    for kind, number in (("uid", os.geteuid()), ("gid", os.getegid())):
        with open(f"/proc/self/{kind}_map", encoding="ascii") as known:  # noqa: PTH123 - see guardian.py
            lines = [line.split() for line in known]
        try:
            _write(
                f"/proc/{pid}/{kind}_map", "".join(f"{first} {first} {count}\n" for first, _, count in lines)
            )
        except PermissionError:
            if kind == "gid":
                _write(f"/proc/{pid}/setgroups", "deny")
            _write(f"/proc/{pid}/{kind}_map", f"{number} {number} 1\n")


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


def _mounts() -> Iterator[tuple[bytes, int]]:
    """Where something is mounted, with the flags that have to be kept; the topmost one last."""
    with open("/proc/self/mountinfo", "rb") as known:  # noqa: PTH123 - see guardian.py
        for line in known:
            fields = line.split()
            at = fields[4].decode("unicode_escape").encode("latin-1")  # \040 is a space
            yield at, sum(flag for name, flag in KEPT.items() if name in fields[5].split(b","))


def _lies_in(path: bytes, folder: str) -> bool:
    return (path + b"/").startswith(os.fsencode(folder) + b"/")


def _mount(at: str | bytes, flags: int, source: str | None = None) -> None:
    given = None if source is None else os.fsencode(source)
    _called(
        f"mount {os.fsdecode(at)}", _libc().mount(given, os.fsencode(at), None, ctypes.c_ulong(flags), None)
    )


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _called(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")

"""Makes folders read-only for a process and for whatever it starts, without needing any rights (Linux).

In a user namespace anyone may arrange mounts of his own. It is entered twice: in the first one the folders become
read-only, and in the second one that cannot be undone, not by root either, because the kernel locks what a namespace
takes over from one with more rights.

Where `everything` is read-only, the process also has a /dev, a /proc and processes of its own: a read-only mount protects
no device from root, and no process of the same user from a signal. Its first process is ours (`_first_process`); it dies
with the guardian, and the kernel then kills all others.

The guardian imports this file under `python -I -S`: the standard library alone, and all of it at once, since a namespace
may lose the right to read it.
"""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import fcntl
import os
import resource
import signal
import stat
import sys
import time
from _socket import AF_INET, SOCK_DGRAM
from _socket import socket as Socket  # loads in a quarter of the time of `socket`
from collections.abc import Iterator, Sequence

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_REC, MS_PRIVATE = 16384, 1 << 18
TMP, SHARED_MEMORY = "/tmp", "/dev/shm"  # noqa: S108 - where programs look for them
KEPT = {
    b"nosuid": 2,
    b"nodev": 4,
    b"noexec": 8,
    b"nosymfollow": 256,
}  # a remount would clear them, and may not
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, ATTR_RDONLY = 442, -100, 0x8000, 1
PR_SET_PDEATHSIG = 1
GET_FLAGS, SET_FLAGS, IFF_UP = 0x8913, 0x8914, 1  # of a network device
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}
unescape = codecs.getdecoder("unicode_escape")
STRAGGLER_GRACE = 0.25  # seconds that what a program started may take to end after it


def confine(
    read_only: Sequence[str],
    writable: Sequence[str],
    everything: bool = False,
    hidden: Sequence[str] = (),
    visible: Sequence[str] = (),
    network: bool = True,
    tmp_bytes: int = 0,
) -> int:
    """Make the folders `read_only` with all that is mounted below them, save the paths `writable`; the parent's pid then.

    Paths are absolute and hold no link; what the arguments mean is told in workers/agents/programs/process.py. Returns in
    another process where `everything` is read-only. Raises OSError; this process is then of no use any more.
    """
    parent = os.getppid()
    proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY)  # as it is now: a later one may be read-only
    _enter_namespaces(
        proc, (CLONE_NEWPID | CLONE_NEWIPC if everything else 0) | (0 if network else CLONE_NEWNET)
    )
    middle = _first_process(proc, parent) if everything else None
    _mount("/", MS_REC | MS_PRIVATE)
    if not network:
        _start_loopback()
    opened = {path: os.open(path, os.O_PATH | os.O_NOFOLLOW) for path in (*writable, *visible)}
    for folder in read_only:
        _make_read_only(folder)
    if everything:
        _make_all_read_only()
        _own_proc()
        _own_devices(tmp_bytes)
    _cover(hidden, opened, set(writable), tmp_bytes)
    _enter_namespaces(proc)
    if middle is None:
        return parent
    _become_second_process(proc, *middle)
    return 1


def _make_read_only(folder: str) -> None:
    _mount(folder, MS_BIND | MS_REC, folder)
    inside = {at: flags for at, flags in _mounts() if _lies_in(at, os.fsencode(folder))}
    for at, flags in inside.items():
        with contextlib.suppress(OSError):  # one lies hidden below another: what counts is the next line
            _mount(at, MS_REMOUNT | MS_BIND | MS_RDONLY | flags)
        with contextlib.suppress(FileNotFoundError):
            if not os.statvfs(at).f_flag & os.ST_RDONLY:
                raise OSError(f"{os.fsdecode(at)} cannot be made read-only")


def _make_all_read_only() -> None:
    """Every mount there is, at once (Linux 5.12)."""
    attributes = (ctypes.c_uint64 * 4)(ATTR_RDONLY, 0, 0, 0)
    result = _libc().syscall(
        MOUNT_SETATTR, AT_FDCWD, b"/", AT_RECURSIVE, ctypes.byref(attributes), ctypes.sizeof(attributes)
    )
    _called("mount_setattr", result)


def _own_proc() -> None:
    """Show our own processes alone; the old list stays where the system masks parts of it (some containers)."""
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    try:
        _mount("/proc", flags, kind="proc")
    except PermissionError:
        return
    _mount("/proc", MS_REMOUNT | MS_BIND | MS_RDONLY | flags)


def _own_devices(size: int) -> None:
    """A /dev without disks, with terminals and shared memory of our own."""
    found = {name: os.open(f"/dev/{name}", os.O_PATH) for name in DEVICES if os.path.exists(f"/dev/{name}")}
    _mount("/dev", MS_NOSUID | MS_NOEXEC, kind="tmpfs", data="mode=755,size=64k")
    for name, handle in found.items():
        os.close(os.open(f"/dev/{name}", os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        _mount(f"/dev/{name}", MS_BIND, f"/proc/self/fd/{handle}")
        os.close(handle)
    for name, target in LINKS.items():
        os.symlink(target, f"/dev/{name}")
    os.mkdir(SHARED_MEMORY)
    _mount(SHARED_MEMORY, MS_NOSUID | MS_NODEV, kind="tmpfs", data=f"mode=1777,size={size or '50%'}")
    os.mkdir("/dev/pts")
    with contextlib.suppress(OSError):  # without terminals, then
        _mount("/dev/pts", MS_NOSUID | MS_NOEXEC, kind="devpts", data="newinstance,ptmxmode=0666,mode=620")
    _mount("/dev", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC)


def _cover(hidden: Sequence[str], opened: dict[str, int], writable: set[str], tmp_bytes: int) -> None:
    """Put something empty over what is hidden and over /tmp, and in it again what was opened before. The outer first."""
    covers = dict.fromkeys(hidden, 0)
    if tmp_bytes:
        covers[os.path.realpath(TMP)] = tmp_bytes
    covered: list[str] = []
    # A path that is covered and opened is covered first.
    for path, is_cover in sorted([*((each, 0) for each in covers), *((each, 1) for each in opened)]):
        if is_cover == 0:
            if _cover_one(path, covers[path]) and path not in opened and not covers[path]:
                covered.append(path)
            continue
        handle = opened[path]
        if not os.path.lexists(path):  # it lies in something empty now
            _make_place(path, stat.S_ISDIR(os.fstat(handle).st_mode))
        if path in writable or not os.path.samestat(os.lstat(path), os.fstat(handle)):
            _mount(path, MS_BIND | MS_REC, f"/proc/self/fd/{handle}")
        if path in writable:
            _mount(path, MS_REMOUNT | MS_BIND | dict(_mounts())[os.fsencode(path)])
        os.close(handle)
    for path in covered:
        _mount(path, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def _cover_one(path: str, size: int) -> bool:
    """Whether it is an empty folder now; a file is empty, and what does not exist need not be."""
    try:
        is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False  # nobody inside can reach it either
    if not is_folder:
        _mount(path, MS_BIND, "/dev/null")
        return False
    data = f"mode=1777,size={size}" if size else "mode=755,size=1m"
    _mount(path, MS_NOSUID | MS_NODEV, kind="tmpfs", data=data)
    return True


def _make_place(path: str, is_folder: bool) -> None:
    """Something empty to mount on."""
    os.makedirs(path if is_folder else os.path.dirname(path), mode=0o755, exist_ok=True)
    if not is_folder:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def _start_loopback() -> None:
    def request(flags: int) -> bytes:
        return b"lo".ljust(16, b"\0") + flags.to_bytes(2, sys.byteorder) + bytes(22)

    handle = Socket(AF_INET, SOCK_DGRAM)
    try:
        flags = int.from_bytes(fcntl.ioctl(handle, GET_FLAGS, request(0))[16:18], sys.byteorder)
        fcntl.ioctl(handle, SET_FLAGS, request(flags | IFF_UP))
    finally:
        handle.close()


def _first_process(proc: int, parent: int) -> tuple[int, int]:
    """Return in the first process of the new namespace; this one waits for it, and ends as the program does.

    The pipes are one that ends when this process does, and one for the program's wait status.
    """
    _die_with_parent()
    if os.getppid() != parent:  # it died before the signal was set
        os._exit(127)
    alive, alive_end = os.pipe()
    status, status_end = os.pipe()
    first = os.fork()
    if first == 0:
        os.close(alive_end)
        os.close(status)
        return alive, status_end
    _forget_all_but(proc, alive_end, status)
    said = os.read(status, 16)
    os.waitpid(first, 0)
    _end_as(int(said) if said else signal.SIGKILL)
    raise AssertionError("it has ended")


def _become_second_process(proc: int, alive: int, status_end: int) -> None:
    """Return in a new process, which becomes the program; this one collects the dead until nobody is left."""
    _die_with_parent()
    os.set_blocking(alive, False)
    with contextlib.suppress(BlockingIOError):
        os.read(alive, 1)
        os._exit(127)  # it died before the signal was set
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    program = os.fork()
    if program == 0:
        return
    _forget_all_but(proc, status_end)
    dead, status = 0, 0
    while dead != program:
        dead, status = os.waitpid(-1, 0)
    until = time.monotonic() + STRAGGLER_GRACE
    with contextlib.suppress(ChildProcessError):
        while (left := until - time.monotonic()) > 0:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                signal.sigtimedwait({signal.SIGCHLD}, left)
    os.write(status_end, str(status).encode())
    os._exit(0)


def _die_with_parent() -> None:
    _called("prctl", _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))


def _forget_all_but(proc: int, *kept: int) -> None:
    """Close what belongs to the guardian, and handle signals as anybody does."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    folder = os.open("self/fd", os.O_RDONLY | os.O_DIRECTORY, dir_fd=proc)
    for handle in map(int, os.listdir(folder)):
        if handle not in kept:
            with contextlib.suppress(OSError):  # the list's own
                os.close(handle)


def _end_as(status: int) -> None:
    """End with the exit code or by the signal of another process."""
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def _enter_namespaces(proc: int, more: int = 0) -> None:
    """Be in a new user and a new mount namespace, where every id is what it was, and in those of `more`."""
    own = os.readlink("self", dir_fd=proc)  # in that list of processes
    ready, tell = os.pipe()
    helper = os.fork()
    if helper == 0:  # who is inside may not map more than one id
        status = 1
        try:
            os.close(tell)
            if os.read(ready, 1):
                _map_ids(proc, own)
            status = 0
        except OSError as error:
            status = error.errno or 1
        finally:
            os._exit(status)
    os.close(ready)
    try:
        _called("unshare", _libc().unshare(CLONE_NEWUSER | CLONE_NEWNS | more))
        os.write(tell, b".")
    finally:
        os.close(tell)
        status = os.waitstatus_to_exitcode(os.waitpid(helper, 0)[1])
    if status:
        raise OSError(status, f"ids cannot be mapped: {os.strerror(status)}")


def _map_ids(proc: int, pid: str) -> None:
    """To themselves: all of them where we may, else our own."""
    for kind, number in (("uid", os.geteuid()), ("gid", os.getegid())):
        handle = os.open(f"self/{kind}_map", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
        with open(handle, "rb") as known:
            lines = [line.decode().split() for line in known]
        try:
            _write(
                proc, f"{pid}/{kind}_map", "".join(f"{first} {first} {count}\n" for first, _, count in lines)
            )
        except PermissionError:
            if kind == "gid":
                _write(proc, f"{pid}/setgroups", "deny")
            _write(proc, f"{pid}/{kind}_map", f"{number} {number} 1\n")


def _write(proc: int, path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)


def _mounts() -> Iterator[tuple[bytes, int]]:
    """Where something is mounted, with the flags that have to be kept; the topmost one last."""
    with open("/proc/self/mountinfo", "rb") as known:
        for line in known:
            fields = line.split()
            at = unescape(fields[4])[0].encode("latin-1")  # \040 is a space
            yield at, sum(flag for name, flag in KEPT.items() if name in fields[5].split(b","))


def _lies_in(path: bytes, folder: bytes) -> bool:
    return (path + b"/").startswith(folder + b"/")


def _mount(
    at: str | bytes,
    flags: int,
    source: str | None = None,
    *,
    kind: str | None = None,
    data: str | None = None,
) -> None:
    given = [None if each is None else os.fsencode(each) for each in (source or kind, at, kind)]
    options = None if data is None else data.encode()
    _called(f"mount {os.fsdecode(at)}", _libc().mount(*given, ctypes.c_ulong(flags), options))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _called(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")

"""The two clocks: the wall for records, the kernel's monotonic clock for leases."""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path
from typing import Protocol

from orchestrator.domain.identity import ON_ANOTHER_MACHINE

SHARED = ""  # the boot of leases that several machines share: they count on a server's clock


class Clock(Protocol):
    def wall(self) -> int:
        """UTC in microseconds."""

    def monotonic(self) -> int:
        """Microseconds of a clock that all processes of this boot share and no one sets."""


class SystemClock:
    def wall(self) -> int:
        return time.time_ns() // 1000

    def monotonic(self) -> int:
        return time.monotonic_ns() // 1000


@cache
def boot_id() -> str:
    """Names this boot of the machine; monotonic times of another boot mean nothing here."""
    path = Path("/proc/sys/kernel/random/boot_id")
    if path.exists():
        return path.read_text().strip()
    return str(int(time.time() - time.monotonic()) // 10)  # no /proc: the time of the boot, to ten seconds


@cache
def pid_space() -> str:
    """Names the space in which our pids count: two containers on one kernel have pids of their own."""
    path = Path("/proc/self/ns/pid")
    return str(path.readlink()) if path.exists() else ""


def space_of_pids(boot: str) -> str:
    """`pid_space` as rows name it whose leases belong to `boot`.

    Where several machines share the leases, the space names this machine's boot as well.
    """
    return f"{boot_id()} {pid_space()}" if boot == SHARED else pid_space()


def is_on_this_machine(boot: str, space: str) -> bool:
    """Whether a live process is beside this one, by what its row has of both.

    Where machines share the leases, a container counts as one; else one beside us may be in a container of its own.
    """
    if boot == SHARED:
        return space == space_of_pids(boot)
    return not space.startswith(ON_ANOTHER_MACHINE)


def process_start(pid: int) -> int | None:
    """When process `pid` started, in clock ticks since boot; None when it is gone (a zombie counts as gone).

    Without /proc it is 0 for any living process: a reused pid cannot be told apart there, and the lease decides.
    """
    if not Path("/proc/self").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return None
        return 0
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[18])


def has_open(pid: int, file: Path) -> bool:
    """Whether process `pid` works with this very file; True where that cannot be seen.

    Rows of a project's copied folder name processes that work with the original.
    """
    try:
        wanted = file.stat()
        with os.scandir(f"/proc/{pid}/fd") as descriptors:
            return any(_is_of(each.path, wanted) for each in descriptors)
    except OSError:
        return True


def _is_of(descriptor: str, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(Path(descriptor).stat(), wanted)
    except OSError:  # closed meanwhile
        return False

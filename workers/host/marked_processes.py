"""Finding and killing processes by the mark that each process of a run carries in its environment."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

from workers.host.guardian import KILL_SECONDS, LINUX

CALL_MARK = "LIFECYCLE_CALL"  # names one call's processes
RUN_MARK = "LIFECYCLE_RUN"  # names all processes of a run


def by_mark(name: str) -> dict[str, list[int]]:
    """Living processes by the value of `name` in their environment; empty where there is no /proc."""
    wanted = f"\0{name}=".encode()
    found: dict[str, list[int]] = {}
    for process in filter(str.isdigit, _names("/proc")) if LINUX else ():
        _, mark, rest = (b"\0" + _environment(process)).partition(wanted)
        if mark:
            value = rest.partition(b"\0")[0].decode(errors="replace")
            found.setdefault(value, []).append(int(process))
    return found


def marked(name: str, value: str) -> list[int]:
    """Living processes that carry `name=value` in their environment."""
    return by_mark(name).get(value, [])


def _environment(process: str) -> bytes:
    """Nothing for another user's process, or one that has just ended: they are none of ours."""
    folder = f"/proc/{process}"
    if environment := _read(f"{folder}/environ"):
        return environment
    # its first thread is dead, others may live
    others = (thread for thread in _names(f"{folder}/task") if thread != process)
    return next(filter(None, (_read(f"{folder}/task/{thread}/environ") for thread in others)), b"")


def _names(folder: str) -> list[str]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:  # a process may end while it is read
        return [entry.name for entry in entries]
    return []


def _read(file: str) -> bytes:
    """Without a file object and a path: a machine has hundreds of processes, and they are looked at again and again."""
    with contextlib.suppress(OSError):
        descriptor = os.open(file, os.O_RDONLY)
        try:
            parts = []
            while part := os.read(descriptor, 65_536):
                parts.append(part)
            return b"".join(parts)
        finally:
            os.close(descriptor)
    return b""


def kill_marked(name: str, value: str) -> tuple[int, bool]:
    """Kill all processes with this mark; how many, and whether some are left after a few seconds."""
    killed: set[int] = set()
    until = time.monotonic() + KILL_SECONDS
    while living := marked(name, value):
        if time.monotonic() >= until:
            return len(killed), True
        kill(living)
        killed.update(living)
    return len(killed), False


def kill(pids: Iterable[int]) -> None:
    """Stop them all before the first one dies: a stopped process forks no more."""
    pids = list(pids)
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

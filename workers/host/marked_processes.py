"""Finding and killing processes by the mark that each process of a run carries in its environment."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from workers.host.guardian import KILL_SECONDS, LINUX

CALL_MARK = "LIFECYCLE_CALL"  # names one call's processes
RUN_MARK = "LIFECYCLE_RUN"  # names all processes of a run


def by_mark(name: str) -> dict[str, list[int]]:
    """Living processes by the value of `name` in their environment; empty where there is no /proc."""
    wanted = f"{name}=".encode()
    found: dict[str, list[int]] = {}
    for process in Path("/proc").glob("[0-9]*") if LINUX else ():
        for each in _environment(process):
            if each.startswith(wanted):
                value = each[len(wanted) :].decode(errors="replace")
                found.setdefault(value, []).append(int(process.name))
                break
    return found


def marked(name: str, value: str) -> list[int]:
    """Living processes that carry `name=value` in their environment."""
    return by_mark(name).get(value, [])


def _environment(process: Path) -> list[bytes]:
    """Nothing for another user's process, or one that has just ended: they are none of ours."""
    with contextlib.suppress(OSError):
        if environment := (process / "environ").read_bytes():
            return environment.split(b"\0")
    with contextlib.suppress(OSError):  # the listing too: the process may end while it is read
        for thread in process.glob("task/*/environ"):  # its first thread is dead, others may live
            with contextlib.suppress(OSError):
                if environment := thread.read_bytes():
                    return environment.split(b"\0")
    return []


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

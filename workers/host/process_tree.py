"""The descendants of a process and what they use, from /proc (Linux).

The guardian imports this file under `python -I -S`: the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
import resource


class Process:
    def __init__(self, dead: bool, parent: int, group: int) -> None:
        self.dead = dead  # its first thread is; others may live on
        self.parent = parent
        self.group = group


Family = dict[int, Process]


def descendants(ancestor: int) -> Family:
    """All of them by pid."""
    found: Family = {}
    parents = [ancestor]
    while parents:
        for child in children(parents.pop()):
            about = state(child)
            if about is not None and child not in found:
                found[child] = about
                parents.append(child)
    return found


def children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - pathlib doubles the start-up time
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def state(pid: int) -> Process | None:
    """None when the process is gone."""
    mode, parent, group, *_ = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split() or (b"", b"0", b"0")
    return Process(mode in (b"Z", b"X"), int(parent), int(group)) if mode else None


def private_bytes(pid: int) -> int:
    """Memory of its own, without files that it shares; 0 when the process is gone."""
    _, resident, shared, *_ = _read(f"/proc/{pid}/statm").split() or (b"0", b"0", b"0")
    return (int(resident) - int(shared)) * resource.getpagesize()


def die_first() -> None:
    """Let the kernel end this process, and what it starts, before any other when memory is short."""
    with open("/proc/self/oom_score_adj", "wb") as score:  # noqa: PTH123 - as above
        score.write(b"1000")


def _read(path: str) -> bytes:
    """A file of /proc; empty when its process is gone."""
    try:
        with open(path, "rb") as listing:  # noqa: PTH123 - as above
            return listing.read()
    except (FileNotFoundError, ProcessLookupError):
        return b""

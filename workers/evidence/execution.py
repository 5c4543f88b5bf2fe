"""How a command is run, for functions that only say which: the caller decides about the sandbox and the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from orchestrator.domain.dataclass import dataclass

EXITED = "exited"
KILLED = "killed"  # by a signal that is none of ours
OUTPUT_BYTES = 10 * 1024 * 1024  # that it may print, on each of its two outputs
MEMORY_BYTES = 4 * 1024**3  # of all its processes together
PROCESSES = 1024  # at one time
_WHY_ENDED = {
    "output_limit": f"it printed more than {OUTPUT_BYTES >> 20} MiB",
    "total": "it took too long",
    "memory": f"it took more than {MEMORY_BYTES >> 30} GiB of memory",
    "processes": f"it started more than {PROCESSES} processes",
    "disk": "the disk was almost full",
}


@dataclass(frozen=True, slots=True)
class Executed:
    """What one command left behind."""

    exit: int | None  # None: it was ended by a signal, or by us
    out: str
    err: str
    seconds: float = 0.0
    ended_by: str = EXITED  # exited, or who or what ended it: silence, total, memory, unconfined, ...


Execute: TypeAlias = Callable[[Sequence[str], Path, Mapping[str, str]], Executed]
"""Runs a command in a folder with exactly this environment."""


def why_ended(ended_by: str) -> str:
    """For a person: what ended a command that did not end by itself."""
    return _WHY_ENDED.get(ended_by, ended_by)

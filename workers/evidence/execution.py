"""How a command is run, for functions that only say which: the caller decides about the sandbox and the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

EXITED = "exited"


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

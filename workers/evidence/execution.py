"""How a check starts a program: by a function that it is given, which may confine it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Executed:
    """What a program did."""

    exit: int | None  # None: it was ended, or could not be started
    out: str
    err: str
    seconds: float = 0.0
    ended_by: str = ""  # who ended it, empty when it ended by itself


# The command, the folder that it runs in, and variables on top of the environment that the caller chose.
Execute: TypeAlias = Callable[[Sequence[str], Path, Mapping[str, str]], Executed]

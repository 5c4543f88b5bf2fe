"""The ids of runs and calls. Whoever asks for one names it, so that asking again makes no other one."""

from __future__ import annotations

import os
import time


def run_id(at: int) -> str:
    """32 hexadecimal digits that no other run has; they begin with the time, so that new rows lie side by side."""
    return f"{at & 0xFFFF_FFFF_FFFF_FF:014x}{os.urandom(9).hex()}"


def first_run_id(at: int) -> str:
    """No run that was named at `at` (microseconds, UTC) or later has an id below this one."""
    return f"{at & 0xFFFF_FFFF_FFFF_FF:014x}"


def new_run_id() -> str:
    """The id of a run that is to be opened now."""
    return run_id(time.time_ns() // 1000)


def new_call_id() -> str:
    """The id of a call of an agent that is to begin; its run has no other call of that id."""
    return os.urandom(16).hex()

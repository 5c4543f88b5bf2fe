"""How a process ends that has used Temporal's client.

Threads of that library outlive it, and one that asks for Python's lock while the interpreter is taken apart aborts the
process: exit code 134 instead of its own.
"""

from __future__ import annotations

import atexit
import os
import sys

_codes: list[int] = []


def prepare() -> None:
    """To be called before anything of ours is loaded: what is registered behind it, to be done at the end, is done before."""
    atexit.register(_leave)


def with_code(code: int) -> int:
    """The code with which the process is about to exit."""
    _codes.append(code)
    return code


def _leave() -> None:
    """All is closed: leave the interpreter as it is."""
    if not _codes or "temporalio" not in sys.modules:
        return
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):  # nobody reads it, or it was closed: Python says which
        return
    os._exit(_codes[-1])

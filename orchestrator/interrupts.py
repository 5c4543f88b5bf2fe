"""Ctrl-C while a program is still being loaded: it ends at once, since nothing was begun.

Raised in the middle of an import, KeyboardInterrupt comes out as a traceback, or is lost in a callback of the importer.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

EXIT_INTERRUPTED = 130
_SAID = b"\nError: interrupted\n  why: nothing was begun\n"


def end_at_once() -> None:
    """From now on an interrupt ends the process; one that is ignored, as in a shell's background, stays ignored."""
    _replace(signal.default_int_handler, _end)


def raise_again() -> None:
    """All is loaded: an interrupt is KeyboardInterrupt again."""
    _replace(_end, signal.default_int_handler)


def ignore() -> None:
    """The process is ending with the code that it has; an interrupt can change nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _replace(old: object, new: object) -> None:
    if signal.getsignal(signal.SIGINT) is old:
        signal.signal(signal.SIGINT, new)  # type: ignore[arg-type]  # a handler of either kind


def _end(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, _SAID)
    finally:
        os._exit(EXIT_INTERRUPTED)

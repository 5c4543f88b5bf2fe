"""Prints a pack's template in a process of its own: one that loops without end, or fills the memory, is ended there.

The process is a copy of this one (`fork`), since what a template is given has methods and cannot be sent. It keeps no
file open but its pipe, uses none of our locks, and ends without our cleaning up.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from jinja2 import TemplateError

SECONDS = 10.0
MEMORY = 512 * 1024 * 1024  # bytes, beyond what the process has
LONGEST = 16 * 1024 * 1024  # bytes of a page
_STATM = Path("/proc/self/statm")


class TemplateUnbounded(TemplateError):
    """The template does not come to an end within its limits of time, memory and length."""


def bounded(print_page: Callable[[], str], seconds: float = SECONDS) -> str:
    """What `print_page` returns. Raises TemplateError for what it raises, TemplateUnbounded when it exceeds a limit."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _print(print_page, writing, seconds)
    os.close(writing)
    try:
        said = _read(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)  # it has nothing left to do, and cannot have been reaped
        os.waitpid(child, 0)
    mark, text = said[:1], said[1:].decode("utf-8", "replace")
    if mark == b"+":
        return text
    if mark == b"-":
        raise TemplateError(text)
    raise TemplateUnbounded(
        f"it needs more than {MEMORY // 1024**2} MiB of memory or {seconds:.0f} s of work"
    )


def _read(reading: int, until: float) -> bytes:
    """Everything that is written. Raises TemplateUnbounded after that time, or for too much."""
    said = bytearray()
    while select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(reading, 65_536)
        if not part:
            return bytes(said)
        said += part
        if len(said) > LONGEST:
            raise TemplateUnbounded(f"its page is longer than {LONGEST // 1024**2} MiB")
    raise TemplateUnbounded("it does not come to an end")


def _print(print_page: Callable[[], str], writing: int, seconds: float) -> NoReturn:
    """In the copy: print, write what came of it, end. Nothing may leave this function."""
    try:
        os.closerange(0, writing)
        os.closerange(writing + 1, 65_536)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        _limit(seconds)
        try:
            said = b"+" + print_page().encode("utf-8", "replace")
        except MemoryError:
            said = b""
        except Exception as error:  # whatever a template can raise is told where it is printed for
            said = b"-" + f"{type(error).__name__}: {error}"[:2_000].encode("utf-8", "replace")
        view = memoryview(said)
        while view:
            view = view[os.write(writing, view) :]
    finally:
        os._exit(0)


def _limit(seconds: float) -> None:
    cpu = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if _STATM.exists():  # elsewhere nobody says what we have, and the time must do
        mine = int(_STATM.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (mine, mine))

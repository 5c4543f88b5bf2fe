"""Processes of an earlier version of this program that still work with the project's database.

They know neither tables nor files in their new form. So they are asked to end, as by `lifecycle daemon stop`, before
the database is upgraded, and when a newer coordinator takes over: their open runs are finished or released, and the
attempts do not count.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Protocol

from orchestrator import __version__
from orchestrator.dispatch.local import Identified, end_of, send
from orchestrator.domain.errors import DatabaseUnusable
from orchestrator.domain.versions import is_older
from orchestrator.store.clock import SHARED, boot_id, is_on_this_machine, process_start, space_of_pids

STOP_SECONDS = 120.0  # a host may drain for a minute before its coordinator ends


class Process(Identified, Protocol):
    """What a row of a leader or a host says of its process."""

    @property
    def boot(self) -> str: ...
    @property
    def pid_space(self) -> str: ...


def outdated(version: str) -> bool:
    """Whether a row names an earlier version than this program's."""
    return is_older(version, __version__)


def stop(
    rows: Iterable[Process],
    on_wait: Callable[[list[int]], None] | None = None,
    seconds: float = STOP_SECONDS,
    *,
    refuse_elsewhere: bool = False,
) -> bool:
    """Ask the processes to end and wait until they have; whether there were any.

    `on_wait` gets their pids. Those of other machines are left alone, unless `refuse_elsewhere`. Raises DatabaseUnusable
    for those, before any is asked, and for those that do not end, or are not ours to ask.
    """
    rows = [row for row in rows if row.boot in (boot_id(), SHARED) and not was_us(row)]
    mine = [row for row in rows if is_on_this_machine(row.boot, row.pid_space)]
    if refuse_elsewhere and len(mine) < len(rows):
        far = sorted(row.pid for row in rows if row not in mine)
        raise _at_work(far, "they run on another machine, or in another container", "stop them there")
    if elsewhere := [row.pid for row in mine if row.pid_space != space_of_pids(row.boot)]:
        raise _at_work(elsewhere, "they run in another container", "stop them there")
    ends = {row.pid: end for row in mine if (end := end_of(row)) is not None}
    try:
        for pid, end in ends.items():
            try:
                send(end, signal.SIGTERM)
            except PermissionError as error:
                raise _at_work([pid], "they belong to another user", "have them stopped") from error
        if ends and on_wait is not None:
            on_wait(sorted(ends))
        until = time.monotonic() + seconds
        late = [
            pid
            for pid, end in ends.items()
            if not select.select([end], [], [], max(0.0, until - time.monotonic()))[0]
        ]
    finally:
        for end in ends.values():
            with suppress(OSError):
                os.close(end)
    if late:
        raise _at_work(late, f"they have not ended within {seconds:.0f} s", "end them")
    return bool(ends)


def was_us(row: Process) -> bool:
    """Whether it is what this process was before it began anew as another program, and could not take back."""
    mine = (
        row.pid == os.getpid()
        and row.boot in (boot_id(), SHARED)
        and row.pid_space == space_of_pids(row.boot)
    )
    return mine and row.process_start in (0, process_start(row.pid))


def _at_work(pids: list[int], why: str, do: str) -> DatabaseUnusable:
    return DatabaseUnusable(
        "processes of an earlier version of this program still work with the database",
        why=f"pid {', '.join(map(str, pids))}: {why}",
        fix=f"{do}, then repeat the command",
    )

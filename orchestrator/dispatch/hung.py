"""Processes of ours that hang while they hold the database's write lock.

A coordinator or worker host that is stopped, or starved, in the middle of a write keeps everybody from writing, its own
successor too. As its lease is over it may do nothing any more; so whoever waits for the lock ends it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Collection

from orchestrator.dispatch.local import end_of, send
from orchestrator.store import leases
from orchestrator.store.store import Store


def end_hung(store: Store, holders: Collection[int]) -> list[int]:
    """Kill those of the pids that are a coordinator or worker host of this project with a lease that is over; their pids."""
    ended = []
    for row in store.read(leases.overdue_processes):
        if row.pid in holders and (end := end_of(row)) is not None:
            send(end, signal.SIGKILL)
            os.close(end)
            ended.append(row.pid)
    return ended

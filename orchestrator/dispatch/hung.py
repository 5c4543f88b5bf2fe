"""Processes of ours that hang while they hold the database's lock.

A coordinator or worker host that is stopped, or starved, in the middle of a write keeps everybody from writing, its own
successor too. As its lease is over it may do nothing any more; so the command, or the coordinator, that waits for the
lock ends it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Collection

from orchestrator.dispatch.local import end_of, send
from orchestrator.domain.errors import StoreError
from orchestrator.store import leases
from orchestrator.store.store import Store


def end_hung(store: Store, holders: Collection[int]) -> list[int]:
    """Kill those of `holders` (pids) that are a coordinator or worker host of this project with a lease that is over.

    Their pids. None where the leases cannot be read: with `journal = truncate` a writer keeps out readers too.
    """
    try:
        late = store.read(leases.overdue_processes)
    except StoreError:
        return []
    ended = []
    for row in late:
        if row.pid in holders and (end := end_of(row)) is not None:
            send(end, signal.SIGKILL)
            os.close(end)
            ended.append(row.pid)
    return ended

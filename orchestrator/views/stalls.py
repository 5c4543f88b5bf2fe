"""Why active sessions make no progress, where only a process can help."""

from __future__ import annotations

from orchestrator.store import leases
from orchestrator.store.store import Tx

NO_COORDINATOR = "no coordinator is running: `lifecycle resume` or `lifecycle daemon start` starts one"
NO_HOST = (
    "tasks are offered, but no worker host is running yet: the coordinator starts one, see .workflow/logs"
)


def lost_runs(tx: Tx) -> dict[str, list[str]]:
    """Session -> a sentence for each of its runs that nobody has recovered yet."""
    found: dict[str, list[str]] = {}
    for run, why in leases.overdue_runs(tx):
        said = f"{run.key}: {why}; the coordinator recovers it, or `lifecycle resume` does"
        found.setdefault(run.session_id, []).append(said)
    return found


def missing_process(tx: Tx, is_offered: bool) -> str | None:
    """The process that active sessions lack, in words; `is_offered`: whether a task waits for a worker host."""
    if leases.leader(tx) is None:
        return NO_COORDINATOR
    return NO_HOST if is_offered and not leases.live_hosts(tx) else None

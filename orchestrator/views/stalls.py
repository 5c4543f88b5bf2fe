"""Why active sessions make no progress, where only a process can help."""

from __future__ import annotations

from collections.abc import Hashable

from orchestrator.dispatch.coming_up import is_starting
from orchestrator.store import leases, waiting
from orchestrator.store.store import Tx

NO_COORDINATOR = "no coordinator is running: `lifecycle resume` or `lifecycle daemon start` starts one"
NO_HOST = (
    "tasks are offered, but no worker host is running yet: the coordinator starts one, see .workflow/logs"
)

COMMAND_SECONDS = 2.0  # from a command's commit until it has started a coordinator
HOST_SECONDS = 10.0  # a coordinator may take to start its first worker host


def lost_runs(tx: Tx) -> dict[str, list[str]]:
    """Session -> a sentence for each of its runs that nobody has recovered yet."""
    found: dict[str, list[str]] = {}
    for run, why in leases.overdue_runs(tx):
        said = f"{run.key}: {why}; the coordinator recovers it, or `lifecycle resume` does"
        found.setdefault(run.session_id, []).append(said)
    return found


def missing_process(tx: Tx, is_offered: bool, changed_at: int | None) -> str | None:
    """The process that active sessions lack, in words; None while it is coming up.

    `is_offered`: whether a task waits for a worker host. `changed_at`: when the newest of the sessions changed.
    """
    leader = leases.leader(tx)
    if leader is None:
        return None if is_coming_up(tx, changed_at) else NO_COORDINATOR
    if not is_offered or tx.now - leader.at < HOST_SECONDS * leases.SECOND or leases.live_hosts(tx):
        return None
    return NO_HOST


def processes(tx: Tx) -> Hashable:
    """What a view says of the processes, as a value that differs when they do: no commit tells that one was killed."""
    leader = leases.leader(tx)
    missing = missing_process(tx, waiting.is_offered(tx), waiting.changed_at(tx))
    return leader and leader.epoch, missing, frozenset(run.id for run, _ in leases.overdue_runs(tx))


def is_coming_up(tx: Tx, changed_at: int | None) -> bool:
    """Whether somebody has started a coordinator, or is about to; never for one that was killed while it led.

    A command commits what it changes before it starts a coordinator, so one that has just done so counts as well.
    """
    if is_starting(tx.workflow, tx.now):
        return True
    if changed_at is None or tx.now - changed_at >= COMMAND_SECONDS * leases.SECOND:
        return False
    return not leases.was_killed(tx)

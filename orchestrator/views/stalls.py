"""Why active sessions make no progress, where only a process can help."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from orchestrator.coordinator.projector import stamp
from orchestrator.dispatch.coming_up import fault_of, is_starting, last_start
from orchestrator.domain.inert import one_line
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.waiting import Held
from orchestrator.store import leases, waiting
from orchestrator.store.store import Tx

NO_COORDINATOR = "no coordinator is running: `lifecycle resume` or `lifecycle daemon start` starts one"
NO_HOST = (
    "tasks are offered, but no worker host is running yet: the coordinator starts one, see .workflow/logs; "
    "where own_host is off, `lifecycle worker` or `lifecycle host join` runs one"
)

DOCTOR = "`lifecycle doctor` says more"
WORDS = 300  # characters of what a coordinator printed
COMMAND_SECONDS = 2.0  # from a command's commit until it has started a coordinator
HOST_SECONDS = 10.0  # a coordinator may take to start its first worker host


class Missing(NamedTuple):
    """A process that active sessions lack, in words."""

    kind: Held
    says: str


def lost_runs(tx: Tx) -> dict[str, list[str]]:
    """Session -> a sentence for each of its runs that nobody has recovered yet."""
    found: dict[str, list[str]] = {}
    for run, why in leases.overdue_runs(tx):
        said = f"{run.key}: {why}; the coordinator recovers it, or `lifecycle resume` does"
        found.setdefault(run.session_id, []).append(said)
    return found


def missing_process(tx: Tx, is_offered: bool, changed_at: int | None) -> Missing | None:
    """The process that active sessions lack; None while it is coming up.

    `is_offered`: whether a task waits for a worker host. `changed_at`: when the newest of the sessions changed.
    """
    leader = leases.leader(tx)
    if leader is None:
        return None if is_coming_up(tx, changed_at) else Missing(Held.NO_COORDINATOR, _no_coordinator(tx))
    if not is_offered or tx.now - leader.at < HOST_SECONDS * leases.SECOND or leases.live_hosts(tx):
        return None
    return Missing(Held.NO_HOST, NO_HOST)


def no_host_of(tx: Tx, role: str) -> str:
    """That no host of a role is up, and since when."""
    of = f"no host of role {role} in project {tx.workflow.parent.name}"
    at = leases.last_up(tx, role)
    return f"{of} has been up" if at is None else f"{of} is up since {stamp(at)}"


def unserved(tx: Tx, roles: Iterable[str]) -> list[str]:
    """A sentence for each of these roles, of tasks that wait, that none of the hosts which are up has."""
    served = {role for row in leases.live_hosts(tx) if not row.draining for role in row.roles}
    return [no_host_of(tx, role) for role in sorted(set(roles) - served)] if served else []


def _no_coordinator(tx: Tx) -> str:
    """That none leads, with what is known of the one that was started last."""
    start, led = last_start(tx.workflow, tx.now), leases.last_leader(tx)
    if start is None or (
        led is not None and led.pid != start.pid and led.at > tx.now - start.seconds * leases.SECOND
    ):  # or another one, started in another way, has led since
        return NO_COORDINATOR
    if start.lives:
        return (
            f"the coordinator (pid {start.pid}) hangs: it lives and does not lead; "
            "`lifecycle daemon start` starts another one, see .workflow/logs"
        )
    what, fix = fault_of(tx.workflow, start)
    if not what:
        return NO_COORDINATOR
    said = f"{one_line(what, WORDS)}; {one_line(fix, WORDS) or DOCTOR}"
    return f"the coordinator has ended: {said}; `lifecycle daemon start` starts it again"


def starting_seconds(tx: Tx) -> int | None:
    """For how many seconds a coordinator has been on its way; None where one leads, or none is."""
    start = None if leases.leader(tx) is not None else last_start(tx.workflow, tx.now)
    return int(start.seconds) if start is not None and start.is_on_its_way else None


def processes(tx: Tx) -> Hashable:
    """What a view says of the processes, as a value that differs when they do: no commit tells that one was killed."""
    leader, changed_at = leases.leader(tx), waiting.changed_at(tx)
    missing = missing_process(tx, waiting.is_offered(tx), changed_at)
    starting = None if changed_at is None else starting_seconds(tx)
    return leader and leader.epoch, missing, starting, frozenset(run.id for run, _ in leases.overdue_runs(tx))


def is_coming_up(tx: Tx, changed_at: int | None) -> bool:
    """Whether somebody has started a coordinator, or is about to; never for one that was killed while it led.

    A command commits what it changes before it starts a coordinator, so one that has just done so counts as well.
    """
    if is_starting(tx.workflow, tx.now):
        return True
    if changed_at is None or tx.now - changed_at >= COMMAND_SECONDS * leases.SECOND:
        return False
    return not leases.was_killed(tx)

"""Liveness: hosts and their leases, the daemon's leader lease, and runs whose time is over.

A lease belongs to one incarnation (uuid of a process start). A renewal names the live runs; it never renews "all runs of
this owner", which would keep alive what the owner has forgotten. A lease that ended is never revived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import and_, bindparam, insert, select, update

from orchestrator.domain.errors import NotLeader
from orchestrator.store.clock import pid_space, process_start
from orchestrator.store.prepared import Prepared, PreparedInsert, Row
from orchestrator.store.project_tables import hosts, leases
from orchestrator.store.store import Tx
from orchestrator.store.tables import runs, tasks

LEADER = "coordinator"
SECOND = 1_000_000  # microseconds
SUPERVISED = "h-own-"  # how the incarnations of hosts begin that a daemon started

_REGISTER = PreparedInsert(lambda: insert(hosts))
_RENEW_HOST = Prepared(
    lambda: (
        update(hosts)
        .where(
            hosts.c.incarnation == bindparam("host"),
            hosts.c.boot == bindparam("this_boot"),
            hosts.c.lease_until > bindparam("lease_now"),
        )
        .values(lease_until=bindparam("until"), draining=bindparam("drains"))
    )
)
_RENEW_RUN = Prepared(
    lambda: (
        update(runs)
        .where(
            runs.c.id == bindparam("run"),
            runs.c.host == bindparam("by"),
            runs.c.outcome.is_(None),
            runs.c.lease_until > bindparam("lease_now"),
        )
        .values(lease_until=bindparam("until"))
    )
)
_END_HOST = Prepared(
    lambda: (
        update(hosts)
        .where(hosts.c.incarnation == bindparam("host"))
        .values(lease_until=bindparam("lease_now"))
    )
)
_END_RUNS = Prepared(
    lambda: (
        update(runs)
        .where(runs.c.host == bindparam("by"), runs.c.outcome.is_(None))
        .values(lease_until=bindparam("lease_now"))
    )
)
_LIVE = Prepared(
    lambda: (
        select(hosts)
        .where(hosts.c.boot == bindparam("this_boot"), hosts.c.lease_until > bindparam("lease_now"))
        .order_by(hosts.c.started_at)
    )
)
_SUPERVISED = Prepared(
    lambda: select(hosts).where(
        hosts.c.boot == bindparam("this_boot"),
        hosts.c.pid_space == bindparam("this_space"),
        hosts.c.incarnation.like(f"{SUPERVISED}%"),
    )
)
_OVERDUE = Prepared(
    lambda: (
        select(
            runs.c.id,
            runs.c.session_id,
            runs.c.task_id,
            runs.c.lease_until,
            runs.c.host,
            tasks.c.key,
            tasks.c.role,
            hosts.c.boot,
            hosts.c.pid_space,
            hosts.c.pid,
            hosts.c.process_start,
        )
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .join(tasks, tasks.c.id == runs.c.task_id)
        .where(runs.c.outcome.is_(None))
    )
)
_LEADER = Prepared(lambda: select(leases).where(leases.c.name == LEADER))
_FIRST_LEADER = PreparedInsert(lambda: insert(leases))
_TAKE_LEAD = Prepared(
    lambda: (
        update(leases)
        .where(leases.c.name == LEADER, leases.c.epoch == bindparam("old_epoch"))
        .values(
            holder=bindparam("by"),
            epoch=leases.c.epoch + 1,
            boot=bindparam("this_boot"),
            pid_space=bindparam("this_space"),
            pid=bindparam("as_pid"),
            process_start=bindparam("started"),
            until=bindparam("ends"),
            at=bindparam("now"),
        )
    )
)
_KEEP_LEAD = Prepared(
    lambda: (
        update(leases)
        .where(
            and_(
                leases.c.name == LEADER,
                leases.c.holder == bindparam("by"),
                leases.c.epoch == bindparam("my_epoch"),
                leases.c.boot == bindparam("this_boot"),
                leases.c.until > bindparam("lease_now"),
            )
        )
        .values(until=bindparam("ends"))
    )
)
_LEADS = Prepared(
    lambda: select(leases.c.epoch).where(
        leases.c.name == LEADER,
        leases.c.holder == bindparam("by"),
        leases.c.epoch == bindparam("my_epoch"),
        leases.c.boot == bindparam("this_boot"),
        leases.c.until > bindparam("lease_now"),
    )
)


def register_host(
    tx: Tx,
    incarnation: str,
    *,
    pid: int,
    started: int,
    roles: Iterable[str],
    slots: int,
    lease_seconds: float,
) -> None:
    tx.run(
        _REGISTER,
        incarnation=incarnation,
        boot=tx.boot,
        pid_space=pid_space(),
        pid=pid,
        process_start=started,
        roles=sorted(roles),
        slots=slots,
        lease_until=tx.lease_now + int(lease_seconds * SECOND),
        started_at=tx.now,
    )


def renew(
    tx: Tx, incarnation: str, live: Iterable[str], lease_seconds: float, *, draining: bool = False
) -> tuple[bool, list[str]]:
    """Extend the host's lease and exactly the named runs; (the host still lives, runs that are no longer its own)."""
    until = tx.lease_now + int(lease_seconds * SECOND)
    named = list(live)
    if not tx.one(
        _RENEW_HOST,
        host=incarnation,
        this_boot=tx.boot,
        lease_now=tx.lease_now,
        until=until,
        drains=int(draining),
    ):
        return False, named
    gone = [
        run
        for run in named
        if not tx.one(_RENEW_RUN, run=run, by=incarnation, lease_now=tx.lease_now, until=until)
    ]
    return True, gone


def end_host(tx: Tx, incarnation: str) -> None:
    """The host says goodbye: it gets no more offers. Its open runs, if any, are reaped as lost."""
    tx.run(_END_HOST, host=incarnation, lease_now=tx.lease_now)
    tx.run(_END_RUNS, by=incarnation, lease_now=tx.lease_now)


def live_hosts(tx: Tx) -> list[Row]:
    """Hosts whose lease has not ended and whose process is not known dead."""
    return [
        row for row in tx.rows(_LIVE, this_boot=tx.boot, lease_now=tx.lease_now) if not is_gone(row, tx.boot)
    ]


def supervised_hosts(tx: Tx) -> list[Row]:
    """Hosts on this machine that a daemon, this one or a dead one, has started and whose process lives."""
    rows = tx.rows(_SUPERVISED, this_boot=tx.boot, this_space=pid_space())
    return [row for row in rows if not is_gone(row, tx.boot)]


def is_gone(row: Row, boot: str, started: Callable[[int], int | None] = process_start) -> bool:
    """Whether the process of `row` is known dead: another boot, or its pid is not its own now.

    A process of another container cannot be looked up from here: only its lease can tell, so it is not known dead.
    """
    if row.boot != boot:
        return True
    return bool(row.pid_space == pid_space() and started(row.pid) != row.process_start)


def overdue_runs(tx: Tx) -> list[tuple[Row, str]]:
    """Open runs whose time is over, each with why: the lease ended (`host_lives`), or the host's process is gone."""
    found: list[tuple[Row, str]] = []
    known: dict[str, bool] = {}
    for row in tx.rows(_OVERDUE):
        gone = known.setdefault(row.host, is_gone(row, tx.boot))
        row.host_lives = not gone
        if gone:
            found.append((row, "its worker host is gone"))
        elif row.lease_until <= tx.lease_now:
            found.append((row, "its lease ended"))
    return found


def leader(tx: Tx) -> Row | None:
    """The leader lease's row, when its holder leads now."""
    row = tx.row(_LEADER)
    if row is None or row.until <= tx.lease_now or is_gone(row, tx.boot):
        return None
    return row


def take_lead(tx: Tx, holder: str, *, pid: int, started: int, lease_seconds: float) -> int | None:
    """Become the leader; the new leader epoch, None while another one leads."""
    row = tx.row(_LEADER)
    ends = tx.lease_now + int(lease_seconds * SECOND)
    mine: dict[str, Any] = {
        "by": holder,
        "this_boot": tx.boot,
        "this_space": pid_space(),
        "as_pid": pid,
        "started": started,
        "ends": ends,
        "now": tx.now,
    }
    if row is None:
        tx.run(
            _FIRST_LEADER,
            name=LEADER,
            holder=holder,
            epoch=1,
            boot=tx.boot,
            pid_space=pid_space(),
            pid=pid,
            process_start=started,
            until=ends,
            at=tx.now,
        )
        return 1
    if leader(tx) is not None:
        return None
    return int(row.epoch) + 1 if tx.one(_TAKE_LEAD, old_epoch=row.epoch, **mine) else None


def keep_lead(tx: Tx, holder: str, epoch: int, lease_seconds: float) -> None:
    """Raises NotLeader."""
    ends = tx.lease_now + int(lease_seconds * SECOND)
    if not tx.one(
        _KEEP_LEAD, by=holder, my_epoch=epoch, this_boot=tx.boot, lease_now=tx.lease_now, ends=ends
    ):
        raise NotLeader(holder=holder)


def leave_lead(tx: Tx, holder: str, epoch: int) -> None:
    tx.run(
        _KEEP_LEAD, by=holder, my_epoch=epoch, this_boot=tx.boot, lease_now=tx.lease_now, ends=tx.lease_now
    )


def must_lead(tx: Tx, holder: str, epoch: int) -> None:
    """Every act of the coordinator begins with this. Raises NotLeader."""
    if tx.row(_LEADS, by=holder, my_epoch=epoch, this_boot=tx.boot, lease_now=tx.lease_now) is None:
        raise NotLeader(holder=holder)

"""Liveness: hosts and their leases, the daemon's leader lease, and runs whose time is over.

A lease belongs to one incarnation (uuid of a process start). A renewal names the live runs; it never renews "all runs of
this owner", which would keep alive what the owner has forgotten. A lease that ended is never revived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from orchestrator import __version__
from orchestrator.domain.errors import NotAllowedNow, NotLeader
from orchestrator.domain.identity import ON_ANOTHER_MACHINE, SUPERVISED
from orchestrator.store.clock import is_on_this_machine, process_start, space_of_pids
from orchestrator.store.rows import Host, Leader, OverdueRun
from orchestrator.store.sql import Update, and_, bindparam, hosts, leases, runs, select, tasks, update
from orchestrator.store.statements import Insertion, Selection, change, columns, query
from orchestrator.store.store import Tx

LEADER = "coordinator"
SECOND = 1_000_000  # microseconds
LEFT = 200  # hosts that are looked at for the last one of a role
HOST_GONE = "its worker host is gone"

_REGISTER = Insertion("hosts", unique=["incarnation"])


@query(tuple[str, int, int])
def _process_of() -> Selection:
    return select(hosts.c.pid_space, hosts.c.pid, hosts.c.process_start).where(
        hosts.c.incarnation == bindparam("host")
    )


@change
def _renew_host() -> Update:
    return (
        update(hosts)
        .where(
            hosts.c.incarnation == bindparam("host"),
            hosts.c.boot == bindparam("this_boot"),
            hosts.c.lease_until > bindparam("lease_now"),
        )
        .values(lease_until=bindparam("until"), draining=bindparam("drains"))
    )


@change
def _renew_run() -> Update:
    return (
        update(runs)
        .where(
            runs.c.id == bindparam("run"),
            runs.c.host == bindparam("by"),
            runs.c.outcome.is_(None),
            runs.c.lease_until > bindparam("lease_now"),
        )
        .values(lease_until=bindparam("until"))
    )


@change
def _end_host() -> Update:
    return (
        update(hosts)
        .where(hosts.c.incarnation == bindparam("host"))
        .values(lease_until=bindparam("lease_now"))
    )


@change
def _end_runs() -> Update:
    return (
        update(runs)
        .where(runs.c.host == bindparam("by"), runs.c.outcome.is_(None))
        .values(lease_until=bindparam("lease_now"))
    )


@query(Host)
def _live() -> Selection:
    return (
        select(*columns(hosts, Host))
        .where(hosts.c.boot == bindparam("this_boot"), hosts.c.lease_until > bindparam("lease_now"))
        .order_by(hosts.c.started_at)
    )


@query(Host)
def _left() -> Selection:
    return (
        select(*columns(hosts, Host))
        .where(hosts.c.boot == bindparam("this_boot"))
        .order_by(hosts.c.lease_until.desc())
        .limit(LEFT)
    )


@query(Host)
def _supervised() -> Selection:
    return select(*columns(hosts, Host)).where(
        hosts.c.boot == bindparam("this_boot"),
        hosts.c.pid_space == bindparam("this_space"),
        hosts.c.incarnation.like(f"{SUPERVISED}%"),
    )


@query(OverdueRun)
def _overdue() -> Selection:
    return (
        select(
            *columns(runs, OverdueRun),
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


@query(Leader)
def _leader() -> Selection:
    return select(*columns(leases, Leader)).where(leases.c.name == LEADER)


_FIRST_LEADER = Insertion("leases")


@change
def _take_lead() -> Update:
    return (
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
            version=bindparam("as_version"),
        )
    )


@change
def _keep_lead() -> Update:
    return _of_ours().values(until=bindparam("ends"))


@change
def _leave_lead() -> Update:
    """The process may go on as another program: by this row it is none that hangs."""
    return _of_ours().values(until=bindparam("ends"), process_start=0)


def _of_ours() -> Update:
    return update(leases).where(
        and_(
            leases.c.name == LEADER,
            leases.c.holder == bindparam("by"),
            leases.c.epoch == bindparam("my_epoch"),
            leases.c.boot == bindparam("this_boot"),
            leases.c.until > bindparam("lease_now"),
        )
    )


@query(int)
def _leads() -> Selection:
    """Its lock, where many write at once, lets no successor take the lead before this unit is committed."""
    return (
        select(leases.c.epoch)
        .where(
            leases.c.name == LEADER,
            leases.c.holder == bindparam("by"),
            leases.c.epoch == bindparam("my_epoch"),
            leases.c.boot == bindparam("this_boot"),
            leases.c.until > bindparam("lease_now"),
        )
        .with_for_update(read=True)
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
    token: str | None = None,
    version: str = __version__,
) -> None:
    """A second time it changes nothing: a lease that ended is not revived. Raises NotAllowedNow for another process.

    `token`: of a host on another machine, by name. Its process is looked up nowhere: its lease alone tells.
    `version`: of the program that the host runs, which on another machine need not be this one.
    """
    space = space_of_pids(tx.boot) if token is None else f"{ON_ANOTHER_MACHINE}{token}"
    process = (space, pid, started)
    known = tx.row(_process_of, host=incarnation)
    if known is not None and tuple(known) != process:
        raise NotAllowedNow(
            f"{incarnation} is another process",
            why=f"process {known[1]} has registered by that name",
            fix="start the worker host again: each start has a name of its own",
        )
    tx.insert(
        _REGISTER,
        incarnation=incarnation,
        boot=tx.boot,
        pid_space=space,
        pid=pid,
        process_start=started,
        roles=sorted(roles),
        slots=slots,
        lease_until=tx.lease_now + int(lease_seconds * SECOND),
        started_at=tx.now,
        version=version,
        token=token,
    )


def renew(
    tx: Tx, incarnation: str, live: Iterable[str], lease_seconds: float, *, draining: bool = False
) -> tuple[bool, list[str]]:
    """Extend the host's lease and exactly the named runs; (the host still lives, runs that are no longer its own)."""
    until = tx.lease_now + int(lease_seconds * SECOND)
    named = list(live)
    if not tx.one(
        _renew_host,
        host=incarnation,
        this_boot=tx.boot,
        lease_now=tx.lease_now,
        until=until,
        drains=int(draining),
    ):
        return False, named
    gone = [
        run
        for run in sorted(
            named
        )  # in one order, so that two who write the same rows wait and do not block each other
        if not tx.one(_renew_run, run=run, by=incarnation, lease_now=tx.lease_now, until=until)
    ]
    return True, gone


def end_host(tx: Tx, incarnation: str) -> None:
    """The host says goodbye: it gets no more offers. Its open runs, if any, are reaped as lost."""
    tx.send(_end_host, host=incarnation, lease_now=tx.lease_now)
    tx.send(_end_runs, by=incarnation, lease_now=tx.lease_now)


def live_hosts(tx: Tx) -> list[Host]:
    """Hosts whose lease has not ended and whose process is not known dead."""
    return [
        row for row in tx.rows(_live, this_boot=tx.boot, lease_now=tx.lease_now) if not is_gone(row, tx.boot)
    ]


def last_up(tx: Tx, role: str) -> int | None:
    """When the lease of the last host with this role ended (microseconds, UTC); None for none since this boot."""
    for row in tx.rows(_left, this_boot=tx.boot):
        if role in row.roles:
            return tx.now - max(0, tx.lease_now - row.lease_until)
    return None


def hosts_here(tx: Tx) -> list[Host]:
    """Those of them that are on this machine."""
    return [row for row in live_hosts(tx) if is_here(row)]


def is_here(row: Host | Leader) -> bool:
    """Whether it is on this machine; to be asked of those who live."""
    return is_on_this_machine(row.boot, row.pid_space)


def supervised_hosts(tx: Tx) -> list[Host]:
    """Hosts on this machine that a daemon, this one or a dead one, has started and whose process lives."""
    rows = tx.rows(_supervised, this_boot=tx.boot, this_space=space_of_pids(tx.boot))
    return [row for row in rows if not is_gone(row, tx.boot)]


def overdue_processes(tx: Tx) -> list[Host | Leader]:
    """The coordinator and worker hosts on this machine whose process lives though their lease is over."""
    live = {(row.pid, row.process_start) for row in live_hosts(tx)}
    late: list[Host | Leader] = [
        row for row in supervised_hosts(tx) if (row.pid, row.process_start) not in live
    ]
    row = tx.row(_leader)
    if (
        row is not None
        and row.until <= tx.lease_now
        and row.pid_space == space_of_pids(tx.boot)
        and not is_gone(row, tx.boot)
    ):
        late.append(row)
    return late


def is_gone(
    row: Host | Leader | OverdueRun, boot: str, started: Callable[[int], int | None] = process_start
) -> bool:
    """Whether the process of `row` is known dead: another boot, or its pid is not its own now.

    A process of another container or machine cannot be looked up from here: only its lease can tell, so it is not known dead.
    """
    if row.boot != boot:
        return True
    return row.pid_space == space_of_pids(boot) and started(row.pid) != row.process_start


def overdue_runs(tx: Tx) -> list[tuple[OverdueRun, str]]:
    """Open runs whose time is over, each with why: the lease ended, or (`HOST_GONE`) the host's process is."""
    found: list[tuple[OverdueRun, str]] = []
    known: dict[str, bool] = {}
    for row in tx.rows(_overdue):
        gone = known.setdefault(row.host, is_gone(row, tx.boot))
        if gone:
            found.append((row, HOST_GONE))
        elif row.lease_until <= tx.lease_now:
            found.append((row, "its lease ended"))
    return found


def leader(tx: Tx) -> Leader | None:
    """The leader lease's row, when its holder leads now."""
    row = tx.row(_leader)
    if row is None or row.until <= tx.lease_now or is_gone(row, tx.boot):
        return None
    return row


def last_leader(tx: Tx) -> Leader | None:
    """Who leads, or led last."""
    return tx.row(_leader)


def was_killed(tx: Tx) -> bool:
    """Whether the last leader's process is gone though its lease has not ended: it had no time to leave."""
    row = tx.row(_leader)
    return row is not None and row.boot == tx.boot and row.until > tx.lease_now and is_gone(row, tx.boot)


def take_lead(tx: Tx, holder: str, *, pid: int, started: int, lease_seconds: float) -> int | None:
    """Become the leader; the new leader epoch, None while another one leads."""
    row = tx.row(_leader)
    ends = tx.lease_now + int(lease_seconds * SECOND)
    mine: dict[str, object] = {
        "by": holder,
        "this_boot": tx.boot,
        "this_space": space_of_pids(tx.boot),
        "as_pid": pid,
        "started": started,
        "ends": ends,
        "now": tx.now,
        "as_version": __version__,
    }
    if row is None:
        tx.insert(
            _FIRST_LEADER,
            name=LEADER,
            holder=holder,
            epoch=1,
            boot=tx.boot,
            pid_space=space_of_pids(tx.boot),
            pid=pid,
            process_start=started,
            until=ends,
            at=tx.now,
            version=__version__,
        )
        return 1
    if leader(tx) is not None:
        return None
    return row.epoch + 1 if tx.one(_take_lead, old_epoch=row.epoch, **mine) else None


def keep_lead(tx: Tx, holder: str, epoch: int, lease_seconds: float) -> None:
    """Raises NotLeader."""
    ends = tx.lease_now + int(lease_seconds * SECOND)
    if not tx.one(
        _keep_lead, by=holder, my_epoch=epoch, this_boot=tx.boot, lease_now=tx.lease_now, ends=ends
    ):
        raise NotLeader(holder=holder)


def leave_lead(tx: Tx, holder: str, epoch: int) -> None:
    tx.send(
        _leave_lead, by=holder, my_epoch=epoch, this_boot=tx.boot, lease_now=tx.lease_now, ends=tx.lease_now
    )


def must_lead(tx: Tx, holder: str, epoch: int) -> None:
    """Every act of the coordinator begins with this. Raises NotLeader."""
    if tx.row(_leads, by=holder, my_epoch=epoch, this_boot=tx.boot, lease_now=tx.lease_now) is None:
        raise NotLeader(holder=holder)

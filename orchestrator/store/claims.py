"""How a run is opened, and what it may write while it is ours.

A run is one attempt and its id the fence. A write of a worker names its run and its host's incarnation and expects one
row whose lease has not ended; none means the run was revoked, and then nothing at all is written. A lease is over at
its end: `lease_until <= now`.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.domain.errors import LeaseLost
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SessionStatus, TaskStatus
from orchestrator.store.conditions import live_host, session_takes
from orchestrator.store.rows import Run, Task
from orchestrator.store.run_ids import run_id
from orchestrator.store.sql import (
    ColumnElement,
    Update,
    and_,
    bindparam,
    exists,
    or_,
    runs,
    select,
    sessions,
    tasks,
    update,
)
from orchestrator.store.statements import Insertion, Selection, change, columns, query
from orchestrator.store.store import Tx
from orchestrator.store.tasks import oldest_offer, oldest_offer_of, standing

_INSERT_RUN = Insertion("runs")


# Claim: change an offered task from pending to in progress.
@change
def _claim() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"),
            tasks.c.epoch == bindparam("at_epoch"),
            tasks.c.status == TaskStatus.PENDING,
            tasks.c.offered_at.is_not(None),
            session_takes(),
        )
        .values(
            status=TaskStatus.IN_PROGRESS,
            offered_at=None,
            not_before=None,
            limited_by=None,
            started_at=bindparam("now"),
        )
    )


# Offer and claim in one statement: change a ready task from pending to in progress under a new epoch.
@change
def _start() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"),
            tasks.c.epoch == bindparam("at_epoch"),
            tasks.c.status == TaskStatus.PENDING,
            tasks.c.offered_at.is_(None),
            tasks.c.unmet == 0,
            or_(tasks.c.not_before.is_(None), tasks.c.not_before <= bindparam("now")),
            exists().where(sessions.c.id == tasks.c.session_id, sessions.c.status == SessionStatus.ACTIVE),
        )
        .values(
            status=TaskStatus.IN_PROGRESS,
            epoch=tasks.c.epoch + 1,
            not_before=None,
            limited_by=None,
            started_at=bindparam("now"),
        )
    )


@query(int)
def _live_host() -> Selection:
    return live_host()


@query(Run)
def _own_open_run() -> Selection:
    return own_runs().where(runs.c.outcome.is_(None))


@query(Run)
def _own_run_of_any_state() -> Selection:
    return own_runs()


def own_runs() -> Selection:
    """The run `with_id` of the host `by`."""
    of_task = [column for column in columns(tasks, Run) if column.name != "epoch"]
    return (
        select(
            *of_task,
            runs.c.id.label("run"),
            runs.c.epoch,
            runs.c.loop,
            runs.c.opened_by,
            runs.c.host,
            runs.c.lease_until,
            runs.c.opened_at,
        )
        .join(tasks, tasks.c.id == runs.c.task_id)
        .where(runs.c.id == bindparam("with_id"), runs.c.host == bindparam("by"))
    )


@query(tuple[str, str | None])
def _owner() -> Selection:
    return select(runs.c.host, runs.c.outcome).where(runs.c.id == bindparam("with_id"))


def owner(tx: Tx, run: str) -> tuple[str, str | None] | None:
    """The host of a run and its outcome, None while it is open; None where there is no such run."""
    return tx.row(_owner, with_id=run)


def open_run(tx: Tx, run: str, host: str) -> Run | None:
    """The host's own run of that id, while it is open."""
    return tx.row(_own_open_run, with_id=run, by=host)


def own_run(tx: Tx, run: str, host: str) -> Run | None:
    """The host's own run of that id, open or not."""
    return tx.row(_own_run_of_any_state, with_id=run, by=host)


def claimed(tx: Tx, run: str, host: str) -> Run | None:
    """What an earlier claim of that run opened; None when there was none. Raises LeaseLost when it is not the host's own."""
    return claimed_soon(tx, run, host)()


def claimed_soon(tx: Tx, run: str, host: str) -> Callable[[], Run | None]:
    """The same, for who asks for something else before he reads it."""
    asked = tx.soon(_owner, with_id=run)

    def found() -> Run | None:
        if not asked():
            return None
        row = open_run(tx, run, host)
        if row is None:
            raise LeaseLost(run=run)
        return row

    return found


def claim(
    tx: Tx, host: str, roles: tuple[str, ...], run: str | None = None, *, session: str | None = None
) -> Run | None:
    """Claim the oldest offered task of `roles` for `host` and open its run; None when there is nothing to claim.

    `run`: the id that the run gets. Its lease is the host's: it ends when the host's does unless renewed by name.
    `session`: of that one alone, which the unit has named.
    """
    asked = tx.soon(_live_host, host=host, boot=tx.boot, lease_now=tx.lease_now)
    task = oldest_offer(tx, roles) if session is None else oldest_offer_of(tx, session, roles)
    live = asked()
    if not live:
        return None
    if task is not None:
        tx.follows(task.offered_at or 0)
    if task is None or not tx.one(_claim, task=task.id, at_epoch=task.epoch, now=tx.now):
        return None
    return _open_run(tx, task, host, live[0], "offer", task.epoch, None, run)


def claim_offer(
    tx: Tx, host: str, roles: tuple[str, ...], run: str, offer: tuple[int, int]
) -> tuple[Run | None, bool]:
    """Claim the task and epoch of `offer`, whose session the unit has named, as `claim` does; and whether it still stands,
    for another host."""
    task = standing(tx, *offer)
    live = tx.row(_live_host, host=host, boot=tx.boot, lease_now=tx.lease_now)
    if task is None:
        return None, False
    if live is None or task.role not in roles:
        return None, True
    if not tx.one(_claim, task=task.id, at_epoch=task.epoch, now=tx.now):
        return None, False
    return _open_run(tx, task, host, live, "offer", task.epoch, None, run), False


def start_directly(
    tx: Tx,
    task: Task,
    host: str,
    how: str,
    loop: str | None,
    run: str | None = None,
    until: int | None = None,
) -> Run | None:
    """Start a ready task without a beat (`how`: loop or fast); None when it is not ready any more, or the host is not live
    or cannot do it.

    `until`: the end of the host's lease, where this unit has read it with the task.
    """
    live = until or tx.row(_live_host, host=host, boot=tx.boot, lease_now=tx.lease_now)
    if live is None:
        return None
    if not tx.one(_start, task=task.id, at_epoch=task.epoch, now=tx.now):
        return None
    return _open_run(tx, task, host, live, how, task.epoch + 1, loop, run)


def _open_run(
    tx: Tx, task: Task, host: str, until: int, how: str, epoch: int, loop: str | None, named: str | None
) -> Run:
    run = named or run_id(tx.now)
    tx.insert(
        _INSERT_RUN,
        id=run,
        session_id=task.session_id,
        task_id=task.id,
        epoch=epoch,
        host=host,
        opened_by=str(how),  # the driver takes a plain str at once
        loop=loop or run,
        lease_until=until,
        opened_at=tx.now,
    )
    return Run(
        id=task.id,
        session_id=task.session_id,
        key=task.key,
        role=task.role,
        prefix=task.prefix,
        phase=task.phase,
        round=task.round,
        revision_of=task.revision_of,
        revision_no=task.revision_no,
        checkpoint_after=task.checkpoint_after,
        payload=task.payload,
        attempts=task.attempts,
        max_attempts=task.max_attempts,
        run=run,
        epoch=epoch,
        loop=loop or run,
        opened_by=how,
        host=host,
        lease_until=until,
        opened_at=tx.now,
    )


def held() -> ColumnElement[bool]:
    """The fence: the run is open, on this host, and its lease has not ended."""
    return and_(
        runs.c.id == bindparam("run"),
        runs.c.host == bindparam("by"),
        runs.c.outcome.is_(None),
        runs.c.lease_until > bindparam("lease_now"),
    )


@change
def _note_phase() -> Update:
    return update(runs).where(held()).values(phase=bindparam("now_in"))


@change
def _note_produced() -> Update:
    return (
        update(runs)
        .where(held())
        .values(
            phase="validate",
            produced_at=bindparam("now"),
            produced=bindparam("what", type_=runs.c.produced.type),
            input_digest=bindparam("digest"),
            agent=bindparam("with_agent"),
        )
    )


@query(str)
def _touch() -> Selection:
    return select(runs.c.id).where(held())


def assert_lease(tx: Tx, run: str, host: str) -> None:
    """Pass when the run is still ours. Raises LeaseLost."""
    if tx.row(_touch, run=run, by=host, lease_now=tx.lease_now) is None:
        raise LeaseLost(run=run)


def note_phase(tx: Tx, run: str, host: str, phase: str) -> None:
    """Raises LeaseLost."""
    if not tx.one(_note_phase, run=run, by=host, lease_now=tx.lease_now, now_in=phase):
        raise LeaseLost(run=run)


def note_produced(tx: Tx, run: str, host: str, input_digest: str, agent: str, what: JsonObject) -> None:
    """Raises LeaseLost."""
    if not tx.one(
        _note_produced,
        run=run,
        by=host,
        lease_now=tx.lease_now,
        now=tx.now,
        digest=input_digest,
        with_agent=agent,
        what=what,
    ):
        raise LeaseLost(run=run)

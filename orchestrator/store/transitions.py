"""Every change of a task's state, and how a run ends: guarded UPDATEs, each of which says from what to what.

How a run is opened, and the fence of what it writes, are in `claims`.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.errors import LeaseLost
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SATISFIED, RunOutcome, TaskStatus
from orchestrator.store.claims import held
from orchestrator.store.conditions import session_takes
from orchestrator.store.sql import Update, bindparam, edges, runs, select, tasks, update
from orchestrator.store.statements import Insertion, Selection, change, one_of, query
from orchestrator.store.store import Tx

_INSERT_TASK = Insertion("tasks")

_INSERT_EDGE = Insertion("edges")


@query(str)
def _status() -> Selection:
    return select(tasks.c.status).where(tasks.c.id == bindparam("task"))


@change
def _add_unmet() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"), one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.FAILED])
        )
        .values(unmet=tasks.c.unmet + 1, offered_at=None)
    )


def add_task(tx: Tx, session: str, values: Mapping[str, object]) -> int:
    """Make a pending task; returns its id. Its edges are added after it."""
    return tx.insert(_INSERT_TASK, session_id=session, status=TaskStatus.PENDING, created_at=tx.now, **values)


def add_edge(tx: Tx, session: str, task: int, blocker: int) -> None:
    """Let `task` (pending or failed) wait for `blocker`; an offer of it is withdrawn when the blocker is unfinished."""
    tx.insert(_INSERT_EDGE, session_id=session, task_id=task, blocker_id=blocker)
    status = tx.row(_status, task=blocker)
    if (status is None or status not in SATISFIED) and not tx.one(_add_unmet, task=task):
        raise AssertionError(f"task {task} got a new blocker while it could not wait")


# Offer a pending task: each offer raises its epoch, and one claim is possible for each epoch.
@change
def _offer() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"),
            tasks.c.status == TaskStatus.PENDING,
            tasks.c.offered_at.is_(None),
            tasks.c.unmet == 0,
            session_takes(),
        )
        .values(offered_at=bindparam("now"), epoch=tasks.c.epoch + 1)
    )


# Withdraw every offer of a session.
@change
def _withdraw() -> Update:
    return (
        update(tasks)
        .where(tasks.c.session_id == bindparam("session"), tasks.c.offered_at.is_not(None))
        .values(offered_at=None)
    )


def offer(tx: Tx, task: int) -> bool:
    return tx.one(_offer, task=task, now=tx.now)


def send_offer(tx: Tx, task: int) -> None:
    """The same, for who need not know whether it was ready."""
    tx.send(_offer, task=task, now=tx.now)


def withdraw_offers(tx: Tx, session: str) -> int:
    return tx.run(_withdraw, session=session)


# Close a run that its own host reports on.
@change
def _close_own_now() -> Update:
    return (
        update(runs)
        .where(held())
        .values(
            outcome=bindparam("result"),
            counted=bindparam("count"),
            closed_at=bindparam("now"),
            error=bindparam("fault"),
            timings=bindparam("times", type_=runs.c.timings.type),
            accumulator=bindparam("summary", type_=runs.c.accumulator.type),
            phase="report",
        )
    )


# Revoke a run: its lease is over, its host is dead, or a person said so.
@change
def _close_foreign() -> Update:
    return (
        update(runs)
        .where(runs.c.id == bindparam("run"), runs.c.outcome.is_(None))
        .values(
            outcome=bindparam("result"),
            counted=bindparam("count"),
            closed_at=bindparam("now"),
            error=bindparam("fault"),
        )
    )


# Revoke a run whose lease is over, unless it was renewed since that was seen.
@change
def _close_overdue() -> Update:
    return (
        update(runs)
        .where(
            runs.c.id == bindparam("run"),
            runs.c.outcome.is_(None),
            runs.c.lease_until <= bindparam("lease_now"),
        )
        .values(
            outcome=bindparam("result"),
            counted=bindparam("count"),
            closed_at=bindparam("now"),
            error=bindparam("fault"),
        )
    )


# Change a task from in progress to completed.
@change
def _complete() -> Update:
    return (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.status == TaskStatus.IN_PROGRESS)
        .values(status=TaskStatus.COMPLETED, finished_at=bindparam("now"), error=None)
    )


# Change a task from in progress back to pending (lost, retryable failure, released).
@change
def _reopen() -> Update:
    return (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.status == TaskStatus.IN_PROGRESS)
        .values(
            status=TaskStatus.PENDING,
            attempts=tasks.c.attempts + bindparam("count"),
            not_before=bindparam("retry_at"),
            limited_by=bindparam("account"),
            error=bindparam("fault"),
            started_at=None,
        )
    )


# Change a task from in progress to failed: its last attempt ended badly.
@change
def _fail() -> Update:
    return (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.status == TaskStatus.IN_PROGRESS)
        .values(
            status=TaskStatus.FAILED,
            attempts=tasks.c.attempts + 1,
            error=bindparam("fault"),
            finished_at=bindparam("now"),
        )
    )


# Change a task from failed to pending, with more attempts allowed; the count never goes down.
@change
def _retry() -> Update:
    return (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.status == TaskStatus.FAILED)
        .values(
            status=TaskStatus.PENDING,
            max_attempts=tasks.c.attempts + bindparam("more"),
            not_before=None,
            limited_by=None,
            finished_at=None,
            started_at=None,
        )
    )


# Change a task from pending or failed to skipped.
@change
def _skip() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"), one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.FAILED])
        )
        .values(status=TaskStatus.SKIPPED, finished_at=bindparam("now"), offered_at=None)
    )


# Change every unfinished task of a session to cancelled.
@change
def _cancel_all() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.session_id == bindparam("session"),
            one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.FAILED]),
        )
        .values(status=TaskStatus.CANCELLED, offered_at=None, finished_at=bindparam("now"))
    )


# Give a pending or failed task other input for its next attempt.
@change
def _set_payload() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"), one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.FAILED])
        )
        .values(payload=bindparam("data", type_=tasks.c.payload.type))
    )


# One blocker fewer for each task that waited for this one.
@change
def _unblock() -> Update:
    return (
        update(tasks)
        .where(
            tasks.c.id.in_(select(edges.c.task_id).where(edges.c.blocker_id == bindparam("task"))),
            tasks.c.status != TaskStatus.CANCELLED,
        )
        .values(unmet=tasks.c.unmet - 1)
    )


@query(tuple[int, int])
def _task_counts() -> Selection:
    return select(tasks.c.attempts, tasks.c.max_attempts).where(tasks.c.id == bindparam("task"))


def complete(tx: Tx, run: str, host: str, task: int, *, timings: Json, accumulator: Json) -> None:
    """Close the run as completed, its task with it, and unblock what waited. Raises LeaseLost, and then wrote nothing."""
    _close_own(tx, run, host, RunOutcome.COMPLETED, 0, None, timings, accumulator)
    if not tx.one(_complete, task=task, now=tx.now):
        raise AssertionError(f"run {run} is open but task {task} is not in progress")
    tx.send(_unblock, task=task)


def _close_own(
    tx: Tx,
    run: str,
    host: str,
    outcome: RunOutcome,
    counted: int,
    error: str | None,
    timings: Json,
    accumulator: Json,
) -> None:
    if not tx.one(
        _close_own_now,
        run=run,
        by=host,
        lease_now=tx.lease_now,
        result=str(outcome),  # the driver takes a plain str at once
        count=counted,
        now=tx.now,
        fault=error,
        times=timings,
        summary=accumulator,
    ):
        raise LeaseLost(run=run)


def fail(
    tx: Tx,
    run: str,
    host: str,
    task: int,
    error: str,
    *,
    counted: bool,
    retry_at: int | None,
    limited_by: str | None = None,
    timings: Json = None,
    final: bool = False,
) -> TaskStatus:
    """Return the task's new state, pending or failed, after closing the run as failed (counts as an attempt) or released.

    `final`: another attempt would come to the same, and none is made. `limited_by`: the account whose limit has to end until
    `retry_at`. Raises LeaseLost, and then wrote nothing.
    """
    outcome = RunOutcome.FAILED if counted else RunOutcome.RELEASED
    _close_own(tx, run, host, outcome, int(counted), error, timings, None)
    return _release(tx, task, error, counted, retry_at, limited_by, final=final)


def revoke(
    tx: Tx, run: str, task: int, outcome: RunOutcome, error: str, *, counted: bool, overdue: bool = False
) -> TaskStatus | None:
    """Return the task's new state after revoking an open run, None when the run was closed already.

    `overdue`: for its lease is over, so None as well when it was renewed meanwhile.
    """
    close = {"run": run, "result": outcome, "count": int(counted), "now": tx.now, "fault": error}
    statement = _close_foreign
    if overdue:
        statement, close["lease_now"] = _close_overdue, tx.lease_now
    if not tx.one(statement, **close):
        return None
    if outcome is RunOutcome.CANCELLED:
        return TaskStatus.CANCELLED  # the caller cancels all tasks of the session in one statement
    return _release(tx, task, error, counted, None, None)


def _release(
    tx: Tx,
    task: int,
    error: str,
    counted: bool,
    retry_at: int | None,
    limited_by: str | None,
    *,
    final: bool = False,
) -> TaskStatus:
    counts = tx.row(_task_counts, task=task)
    assert counts is not None
    attempts, most = counts
    if counted and (final or attempts + 1 >= most):
        changed, status = tx.one(_fail, task=task, fault=error, now=tx.now), TaskStatus.FAILED
    else:
        changed = tx.one(
            _reopen, task=task, count=int(counted), retry_at=retry_at, account=limited_by, fault=error
        )
        status = TaskStatus.PENDING
    if not changed:
        raise AssertionError(f"an open run was closed but task {task} was not in progress")
    return status


def retry(tx: Tx, task: int, more: int) -> bool:
    return tx.one(_retry, task=task, more=more)


def skip(tx: Tx, task: int) -> bool:
    """Skip a pending or failed task and unblock what waited for it; False when it is in another state."""
    if not tx.one(_skip, task=task, now=tx.now):
        return False
    tx.send(_unblock, task=task)
    return True


def set_payload(tx: Tx, task: int, payload: JsonObject) -> bool:
    return tx.one(_set_payload, task=task, data=payload)


def cancel_all(tx: Tx, session: str) -> int:
    return tx.run(_cancel_all, session=session, now=tx.now)

"""Every change of a task's state, and how a run ends: guarded UPDATEs, each of which says from what to what.

How a run is opened, and the fence of what it writes, are in `claims`.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, case, exists, insert, select, update

from orchestrator.domain.errors import LeaseLost
from orchestrator.domain.model import SATISFIED, RunOutcome, SessionStatus, TaskStatus
from orchestrator.store.claims import held
from orchestrator.store.prepared import Prepared, PreparedInsert, one_of
from orchestrator.store.store import Tx
from orchestrator.store.tables import edges, runs, sessions, tasks

_INSERT_TASK = PreparedInsert(lambda: insert(tasks))

_INSERT_EDGE = PreparedInsert(lambda: insert(edges))

_STATUS = Prepared(lambda: select(tasks.c.status).where(tasks.c.id == bindparam("task")))

_ADD_UNMET = Prepared(
    lambda: (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"), one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.FAILED])
        )
        .values(unmet=tasks.c.unmet + 1, offered_at=None)
    )
)


def add_task(tx: Tx, session: str, values: dict[str, Any]) -> int:
    """Make a pending task; returns its id. Its edges are added after it."""
    return tx.insert(_INSERT_TASK, session_id=session, status=TaskStatus.PENDING, created_at=tx.now, **values)


def add_edge(tx: Tx, session: str, task: int, blocker: int) -> None:
    """Let `task` (pending or failed) wait for `blocker`; an offer of it is withdrawn when the blocker is unfinished."""
    tx.run(_INSERT_EDGE, session_id=session, task_id=task, blocker_id=blocker)
    if tx.value(_STATUS, task=blocker) not in SATISFIED and not tx.one(_ADD_UNMET, task=task):
        raise AssertionError(f"task {task} got a new blocker while it could not wait")


# Offer a pending task: each offer raises its epoch, and one claim is possible for each epoch.
_OFFER = Prepared(
    lambda: (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"),
            tasks.c.status == TaskStatus.PENDING,
            tasks.c.offered_at.is_(None),
            tasks.c.unmet == 0,
            exists().where(sessions.c.id == tasks.c.session_id, sessions.c.status == SessionStatus.ACTIVE),
        )
        .values(offered_at=bindparam("now"), epoch=tasks.c.epoch + 1)
    )
)

# Withdraw every offer of a session.
_WITHDRAW = Prepared(
    lambda: (
        update(tasks)
        .where(tasks.c.session_id == bindparam("session"), tasks.c.offered_at.is_not(None))
        .values(offered_at=None)
    )
)


def offer(tx: Tx, task: int) -> bool:
    return tx.one(_OFFER, task=task, now=tx.now)


def withdraw_offers(tx: Tx, session: str) -> int:
    return tx.run(_WITHDRAW, session=session)


# Close a run that its own host reports on.
_CLOSE_OWN = Prepared(
    lambda: (
        update(runs)
        .where(held())
        .values(
            outcome=bindparam("result"),
            charged=bindparam("charge"),
            closed_at=bindparam("now"),
            error=bindparam("fault"),
            timings=bindparam("times", type_=runs.c.timings.type),
            accumulator=bindparam("summary", type_=runs.c.accumulator.type),
            phase="report",
        )
    )
)

# Close a run over its host's head: its lease is over, its host is dead, or a person said so.
_CLOSE_FOREIGN = Prepared(
    lambda: (
        update(runs)
        .where(runs.c.id == bindparam("run"), runs.c.outcome.is_(None))
        .values(
            outcome=bindparam("result"),
            charged=bindparam("charge"),
            closed_at=bindparam("now"),
            error=bindparam("fault"),
        )
    )
)

# Change a task from in progress to completed.
_COMPLETE = Prepared(
    lambda: (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.status == TaskStatus.IN_PROGRESS)
        .values(status=TaskStatus.COMPLETED, finished_at=bindparam("now"), error=None)
    )
)

# Change a task from in progress back to pending (lost, retryable failure, released).
_REOPEN = Prepared(
    lambda: (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.status == TaskStatus.IN_PROGRESS)
        .values(
            status=TaskStatus.PENDING,
            attempts=tasks.c.attempts + bindparam("charge"),
            not_before=bindparam("retry_at"),
            limited_by=bindparam("account"),
            error=bindparam("fault"),
            started_at=None,
        )
    )
)

# Change a task from in progress to failed: its last attempt ended badly.
_FAIL = Prepared(
    lambda: (
        update(tasks)
        .where(tasks.c.id == bindparam("task"), tasks.c.status == TaskStatus.IN_PROGRESS)
        .values(
            status=TaskStatus.FAILED,
            attempts=tasks.c.attempts + 1,
            error=bindparam("fault"),
            finished_at=bindparam("now"),
        )
    )
)

# Change a task from failed to pending, with more attempts allowed; the count never goes down.
_RETRY = Prepared(
    lambda: (
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
)

# Change a task from pending or failed to skipped.
_SKIP = Prepared(
    lambda: (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"), one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.FAILED])
        )
        .values(status=TaskStatus.SKIPPED, finished_at=bindparam("now"), offered_at=None)
    )
)

# Change every unfinished task of a session to cancelled.
_CANCEL_ALL = Prepared(
    lambda: (
        update(tasks)
        .where(
            tasks.c.session_id == bindparam("session"),
            one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.FAILED]),
        )
        .values(
            status=TaskStatus.CANCELLED,
            offered_at=None,
            finished_at=case((tasks.c.finished_at.is_(None), bindparam("now")), else_=tasks.c.finished_at),
        )
    )
)

# Give a pending or failed task other input for its next attempt.
_SET_PAYLOAD = Prepared(
    lambda: (
        update(tasks)
        .where(
            tasks.c.id == bindparam("task"), one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.FAILED])
        )
        .values(payload=bindparam("data", type_=tasks.c.payload.type))
    )
)

# One blocker fewer for each task that waited for this one.
_UNBLOCK = Prepared(
    lambda: (
        update(tasks)
        .where(
            tasks.c.id.in_(select(edges.c.task_id).where(edges.c.blocker_id == bindparam("task"))),
            tasks.c.status != TaskStatus.CANCELLED,
        )
        .values(unmet=tasks.c.unmet - 1)
    )
)

_TASK_COUNTS = Prepared(
    lambda: select(tasks.c.attempts, tasks.c.max_attempts).where(tasks.c.id == bindparam("task"))
)


def complete(tx: Tx, run: str, host: str, task: int, *, timings: Any, accumulator: Any) -> None:
    """Close the run as completed, its task with it, and unblock what waited. Raises LeaseLost, and then wrote nothing."""
    _close_own(tx, run, host, RunOutcome.COMPLETED, 0, None, timings, accumulator)
    if not tx.one(_COMPLETE, task=task, now=tx.now):
        raise AssertionError(f"run {run} is open but task {task} is not in progress")
    tx.run(_UNBLOCK, task=task)


def _close_own(
    tx: Tx,
    run: str,
    host: str,
    outcome: RunOutcome,
    charged: int,
    error: str | None,
    timings: Any,
    accumulator: Any,
) -> None:
    if not tx.one(
        _CLOSE_OWN,
        run=run,
        by=host,
        lease_now=tx.lease_now,
        result=outcome,
        charge=charged,
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
    charged: bool,
    retry_at: int | None,
    limited_by: str | None = None,
    timings: Any = None,
) -> TaskStatus:
    """Close the run as failed (charged) or released (not charged); returns the task's new state: pending or failed.

    `limited_by`: the account whose limit has to end until `retry_at`. Raises LeaseLost, and then wrote nothing.
    """
    outcome = RunOutcome.FAILED if charged else RunOutcome.RELEASED
    _close_own(tx, run, host, outcome, int(charged), error, timings, None)
    return _give_back(tx, task, error, charged, retry_at, limited_by)


def take_away(
    tx: Tx, run: str, task: int, outcome: RunOutcome, error: str, *, charged: bool
) -> TaskStatus | None:
    """Close an open run over its host's head; the task's new state, None when the run was closed already."""
    if not tx.one(_CLOSE_FOREIGN, run=run, result=outcome, charge=int(charged), now=tx.now, fault=error):
        return None
    if outcome is RunOutcome.CANCELLED:
        return TaskStatus.CANCELLED  # the caller cancels all tasks of the session in one statement
    return _give_back(tx, task, error, charged, None, None)


def _give_back(
    tx: Tx, task: int, error: str, charged: bool, retry_at: int | None, limited_by: str | None
) -> TaskStatus:
    counts = tx.row(_TASK_COUNTS, task=task)
    assert counts is not None
    if charged and counts.attempts + 1 >= counts.max_attempts:
        changed, status = tx.one(_FAIL, task=task, fault=error, now=tx.now), TaskStatus.FAILED
    else:
        changed = tx.one(
            _REOPEN, task=task, charge=int(charged), retry_at=retry_at, account=limited_by, fault=error
        )
        status = TaskStatus.PENDING
    if not changed:
        raise AssertionError(f"an open run was closed but task {task} was not in progress")
    return status


def retry(tx: Tx, task: int, more: int) -> bool:
    return tx.one(_RETRY, task=task, more=more)


def skip(tx: Tx, task: int) -> bool:
    """Skip a pending or failed task and unblock what waited for it; False when it is in another state."""
    if not tx.one(_SKIP, task=task, now=tx.now):
        return False
    tx.run(_UNBLOCK, task=task)
    return True


def set_payload(tx: Tx, task: int, payload: dict[str, Any]) -> bool:
    return tx.one(_SET_PAYLOAD, task=task, data=payload)


def cancel_all(tx: Tx, session: str) -> int:
    return tx.run(_CANCEL_ALL, session=session, now=tx.now)

"""When a session is likely to end and what the rest will cost, as plain values; unknown where nothing like it was done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.expected import Begun, Range, Rest, rest_of
from orchestrator.domain.forecast import PastTask
from orchestrator.domain.model import SATISFIED, SessionStatus
from orchestrator.domain.plan_marks import PLANS
from orchestrator.domain.prices import MICROS
from orchestrator.store import leases, records, task_history, tasks
from orchestrator.store.rows import Session, Task
from orchestrator.store.store import Tx


class Amount(TypedDict):
    """The least, the median and the most that the same work took in this project."""

    low: float
    expected: float
    high: float


class Expected(TypedDict):
    """`seconds` of agents' time, without what a person has to answer; None: unknown. `ends_at` only while it is active."""

    seconds: Amount | None
    ends_at: str | None
    ends_from: str | None
    ends_until: str | None
    usd: Amount | None
    path: list[str]
    unknown: list[str]
    unpriced: list[str]
    checkpoints: list[str]
    grows_after: list[str]


def expected(tx: Tx, session: Session, rows: Sequence[Task] | None = None) -> Expected | None:
    """What is left of an unfinished session; None for one that has ended."""
    if session.status not in (SessionStatus.ACTIVE, SessionStatus.PAUSED):
        return None
    every = tasks.all_tasks(tx, session.id) if rows is None else rows
    hosts = leases.live_hosts(tx)
    found = rest_of(
        every,
        _past(tx),
        task_history.agents(tx, session.id),
        _begun(tx, session.id),
        sequential=session.options.get("execution") == "sequential",
        slots=sum(host.slots for host in hosts) or None,
    )
    return _view(tx, session, found, [row.key for row in every if _plans(row)])


def _plans(row: Task) -> bool:
    """Whether tasks that nobody knows yet will be made of what it produces."""
    return row.prefix == PLANS and row.status not in SATISFIED


def _view(tx: Tx, session: Session, found: Rest, grows_after: list[str]) -> Expected:
    seconds = found.seconds
    runs = session.status == SessionStatus.ACTIVE and seconds is not None

    def at(value: float) -> str | None:
        return stamp(tx.now + int(value * MICROS)) if runs else None

    return {
        "seconds": _amount(seconds, 1, 1),
        "ends_at": at(seconds.middle) if seconds else None,
        "ends_from": at(seconds.low) if seconds else None,
        "ends_until": at(seconds.high) if seconds else None,
        "usd": _amount(found.micros, MICROS, 6),
        "path": list(found.path),
        "unknown": list(found.unknown),
        "unpriced": list(found.unpriced),
        "checkpoints": list(found.checkpoints),
        "grows_after": grows_after,
    }


def _amount(found: Range | None, unit: int, digits: int) -> Amount | None:
    if found is None:
        return None
    return {
        "low": round(found.low / unit, digits),
        "expected": round(found.middle / unit, digits),
        "high": round(found.high / unit, digits),
    }


def _past(tx: Tx) -> list[PastTask]:
    return [
        PastTask(
            kind=row.kind,
            prefix=row.prefix,
            calls=row.calls,
            tokens=None,
            micros=row.micros if row.priced == row.calls else None,
            seconds=row.micros_of_time / MICROS,
            agent=row.agent,
        )
        for row in task_history.taken(tx)
    ]


def _begun(tx: Tx, session: str) -> dict[str, Begun]:
    """What the tasks that run now have taken so far."""
    open_runs = tasks.open_runs(tx, session)
    if not open_runs:
        return {}
    ids = {run.id for run in open_runs}
    spent: dict[str, int] = {}
    for call in records.calls_of(tx, session):
        if call.run_id in ids:
            spent[call.task] = spent.get(call.task, 0) + (call.cost_micros or 0)
    return {
        run.key: Begun(max(0, tx.now - run.opened_at) / MICROS, spent.get(run.key, 0)) for run in open_runs
    }

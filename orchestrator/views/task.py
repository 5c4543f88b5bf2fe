"""One task with everything about it: why it is in its state, attempts, calls, errors, cost, input, discussion."""

from __future__ import annotations

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.prices import MICROS
from orchestrator.store import queries, tasks
from orchestrator.store.rows import Session, Task
from orchestrator.store.store import Tx
from orchestrator.views import check, cost, discuss
from orchestrator.views.why import why
from orchestrator.views.why_then import why_then


def task_view(tx: Tx, session: Session, task: Task, at: str | None = None) -> JsonObject:
    """`at`: a time or message as of which `why` explains the state; the rest is of now. Raises UsageError for it."""
    rows = tasks.all_tasks(tx, session.id)
    (view,) = check.task_views(tx, session, rows, lambda row: row.key == task.key)
    runs = cost.run_views(tx, session.id, task.key)
    return {
        "session": session.id,
        "why": why(tx, session, task, rows) if at is None else why_then(tx, session, task, at),
        **view,
        "runs": runs,
        "errors": [
            {"run": run["run"], "at": run["closed_at"], "outcome": run["outcome"], "error": run["error"]}
            for run in runs
            if run["error"]
        ],
        "cost": _cost(tx, session.id, task.key),
        "input": task.payload,
        "discussion": discuss.discussion(tx, session.id, task.key) if view["verdict"] else None,
    }


def _cost(tx: Tx, session: str, key: str) -> JsonObject:
    """The sums over the calls of all its attempts."""
    mine = [row for row in queries.cost_groups(tx, session) if row.task == key]
    usd = sum(row.cost_micros for row in mine) / MICROS
    return {"usd": usd, **{name: sum(getattr(row, name) for row in mine) for name in cost.COUNTS}}

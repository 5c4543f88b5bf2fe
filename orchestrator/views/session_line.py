"""A session in one line, as lists and summaries show it (keys: docs/cli.md)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskStatus
from orchestrator.store import queries, records, sessions, tasks
from orchestrator.store.rows import CallSums, Session
from orchestrator.store.store import Tx
from orchestrator.views import cost


def listing(tx: Tx, *, archived: bool = False, limit: int = sessions.EVERY) -> list[JsonObject]:
    """The newest `limit` sessions, oldest first; archived ones only when asked for."""
    counts, sums = queries.page_counts(tx, limit, archived), queries.page_costs(tx, limit, archived)
    return [
        line(tx, row, counts.get(row.id, {}), sums.get(row.id)) for row in queries.page(tx, limit, archived)
    ]


def summary(tx: Tx, session: Session) -> JsonObject:
    """One session in one line."""
    return line(tx, session, tasks.counts(tx, session.id), records.cost_of(tx, session.id))


def line(tx: Tx, session: Session, counts: Mapping[str, int], sums: CallSums | None) -> JsonObject:
    """One session of a list; `counts`: of its tasks by status, `sums`: of its calls."""
    return {
        "session": session.id,
        "title": session.title,
        "mode": session.mode,
        "status": session.status,
        "pause_reason": session.pause_reason,
        "progress": progress(counts),
        "gate": session.gate,
        "score": session.score,
        "created_at": stamp(session.created_at),
        "finished_at": stamp(session.finished_at),
        "elapsed_seconds": cost.seconds(session.created_at, session.finished_at or tx.now),
        "cost": cost.cost(sums),
        "archived": bool(session.archived),
    }


def progress(counts: Mapping[str, int]) -> dict[str, int]:
    """The progress from the number of tasks by status; skipped tasks do not count."""
    done, skipped = counts.get(TaskStatus.COMPLETED, 0), counts.get(TaskStatus.SKIPPED, 0)
    total = sum(counts.values()) - skipped
    return {
        "done": done,
        "total": total,
        "percent": 100 * done // total if total else 0,
        "skipped": skipped,
        "cancelled": counts.get(TaskStatus.CANCELLED, 0),
    }

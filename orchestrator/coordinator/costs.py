"""What attempts took and agents cost, as plain values (see look)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orchestrator.coordinator.projector import stamp
from orchestrator.store import queries, records
from orchestrator.store.prepared import Row
from orchestrator.store.store import Tx

MICROS = 1_000_000


def run_views(tx: Tx, session: str, task: str) -> list[dict[str, Any]]:
    """Every attempt at a task, oldest first, each with its agents' calls."""
    calls = [row for row in records.calls_of(tx, session) if row.task == task]
    return [
        {
            "run": row.id,
            "epoch": row.epoch,
            "opened_by": row.opened_by,
            "outcome": row.outcome or "open",
            "charged": bool(row.charged),
            "phase": row.phase,
            "agent": row.agent,
            "error": row.error,
            "host": row.host,
            "pid": row.pid,
            "opened_at": stamp(row.opened_at),
            "closed_at": stamp(row.closed_at),
            "seconds": seconds(row.opened_at, row.closed_at or tx.now),
            "timings": row.timings,
            "calls": [_call(call, tx.now) for call in calls if call.run_id == row.id],
        }
        for row in queries.runs_of(tx, session)
        if row.task == task
    ]


def cost_view(tx: Tx, session: str) -> dict[str, Any]:
    """What the agents cost, as a whole and by task and agent."""
    calls = records.calls_of(tx, session)
    return {
        "session": session,
        **cost(records.cost_of(tx, session)),
        "by_task": _grouped(calls, "task"),
        "by_agent": _grouped(calls, "agent"),
    }


def cost(row: Row | None) -> dict[str, Any]:
    """From sums over calls; None when none was made."""
    names = ("calls", "priced", "tokens_in", "tokens_out")
    return {
        "usd": row.cost_micros / MICROS if row else 0.0,
        **{name: getattr(row, name) if row else 0 for name in names},
    }


def _call(row: Row, now: int) -> dict[str, Any]:
    return {
        "agent": row.agent,
        "purpose": row.purpose,
        "perspective": row.perspective,
        "outcome": row.outcome or "under way",
        "model": row.model,
        "tokens_in": row.tokens_in,
        "tokens_out": row.tokens_out,
        "usd": None if row.cost_micros is None else row.cost_micros / MICROS,
        "retries": row.retries,
        "error": row.error,
        "seconds": seconds(row.started_at, row.finished_at or now),
    }


def _grouped(calls: Sequence[Row], by: str) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in calls:
        of = getattr(row, by)
        sums = found.setdefault(
            of, {by: of, "usd": 0.0, "calls": 0, "priced": 0, "tokens_in": 0, "tokens_out": 0}
        )
        sums["calls"] += 1
        sums["priced"] += row.cost_micros is not None
        sums["usd"] += (row.cost_micros or 0) / MICROS
        sums["tokens_in"] += row.tokens_in or 0
        sums["tokens_out"] += row.tokens_out or 0
    return list(found.values())


def seconds(begin: int, end: int) -> float:
    return round(max(0, end - begin) / MICROS, 3)

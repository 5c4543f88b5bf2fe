"""The report of a task in which nothing was to be done, with all rows that a report writes."""

from __future__ import annotations

from orchestrator.lifecycle.report import Report
from orchestrator.store.rows import Run


def noop_report(row: Run, *, own_session: bool = False) -> Report:
    return Report(
        row=row,
        message_type="draft_ready",
        summary=f"{row.key} complete",
        ref=None,
        inner_loop=row.role == "writer",
        accumulator={"task": row.key, "summary": "nothing was to be done"},
        timings={"produce": 0.0},
        own_session=own_session,
    )

"""The attempts at tasks in time: which of them ran when, and beside which others."""

from __future__ import annotations

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.time_axis import Span
from orchestrator.store import queries
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import cost


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    run: str
    task: str
    role: str
    outcome: str  # `open` while it runs
    agent: str
    span: Span
    opened_at: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Attempts:
    """`until`: when the last of them began or ended; what still runs is drawn until then, so that a page which nothing
    has changed stays the same."""

    shown: tuple[ShownAttempt, ...]
    skipped: int  # newer ones
    total: int
    until: int


def attempts(tx: Tx, session: Session, limit: int, skip: int = 0) -> Attempts:
    """At most `limit` attempts, oldest first, without the newest `skip`."""
    rows = queries.runs_of(tx, session.id)
    end = max(0, len(rows) - skip)
    shown = rows[max(0, end - limit) : end]
    return Attempts(
        shown=tuple(
            ShownAttempt(
                run=row.id,
                task=row.task,
                role=row.role,
                outcome=row.outcome or "open",
                agent=cost.by(row.agent),
                span=Span(row.opened_at, row.closed_at),
                opened_at=str(stamp(row.opened_at)),
                seconds=cost.seconds(row.opened_at, row.closed_at or tx.now),
            )
            for row in shown
        ),
        skipped=len(rows) - end,
        total=len(rows),
        until=max((row.closed_at or row.opened_at for row in rows), default=0),
    )

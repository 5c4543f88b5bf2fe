"""Which sessions were changed since a time: what a stream of hints names."""

from __future__ import annotations

from orchestrator.store.sql import bindparam, select, sessions
from orchestrator.store.statements import Selection, query
from orchestrator.store.store import Tx


@query(tuple[str, int])
def _changed() -> Selection:
    return select(sessions.c.id, sessions.c.messages).where(sessions.c.updated_at >= bindparam("since"))


def changed_since(tx: Tx, since: int) -> dict[str, int]:
    """The sessions that were changed at that time (microseconds) or later, each with its newest message's number."""
    return dict(tx.rows(_changed, since=since))

"""Which sessions were changed since a time: what a stream of hints names."""

from __future__ import annotations

from orchestrator.store.sql import bindparam, select, sessions
from orchestrator.store.statements import Selection, query
from orchestrator.store.store import Tx


@query(tuple[str, int, int])
def _changed() -> Selection:
    return select(sessions.c.id, sessions.c.messages, sessions.c.updated_at).where(
        sessions.c.updated_at >= bindparam("since")
    )


def changed_since(tx: Tx, since: int) -> dict[str, tuple[int, int]]:
    """The sessions that were changed at that time (microseconds) or later: the newest message's number, and when."""
    return {session: (number, at) for session, number, at in tx.rows(_changed, since=since)}

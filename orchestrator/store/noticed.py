"""The newest pauses and ends of sessions, for who tells a person of them."""

from __future__ import annotations

from orchestrator.domain.json_types import Json
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.sql import bindparam, messages, or_, select, sessions
from orchestrator.store.statements import Selection, fixed, query
from orchestrator.store.store import Tx


class NewEvent(NamedTuple):
    session: str
    title: str
    number: int
    type: str
    data: Json


@query(NewEvent)
def _since() -> Selection:
    return (
        select(
            sessions.c.id.label("session"),
            sessions.c.title,
            messages.c.number,
            messages.c.type,
            messages.c.data,
        )
        .join(messages, messages.c.session_id == sessions.c.id)
        .where(
            sessions.c.updated_at >= bindparam("since"),
            messages.c.at >= bindparam("since"),
            messages.c.at >= sessions.c.created_at,  # what a fork took over is its source's
            messages.c.kind == fixed("event"),
            or_(messages.c.type == fixed("paused"), messages.c.type == fixed("completed")),
        )
        .order_by(messages.c.at, sessions.c.id, messages.c.number)
    )


def since(tx: Tx, at: int) -> list[NewEvent]:
    """The pauses and ends from `at` (microseconds) on, oldest first."""
    return tx.rows(_since, since=at)

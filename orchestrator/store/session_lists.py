"""Lists of sessions a page at a time, newest first, and what has changed in any of them since a time."""

from __future__ import annotations

from sqlalchemy import Text, and_, bindparam, func, or_, select

from orchestrator.store.rows import Session
from orchestrator.store.statements import Selection, columns, query
from orchestrator.store.store import Tx
from orchestrator.store.tables import sessions

FIRST = 2**62  # a time after every other


@query(Session)
def _matching() -> Selection:
    wanted = bindparam("status", type_=Text)
    words = bindparam("words", type_=Text)
    return (
        select(*columns(sessions, Session))
        .where(
            or_(
                sessions.c.created_at < bindparam("before_at"),
                and_(sessions.c.created_at == bindparam("at"), sessions.c.id < bindparam("before_id")),
            ),
            sessions.c.archived <= bindparam("archived"),
            or_(wanted == "", sessions.c.status == wanted),
            or_(
                words == "",
                func.instr(func.lower(sessions.c.title), words) > 0,
                func.instr(func.lower(sessions.c.id), words) > 0,
            ),
        )
        .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
        .limit(bindparam("limit"))
    )


@query(tuple[str, int])
def _changed() -> Selection:
    return select(sessions.c.id, sessions.c.messages).where(sessions.c.updated_at >= bindparam("since"))


def matching(
    tx: Tx,
    *,
    limit: int,
    before: Session | None = None,
    status: str = "",
    words: str = "",
    archived: bool = False,
) -> list[Session]:
    """The newest `limit` sessions before that one, in that status, with these words in title or id."""
    at = FIRST if before is None else before.created_at
    return tx.rows(
        _matching,
        before_at=at,
        at=at,
        before_id="" if before is None else before.id,
        status=status,
        words=words.lower(),
        archived=int(archived),
        limit=limit,
    )


def changed_since(tx: Tx, since: int) -> dict[str, int]:
    """The sessions that were changed at that time (microseconds) or later, each with its newest message's number."""
    return dict(tx.rows(_changed, since=since))

"""Lists of sessions, a page at a time: the newest first, continued by a key, filtered without loading the others."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.records import cost_sums
from orchestrator.store.rows import CallSums, Session
from orchestrator.store.sql import ColumnElement, agent_calls, bindparam, func, or_, select, sessions, tasks
from orchestrator.store.statements import Selection, Sql, columns, query
from orchestrator.store.store import Tx

NEWEST = (2**62, "")  # the place before the newest session
_TOGETHER = 25  # sessions that one query counts for


class Place(NamedTuple):
    """Where a page ends: the session there; it need not exist any more when the next page is asked for."""

    created_at: int  # microseconds
    id: str


@query(Session)
def _page() -> Selection:
    created = sessions.c.created_at
    named: Sql = func.lower(sessions.c.title + "\n" + sessions.c.id)
    last: Sql = bindparam("created")
    status: Sql = bindparam("status")
    pattern: Sql = bindparam("pattern")
    return (
        select(*columns(sessions, Session))
        .where(
            created <= last,  # the part that the index is entered by
            or_(created < last, sessions.c.id < bindparam("id")),
            sessions.c.archived <= bindparam("archived"),
            or_(status == "", sessions.c.status == status),
            or_(pattern == "%%", named.like(pattern, escape="\\")),
        )
        .order_by(created.desc(), sessions.c.id.desc())
        .limit(bindparam("limit"))
    )


def _is_one(column: ColumnElement[str]) -> ColumnElement[bool]:
    return or_(*(column == bindparam(f"id_{number}") for number in range(_TOGETHER)))


@query(tuple[str, str, int])
def _counts() -> Selection:
    return (
        select(tasks.c.session_id, tasks.c.status, func.count(tasks.c.id).label("n"))
        .where(_is_one(tasks.c.session_id))
        .group_by(tasks.c.session_id, tasks.c.status)
    )


@query(CallSums)
def _costs() -> Selection:
    return (
        select(*cost_sums(), agent_calls.c.session_id.label("session"))
        .where(_is_one(agent_calls.c.session_id))
        .group_by(agent_calls.c.session_id)
    )


def page(
    tx: Tx, *, before: Place | None, limit: int, status: str | None, search: str, archived: bool
) -> list[Session]:
    """At most `limit` sessions older than `before`, the newest first; `search` is part of the title or the id."""
    created, last = before or NEWEST
    pattern = f"%{_escaped(search)}%"
    return tx.rows(
        _page,
        created=created,
        id=last,
        archived=int(archived),
        status=status or "",
        pattern=pattern,
        limit=limit,
    )


def _escaped(text: str) -> str:
    """The text as part of a LIKE pattern, its ASCII letters small as SQLite's `lower` makes them."""
    small = "".join(char.lower() if char.isascii() else char for char in text)
    return small.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def counts_of(tx: Tx, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Session -> status -> number of tasks."""
    found: dict[str, dict[str, int]] = {}
    for some in _parts(ids):
        for session, status, n in tx.rows(_counts, **_named(some)):
            found.setdefault(session, {})[status] = n
    return found


def costs_of(tx: Tx, ids: Sequence[str]) -> dict[str, CallSums]:
    """Session -> sums over its calls, where an agent was called."""
    return {str(row.session): row for some in _parts(ids) for row in tx.rows(_costs, **_named(some))}


def _parts(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + _TOGETHER] for start in range(0, len(ids), _TOGETHER)]


def _named(ids: Sequence[str]) -> dict[str, object]:
    return {f"id_{number}": ids[number] if number < len(ids) else "" for number in range(_TOGETHER)}

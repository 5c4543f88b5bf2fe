"""Queries over the unfinished sessions of a project: which wait for a person, since when, and what runs meanwhile."""

from __future__ import annotations

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SATISFIED, SessionStatus, TaskStatus
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.waiting import LAST, RANKS
from orchestrator.store.sql import Select, and_, bindparam, case, func, messages, select, sessions, tasks
from orchestrator.store.statements import Selection, fixed, query
from orchestrator.store.store import Tx


class WaitingSession(NamedTuple):
    """A paused session; `since` is when it paused."""

    id: str
    title: str
    mode: str
    pause_reason: str
    pause_detail: JsonObject | None
    created_at: int
    since: int | None


class ActiveSession(NamedTuple):
    """A session that is not paused; `checkpoint` is the next task after which it will be."""

    id: str
    title: str
    mode: str
    created_at: int
    running: int
    checkpoint: str | None


@query(WaitingSession)
def _paused() -> Selection:
    paused_at = (
        select(messages.c.at)
        .where(
            messages.c.session_id == sessions.c.id,
            messages.c.kind == fixed("event"),
            messages.c.type == fixed("paused"),
        )
        .order_by(messages.c.number.desc())
        .limit(1)
        .scalar_subquery()
        .label("since")
    )
    rank = case(RANKS, value=sessions.c.pause_reason, else_=LAST).label("rank")
    first = (
        select(sessions.c.id, rank, paused_at)
        .where(sessions.c.status == fixed(SessionStatus.PAUSED))
        .order_by(rank, paused_at, sessions.c.id)
        .limit(bindparam("limit"))
        .subquery()
    )
    return (
        select(
            sessions.c.id,
            sessions.c.title,
            sessions.c.mode,
            sessions.c.pause_reason,
            sessions.c.pause_detail,
            sessions.c.created_at,
            first.c.since,
        )
        .join(first, first.c.id == sessions.c.id)
        .order_by(first.c.rank, first.c.since, sessions.c.id)
    )


@query(tuple[str, int])
def _by_status() -> Selection:
    unfinished = (fixed(SessionStatus.ACTIVE), fixed(SessionStatus.PAUSED))
    return (
        select(sessions.c.status, func.count().label("n"))
        .where(sessions.c.status.in_(unfinished))
        .group_by(sessions.c.status)
    )


def _of_session() -> Select[int]:
    return select(func.count(tasks.c.id)).where(tasks.c.session_id == sessions.c.id)


@query(ActiveSession)
def _active() -> Selection:
    ahead = and_(
        tasks.c.session_id == sessions.c.id,
        tasks.c.checkpoint_after == fixed(1),
        tasks.c.status.not_in([fixed(status) for status in SATISFIED]),
    )
    next_gate = select(tasks.c.key).where(ahead).order_by(tasks.c.seq).limit(1).scalar_subquery()
    running = _of_session().where(tasks.c.status == fixed(TaskStatus.IN_PROGRESS)).scalar_subquery()
    newest = (
        select(sessions.c.id)
        .where(sessions.c.status == fixed(SessionStatus.ACTIVE))
        .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
        .limit(bindparam("limit"))
    )
    return (
        select(
            sessions.c.id,
            sessions.c.title,
            sessions.c.mode,
            sessions.c.created_at,
            running.label("running"),
            next_gate.label("checkpoint"),
        )
        .where(sessions.c.id.in_(newest))
        .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
    )


@query(int)
def _changed_at() -> Selection:
    return select(func.max(sessions.c.updated_at)).where(sessions.c.status == fixed(SessionStatus.ACTIVE))


@query(int)
def _offered() -> Selection:
    """Asked of each offer; a join would make SQLite go through all active sessions for the few offers there are."""
    status = select(sessions.c.status).where(sessions.c.id == tasks.c.session_id).scalar_subquery()
    return (
        select(tasks.c.id)
        .where(tasks.c.offered_at.is_not(None), status == fixed(SessionStatus.ACTIVE))
        .limit(1)
    )


@query(tuple[str, int, int])
def _limited() -> Selection:
    return (
        select(
            tasks.c.limited_by,
            func.count(tasks.c.id).label("n"),
            func.count(tasks.c.session_id.distinct()).label("sessions"),
        )
        .where(
            tasks.c.status == fixed(TaskStatus.PENDING),
            tasks.c.unmet == fixed(0),
            tasks.c.limited_by.is_not(None),
            tasks.c.not_before > bindparam("now"),
        )
        .group_by(tasks.c.limited_by)
    )


def paused(tx: Tx, limit: int) -> list[WaitingSession]:
    """The first `limit` sessions that wait for a person, in the order of `domain.waiting`."""
    return tx.rows(_paused, limit=limit)


def by_status(tx: Tx) -> dict[str, int]:
    """How many sessions are active, and how many paused."""
    return dict(tx.rows(_by_status))


def active(tx: Tx, limit: int) -> list[ActiveSession]:
    """The newest `limit` sessions that are not paused, newest first."""
    return tx.rows(_active, limit=limit)


def changed_at(tx: Tx) -> int | None:
    """When the newest change of an active session was, in microseconds; None without one."""
    return tx.row(_changed_at)


def is_offered(tx: Tx) -> bool:
    """Whether any active session has a task that waits for a worker host."""
    return tx.row(_offered) is not None


def limited(tx: Tx) -> dict[str, tuple[int, int]]:
    """Account -> how many tasks wait for its limit to end, of how many sessions."""
    return {account: (n, sessions_) for account, n, sessions_ in tx.rows(_limited, now=tx.now)}

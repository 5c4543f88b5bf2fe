"""Looks that span tables: what the daemon's timers ask, and what `check`, `list` and the others show. Nothing here but
the two `mark_*` functions writes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, exists, func, select, update

from orchestrator.domain import account_pause
from orchestrator.domain.model import SessionStatus, TaskStatus
from orchestrator.store.prepared import Prepared, Row, fixed, one_of
from orchestrator.store.project_tables import hosts, pools
from orchestrator.store.records import COST_SUMS
from orchestrator.store.store import Tx
from orchestrator.store.tables import agent_calls, of_session, runs, sessions, tasks

_WORK = Prepared(
    lambda: (
        select(tasks.c.id)
        .join(sessions, sessions.c.id == tasks.c.session_id)
        .where(
            sessions.c.status == SessionStatus.ACTIVE,
            one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.IN_PROGRESS]),
        )
        .limit(1)
    )
)
_OPEN = Prepared(lambda: select(runs.c.id).where(runs.c.outcome.is_(None)))
_NEXT_RETRY = Prepared(
    lambda: (
        select(func.min(tasks.c.not_before).label("at"))
        .join(sessions, sessions.c.id == tasks.c.session_id)
        .where(
            tasks.c.not_before > bindparam("now"),
            tasks.c.status == fixed(TaskStatus.PENDING),
            tasks.c.unmet == fixed(0),
            sessions.c.status == SessionStatus.ACTIVE,
        )
    )
)
_MARK_DUE = Prepared(
    lambda: (
        update(sessions)
        .where(
            sessions.c.status == SessionStatus.ACTIVE,
            exists().where(
                tasks.c.session_id == sessions.c.id,
                tasks.c.status == fixed(TaskStatus.PENDING),
                tasks.c.unmet == fixed(0),
                tasks.c.offered_at.is_(None),
                tasks.c.not_before <= bindparam("now"),
            ),
        )
        .values(dirty=1)
    )
)


def _overlong() -> ColumnElement[bool]:
    """A ready task's delay that ends after `:latest`, without an account that is held so long."""
    longest = case((pools.c.guesses > 0, account_pause.LONGEST_GUESS), else_=account_pause.LONGEST)
    return and_(
        tasks.c.status == fixed(TaskStatus.PENDING),
        tasks.c.unmet == fixed(0),
        tasks.c.not_before > bindparam("latest"),
        ~exists().where(
            pools.c.name == tasks.c.limited_by,
            pools.c.paused_until > bindparam("now"),
            pools.c.paused_until <= bindparam("now") + longest,
        ),
    )


_HAS_OVERLONG = Prepared(lambda: select(tasks.c.id).where(_overlong()).limit(1))
_HASTEN = Prepared(lambda: update(tasks).where(_overlong()).values(not_before=bindparam("now")))
_MARK_IDLE = Prepared(
    lambda: (
        update(sessions)
        .where(
            sessions.c.status == SessionStatus.ACTIVE,
            ~exists().where(
                tasks.c.session_id == sessions.c.id,
                (tasks.c.status == TaskStatus.IN_PROGRESS) | tasks.c.offered_at.is_not(None),
            ),
        )
        .values(dirty=1)
    )
)
_RUNS = Prepared(
    lambda: (
        select(
            runs.c.id,
            runs.c.epoch,
            runs.c.host,
            runs.c.opened_by,
            runs.c.opened_at,
            runs.c.closed_at,
            runs.c.outcome,
            runs.c.charged,
            runs.c.phase,
            runs.c.agent,
            runs.c.error,
            runs.c.timings,
            hosts.c.pid,
            tasks.c.key.label("task"),
            tasks.c.role,
            runs.c.loop,
        )
        .join(tasks, tasks.c.id == runs.c.task_id)
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .where(of_session(runs))
        .order_by(runs.c.opened_at, runs.c.id)
    )
)


def _page() -> Select[tuple[str]]:
    """Ids of the newest sessions."""
    return (
        select(sessions.c.id)
        .where(sessions.c.archived <= bindparam("archived"))
        .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
        .limit(bindparam("limit"))
    )


_PAGE = Prepared(
    lambda: select(sessions).where(sessions.c.id.in_(_page())).order_by(sessions.c.created_at, sessions.c.id)
)
_PAGE_COUNTS = Prepared(
    lambda: (
        select(tasks.c.session_id, tasks.c.status, func.count(tasks.c.id).label("n"))
        .where(tasks.c.session_id.in_(_page()))
        .group_by(tasks.c.session_id, tasks.c.status)
    )
)
_PAGE_COSTS = Prepared(
    lambda: (
        select(agent_calls.c.session_id, *COST_SUMS)
        .where(agent_calls.c.session_id.in_(_page()))
        .group_by(agent_calls.c.session_id)
    )
)
HISTORY = 1_000  # calls of an agent that are looked back on


def _history() -> Select[Any]:
    """An agent's latest calls, summed by task and perspective; of tasks that are done, whatever attempts it took."""
    latest = (
        select(agent_calls)
        .where(
            agent_calls.c.agent == bindparam("by_agent"),
            agent_calls.c.metered == fixed(1),
            agent_calls.c.finished_at.is_not(None),
        )
        .order_by(agent_calls.c.id.desc())
        .limit(HISTORY)
        .subquery()
    )
    return (
        select(
            func.coalesce(tasks.c.revision_of, tasks.c.key).label("kind"),
            latest.c.perspective,
            func.count(latest.c.id).label("calls"),
            func.count(latest.c.cost_micros).label("priced"),
            func.coalesce(func.sum(latest.c.cost_micros), 0).label("micros"),
        )
        .join(tasks, tasks.c.id == latest.c.task_id)
        .where(tasks.c.status == TaskStatus.COMPLETED)
        .group_by(latest.c.task_id, latest.c.perspective)
    )


_HISTORY = Prepared(_history)
_EVERY_COST = Prepared(
    lambda: (
        select(
            agent_calls.c.session_id.label("session"),
            tasks.c.role,
            agent_calls.c.agent,
            agent_calls.c.model,
            *COST_SUMS,
        )
        .join(tasks, tasks.c.id == agent_calls.c.task_id)
        .group_by(agent_calls.c.session_id, tasks.c.role, agent_calls.c.agent, agent_calls.c.model)
        .order_by(func.min(agent_calls.c.id))
    )
)
_COST_GROUPS = Prepared(
    lambda: (
        select(
            agent_calls.c.session_id.label("session"),
            tasks.c.key.label("task"),
            tasks.c.role,
            agent_calls.c.agent,
            agent_calls.c.model,
            *COST_SUMS,
        )
        .join(tasks, tasks.c.id == agent_calls.c.task_id)
        .where(agent_calls.c.session_id == bindparam("session"))
        .group_by(tasks.c.id, agent_calls.c.agent, agent_calls.c.model)
        .order_by(func.min(agent_calls.c.id))
    )
)
_OPEN_BY_HOST = Prepared(
    lambda: (
        select(runs.c.host, func.count(runs.c.id).label("n"))
        .where(runs.c.outcome.is_(None))
        .group_by(runs.c.host)
    )
)


def has_work(tx: Tx) -> bool:
    """Whether any active session has a task that is pending or in progress."""
    return tx.row(_WORK) is not None


def open_run_ids(tx: Tx) -> set[str]:
    return {row.id for row in tx.rows(_OPEN)}


def next_retry(tx: Tx) -> int | None:
    """When the next delayed task falls due (microseconds, UTC)."""
    found: int | None = tx.value(_NEXT_RETRY, now=tx.now)
    return found


def mark_due(tx: Tx) -> int:
    """Ask for a beat of each session with a delayed task that is due."""
    return tx.run(_MARK_DUE, now=tx.now)


def has_overlong(tx: Tx, longest: float) -> bool:
    """Whether `hasten` would end a delay."""
    return tx.row(_HAS_OVERLONG, now=tx.now, latest=tx.now + int(longest * 1_000_000)) is not None


def hasten(tx: Tx, longest: float) -> int:
    """End every delay of more than `longest` seconds from now that no account's limit explains: none was given, so the
    clock has been put back since."""
    return tx.run(_HASTEN, now=tx.now, latest=tx.now + int(longest * 1_000_000))


def mark_idle_sessions(tx: Tx) -> int:
    """Ask for a beat of each active session in which nothing runs and nothing is offered."""
    return tx.run(_MARK_IDLE)


def runs_of(tx: Tx, session: str) -> list[Row]:
    """Every attempt of the session, oldest first, each with its task's key and its host's pid."""
    return tx.rows(_RUNS, session=session)


def page(tx: Tx, limit: int, archived: bool) -> list[Row]:
    """The newest `limit` sessions, oldest first."""
    return tx.rows(_PAGE, limit=limit, archived=int(archived))


def page_counts(tx: Tx, limit: int, archived: bool) -> dict[str, dict[str, int]]:
    """Of the same sessions: id -> status -> number of tasks."""
    found: dict[str, dict[str, int]] = {}
    for row in tx.rows(_PAGE_COUNTS, limit=limit, archived=int(archived)):
        found.setdefault(row.session_id, {})[row.status] = row.n
    return found


def page_costs(tx: Tx, limit: int, archived: bool) -> dict[str, Row]:
    """Of the same sessions, where an agent was called: id -> sums over its calls."""
    return {row.session_id: row for row in tx.rows(_PAGE_COSTS, limit=limit, archived=int(archived))}


def history(tx: Tx, agent: str) -> list[Row]:
    """What work of this agent's cost in this project: kind, perspective, calls, priced, micros, a row a task and view."""
    return tx.rows(_HISTORY, by_agent=agent)


def cost_groups(tx: Tx, session: str | None) -> list[Row]:
    """Sums over calls by session, role, agent and model, of one session by task too; None: all, each call read."""
    return tx.rows(_EVERY_COST) if session is None else tx.rows(_COST_GROUPS, session=session)


def open_by_host(tx: Tx) -> dict[str, int]:
    """Host incarnation -> how many runs it has open."""
    return {row.host: row.n for row in tx.rows(_OPEN_BY_HOST)}

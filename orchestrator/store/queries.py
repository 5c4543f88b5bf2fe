"""Queries that span tables: what the daemon's timers ask, and what `check`, `list` and the others show. Nothing here but
the two `mark_*` functions writes."""

from __future__ import annotations

from orchestrator.domain import account_pause
from orchestrator.domain.concerns import ARCH
from orchestrator.domain.model import SessionStatus, TaskStatus
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.pauses import ADVISED
from orchestrator.store.records import cost_sums
from orchestrator.store.rows import Attempt, CallSums, Offer, Session
from orchestrator.store.sql import (
    ColumnElement,
    Select,
    Update,
    agent_calls,
    and_,
    bindparam,
    case,
    exists,
    func,
    hosts,
    null,
    of_session,
    or_,
    rate_limits,
    runs,
    select,
    sessions,
    tasks,
    update,
)
from orchestrator.store.statements import Selection, Sql, change, columns, fixed, one_of, query
from orchestrator.store.store import Tx


def _goes_on(advice: ColumnElement[bool]) -> ColumnElement[bool]:
    """A session that is active, or that waits for a person and has advice for them; found by the index on its status."""
    living = one_of(sessions.c.status, [SessionStatus.ACTIVE, SessionStatus.PAUSED])
    waits = and_(one_of(sessions.c.pause_reason, ADVISED), advice)
    return and_(living, or_(sessions.c.status == SessionStatus.ACTIVE, waits))


def _is_advice() -> ColumnElement[bool]:
    """A task that may run while its session waits for a person."""
    return and_(tasks.c.prefix == fixed(ARCH), tasks.c.unmet == fixed(0))


def _has_advice() -> ColumnElement[bool]:
    """Whether a session has such a task that has not begun."""
    pending = tasks.c.status == fixed(TaskStatus.PENDING)
    return exists().where(tasks.c.session_id == sessions.c.id, pending, _is_advice())


@query(int)
def _work() -> Selection:
    return (
        select(tasks.c.id)
        .join(sessions, sessions.c.id == tasks.c.session_id)
        .where(
            _goes_on(_is_advice()),
            one_of(tasks.c.status, [TaskStatus.PENDING, TaskStatus.IN_PROGRESS]),
        )
        .limit(1)
    )


@query(str)
def _open() -> Selection:
    return select(runs.c.id).where(runs.c.outcome.is_(None))


@query(int)
def _next_retry() -> Selection:
    return (
        select(func.min(tasks.c.not_before).label("at"))
        .join(sessions, sessions.c.id == tasks.c.session_id)
        .where(
            tasks.c.not_before > bindparam("now"),
            tasks.c.status == fixed(TaskStatus.PENDING),
            tasks.c.unmet == fixed(0),
            _goes_on(_is_advice()),
        )
    )


@change
def _mark_due() -> Update:
    return (
        update(sessions)
        .where(
            _goes_on(_has_advice()),
            exists().where(
                tasks.c.session_id == sessions.c.id,
                tasks.c.status == fixed(TaskStatus.PENDING),
                tasks.c.unmet == fixed(0),
                tasks.c.offered_at.is_(None),
                tasks.c.not_before <= bindparam("now"),
            ),
        )
        .values(needs_beat=1)
    )


def _overlong() -> ColumnElement[bool]:
    """A ready task's delay that ends after `:latest`, without an account that is limited so long."""
    longest = case((rate_limits.c.guesses > 0, account_pause.LONGEST_GUESS), else_=account_pause.LONGEST)
    return and_(
        tasks.c.status == fixed(TaskStatus.PENDING),
        tasks.c.unmet == fixed(0),
        tasks.c.not_before > bindparam("latest"),
        ~exists().where(
            rate_limits.c.name == tasks.c.limited_by,
            rate_limits.c.limited_until > bindparam("now"),
            rate_limits.c.limited_until <= bindparam("now") + longest,
        ),
    )


@query(int)
def _has_overlong() -> Selection:
    return select(tasks.c.id).where(_overlong()).limit(1)


@change
def _hasten() -> Update:
    return update(tasks).where(_overlong()).values(not_before=bindparam("now"))


@change
def _mark_idle() -> Update:
    return (
        update(sessions)
        .where(
            _goes_on(_has_advice()),
            ~exists().where(
                tasks.c.session_id == sessions.c.id,
                (tasks.c.status == TaskStatus.IN_PROGRESS) | tasks.c.offered_at.is_not(None),
            ),
        )
        .values(needs_beat=1)
    )


@query(Attempt)
def _runs() -> Selection:
    return (
        select(*columns(runs, Attempt), hosts.c.pid, tasks.c.key.label("task"), tasks.c.role)
        .join(tasks, tasks.c.id == runs.c.task_id)
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .where(of_session(runs))
        .order_by(runs.c.opened_at, runs.c.id)
    )


def _page() -> Select[tuple[str]]:
    """Ids of the newest sessions."""
    return (
        select(sessions.c.id)
        .where(sessions.c.archived <= bindparam("archived"))
        .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
        .limit(bindparam("limit"))
    )


@query(Session)
def _page_rows() -> Selection:
    return (
        select(*columns(sessions, Session))
        .where(sessions.c.id.in_(_page()))
        .order_by(sessions.c.created_at, sessions.c.id)
    )


@query(tuple[str, str, int])
def _page_counts() -> Selection:
    return (
        select(tasks.c.session_id, tasks.c.status, func.count(tasks.c.id).label("n"))
        .where(tasks.c.session_id.in_(_page()))
        .group_by(tasks.c.session_id, tasks.c.status)
    )


@query(CallSums)
def _page_costs() -> Selection:
    return (
        select(*cost_sums(), agent_calls.c.session_id.label("session"))
        .where(agent_calls.c.session_id.in_(_page()))
        .group_by(agent_calls.c.session_id)
    )


OFFERS = 1_000  # that are told of as news
HISTORY = 1_000  # calls of an agent that are looked back on


class CallHistory(NamedTuple):
    """What one task's calls of an agent cost, by perspective; `kind` is the key of the task, or of what it revises."""

    kind: str
    perspective: str | None
    calls: int
    priced: int
    micros: int


@query(CallHistory)
def _history() -> Selection:
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
        .group_by(latest.c.task_id, tasks.c.revision_of, tasks.c.key, latest.c.perspective)
    )


def _groups() -> list[Sql]:
    return [tasks.c.role, agent_calls.c.agent, agent_calls.c.model]


@query(CallSums)
def _every_cost() -> Selection:
    return (
        select(*cost_sums(), agent_calls.c.session_id.label("session"), null().label("task"), *_groups())
        .join(tasks, tasks.c.id == agent_calls.c.task_id)
        .group_by(agent_calls.c.session_id, tasks.c.role, agent_calls.c.agent, agent_calls.c.model)
        .order_by(func.min(agent_calls.c.id))
    )


@query(CallSums)
def _critique_costs() -> Selection:
    return (
        select(
            *cost_sums(),
            null().label("session"),
            null().label("task"),
            null().label("role"),
            agent_calls.c.agent,
            null().label("model"),
            agent_calls.c.perspective,
        )
        .where(agent_calls.c.perspective.is_not(None))
        .group_by(agent_calls.c.perspective, agent_calls.c.agent)
    )


@query(CallSums)
def _cost_groups() -> Selection:
    return (
        select(*cost_sums(), agent_calls.c.session_id.label("session"), tasks.c.key.label("task"), *_groups())
        .join(tasks, tasks.c.id == agent_calls.c.task_id)
        .where(agent_calls.c.session_id == bindparam("session"))
        .group_by(tasks.c.id, agent_calls.c.session_id, agent_calls.c.agent, agent_calls.c.model)
        .order_by(func.min(agent_calls.c.id))
    )


@query(tuple[int, int])
def _offers() -> Selection:
    return (
        select(tasks.c.id, tasks.c.epoch)
        .where(tasks.c.offered_at.is_not(None))
        .order_by(tasks.c.offered_at.desc())
        .limit(OFFERS)
    )


@query(tuple[str, int])
def _open_by_host() -> Selection:
    return (
        select(runs.c.host, func.count(runs.c.id).label("n"))
        .where(runs.c.outcome.is_(None))
        .group_by(runs.c.host)
    )


def offers(tx: Tx) -> list[tuple[int, int]]:
    """Task and epoch of each offer, of very many the newest."""
    return tx.rows(_offers)


@query(Offer)
def _standing_offers() -> Selection:
    return (
        select(
            tasks.c.id.label("task"),
            tasks.c.epoch,
            tasks.c.session_id,
            tasks.c.role,
            tasks.c.prefix,
            tasks.c.priority,
        )
        .where(tasks.c.offered_at.is_not(None))
        .order_by(tasks.c.priority.desc(), tasks.c.offered_at, tasks.c.id)
    )


def standing_offers(tx: Tx) -> list[Offer]:
    """Every offer, in the order in which they are claimed."""
    return tx.rows(_standing_offers)


def has_work(tx: Tx) -> bool:
    """Whether any active session has a task that is pending or in progress."""
    return tx.row(_work) is not None


def open_run_ids(tx: Tx) -> set[str]:
    return set(tx.rows(_open))


def next_retry(tx: Tx) -> int | None:
    """When the next delayed task falls due (microseconds, UTC)."""
    return tx.row(_next_retry, now=tx.now)


def mark_due(tx: Tx) -> int:
    """Ask for a beat of each session with a delayed task that is due."""
    return tx.run(_mark_due, now=tx.now)


def has_overlong(tx: Tx, longest: float) -> bool:
    """Whether `hasten` would end a delay."""
    return tx.row(_has_overlong, now=tx.now, latest=tx.now + int(longest * 1_000_000)) is not None


def hasten(tx: Tx, longest: float) -> int:
    """End every delay of more than `longest` seconds from now that no account's limit explains: none was given, so the
    clock has been put back since."""
    return tx.run(_hasten, now=tx.now, latest=tx.now + int(longest * 1_000_000))


def mark_idle_sessions(tx: Tx) -> int:
    """Ask for a beat of each active session in which nothing runs and nothing is offered."""
    return tx.run(_mark_idle)


def runs_of(tx: Tx, session: str) -> list[Attempt]:
    """Every attempt of the session, oldest first, each with its task's key and its host's pid."""
    return tx.rows(_runs, session=session)


def page(tx: Tx, limit: int, archived: bool) -> list[Session]:
    """The newest `limit` sessions, oldest first."""
    return tx.rows(_page_rows, limit=limit, archived=int(archived))


def page_counts(tx: Tx, limit: int, archived: bool) -> dict[str, dict[str, int]]:
    """Of the same sessions: id -> status -> number of tasks."""
    found: dict[str, dict[str, int]] = {}
    for session, status, n in tx.rows(_page_counts, limit=limit, archived=int(archived)):
        found.setdefault(session, {})[status] = n
    return found


def page_costs(tx: Tx, limit: int, archived: bool) -> dict[str, CallSums]:
    """Of the same sessions, where an agent was called: id -> sums over its calls."""
    return {str(row.session): row for row in tx.rows(_page_costs, limit=limit, archived=int(archived))}


def history(tx: Tx, agent: str) -> list[CallHistory]:
    """What work of this agent's cost in this project: kind, perspective, calls, priced, micros, a row a task and view."""
    return tx.rows(_history, by_agent=agent)


def cost_groups(tx: Tx, session: str | None) -> list[CallSums]:
    """Sums over calls by session, role, agent and model, of one session by task too; None: all, each call read."""
    return tx.rows(_every_cost) if session is None else tx.rows(_cost_groups, session=session)


def open_by_host(tx: Tx) -> dict[str, int]:
    """Host incarnation -> how many runs it has open."""
    return dict(tx.rows(_open_by_host))


def critique_costs(tx: Tx) -> list[CallSums]:
    """Sums over the calls for critiques, of all sessions, by perspective and agent."""
    return tx.rows(_critique_costs)

"""Caps at the point where money is spent: each call of an agent that is not free asks them as it begins.

The query of what was used, the decision and the call's row with what is reserved for it are one transaction, and writers
take turns: of several calls that want the last of a budget, one gets it.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain import budget as rules
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.prices import Cost, Usage
from orchestrator.store import messages, records, sessions
from orchestrator.store.rows import Run
from orchestrator.store.sql import (
    ColumnElement,
    Update,
    agent_calls,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    tasks,
    update,
)
from orchestrator.store.sql import sessions as rows
from orchestrator.store.statements import Selection, Sql, change, fixed, query
from orchestrator.store.store import Tx

RECENT = 50  # calls of an agent from which the mean is taken: reading all of them would take ever longer


class TaskUse(NamedTuple):
    task_usd: int
    task_tokens: int
    task_turns: int
    task_minutes: int
    key: str


class BudgetUse(NamedTuple):
    """A session's budget, what it and one task have used of it, and the means of an agent's latest calls."""

    budget: JsonObject | None
    session_usd: int
    session_tokens: int
    session_turns: int
    session_minutes: int
    task_usd: int
    task_tokens: int
    task_turns: int
    task_minutes: int
    mean_micros: float | None
    seen: float | None
    mean_tokens: float | None


class Reserved(NamedTuple):
    usd: int
    tokens: int


def _amounts() -> dict[str, Sql]:
    return {
        "usd": func.coalesce(
            agent_calls.c.cost_micros,
            case((agent_calls.c.finished_at.is_(None), agent_calls.c.reserved_micros), else_=0),
        ),
        "tokens": case(
            (agent_calls.c.finished_at.is_(None), agent_calls.c.reserved_tokens),
            else_=func.coalesce(agent_calls.c.tokens_in, 0) + func.coalesce(agent_calls.c.tokens_out, 0),
        ),
        "turns": 1 + agent_calls.c.retries,
        "minutes": func.coalesce(agent_calls.c.finished_at, bindparam("now")) - agent_calls.c.started_at,
    }


def _sums(prefix: str, where: ColumnElement[bool] | None = None) -> list[Sql]:
    return [
        func.coalesce(func.sum(each if where is None else case((where, each))), 0).label(f"{prefix}_{name}")
        for name, each in _amounts().items()
    ]


def _mean(of: Sql) -> Sql:
    """Of the agent's latest calls in this project, as far as they said it; asked only where there is a budget."""
    latest = (
        select(of.label("each"))
        .where(
            agent_calls.c.agent == bindparam("by_agent"),
            agent_calls.c.metered == fixed(1),
            agent_calls.c.finished_at.is_not(None),
        )
        .order_by(agent_calls.c.id.desc())
        .limit(RECENT)
        .subquery()
    )
    return case((rows.c.budget.is_not(None), select(func.avg(latest.c.each)).scalar_subquery()))


def _mine() -> ColumnElement[bool]:
    return and_(
        agent_calls.c.session_id == rows.c.id,
        agent_calls.c.metered == fixed(1),
        rows.c.budget.is_not(None),
    )


@query(BudgetUse)
def _standing() -> Selection:
    """The budget and what was used of it, by the session and by one task; no call is read where there is none."""
    return (
        select(
            rows.c.budget,
            *_sums("session"),
            *_sums("task", agent_calls.c.task_id == bindparam("task")),
            _mean(agent_calls.c.cost_micros).label("mean_micros"),
            _mean(fixed(1)).label("seen"),
            _mean(agent_calls.c.tokens_in + agent_calls.c.tokens_out).label("mean_tokens"),
        )
        .select_from(rows.outerjoin(agent_calls, _mine()))
        .where(rows.c.id == bindparam("session"))
        .group_by(rows.c.id)
    )


@query(TaskUse)
def _by_task() -> Selection:
    return (
        select(*_sums("task"), tasks.c.key)
        .join(tasks, tasks.c.id == agent_calls.c.task_id)
        .where(agent_calls.c.session_id == bindparam("session"), agent_calls.c.metered == fixed(1))
        .group_by(agent_calls.c.task_id, tasks.c.key)
    )


@query(Reserved)
def _held() -> Selection:
    return select(
        func.coalesce(func.sum(agent_calls.c.reserved_micros), 0).label("usd"),
        func.coalesce(func.sum(agent_calls.c.reserved_tokens), 0).label("tokens"),
    ).where(
        agent_calls.c.session_id == bindparam("session"),
        or_(agent_calls.c.task_id == bindparam("task"), bindparam("task").is_(None)),
        agent_calls.c.metered == fixed(1),
        agent_calls.c.finished_at.is_(None),
    )


@change
def _set() -> Update:
    return (
        update(rows)
        .where(rows.c.id == bindparam("session"))
        .values(budget=bindparam("caps", type_=rows.c.budget.type))
    )


@dataclass(frozen=True, slots=True)
class Refused:
    """The cap that leaves no room, in words, and what a pause for it shows."""

    words: str
    detail: Mapping[str, Json]


def begin_call(tx: Tx, task: str, values: Mapping[str, Json]) -> int | Refused:
    """Note a call that is about to begin, with what is reserved for it; its id.

    Where a cap leaves no room nothing is noted, and the session is paused. `task` is the key of `values["task_id"]`.
    """
    session = values["session_id"]
    now = _look(tx, session, values["task_id"], values["agent"])
    if now.budget is None:
        return records.begin_call(tx, dict(values))
    for scope in rules.scopes_of(task):
        caps, used = now.budget.get(scope, {}), _used(now, scope)
        measure = rules.reached(caps, used)
        if measure is not None:
            about = rules.view(scope, measure, caps[measure], used[measure])
            held = tx.row(_held, session=session, task=None if scope == "session" else values["task_id"])
            whose = "session" if scope == "session" else "task"
            words = f"the {whose}'s budget is used up: {about['says']}{_reserved(held, measure)}"
            detail = {"task": task, "why": words, **about}
            sessions.pause(tx, session, PauseReason.BUDGET, detail)
            return Refused(words, detail)
    priceless = (
        now.seen is not None and now.mean_micros is None
    )  # it never told a price: there is none to hold
    reserved = {
        "reserved_micros": 0 if priceless else _at_least(now.mean_micros, rules.LEAST_MICROS),
        "reserved_tokens": _at_least(now.mean_tokens, rules.LEAST_TOKENS),
    }
    return records.begin_call(tx, {**values, **reserved})


def end_call(
    tx: Tx,
    row: Run,
    call: int,
    outcome: str,
    usage: Usage,
    cost: Cost,
    *,
    retries: int = 0,
    error: str | None = None,
) -> list[str]:
    """Note how a call of the run `row` ended, and say once of each cap that 80 % of it is used; what was said."""
    if not records.end_call(tx, call, outcome, usage, cost, retries=retries, error=error):
        return []  # cut off: its session may be done by now
    return _warn(tx, row.session_id, row)


def _warn(tx: Tx, session: str, row: Run) -> list[str]:
    now = _look(tx, session, row.id, "")
    if now.budget is None:
        return []
    warned = list(now.budget.get("warned", []))
    said = []
    for scope in rules.scopes_of(row.key):
        caps, used = now.budget.get(scope, {}), _used(now, scope)
        for measure in rules.nearly(caps, used):
            mark = rules.mark(scope, row.key, measure)
            if mark in warned:
                continue
            warned.append(mark)
            about = rules.view(scope, measure, caps[measure], used[measure])
            whose = "the session" if scope == "session" else row.key
            said.append(f"{rules.WARN_PERCENT} % of a cap on {whose} is used: {about['says']}")
            messages.say(
                tx,
                session,
                row.role,
                "state_update",
                said[-1],
                data={"task": row.key, "warned": mark, **about},
            )
    if said:
        tx.send(_set, session=session, caps={**now.budget, "warned": warned})
    return said


def used(tx: Tx, session: str) -> dict[str, int]:
    """What the session has used by measure, calls in flight counted with what is reserved for them."""
    return _used(_look(tx, session, 0, ""), "session")


def used_by_task(tx: Tx, session: str) -> dict[str, dict[str, int]]:
    """The same for each task that asked an agent: key -> measure -> amount."""
    return {row.key: _used(row, "task") for row in tx.rows(_by_task, session=session, now=tx.now)}


def set_budget(tx: Tx, session: str, budget: Mapping[str, Json]) -> None:
    tx.send(_set, session=session, caps=dict(budget))


def _look(tx: Tx, session: str, task: int, agent: str) -> BudgetUse:
    row = tx.row(_standing, session=session, task=task, by_agent=agent, now=tx.now)
    assert row is not None
    return row


def _used(row: BudgetUse | TaskUse, scope: str) -> dict[str, int]:
    whose = "session" if scope == "session" else "task"
    return {measure: max(0, getattr(row, f"{whose}_{measure}")) for measure in rules.MEASURES}


def _reserved(held: Reserved | None, measure: str) -> str:
    amount = getattr(held, measure, 0)
    return f", {rules.shown(measure, amount)} of it held for calls that are not over" if amount else ""


def _at_least(mean: float | None, least: int) -> int:
    """What is reserved for a call: what such a call costs in the mean, or a little where that was never seen."""
    return least if mean is None else max(1, round(mean))

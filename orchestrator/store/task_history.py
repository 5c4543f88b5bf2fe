"""What the newest completed tasks of a project took, over all their attempts, whatever session they are of."""

from __future__ import annotations

from orchestrator.domain.model import RunOutcome, TaskStatus
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.sql import agent_calls, and_, bindparam, func, runs, select, tasks
from orchestrator.store.statements import Selection, fixed, query
from orchestrator.store.store import Tx

READ = 5_000  # newest tasks that are looked at
HISTORY = 500  # completed ones of them that are returned


class TakenTask(NamedTuple):
    """`kind` is the key of the task, or of what it revises; `calls` are those of agents that are paid for."""

    kind: str
    prefix: str
    agent: str | None
    micros_of_time: int
    calls: int
    priced: int
    micros: int


@query(TakenTask)
def _taken() -> Selection:
    newest = (
        select(tasks.c.id, tasks.c.key, tasks.c.revision_of, tasks.c.prefix, tasks.c.status)
        .order_by(tasks.c.id.desc())
        .limit(READ)
        .subquery()
    )
    done = select(newest).where(newest.c.status == TaskStatus.COMPLETED).limit(bindparam("limit")).subquery()
    of_task = runs.c.task_id == done.c.id
    time = select(func.sum(runs.c.closed_at - runs.c.opened_at)).where(of_task, runs.c.closed_at.is_not(None))
    agent = select(runs.c.agent).where(of_task, runs.c.outcome == fixed(RunOutcome.COMPLETED))
    paid = and_(agent_calls.c.metered == 1, agent_calls.c.finished_at.is_not(None))
    calls = (
        select(
            runs.c.task_id,
            func.count(agent_calls.c.id).label("calls"),
            func.count(agent_calls.c.cost_micros).label("priced"),
            func.coalesce(func.sum(agent_calls.c.cost_micros), 0).label("micros"),
        )
        .join(agent_calls, and_(agent_calls.c.run_id == runs.c.id, paid))
        .where(runs.c.task_id.in_(select(done.c.id)))
        .group_by(runs.c.task_id)
        .subquery()
    )
    return select(
        func.coalesce(done.c.revision_of, done.c.key).label("kind"),
        done.c.prefix,
        agent.limit(1).scalar_subquery().label("agent"),
        func.coalesce(time.scalar_subquery(), 0).label("micros_of_time"),
        func.coalesce(calls.c.calls, 0).label("calls"),
        func.coalesce(calls.c.priced, 0).label("priced"),
        func.coalesce(calls.c.micros, 0).label("micros"),
    ).outerjoin(calls, calls.c.task_id == done.c.id)


@query(tuple[str, str])
def _agents() -> Selection:
    return (
        select(tasks.c.role, runs.c.agent)
        .join(runs, runs.c.task_id == tasks.c.id)
        .where(
            tasks.c.session_id == bindparam("session"),
            runs.c.session_id == bindparam("session"),
            runs.c.agent.is_not(None),
        )
        .order_by(runs.c.opened_at)
    )


def taken(tx: Tx) -> list[TakenTask]:
    """The newest completed tasks of the project."""
    return tx.rows(_taken, limit=HISTORY)


def agents(tx: Tx, session: str) -> dict[str, str]:
    """Role -> the agent that did its work in this session last; roles that have done none are missing."""
    return dict(tx.rows(_agents, session=session))

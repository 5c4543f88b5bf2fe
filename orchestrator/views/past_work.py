"""What the completed tasks of this project took: calls, tokens, money and time."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.domain.forecast import PastTask
from orchestrator.domain.model import TaskStatus
from orchestrator.domain.prices import MICROS
from orchestrator.store import queries, records, sessions, tasks
from orchestrator.store.rows import AgentCall
from orchestrator.store.store import Tx

SESSIONS = 10  # the newest ones that are read besides


def past_work(tx: Tx, session: str) -> list[PastTask]:
    """The completed tasks of the session; of the newest others those whose kind it has not done itself."""
    own = _tasks_of(tx, session)
    kinds = {each.kind for each in own}
    others = [row.id for row in sessions.all_sessions(tx) if row.id != session][-SESSIONS:]
    return [*own, *(each for other in others for each in _tasks_of(tx, other) if each.kind not in kinds)]


def _tasks_of(tx: Tx, session: str) -> list[PastTask]:
    calls: dict[str, list[AgentCall]] = {}
    for call in records.calls_of(tx, session):
        if call.metered and call.finished_at is not None:
            calls.setdefault(call.task, []).append(call)
    seconds: dict[str, float] = {}
    for run in queries.runs_of(tx, session):
        if run.closed_at is not None:
            taken = (run.closed_at - run.opened_at) / MICROS
            seconds[run.task] = seconds.get(run.task, 0.0) + taken
    return [
        PastTask(
            kind=row.revision_of or row.key,
            prefix=row.prefix,
            calls=len(calls.get(row.key, ())),
            tokens=_sum(_tokens(call) for call in calls.get(row.key, ())),
            micros=_sum(call.cost_micros for call in calls.get(row.key, ())),
            seconds=seconds.get(row.key, 0.0),
        )
        for row in tasks.all_tasks(tx, session)
        if row.status == TaskStatus.COMPLETED
    ]


def _tokens(call: AgentCall) -> int | None:
    if call.tokens_in is None and call.tokens_out is None:
        return None
    return (call.tokens_in or 0) + (call.tokens_out or 0)


def _sum(values: Iterable[int | None]) -> int | None:
    listed = list(values)
    return None if None in listed else sum(value for value in listed if value is not None)

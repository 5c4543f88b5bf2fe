"""The runs that have ended, with what their traces show: numbers, names and times, and no text of anybody.

No index has the ends of runs, since each would be written with every report. Who follows them knows which runs are open,
and asks for the ids of a while: they begin with the time.
"""

from __future__ import annotations

from collections.abc import Collection

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import RunOutcome
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.run_ids import first_run_id
from orchestrator.store.sql import (
    agent_calls,
    and_,
    bindparam,
    checks,
    hosts,
    messages,
    or_,
    runs,
    select,
    sessions,
    tasks,
)
from orchestrator.store.statements import Selection, fixed, query
from orchestrator.store.store import Tx

START_MESSAGES = 1_000  # newest ones of a session among which it is looked for what started a run


class EndedRun(NamedTuple):
    """`before`: the task's attempt before this one; `token`: the name of a host on another machine."""

    id: str
    session_id: str
    mode: str
    key: str
    role: str
    prefix: str
    round: str | None
    epoch: int
    opened_by: str
    opened_at: int
    closed_at: int
    outcome: str
    counted: int
    phase: str
    agent: str | None
    produced_at: int | None
    timings: JsonObject | None
    token: str | None
    messages: int
    before: str | None


class TracedCall(NamedTuple):
    id: int
    agent: str
    purpose: str
    perspective: str | None
    started_at: int
    finished_at: int | None
    outcome: str | None
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    cost_micros: int | None
    retries: int


class TracedCheck(NamedTuple):
    id: int
    kind: str
    outcome: str
    seconds: float
    created_at: int


class TracedRun(NamedTuple):
    """`offered_at`: when the offer was made that it was claimed by; `follows`: the run whose report started it."""

    run: EndedRun
    calls: list[TracedCall]
    checks: list[TracedCheck]
    offered_at: int | None
    follows: str | None


class _Start(NamedTuple):
    at: int
    type: str
    data: Json


@query(str)
def _open() -> Selection:
    return select(runs.c.id).where(runs.c.outcome.is_(None))


@query(str)
def _ended_from() -> Selection:
    return select(runs.c.id).where(
        runs.c.id >= bindparam("first"), runs.c.closed_at >= bindparam("since"), runs.c.outcome.is_not(None)
    )


@query(EndedRun)
def _ended() -> Selection:
    earlier = runs.alias("earlier")
    return (
        select(
            runs.c.id,
            runs.c.session_id,
            sessions.c.mode,
            tasks.c.key,
            tasks.c.role,
            tasks.c.prefix,
            tasks.c.round,
            runs.c.epoch,
            runs.c.opened_by,
            runs.c.opened_at,
            runs.c.closed_at,
            runs.c.outcome,
            runs.c.counted,
            runs.c.phase,
            runs.c.agent,
            runs.c.produced_at,
            runs.c.timings,
            hosts.c.token,
            sessions.c.messages,
            earlier.c.id.label("before"),
        )
        .join(tasks, tasks.c.id == runs.c.task_id)
        .join(sessions, sessions.c.id == runs.c.session_id)
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .outerjoin(earlier, and_(earlier.c.task_id == runs.c.task_id, earlier.c.epoch == runs.c.epoch - 1))
        .where(
            runs.c.id == bindparam("run"),
            runs.c.outcome.is_not(None),
            runs.c.opened_at >= sessions.c.created_at,  # what a fork took over is its source's
        )
    )


@query(TracedCall)
def _calls() -> Selection:
    return (
        select(*(agent_calls.c[name] for name in TracedCall._fields))
        .where(agent_calls.c.run_id == bindparam("run"))
        .order_by(agent_calls.c.id)
    )


@query(TracedCheck)
def _checks() -> Selection:
    return (
        select(*(checks.c[name] for name in TracedCheck._fields))
        .where(checks.c.run_id == bindparam("run"))
        .order_by(checks.c.id)
    )


@query(_Start)
def _starts() -> Selection:
    return (
        select(messages.c.at, messages.c.type, messages.c.data)
        .where(
            messages.c.session_id == bindparam("session"),
            messages.c.number > bindparam("after"),
            messages.c.at <= bindparam("opened"),
            messages.c.kind == fixed("event"),
            or_(messages.c.type == fixed("beat"), messages.c.type == fixed("advance")),
        )
        .order_by(messages.c.number.desc())
    )


@query(str)
def _completed() -> Selection:
    return (
        select(runs.c.id)
        .join(tasks, tasks.c.id == runs.c.task_id)
        .where(
            tasks.c.session_id == bindparam("session"),
            tasks.c.key == bindparam("key"),
            runs.c.outcome == fixed(RunOutcome.COMPLETED),
        )
    )


def open_runs(tx: Tx) -> set[str]:
    """The ids of the runs that are open."""
    return set(tx.rows(_open))


def ended(tx: Tx, since: int, named_from: int | None = None) -> set[str]:
    """The ids of the runs that have ended since then, of those that were named since `named_from`: microseconds, UTC.

    Without `named_from` every run is looked at.
    """
    return set(
        tx.rows(_ended_from, first="" if named_from is None else first_run_id(named_from), since=since)
    )


def traced(tx: Tx, ids: Collection[str]) -> list[TracedRun]:
    """The runs of these ids that have ended, from the one that ended first."""
    found = [row for each in ids if (row := tx.row(_ended, run=each)) is not None]
    return [
        TracedRun(row, tx.rows(_calls, run=row.id), tx.rows(_checks, run=row.id), *_start_of(tx, row))
        for row in sorted(found, key=lambda row: (row.closed_at, row.id))
    ]


def _start_of(tx: Tx, run: EndedRun) -> tuple[int | None, str | None]:
    """When the run was offered, or whose report started it: one of both, none where that is long past."""
    after = run.messages - START_MESSAGES
    for each in tx.rows(_starts, session=run.session_id, after=after, opened=run.opened_at):
        data = each.data if isinstance(each.data, dict) else {}
        if run.opened_by != "offer":
            if data.get("run") == run.id:
                return None, tx.row(_completed, session=run.session_id, key=data.get("after"))
        elif run.key in (data.get("offered") or ()) or (data.get("kind"), data.get("task")) == (
            "yield",
            run.key,
        ):
            return each.at, None
    return None, None

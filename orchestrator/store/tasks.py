"""Looks at tasks, edges and open runs: what the rules and the transitions ask before they decide. Nothing here writes."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, select

from orchestrator.domain.model import SessionStatus, TaskStatus
from orchestrator.store.prepared import Prepared, Row, fixed, one_of
from orchestrator.store.project_tables import hosts
from orchestrator.store.store import Tx
from orchestrator.store.tables import edges, of_session, runs, sessions, tasks

TASK_COLUMNS = [
    "id",
    "session_id",
    "key",
    "seq",
    "role",
    "prefix",
    "phase",
    "round",
    "revision_of",
    "revision_no",
    "made_for",
    "checkpoint_after",
    "payload",
    "status",
    "unmet",
    "attempts",
    "max_attempts",
    "epoch",
    "priority",
    "not_before",
    "limited_by",
    "error",
    "created_at",
    "offered_at",
    "started_at",
    "finished_at",
]


_OUTCOME = Prepared(lambda: select(runs.c.outcome).where(runs.c.id == bindparam("run")))
_RUN = Prepared(
    lambda: (
        select(
            runs.c.id,
            runs.c.session_id,
            runs.c.host,
            runs.c.outcome,
            hosts.c.boot,
            tasks.c.key,
            tasks.c.role,
        )
        .join(tasks, tasks.c.id == runs.c.task_id)
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .where(runs.c.id == bindparam("run"))
    )
)
_BEFORE = Prepared(
    lambda: select(runs.c.id).where(runs.c.task_id == bindparam("task"), runs.c.epoch < bindparam("epoch"))
)


def _session_is_active() -> ColumnElement[bool]:
    """Asked of each offer; a join would make SQLite go through all active sessions for the few offers there are."""
    return (
        select(sessions.c.status).where(sessions.c.id == tasks.c.session_id).scalar_subquery()
        == SessionStatus.ACTIVE
    )


@cache
def _oldest_offer(roles: tuple[str, ...]) -> Prepared:
    return Prepared(
        lambda: (
            select(*(tasks.c[name] for name in TASK_COLUMNS))
            .where(tasks.c.offered_at.is_not(None), one_of(tasks.c.role, roles), _session_is_active())
            .order_by(tasks.c.priority.desc(), tasks.c.offered_at, tasks.c.id)
            .limit(1)
        )
    )


def is_over(tx: Tx, run: str) -> bool:
    """Whether this is a run of this database that has been closed."""
    row = tx.row(_OUTCOME, run=run)
    return row is not None and row.outcome is not None


def run(tx: Tx, id: str) -> Row | None:
    """A run with its session and host, its task's key and role, and the boot of the machine that its host lives in."""
    return tx.row(_RUN, run=id)


def runs_before(tx: Tx, task: int, epoch: int) -> list[str]:
    """The earlier attempts at a task."""
    return [row.id for row in tx.rows(_BEFORE, task=task, epoch=epoch)]


def oldest_offer(tx: Tx, roles: tuple[str, ...]) -> Row | None:
    """The offered task that has waited longest for one of `roles`, by priority first."""
    return tx.row(_oldest_offer(roles))


def _ready() -> Select[Any]:
    return select(*(tasks.c[name] for name in TASK_COLUMNS)).where(
        tasks.c.session_id == bindparam("session"),
        tasks.c.status == fixed(TaskStatus.PENDING),
        tasks.c.unmet == fixed(0),
    )


_READY = Prepared(lambda: _ready().order_by(tasks.c.seq))
_READY_FIRST = Prepared(lambda: _ready().order_by(tasks.c.offered_at.nulls_first(), tasks.c.seq).limit(2))

_OPEN_RUNS = Prepared(
    lambda: (
        select(
            runs.c.id,
            runs.c.task_id,
            runs.c.host,
            runs.c.loop,
            runs.c.epoch,
            runs.c.opened_at,
            runs.c.phase,
            tasks.c.key,
            tasks.c.role,
            tasks.c.prefix,
        )
        .join(tasks, and_(tasks.c.id == runs.c.task_id))
        .where(runs.c.session_id == bindparam("session"), runs.c.outcome.is_(None))
    )
)

_BLOCKERS = Prepared(
    lambda: (
        select(tasks.c.id, tasks.c.key, tasks.c.status, tasks.c.revision_of)
        .join(edges, edges.c.blocker_id == tasks.c.id)
        .where(edges.c.task_id == bindparam("task"))
    )
)

_TASK = Prepared(
    lambda: select(*(tasks.c[name] for name in TASK_COLUMNS)).where(
        tasks.c.session_id == bindparam("session"), tasks.c.key == bindparam("with_key")
    )
)

_TASKS = Prepared(
    lambda: (
        select(*(tasks.c[name] for name in TASK_COLUMNS))
        .where(tasks.c.session_id == bindparam("session"))
        .order_by(tasks.c.seq)
    )
)

_EDGES = Prepared(lambda: select(edges.c.task_id, edges.c.blocker_id).where(of_session(edges)))

_NEXT_IN_LOOP = Prepared(
    lambda: select(*(tasks.c[name] for name in TASK_COLUMNS)).where(
        tasks.c.id.in_(select(edges.c.task_id).where(edges.c.blocker_id == bindparam("task"))),
        tasks.c.status == TaskStatus.PENDING,
        tasks.c.unmet == 0,
        tasks.c.role == bindparam("of_role"),
        tasks.c.prefix == bindparam("of_prefix"),
    )
)

_COUNTS = Prepared(
    lambda: (
        select(tasks.c.status, func.count(tasks.c.id).label("n"))
        .where(tasks.c.session_id == bindparam("session"))
        .group_by(tasks.c.status)
    )
)

_LAST_SEQ = Prepared(
    lambda: select(func.coalesce(func.max(tasks.c.seq), 0).label("seq")).where(
        tasks.c.session_id == bindparam("session")
    )
)

_OPEN_BESIDE = Prepared(
    lambda: select(func.count(runs.c.id).label("n")).where(
        runs.c.session_id == bindparam("session"), runs.c.outcome.is_(None)
    )
)


@cache
def _offer_elsewhere(roles: tuple[str, ...]) -> Prepared:
    return Prepared(
        lambda: (
            select(tasks.c.id)
            .where(
                tasks.c.offered_at.is_not(None),
                tasks.c.session_id != bindparam("session"),
                one_of(tasks.c.role, roles),
                _session_is_active(),
            )
            .limit(1)
        )
    )


def counts(tx: Tx, session: str) -> dict[str, int]:
    """Status -> number of the session's tasks."""
    return {row.status: row.n for row in tx.rows(_COUNTS, session=session)}


def last_seq(tx: Tx, session: str) -> int:
    """The place of the session's newest task in order of creation; 0 when it has none."""
    return int(tx.value(_LAST_SEQ, session=session))


def next_in_loop(tx: Tx, task: Row) -> Row | None:
    """The lowest ready task of the same role and prefix that waited for `task`."""
    found = tx.rows(_NEXT_IN_LOOP, task=task.id, of_role=task.role, of_prefix=task.prefix)
    return min(found, key=lambda row: row.seq, default=None)


def count_open(tx: Tx, session: str) -> int:
    return int(tx.value(_OPEN_BESIDE, session=session))


def offer_waits_elsewhere(tx: Tx, session: str, roles: tuple[str, ...]) -> bool:
    """Whether another session's offer waits for a host of `roles`."""
    return tx.row(_offer_elsewhere(roles), session=session) is not None


def ready(tx: Tx, session: str) -> list[Row]:
    """Pending tasks whose blockers are all satisfied, offered ones included, in order of creation."""
    return tx.rows(_READY, session=session)


def ready_first(tx: Tx, session: str) -> list[Row]:
    """Two of them at most, those that are not offered first."""
    return tx.rows(_READY_FIRST, session=session)


def open_runs(tx: Tx, session: str) -> list[Row]:
    return tx.rows(_OPEN_RUNS, session=session)


def blockers(tx: Tx, task: int) -> list[Row]:
    return tx.rows(_BLOCKERS, task=task)


def task(tx: Tx, session: str, key: str) -> Row | None:
    return tx.row(_TASK, session=session, with_key=key)


def all_tasks(tx: Tx, session: str) -> list[Row]:
    """Every task of the session in order of creation, each with `blocked_by`: the keys of its blockers."""
    found = tx.rows(_TASKS, session=session)
    names = {row.id: row.key for row in found}
    waits: dict[int, list[str]] = {row.id: [] for row in found}
    for edge in tx.rows(_EDGES, session=session):
        waits[edge.task_id].append(names[edge.blocker_id])
    for row in found:
        row.blocked_by = tuple(waits[row.id])
    return found

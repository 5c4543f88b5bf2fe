"""Queries of tasks, edges and open runs: what the rules and the transitions ask before they decide. Nothing here writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orchestrator.domain.concerns import ARCH
from orchestrator.domain.model import RunOutcome, SessionStatus, TaskStatus
from orchestrator.domain.pauses import ADVISED
from orchestrator.store.conditions import live_host, session_takes
from orchestrator.store.rows import Blocker, OpenRun, Ready, Run, RunOwner, Task
from orchestrator.store.sql import (
    ColumnElement,
    and_,
    bindparam,
    case,
    edges,
    exists,
    func,
    hosts,
    of_session,
    or_,
    runs,
    select,
    sessions,
    tasks,
)
from orchestrator.store.statements import Selection, columns, fixed, listed, one_of, query
from orchestrator.store.store import Tx

_ID, _KEY = Task._fields.index("id"), Task._fields.index("key")


@query(str)
def _outcome() -> Selection:
    return select(runs.c.outcome).where(runs.c.id == bindparam("run"))


@query(RunOwner)
def _run() -> Selection:
    return (
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


@query(str)
def _before() -> Selection:
    return select(runs.c.id).where(runs.c.task_id == bindparam("task"), runs.c.epoch < bindparam("epoch"))


@query(str)
def _released_since_counted() -> Selection:
    of_task = and_(runs.c.task_id == bindparam("task"), runs.c.epoch < bindparam("epoch"))
    counted = select(func.coalesce(func.max(runs.c.epoch), 0)).where(of_task, runs.c.counted == fixed(1))
    return select(func.coalesce(runs.c.error, "")).where(
        of_task, runs.c.epoch > counted.scalar_subquery(), runs.c.outcome == fixed(RunOutcome.RELEASED)
    )


@query(Task)
def _oldest_offer() -> Selection:
    return _offers()


@query(Task)
def _offer_of_session() -> Selection:
    return _offers().where(tasks.c.session_id == bindparam("session"))


def _offers() -> Selection:
    return (
        select(*columns(tasks, Task))
        .where(tasks.c.offered_at.is_not(None), listed(tasks.c.role, "roles"), session_takes())
        .order_by(tasks.c.priority.desc(), tasks.c.offered_at, tasks.c.id)
        .limit(1)
    )


@query(Task)
def _oldest_free_offer() -> Selection:
    return _free_offers()


def _free_offers() -> Selection:
    """The same where many write at once. Task and session are locked, and those that are locked already are left out: a
    claim waits for nobody, and no session is paused or cancelled between what was seen and what is done."""
    takes = or_(
        sessions.c.status == SessionStatus.ACTIVE,
        and_(tasks.c.prefix == fixed(ARCH), one_of(sessions.c.pause_reason, ADVISED)),
    )
    return (
        select(*columns(tasks, Task))
        .join(sessions, sessions.c.id == tasks.c.session_id)
        .where(tasks.c.offered_at.is_not(None), listed(tasks.c.role, "roles"), takes)
        .order_by(tasks.c.priority.desc(), tasks.c.offered_at, tasks.c.id)
        .limit(1)
        .with_for_update(of=[tasks, sessions], skip_locked=True, key_share=True)
    )


@query(Task)
def _standing() -> Selection:
    return select(*columns(tasks, Task)).where(
        tasks.c.id == bindparam("task"),
        tasks.c.epoch == bindparam("at_epoch"),
        tasks.c.offered_at.is_not(None),
        session_takes(),
    )


def standing(tx: Tx, task: int, epoch: int) -> Task | None:
    """The task, while its offer of that epoch stands."""
    return tx.row(_standing, task=task, at_epoch=epoch)


def is_over(tx: Tx, run: str) -> bool:
    """Whether this is a run of this database that has been closed."""
    return tx.row(_outcome, run=run) is not None


def run(tx: Tx, id: str) -> RunOwner | None:
    """A run with its session and host, its task's key and role, and the boot of the machine that its host lives in."""
    return tx.row(_run, run=id)


def runs_before(tx: Tx, task: int, epoch: int) -> list[str]:
    """The earlier attempts at a task."""
    return tx.rows(_before, task=task, epoch=epoch)


def released_since_counted(tx: Tx, task: int, epoch: int) -> list[str]:
    """Why earlier attempts were released, since one has counted."""
    return tx.rows(_released_since_counted, task=task, epoch=epoch)


def oldest_offer(tx: Tx, roles: tuple[str, ...]) -> Task | None:
    """The offered task that has waited longest for one of `roles`, by priority first.

    Where units lock what they write, it is locked with its session, and one whose session another unit has is left out.
    """
    statement = _oldest_free_offer if tx.locks else _oldest_offer
    return tx.row(statement.given("roles", roles))


def oldest_offer_of(tx: Tx, session: str, roles: tuple[str, ...]) -> Task | None:
    """The same of one session alone, which this unit names."""
    return tx.row(_offer_of_session.given("roles", roles), session=session)


def _ready() -> Selection:
    return select(*columns(tasks, Task)).where(
        tasks.c.session_id == bindparam("session"),
        tasks.c.status == fixed(TaskStatus.PENDING),
        tasks.c.unmet == fixed(0),
    )


@query(Task)
def _ready_rows() -> Selection:
    return _ready().order_by(tasks.c.seq)


def _sole_blocker() -> ColumnElement[int | None]:
    is_one = func.count(edges.c.blocker_id) == fixed(1)
    return (
        select(case((is_one, func.max(edges.c.blocker_id))))
        .where(edges.c.task_id == tasks.c.id)
        .scalar_subquery()
    )


def _offer_elsewhere() -> ColumnElement[int]:
    other = tasks.alias("other")
    waits = exists().where(
        other.c.offered_at.is_not(None),
        other.c.session_id != bindparam("session"),
        listed(other.c.role, "roles"),
        session_takes(other),
    )
    return case((waits, fixed(1)), else_=fixed(0))


@query(tuple[object, ...])  # a task, and what `Ready` has beside it
def _ready_first() -> Selection:
    return (
        _ready()
        .add_columns(
            _sole_blocker().label("sole_blocker"),
            _offer_elsewhere().label("older_offer"),
            live_host().scalar_subquery().label("lease_until"),
        )
        .order_by(tasks.c.offered_at.nulls_first(), tasks.c.seq)
        .limit(2)
    )


@query(OpenRun)
def _open_runs() -> Selection:
    return (
        select(
            *columns(runs, OpenRun),
            tasks.c.key,
            tasks.c.role,
            tasks.c.prefix,
        )
        .join(tasks, and_(tasks.c.id == runs.c.task_id))
        .where(runs.c.session_id == bindparam("session"), runs.c.outcome.is_(None))
    )


@query(Blocker)
def _blockers() -> Selection:
    return (
        select(*columns(tasks, Blocker))
        .join(edges, edges.c.blocker_id == tasks.c.id)
        .where(edges.c.task_id == bindparam("task"))
    )


@query(Task)
def _task() -> Selection:
    return select(*columns(tasks, Task)).where(
        tasks.c.session_id == bindparam("session"), tasks.c.key == bindparam("with_key")
    )


@query(tuple[object, ...])  # a row is made of it and its blockers, once: there may be thousands
def _tasks() -> Selection:
    return (
        select(*columns(tasks, Task)).where(tasks.c.session_id == bindparam("session")).order_by(tasks.c.seq)
    )


@query(tuple[int, int])
def _edges() -> Selection:
    return select(edges.c.task_id, edges.c.blocker_id).where(of_session(edges))


@query(Task)
def _next_in_loop() -> Selection:
    return select(*columns(tasks, Task)).where(
        tasks.c.id.in_(select(edges.c.task_id).where(edges.c.blocker_id == bindparam("task"))),
        tasks.c.status == TaskStatus.PENDING,
        tasks.c.unmet == 0,
        tasks.c.role == bindparam("of_role"),
        tasks.c.prefix == bindparam("of_prefix"),
    )


@query(tuple[str, int])
def _counts() -> Selection:
    return (
        select(tasks.c.status, func.count(tasks.c.id).label("n"))
        .where(tasks.c.session_id == bindparam("session"))
        .group_by(tasks.c.status)
    )


@query(int)
def _last_seq() -> Selection:
    return select(func.coalesce(func.max(tasks.c.seq), 0).label("seq")).where(
        tasks.c.session_id == bindparam("session")
    )


@query(int)
def _open_beside() -> Selection:
    return select(func.count(runs.c.id).label("n")).where(
        runs.c.session_id == bindparam("session"), runs.c.outcome.is_(None)
    )


def counts(tx: Tx, session: str) -> dict[str, int]:
    """Status -> number of the session's tasks."""
    return dict(tx.rows(_counts, session=session))


def last_seq(tx: Tx, session: str) -> int:
    """The place of the session's newest task in order of creation; 0 when it has none."""
    return tx.row(_last_seq, session=session) or 0


def next_in_loop(tx: Tx, task: Run) -> Task | None:
    """The lowest ready task of the same role and prefix that waited for `task`."""
    found = tx.rows(_next_in_loop, task=task.id, of_role=task.role, of_prefix=task.prefix)
    return min(found, key=lambda row: row.seq, default=None)


def count_open(tx: Tx, session: str) -> int:
    return tx.row(_open_beside, session=session) or 0


def ready(tx: Tx, session: str) -> list[Task]:
    """Pending tasks whose blockers are all satisfied, offered ones included, in order of creation."""
    return tx.rows(_ready_rows, session=session)


def ready_first(tx: Tx, session: str, host: str, roles: tuple[str, ...]) -> list[Ready]:
    """Two of them at most, those that are not offered first, with what `host` of `roles` asks before it starts one."""
    found = tx.rows(
        _ready_first.given("roles", roles), session=session, host=host, boot=tx.boot, lease_now=tx.lease_now
    )
    return [_as_ready(row) for row in found]


def _as_ready(row: tuple[Any, ...]) -> Ready:
    *of_task, blocker, older_offer, until = row
    return Ready(Task(*of_task), blocker, bool(older_offer), until)


def open_runs(tx: Tx, session: str) -> list[OpenRun]:
    return tx.rows(_open_runs, session=session)


def blockers(tx: Tx, task: int) -> list[Blocker]:
    return tx.rows(_blockers, task=task)


def task(tx: Tx, session: str, key: str) -> Task | None:
    return tx.row(_task, session=session, with_key=key)


def all_tasks(tx: Tx, session: str) -> Sequence[Task]:
    """Every task of the session in order of creation, each with `blocked_by`: the keys of its blockers."""
    return tx.once((all_tasks, session), lambda: _all_tasks(tx, session))


def _all_tasks(tx: Tx, session: str) -> list[Task]:
    found = tx.rows(_tasks, session=session)
    names = {row[_ID]: row[_KEY] for row in found}
    waits: dict[object, list[object]] = {id: [] for id in names}
    for waiting, blocker in tx.rows(_edges, session=session):
        waits[waiting].append(names[blocker])
    return [Task._make((*row, tuple(waits[row[_ID]]))) for row in found]

"""What is known of sessions' work without git: heads and branches, lanes, what has landed and what waits to land."""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import RunOutcome, SessionStatus
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store import messages
from orchestrator.store.rows import Message
from orchestrator.store.sql import (
    bindparam,
    candidates,
    commands,
    commits,
    func,
    hosts,
    or_,
    runs,
    select,
    sessions,
    tasks,
    trees,
    works,
)
from orchestrator.store.sql import messages as message_table
from orchestrator.store.statements import Selection, columns, fixed, query
from orchestrator.store.store import Tx
from orchestrator.store.work_trees import of_hosts

PUBLICATION = "publication"  # the event that says where the work can be found, or why not


class WorkState(NamedTuple):
    """One session's work, how many folders of its trees are not gone here, and how many of these a failed run still has."""

    session_id: str
    status: str
    origin: str
    base: str
    head: str
    branch: str | None
    published: str | None
    trees: int
    broken: int

    @property
    def is_over(self) -> bool:
        """Whether the session has ended."""
        return self.status in (SessionStatus.COMPLETED, SessionStatus.CANCELLED)

    @property
    def lags(self) -> bool:
        """Whether something has landed that the user's branch does not have."""
        return self.head not in (self.base, self.published)


class Lane(NamedTuple):
    """A tree whose folder is not gone, and the run that used it last."""

    lane: int
    generation: int
    state: str
    folder: bytes
    base: str
    run_id: str
    outcome: str | None
    task: str
    token: str | None  # of the host that has it, where that is on another machine

    @property
    def path(self) -> Path:
        return Path(os.fsdecode(self.folder))


class Landed(NamedTuple):
    """A commit that has landed, with the task that made it; None for the user's own."""

    number: int
    commit_id: str
    parent: str
    author: str
    run_id: str | None
    created_at: int
    task: str | None
    payload: JsonObject | None


class Queued(NamedTuple):
    """A candidate with a ticket whose run is open, and its task."""

    ticket: int
    task: str
    run_id: str


def _each_state() -> Selection:
    mine = trees.c.session_id == works.c.session_id
    counted = select(func.count()).select_from(trees).join(runs, runs.c.id == trees.c.run_id)
    left = counted.where(mine, trees.c.removed_at.is_(None), of_hosts("of_token"))
    broken = counted.where(
        mine,
        of_hosts("of_token"),
        or_(trees.c.state == fixed("making"), trees.c.state == fixed("live")),
        runs.c.outcome.is_not(None),
        runs.c.outcome != RunOutcome.COMPLETED.value,
    )
    return (
        select(
            works.c.session_id,
            sessions.c.status,
            works.c.origin,
            works.c.base,
            works.c.head,
            works.c.branch,
            works.c.published,
            left.scalar_subquery().label("trees"),
            broken.scalar_subquery().label("broken"),
        )
        .join(sessions, sessions.c.id == works.c.session_id)
        .order_by(works.c.created_at, works.c.session_id)
    )


@query(WorkState)
def _states() -> Selection:
    return _each_state()


@query(WorkState)
def _state() -> Selection:
    return _each_state().where(works.c.session_id == bindparam("session"))


@query(Lane)
def _lanes() -> Selection:
    return (
        select(
            trees.c.lane,
            trees.c.generation,
            trees.c.state,
            trees.c.folder,
            trees.c.base,
            trees.c.run_id,
            runs.c.outcome,
            tasks.c.key.label("task"),
            select(hosts.c.token).where(hosts.c.incarnation == runs.c.host).scalar_subquery().label("token"),
        )
        .join(runs, runs.c.id == trees.c.run_id)
        .join(tasks, tasks.c.id == runs.c.task_id)
        .where(trees.c.session_id == bindparam("session"), trees.c.removed_at.is_(None))
        .order_by(trees.c.lane, trees.c.generation)
    )


@query(Landed)
def _landed() -> Selection:
    return (
        select(
            commits.c.number,
            commits.c.commit_id,
            commits.c.parent,
            commits.c.author,
            commits.c.run_id,
            commits.c.created_at,
            tasks.c.key.label("task"),
            tasks.c.payload,
        )
        .outerjoin(runs, runs.c.id == commits.c.run_id)
        .outerjoin(tasks, tasks.c.id == runs.c.task_id)
        .where(commits.c.session_id == bindparam("session"))
        .order_by(commits.c.number)
    )


@query(Queued)
def _queue() -> Selection:
    return (
        select(candidates.c.ticket, tasks.c.key.label("task"), candidates.c.run_id)
        .join(runs, runs.c.id == candidates.c.run_id)
        .join(tasks, tasks.c.id == runs.c.task_id)
        .where(
            candidates.c.session_id == bindparam("session"),
            candidates.c.ticket.is_not(None),
            runs.c.outcome.is_(None),
        )
        .order_by(candidates.c.ticket)
    )


@query(Message)
def _publication() -> Selection:
    return (
        select(*columns(message_table, Message))
        .where(
            message_table.c.session_id == bindparam("session"),
            message_table.c.kind == fixed("event"),
            message_table.c.type == fixed(PUBLICATION),
        )
        .order_by(message_table.c.number.desc())
        .limit(1)
    )


@query(int)
def _unsettled() -> Selection:
    """Sessions whose refs lag, or that have ended and still have trees here."""
    ended = or_(
        sessions.c.status == SessionStatus.COMPLETED.value, sessions.c.status == SessionStatus.CANCELLED.value
    )
    left = (
        select(trees.c.id)
        .join(runs, runs.c.id == trees.c.run_id)
        .where(trees.c.session_id == works.c.session_id, trees.c.removed_at.is_(None), of_hosts("of_token"))
        .exists()
    )
    lags = (works.c.head != works.c.base) & (
        works.c.published.is_(None) | (works.c.published != works.c.head)
    )
    return (
        select(fixed(1))
        .select_from(works)
        .join(sessions, sessions.c.id == works.c.session_id)
        .where(lags | (ended & left))
        .limit(1)
    )


@query(tuple[str, str])
def _lagging() -> Selection:
    return select(works.c.session_id, works.c.head).where(
        works.c.origin != fixed("snapshot"),
        works.c.head != works.c.base,
        or_(works.c.published.is_(None), works.c.published != works.c.head),
    )


@query(str)
def _deletion() -> Selection:
    return select(commands.c.id).where(
        commands.c.session_id == bindparam("session"), commands.c.name == fixed("delete")
    )


@query(str)
def _session() -> Selection:
    return select(sessions.c.id).where(sessions.c.id == bindparam("session"))


def states(tx: Tx, token: str = "") -> list[WorkState]:
    """Every session that has begun to work, the oldest first; its trees of this project's own hosts, or of a token's."""
    return tx.rows(_states, of_token=token)


def state_of(tx: Tx, session: str, token: str = "") -> WorkState | None:
    """None where the session has not begun to work."""
    return tx.row(_state, session=session, of_token=token)


def is_unsettled(tx: Tx) -> bool:
    """Whether a branch lags behind its head, or an ended session still has trees."""
    return tx.row(_unsettled, of_token="") is not None


def lagging(tx: Tx) -> frozenset[tuple[str, str]]:
    """The sessions whose branch is not at their head, each with that head."""
    return frozenset(tx.rows(_lagging))


def is_deleted(tx: Tx, session: str) -> bool:
    """Whether a person deleted the session: a store that is only unknown may be the work of a database that was lost."""
    return tx.row(_session, session=session) is None and tx.row(_deletion, session=session) is not None


def lanes(tx: Tx, session: str) -> list[Lane]:
    """The trees whose folders are not gone, by lane and generation."""
    return tx.rows(_lanes, session=session)


def landed(tx: Tx, session: str) -> list[Landed]:
    """What has landed, from the oldest, with its tasks."""
    return tx.rows(_landed, session=session)


def landing_queue(tx: Tx, session: str) -> list[Queued]:
    """Who waits to land, in order: the first one's turn it is."""
    return tx.rows(_queue, session=session)


def last_publication(tx: Tx, session: str) -> Message | None:
    """The event that says where the work was published last, or why it was not."""
    tx.flush()
    return tx.row(_publication, session=session)


def note_publication(
    tx: Tx, session: str, what: str, branch: str, commit: str | None, why: str
) -> int | None:
    """Add the event that says where the work can be found now, unless the last one says the same; its number."""
    last = last_publication(tx, session)
    if last is not None and last.data is not None:
        known = tuple(last.data.get(name) for name in ("what", "branch", "why"))
        if known == (what, branch, why):
            return None
    name = branch.removeprefix("refs/heads/")
    summary = f"the work is on the branch {name}" if not why else f"the branch {name} was not moved: {why}"
    return messages.event(tx, session, PUBLICATION, summary, what=what, branch=branch, commit=commit, why=why)

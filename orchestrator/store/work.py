"""Work in private trees: a session's base and head, candidates, and what has landed.

Objects are stored before a row names them, and refs follow the rows: `works.head` is the truth. Whatever a worker writes
here is fenced by its run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orchestrator.domain.errors import LeaseLost, NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import RunOutcome
from orchestrator.store.claims import assert_lease
from orchestrator.store.rows import Run
from orchestrator.store.sql import (
    Update,
    and_,
    bindparam,
    candidates,
    commits,
    or_,
    runs,
    select,
    update,
    works,
)
from orchestrator.store.statements import Insertion, Selection, change, query
from orchestrator.store.store import Tx
from orchestrator.store.work_rows import Commit, Proposed, Work

_INSERT_WORK = Insertion("works", unique=["session_id"])
_INSERT_CANDIDATE = Insertion("candidates", unique=["run_id", "commit_id"])
_INSERT_COMMIT = Insertion("commits")


@query(Work)
def _work() -> Selection:
    return select(works).where(works.c.session_id == bindparam("session"))


@query(Proposed)
def _candidate() -> Selection:
    return select(candidates).where(candidates.c.id == bindparam("candidate"))


@query(Proposed)
def _of_commit() -> Selection:
    return select(candidates).where(
        candidates.c.run_id == bindparam("run"), candidates.c.commit_id == bindparam("commit")
    )


@query(int)
def _proposed_before() -> Selection:
    return (
        select(candidates.c.id)
        .where(
            candidates.c.session_id == bindparam("session"),
            candidates.c.commit_id == bindparam("commit"),
            candidates.c.tree_id == bindparam("of_tree"),
            candidates.c.base == bindparam("at_base"),
        )
        .limit(1)
    )


@query(Proposed)
def _left_by_others() -> Selection:
    return (
        select(candidates)
        .join(runs, runs.c.id == candidates.c.run_id)
        .where(
            candidates.c.task_id == bindparam("task"),
            candidates.c.input_digest == bindparam("digest"),
            candidates.c.base == bindparam("at_base"),
            or_(runs.c.outcome == RunOutcome.LOST, runs.c.outcome == RunOutcome.RELEASED),
        )
        .order_by(candidates.c.id.desc())
        .limit(1)
    )


def _before(wanted: Any) -> Selection:
    """Of the tickets before this one, all where it has none, whose run may still land; a closed run's ticket is void."""
    mine = candidates.alias("mine")
    later = or_(mine.c.ticket.is_(None), mine.c.ticket > candidates.c.ticket)
    return (
        select(wanted)
        .join(runs, runs.c.id == candidates.c.run_id)
        .join(mine, and_(mine.c.session_id == candidates.c.session_id, later))
        .where(
            mine.c.id == bindparam("candidate"), candidates.c.ticket.is_not(None), runs.c.outcome.is_(None)
        )
    )


@query(int)
def _smaller_ticket() -> Selection:
    return _before(candidates.c.id).limit(1)


@query(Proposed)
def _ahead() -> Selection:
    return _before(candidates).order_by(candidates.c.ticket)


@query(Commit)
def _commits() -> Selection:
    return select(commits).where(commits.c.session_id == bindparam("session")).order_by(commits.c.number)


@change
def _give_ticket() -> Update:
    return update(works).where(works.c.session_id == bindparam("session")).values(tickets=works.c.tickets + 1)


@change
def _take_ticket() -> Update:
    last = select(works.c.tickets).where(works.c.session_id == candidates.c.session_id).scalar_subquery()
    return (
        update(candidates)
        .where(candidates.c.id == bindparam("candidate"), candidates.c.run_id == bindparam("run"))
        .values(ticket=last)
    )


@change
def _end_turn() -> Update:
    return (
        update(candidates)
        .where(candidates.c.id == bindparam("candidate"), candidates.c.run_id == bindparam("run"))
        .values(ticket=None)
    )


# Move the head, from just the commit that was seen.
@change
def _move_head() -> Update:
    return (
        update(works)
        .where(works.c.session_id == bindparam("session"), works.c.head == bindparam("seen"))
        .values(head=bindparam("commit"), commits=works.c.commits + 1)
    )


@change
def _note_published() -> Update:
    return (
        update(works)
        .where(works.c.session_id == bindparam("session"))
        .values(branch=bindparam("name"), published=bindparam("commit"))
    )


def begin(tx: Tx, session: str, origin: str, base: str) -> Work:
    """Begin a session's work on `base`, whose objects are stored; a second call keeps the first base."""
    tx.insert(_INSERT_WORK, session_id=session, origin=origin, base=base, head=base, created_at=tx.now)
    found = work_of(tx, session)
    assert found is not None
    return found


def work_of(tx: Tx, session: str) -> Work | None:
    """None where the session has not begun to work."""
    return tx.row(_work, session=session)


def propose(
    tx: Tx, run: Run, digest: str, base: str, commit: str, tree_id: str, flags: Sequence[JsonObject]
) -> Proposed:
    """Note what the run made of its input (`digest`), whose objects are stored. Raises LeaseLost."""
    assert_lease(tx, run.run, run.host)
    tx.insert(
        _INSERT_CANDIDATE,
        session_id=run.session_id,
        task_id=run.id,
        run_id=run.run,
        input_digest=digest,
        base=base,
        commit_id=commit,
        tree_id=tree_id,
        flags=list(flags),
        created_at=tx.now,
    )
    found = tx.row(_of_commit, run=run.run, commit=commit)
    assert found is not None
    return found


def candidate_of(tx: Tx, candidate: int) -> Proposed | None:
    """None where there is none of that number."""
    return tx.row(_candidate, candidate=candidate)


def was_proposed(tx: Tx, session: str, commit: str, tree_id: str, base: str) -> bool:
    """Whether a run of the session has proposed that commit before."""
    return tx.row(_proposed_before, session=session, commit=commit, of_tree=tree_id, at_base=base) is not None


def left_candidate(tx: Tx, task: int, digest: str, base: str) -> Proposed | None:
    """What an earlier run of the task left when it was lost or released, from the same input and base."""
    return tx.row(_left_by_others, task=task, digest=digest, at_base=base)


def take_ticket(tx: Tx, run: Run, candidate: int) -> int:
    """Queue the run's candidate for landing, behind those that have a ticket; its ticket. Raises LeaseLost."""
    assert_lease(tx, run.run, run.host)
    queued = tx.row(_candidate, candidate=candidate)
    if queued is not None and queued.run_id == run.run and queued.ticket is not None:
        return queued.ticket
    tx.send(_give_ticket, session=run.session_id)
    if not tx.one(_take_ticket, candidate=candidate, run=run.run):
        raise LeaseLost(run=run.run)
    found = tx.row(_candidate, candidate=candidate)
    assert found is not None and found.ticket is not None
    return found.ticket


def drop_ticket(tx: Tx, run: Run, candidate: int) -> None:
    """Leave the queue: the candidate will not land as it is. Raises LeaseLost."""
    assert_lease(tx, run.run, run.host)
    tx.send(_end_turn, candidate=candidate, run=run.run)


def is_its_turn(tx: Tx, candidate: int) -> bool:
    """Whether no candidate with a smaller ticket can still land."""
    return tx.row(_smaller_ticket, candidate=candidate) is None


def ahead_of(tx: Tx, candidate: int) -> list[Proposed]:
    """The candidates with smaller tickets that can still land, in the order of their tickets; of one without, all."""
    return tx.rows(_ahead, candidate=candidate)


def land(tx: Tx, run: Run, candidate: int, seen: str, commit: str, tree_id: str) -> bool:
    """Make `commit`, on top of `seen`, the head; False where the head has moved, and then nothing is written.

    Belongs in the transaction that reports the run, before it closes the run. Raises LeaseLost, or NotAllowedNow when it
    is another one's turn.
    """
    assert_lease(tx, run.run, run.host)
    found = tx.row(_candidate, candidate=candidate)
    if found is None or found.run_id != run.run or found.ticket is None:
        raise NotAllowedNow("the candidate has no ticket", why=f"run {run.run}", fix="queue it first")
    if not is_its_turn(tx, candidate):
        raise NotAllowedNow(
            "it is not this candidate's turn to land", why=f"run {run.run}", fix="wait for those before it"
        )
    if not tx.one(_move_head, session=run.session_id, seen=seen, commit=commit):
        return False
    _insert_commit(tx, run.session_id, commit, seen, tree_id, run.run)
    tx.send(_end_turn, candidate=candidate, run=run.run)
    return True


def adopt(tx: Tx, session: str, seen: str, line: Sequence[tuple[str, str]]) -> bool:
    """Make the user's commits, (commit, tree) from the oldest, ours on top of `seen`; False where the head has moved."""
    parent = seen
    for commit, tree_id in line:
        if not tx.one(_move_head, session=session, seen=parent, commit=commit):
            return False
        _insert_commit(tx, session, commit, parent, tree_id, None)
        parent = commit
    return True


def restore(
    tx: Tx, session: str, origin: str, base: str, line: Sequence[tuple[str, str, str | None]]
) -> None:
    """Begin the work of an imported session with what had landed: (commit, tree, run), None for the user's own.

    The objects are stored, and each commit is on top of the one before it.
    """
    begin(tx, session, origin, base)
    parent = base
    for commit, tree_id, run in line:
        if not tx.one(_move_head, session=session, seen=parent, commit=commit):
            raise NotAllowedNow("the session has work already", why=session, fix="delete the session first")
        _insert_commit(tx, session, commit, parent, tree_id, run)
        parent = commit


def _insert_commit(tx: Tx, session: str, commit: str, parent: str, tree_id: str, run: str | None) -> None:
    found = work_of(tx, session)
    assert found is not None
    tx.insert(
        _INSERT_COMMIT,
        session_id=session,
        number=found.commits,
        commit_id=commit,
        parent=parent,
        tree_id=tree_id,
        author="user" if run is None else "run",
        run_id=run,
        created_at=tx.now,
    )


def note_published(tx: Tx, session: str, branch: str, commit: str) -> None:
    """Note what the user's branch was moved to by us."""
    tx.send(_note_published, session=session, name=branch, commit=commit)


def commits_of(tx: Tx, session: str) -> list[Commit]:
    """What has landed, from the oldest."""
    return tx.rows(_commits, session=session)

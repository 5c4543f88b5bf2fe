"""Whose each private tree is: one generation of a lane, from its making to the end of its folder.

A tree belongs to one chain of runs. One that a run left badly is retired, and no run ever gets it again: the fence of the
file system is the path.

    making -> live -> retired -> trash (and then removed)
       +----------------^
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from orchestrator.domain.errors import LaneInUse, LeaseLost
from orchestrator.domain.model import RunOutcome
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.claims import assert_lease
from orchestrator.store.rows import Run
from orchestrator.store.sql import (
    ColumnElement,
    Update,
    bindparam,
    exists,
    func,
    hosts,
    or_,
    runs,
    select,
    tasks,
    trees,
    update,
)
from orchestrator.store.statements import Insertion, Selection, change, fixed, query
from orchestrator.store.store import Tx
from orchestrator.store.work_rows import LeftTree, Tree

_INSERT_TREE = Insertion("trees")


class Lane(NamedTuple):
    """A lane with a tree in use or waiting, and what became of the run that used it last."""

    number: int
    chain: str
    folder: bytes
    outcome: str | None


@query(Tree)
def _tree() -> Selection:
    return select(trees).where(trees.c.id == bindparam("tree"))


@query(Tree)
def _in_use() -> Selection:
    return select(trees).where(
        trees.c.session_id == bindparam("session"),
        trees.c.lane == bindparam("in_lane"),
        or_(trees.c.state == fixed("making"), trees.c.state == fixed("live")),
    )


@query(Lane)
def _lanes() -> Selection:
    return (
        select(trees.c.lane.label("number"), trees.c.chain, trees.c.folder, runs.c.outcome)
        .join(runs, runs.c.id == trees.c.run_id)
        .where(
            trees.c.session_id == bindparam("session"),
            or_(trees.c.state == fixed("making"), trees.c.state == fixed("live")),
        )
        .order_by(trees.c.lane)
    )


@query(int)
def _last_generation() -> Selection:
    return select(func.coalesce(func.max(trees.c.generation), 0)).where(
        trees.c.session_id == bindparam("session"), trees.c.lane == bindparam("in_lane")
    )


@query(LeftTree)
def _left() -> Selection:
    return (
        select(
            trees.c.id,
            trees.c.session_id,
            trees.c.nonce,
            trees.c.folder,
            trees.c.state,
            trees.c.base,
            trees.c.run_id,
            runs.c.outcome,
            tasks.c.key,
            runs.c.epoch,
            trees.c.retired_at,
        )
        .join(runs, runs.c.id == trees.c.run_id)
        .join(tasks, tasks.c.id == runs.c.task_id)
        .where(
            trees.c.session_id == bindparam("session"),
            trees.c.removed_at.is_(None),
            of_hosts("of_token"),
        )
        .order_by(trees.c.id)
    )


def of_hosts(token: str) -> ColumnElement[bool]:
    """Whether the run that used a tree last is of hosts of the token that this parameter names; "": of this project's own.

    A folder is on the machine of that host: no other one saves or deletes it.
    """
    named = select(hosts.c.token).where(hosts.c.incarnation == runs.c.host).scalar_subquery()
    return func.coalesce(named, fixed("")) == bindparam(token)


@query(tuple[str, str])
def _owner() -> Selection:
    named = select(hosts.c.token).where(hosts.c.incarnation == runs.c.host).scalar_subquery()
    return (
        select(trees.c.session_id, func.coalesce(named, fixed("")).label("token"))
        .join(runs, runs.c.id == trees.c.run_id)
        .where(trees.c.id == bindparam("tree"))
    )


# Change a tree from making to live.
@change
def _make_live() -> Update:
    return (
        update(trees)
        .where(
            trees.c.id == bindparam("tree"),
            trees.c.run_id == bindparam("run"),
            trees.c.state == fixed("making"),
        )
        .values(state=fixed("live"))
    )


# Hand a live tree on: its run ended well, and the next one is of the same chain.
@change
def _hand_on() -> Update:
    return (
        update(trees)
        .where(
            trees.c.session_id == bindparam("session"),
            trees.c.lane == bindparam("in_lane"),
            trees.c.state == fixed("live"),
            trees.c.chain == bindparam("of_chain"),
            exists().where(runs.c.id == trees.c.run_id, runs.c.outcome == RunOutcome.COMPLETED),
        )
        .values(run_id=bindparam("run"))
    )


# Note that the tree of a run is at another commit now.
@change
def _rebase() -> Update:
    return (
        update(trees)
        .where(
            trees.c.id == bindparam("tree"),
            trees.c.run_id == bindparam("run"),
            trees.c.state == fixed("live"),
        )
        .values(base=bindparam("at_base"))
    )


# Change a tree from making or live to retired: the run that used it has ended.
@change
def _retire() -> Update:
    return (
        update(trees)
        .where(
            trees.c.id == bindparam("tree"),
            or_(trees.c.state == fixed("making"), trees.c.state == fixed("live")),
            exists().where(runs.c.id == trees.c.run_id, runs.c.outcome.is_not(None)),
        )
        .values(state=fixed("retired"), retired_at=bindparam("now"))
    )


# Change a tree from retired to trash: from here on its folder is being deleted.
@change
def _discard() -> Update:
    return (
        update(trees)
        .where(trees.c.id == bindparam("tree"), trees.c.state == fixed("retired"))
        .values(state=fixed("trash"))
    )


# Note that a tree's folder is gone.
@change
def _remove() -> Update:
    return (
        update(trees)
        .where(trees.c.id == bindparam("tree"), trees.c.state == fixed("trash"), trees.c.removed_at.is_(None))
        .values(removed_at=bindparam("now"))
    )


def open_tree(tx: Tx, run: Run, lane: int, folder: Callable[[int], bytes], base: str) -> Tree:
    """Give the run the next generation of a lane; `folder` names its place.

    Raises LeaseLost, LaneInUse.
    """
    assert_lease(tx, run.run, run.host)
    used = tx.row(_in_use, session=run.session_id, in_lane=lane)
    if used is not None:
        raise LaneInUse(
            f"lane {lane} is in use", why=f"generation {used.generation} belongs to {used.run_id}"
        )
    last = tx.row(_last_generation, session=run.session_id, in_lane=lane) or 0
    made = tx.insert(
        _INSERT_TREE,
        session_id=run.session_id,
        lane=lane,
        generation=last + 1,
        nonce=os.urandom(16).hex(),
        folder=folder(last + 1),
        state="making",
        chain=run.loop,
        run_id=run.run,
        base=base,
        created_at=tx.now,
    )
    return tree(tx, made)


def tree(tx: Tx, id: int) -> Tree:
    found = tx.row(_tree, tree=id)
    assert found is not None
    return found


def tree_in_use(tx: Tx, session: str, lane: int) -> Tree | None:
    """The lane's tree that is being made or used, or waits for the next run of its chain."""
    return tx.row(_in_use, session=session, in_lane=lane)


def lane_for(tx: Tx, run: Run, folder: Path) -> int:
    """The lane that a run should take: its chain's, else the first one that no open run uses.

    A tree that is not in `folder` may be on another machine: its lane is not taken.
    """
    lanes = tx.rows(_lanes, session=run.session_id)
    here = [lane for lane in lanes if Path(os.fsdecode(lane.folder)).parent == folder]
    own = next((lane.number for lane in here if lane.chain == run.loop and lane.outcome is not None), None)
    if own is not None:
        return own
    free = {lane.number for lane in here if lane.outcome is not None}
    used = {lane.number for lane in lanes} - free
    return next(number for number in range(len(lanes) + 1) if number not in used)


def make_live(tx: Tx, run: Run, tree: int) -> None:
    """The run's tree is made. Raises LeaseLost."""
    assert_lease(tx, run.run, run.host)
    if not tx.one(_make_live, tree=tree, run=run.run) and not _has(tx, run, tree):
        raise LeaseLost(run=run.run)


def _has(tx: Tx, run: Run, id: int) -> bool:
    """Whether the run has this tree, made."""
    found = tx.row(_tree, tree=id)
    return found is not None and (found.state, found.run_id) == ("live", run.run)


def hand_on(tx: Tx, run: Run, lane: int) -> Tree | None:
    """The lane's warm tree, now the run's; None where there is none that may go on. Raises LeaseLost."""
    assert_lease(tx, run.run, run.host)
    handed_on = tx.one(_hand_on, session=run.session_id, in_lane=lane, of_chain=run.loop, run=run.run)
    found = tree_in_use(tx, run.session_id, lane)
    return found if handed_on or (found is not None and _has(tx, run, found.id)) else None


def rebase(tx: Tx, run: Run, tree: int, base: str) -> None:
    """Note that the run's tree was brought to `base`. Raises LeaseLost."""
    assert_lease(tx, run.run, run.host)
    if not tx.one(_rebase, tree=tree, run=run.run, at_base=base):
        raise LeaseLost(run=run.run)


def left_trees(tx: Tx, session: str, token: str = "") -> list[LeftTree]:
    """The session's trees whose folders are not known to be gone; `token`: those of its hosts, else of this project's own."""
    return tx.rows(_left, session=session, of_token=token)


def is_of(tx: Tx, tree: int, session: str, token: str) -> bool:
    """Whether it is a tree of the session, and of hosts of that token."""
    return tx.row(_owner, tree=tree) == (session, token)


def retire(tx: Tx, tree: int) -> bool:
    """Whether the tree was in use by a run that has ended; no run ever gets it again."""
    return tx.one(_retire, tree=tree, now=tx.now)


def discard(tx: Tx, tree: int) -> bool:
    """Whether the tree was retired; its folder may be deleted from now on."""
    return tx.one(_discard, tree=tree)


def note_removed(tx: Tx, tree: int) -> bool:
    return tx.one(_remove, tree=tree, now=tx.now)

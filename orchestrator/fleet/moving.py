"""The steps of a move, each done once however often it is begun: whoever is killed in one, the next one goes on with it.

Every step is fenced by the epoch of the move. What carries a session is its export: rows, contents, and code where there is
some. The source keeps all of it until the target has it.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator import failpoints, wakeup
from orchestrator.commands import manage, portable, portable_work
from orchestrator.dispatch.asking import have_done
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError
from orchestrator.domain.model import SessionStatus
from orchestrator.fleet.definition import Fleet
from orchestrator.store import (
    artifacts,
    custody,
    directory,
    edits,
    messages,
    retention,
    sessions,
    tasks,
    transfer,
    transitions,
    work_state,
    work_trees,
)
from orchestrator.store.custody import COMING, GONE, HERE, LEAVING
from orchestrator.store.store import Store, Tx

WHO = "fleet"
TIDYING_TRIES = 10  # each starts a process


def leave(fleet: Fleet, session: str, source: str, target: str) -> int:
    """Let nobody change the session any more; the epoch of its move. Raises NotAllowedNow while it is at work."""

    def unit(tx: Tx) -> int:
        known = custody.of(tx, session)
        if known is not None and (known.state, known.peer) == (LEAVING, target):
            return known.epoch
        row = sessions.get(tx, session)
        if row is None:
            raise UnknownName(f"session in the cell {source}", session, custody.session_ids(tx)[:20])
        custody.refuse_moving(tx, session)
        _refuse_at_work(tx, session, row.status)
        transitions.withdraw_offers(tx, session)
        epoch = 1 if known is None else known.epoch + 1
        custody.note(tx, session, epoch, LEAVING, target, _messages(tx, session))
        return epoch

    failpoints.hit("fleet.leave.before")
    with fleet.opened(source) as store:
        if store.read(lambda tx: sessions.get(tx, session)) is not None:
            edits.adopt(store, session)  # what a person edited goes along
            _refuse_half_edits(store, session)
            _put_trees_away(store, session, fleet.project(source).root)
        epoch = store.write(unit, about=session)
    failpoints.hit("fleet.leave.after")
    return epoch


def _refuse_half_edits(store: Store, session: str) -> None:
    if written := store.read(lambda tx: edits.being_written(tx, session)):
        raise NotAllowedNow(
            f"documents of {session} are being edited",
            why=f"another program has them open for writing: {', '.join(written)}",
            fix="close them there, then repeat the command",
        )


def _refuse_at_work(tx: Tx, session: str, status: str) -> None:
    if status == SessionStatus.ACTIVE or tasks.open_runs(tx, session):
        raise NotAllowedNow(
            f"{session} is at work",
            why="its runs would write into the cell that it leaves",
            fix="pause it, and wait until its runs have ended",
        )
    if left := work_trees.left_trees(tx, session):
        raise _has_trees(session, [str(each.path) for each in left])


def _put_trees_away(store: Store, session: str, project: Path) -> None:
    """Save and remove the trees that wait for a next run, as of a session that has ended. Raises NotAllowedNow."""
    row, runs, left = store.read(
        lambda tx: (
            sessions.get(tx, session),
            tasks.open_runs(tx, session),
            work_trees.left_trees(tx, session),
        )
    )
    if row is None or row.status == SessionStatus.ACTIVE or runs or not left:
        return
    told: list[str] = []
    for _ in range(
        TIDYING_TRIES
    ):  # a host of the cell may be tidying up at the same moment; then ours does nothing
        done = have_done("tidy", project, "--session", session, "--leaves")
        if not store.read(lambda tx: work_trees.left_trees(tx, session)):
            return
        told = [f"{name}: {why}" for name, why in done.get("left", {}).items()]
        if told:
            break
    raise _has_trees(session, told or [str(each.path) for each in left])


def _has_trees(session: str, told: list[str]) -> NotAllowedNow:
    return NotAllowedNow(
        f"{session} still has private trees",
        why="; ".join(told[:5]),
        fix="end what keeps them (`lifecycle gc` tells), then move it again",
    )


def _messages(tx: Tx, session: str) -> int:
    return sessions.session_state(tx, session).messages


def carry(fleet: Fleet, session: str, source: str, target: str, epoch: int) -> None:
    """Bring the session into the target, where nobody may change it yet. Raises UsageError where it does not fit."""
    failpoints.hit("fleet.carry.before")
    root = fleet.project(target).root
    with fleet.opened(source) as origin, fleet.opened(target) as store:
        known = store.read(lambda tx: custody.of(tx, session))
        if known is not None and (known.epoch > epoch or (known.epoch == epoch and known.state != COMING)):
            return  # a later step of this move was done, or a later move
        package = portable.gather(origin, session)
        extra = portable_work.members(origin, session, fleet.project(source).root)
        if known is None or known.epoch < epoch:
            if store.read(lambda tx: sessions.get(tx, session)) is not None:
                raise UsageError(
                    f"the cell {target} has another session {session}",
                    why="a session is never overwritten",
                    fix="move it to a third cell",
                )
            _take_in(fleet, package, source, target, epoch)
        failpoints.hit("fleet.carry.rows")
        if extra and store.read(lambda tx: work_state.state_of(tx, session)) is None:
            whole = portable.unpack(portable.pack(package, extra).bytes)
            if why := portable.bring_code(store, whole, root, keeps_bundle=False):
                raise NotAllowedNow(
                    f"the code of {session} cannot be brought to {target}",
                    why=why,
                    fix=f"make {target} a clone of the same repository, then move it again",
                )
    failpoints.hit("fleet.carry.after")


def _take_in(fleet: Fleet, package: portable.Package, source: str, target: str, epoch: int) -> None:
    session = package.session

    def unit(tx: Tx) -> None:
        for body in package.contents.values():
            artifacts.put(tx, body)
        transfer.insert_rows(tx, rows)
        messages.event(tx, session, "moved", f"moved from the cell {source}")
        custody.note(tx, session, epoch, COMING, source, 0)

    with fleet.opened(target) as store:
        rows = portable.at_rest(package.rows, fleet.project(target).root, store.clock.wall())
        store.write(unit, about=session)


def let_go(fleet: Fleet, session: str, source: str, epoch: int) -> None:
    """Delete the session in its source, which the target has whole. Raises NotAllowedNow where it was changed meanwhile."""

    def unit(tx: Tx) -> None:
        known = custody.of(tx, session)
        if known is None or (known.epoch, known.state) != (epoch, LEAVING):
            return
        if tasks.open_runs(tx, session) or _messages(tx, session) != known.messages:
            raise NotAllowedNow(
                f"{session} was changed while it was leaving", fix="wait until it pauses, then move it again"
            )
        retention.delete_session(tx, session, WHO)
        custody.becomes(tx, session, epoch, LEAVING, GONE)

    failpoints.hit("fleet.let_go.before")
    with fleet.opened(source) as store:
        store.write(unit, about=session)
        manage.remove_files(store, session)
    failpoints.hit("fleet.let_go.after")


def arrive(fleet: Fleet, session: str, target: str, epoch: int) -> None:
    """The target has the session from now on."""
    failpoints.hit("fleet.arrive.before")
    with fleet.opened(target) as store:
        store.write(lambda tx: custody.becomes(tx, session, epoch, COMING, HERE), about=session)
        wakeup.wake_daemon(store.project_id)  # it writes the session's files
    failpoints.hit("fleet.arrive.after")


def enter(fleet: Fleet, session: str, cell: str, epoch: int) -> None:
    """Note in the directory where the session is."""
    failpoints.hit("fleet.enter.before")
    with fleet.opened(fleet.directory) as store:
        store.write(lambda tx: directory.settle(tx, session, cell, epoch))
    failpoints.hit("fleet.enter.after")


def undo(fleet: Fleet, session: str, source: str, target: str, epoch: int) -> None:
    """Leave the session where it was: what has come goes first, so that it is never changed in two cells.

    Where the source has let it go, what has come is all that there is, and stays.
    """
    failpoints.hit("fleet.undo.before")
    with fleet.opened(source) as store:
        left = store.read(lambda tx: custody.of(tx, session))
    if left is None or (left.epoch, left.state) != (epoch, LEAVING):
        return

    def discard(tx: Tx) -> None:
        known = custody.of(tx, session)
        if known is not None and (known.epoch, known.state) == (epoch, COMING):
            retention.delete_session(tx, session, WHO)
        if known is None or known.epoch < epoch or (known.epoch, known.state) == (epoch, COMING):
            custody.note(tx, session, epoch, GONE, source, 0)  # what carries it late finds that it has gone

    with fleet.opened(target) as store:
        if not store.read(lambda tx: _is_anothers(tx, session, epoch)):
            store.write(discard, about=session)
            manage.remove_files(store, session)
    with fleet.opened(source) as store:
        store.write(lambda tx: custody.becomes(tx, session, epoch, LEAVING, HERE), about=session)
    failpoints.hit("fleet.undo.after")


def _is_anothers(tx: Tx, session: str, epoch: int) -> bool:
    """Whether the target had a session of that name before."""
    known = custody.of(tx, session)
    return sessions.get(tx, session) is not None and (known is None or known.epoch < epoch)

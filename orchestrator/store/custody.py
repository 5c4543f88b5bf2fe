"""Which cell of a fleet has a session: a row with an epoch in each cell that it was ever in; none: it never moved.

A move raises the epoch and takes both rows through these states, each by one guarded change:

    source   (none) or here -> leaving -> gone    the rows of the session go with the change to gone
    target   (none) or gone -> coming -> here     the rows come with the change to coming

While a session is leaving or coming nobody may change it. It is owned where it is here or leaving; between gone and here,
where it is coming. What an earlier move repeats finds a higher epoch, and does nothing.
"""

from __future__ import annotations

from orchestrator.domain.errors import NotAllowedNow
from orchestrator.store.rows import Custody
from orchestrator.store.sql import Update, bindparam, custody, select, sessions, update
from orchestrator.store.statements import Insertion, Selection, change, columns, query
from orchestrator.store.store import Tx

HERE, LEAVING, COMING, GONE = "here", "leaving", "coming", "gone"

_NOTE = Insertion("custody", unique=["session_id"], replace=["epoch", "state", "peer", "messages", "at"])


@query(Custody)
def _of() -> Selection:
    return select(*columns(custody, Custody)).where(custody.c.session_id == bindparam("session"))


# Change a session's custody from one state of a move to another.
@change
def _move() -> Update:
    return (
        update(custody)
        .where(
            custody.c.session_id == bindparam("session"),
            custody.c.epoch == bindparam("of_move"),
            custody.c.state == bindparam("was"),
        )
        .values(state=bindparam("becomes"), at=bindparam("now"))
    )


@query(str)
def _sessions() -> Selection:
    return select(sessions.c.id).order_by(sessions.c.id)


def of(tx: Tx, session: str) -> Custody | None:
    """None of a session that has never moved."""
    return tx.row(_of, session=session)


def session_ids(tx: Tx) -> list[str]:
    """Every session whose rows are in this database."""
    return tx.rows(_sessions)


def refuse_moving(tx: Tx, session: str) -> None:
    """Raises NotAllowedNow for a session that is on its way to another cell, or from one."""
    found = of(tx, session)
    if found is not None and found.state in (LEAVING, COMING):
        way = "to" if found.state == LEAVING else "from"
        raise NotAllowedNow(
            f"{session} is being moved",
            why=f"it is on its way {way} the cell {found.peer}",
            fix="wait until it has arrived; `lifecycle fleet list` shows where it is",
        )


def note(tx: Tx, session: str, epoch: int, state: str, peer: str, messages: int) -> None:
    tx.insert(_NOTE, session_id=session, epoch=epoch, state=state, peer=peer, messages=messages, at=tx.now)


def becomes(tx: Tx, session: str, epoch: int, was: str, state: str) -> bool:
    """Whether the move of that epoch was in the state `was`, and is now in the other."""
    return tx.one(_move, session=session, of_move=epoch, was=was, becomes=state, now=tx.now)

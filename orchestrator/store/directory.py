"""The directory of a fleet: in which cell each session is, and which cells take no new ones.

It lies in the database of one cell. What counts is the rows of the cells themselves; this says where to look.
"""

from __future__ import annotations

from orchestrator.store.rows import Resident
from orchestrator.store.sql import bindparam, cells, residents, select
from orchestrator.store.statements import Insertion, Selection, columns, query
from orchestrator.store.store import Tx

OPEN, DRAINING, DRAINED, RETIRED = "open", "draining", "drained", "retired"

_RESIDENT = Insertion("residents", unique=["session_id"], replace=["cell", "epoch"])
_CELL = Insertion("cells", unique=["name"], replace=["state", "at"])


@query(Resident)
def _all() -> Selection:
    return select(*columns(residents, Resident)).order_by(residents.c.session_id)


@query(Resident)
def _one() -> Selection:
    return select(*columns(residents, Resident)).where(residents.c.session_id == bindparam("session"))


@query(tuple[str, str])
def _states() -> Selection:
    return select(cells.c.name, cells.c.state)


def everybody(tx: Tx) -> list[Resident]:
    return tx.rows(_all)


def resident(tx: Tx, session: str) -> Resident | None:
    return tx.row(_one, session=session)


def settle(tx: Tx, session: str, cell: str, epoch: int) -> None:
    """Note where a session is; what an earlier move says of it changes nothing."""
    known = resident(tx, session)
    if known is None or known.epoch <= epoch:
        tx.insert(_RESIDENT, session_id=session, cell=cell, epoch=epoch)


def states(tx: Tx) -> dict[str, str]:
    """Cell -> its state, of those that were ever anything but open."""
    return dict(tx.rows(_states))


def set_state(tx: Tx, cell: str, state: str) -> None:
    tx.insert(_CELL, name=cell, state=state, at=tx.now)

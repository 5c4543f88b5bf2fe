"""Who let hosts in and who turned them out, and what hosts were refused: rows that nothing changes."""

from __future__ import annotations

from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.sql import audit, bindparam, select
from orchestrator.store.statements import Insertion, Selection, columns, query
from orchestrator.store.store import Tx

ADDED, REVOKED, JOINED, REFUSED = "added", "revoked", "joined", "refused"
LONGEST = 200  # characters of a detail

_NOTE = Insertion("audit")


class Audited(NamedTuple):
    id: int
    at: int
    what: str
    name: str
    who: str
    detail: str


@query(Audited)
def _newest() -> Selection:
    return select(*columns(audit, Audited)).order_by(audit.c.id.desc()).limit(bindparam("limit"))


def note(tx: Tx, what: str, name: str, who: str, detail: str) -> None:
    """`name`: of the token; `who`: a person, or the host."""
    tx.insert(_NOTE, at=tx.now, what=what, name=name, who=who, detail=detail[:LONGEST])


def newest(tx: Tx, limit: int) -> list[Audited]:
    """The oldest of them first."""
    return tx.rows(_newest, limit=limit)[::-1]

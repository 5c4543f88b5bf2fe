"""What the coordinator knows of the engine that delivers offers: one row, and none where hosts ask for their tasks."""

from __future__ import annotations

from orchestrator.store import leases
from orchestrator.store.rows import Engine
from orchestrator.store.sql import Delete, delete, engines, select
from orchestrator.store.statements import Insertion, Selection, change, columns, query
from orchestrator.store.store import Tx

LONGEST_WHY = 500  # characters

_NOTE = Insertion("engines", unique=["address"], replace=["queues", "version", "since_at", "why"])


@query(Engine)
def _engine() -> Selection:
    return select(*columns(engines, Engine))


@change
def _forget() -> Delete:
    return delete(engines)


def engine(tx: Tx) -> Engine | None:
    """The engine; None where none delivers."""
    return tx.row(_engine)


def note(tx: Tx, address: str, queues: str, version: str | None, why: str) -> None:
    """Note that it is up in this `version`, or away and `why`; since when is kept while that does not change."""
    known = engine(tx)
    is_same = known is not None and (known.address, known.queues) == (address, queues)
    since = known.since_at if known and is_same and (known.version is None) == (version is None) else tx.now
    if not is_same:
        tx.send(_forget)
    tx.insert(_NOTE, address=address, queues=queues, version=version, since_at=since, why=why[:LONGEST_WHY])


def forget(tx: Tx) -> None:
    """Hosts ask for their tasks from now on."""
    tx.send(_forget)


def delivers(tx: Tx) -> bool:
    """Whether offers reach hosts by the engine now: it is up, and a coordinator leads that sends them."""
    found = engine(tx)
    return found is not None and found.version is not None and leases.leader(tx) is not None

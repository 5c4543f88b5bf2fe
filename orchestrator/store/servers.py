"""Servers of hosts that are up, each by a lease of its own beside the coordinator's, so that `doctor` can tell."""

from __future__ import annotations

import os

from orchestrator import __version__
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.clock import process_start, space_of_pids
from orchestrator.store.sql import Delete, Update, bindparam, delete, leases, select, update
from orchestrator.store.statements import Insertion, Selection, change, query
from orchestrator.store.store import Tx

PREFIX = "server "  # of the lease's name, before the server's own
SECOND = 1_000_000
KEPT = 24 * 3600 * SECOND  # microseconds that a lease is kept after its end

_NOTE = Insertion("leases", unique=["name"], replace=["until"])


class Server(NamedTuple):
    """A server of hosts: where it listens, since when, and the version that it runs."""

    holder: str
    at: int
    version: str


@query(Server)
def _up() -> Selection:
    return (
        select(leases.c.holder, leases.c.at, leases.c.version)
        .where(
            leases.c.name.like(f"{PREFIX}%"),
            leases.c.boot == bindparam("this_boot"),
            leases.c.until > bindparam("lease_now"),
        )
        .order_by(leases.c.at, leases.c.name)
    )


@change
def _end() -> Update:
    return update(leases).where(leases.c.name == bindparam("named")).values(until=bindparam("lease_now"))


@change
def _forget() -> Delete:
    return delete(leases).where(
        leases.c.name.like(f"{PREFIX}%"),
        (leases.c.boot != bindparam("this_boot")) | (leases.c.until < bindparam("before")),
    )


def note(tx: Tx, name: str, url: str, seconds: float) -> None:
    """The server of this name is up, and will be for so long; those that are long gone are forgotten."""
    tx.send(_forget, this_boot=tx.boot, before=tx.lease_now - KEPT)
    tx.insert(
        _NOTE,
        name=f"{PREFIX}{name}",
        holder=url,
        epoch=1,
        boot=tx.boot,
        pid_space=space_of_pids(tx.boot),
        pid=os.getpid(),
        process_start=process_start(os.getpid()) or 0,
        until=tx.lease_now + int(seconds * SECOND),
        at=tx.now,
        version=__version__,
    )


def end(tx: Tx, name: str) -> None:
    """The server has ended."""
    tx.send(_end, named=f"{PREFIX}{name}", lease_now=tx.lease_now)


def up(tx: Tx) -> list[Server]:
    """The oldest first."""
    return tx.rows(_up, this_boot=tx.boot, lease_now=tx.lease_now)

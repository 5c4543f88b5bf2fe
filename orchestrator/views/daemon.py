"""The coordinator of a project and its worker hosts."""

from __future__ import annotations

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import leases, queries
from orchestrator.store.databases import Database
from orchestrator.store.store import Tx
from orchestrator.views.engine import engine_view


def database_view(database: Database) -> JsonObject:
    """Where the project's rows are, and whose clock leases count on."""
    clock = "this machine's" if database.file is not None else "the database server's"
    return {"name": database.name, "clock": clock}


def daemon_view(tx: Tx) -> JsonObject:
    """What `daemon status` shows."""
    leader, busy = leases.leader(tx), queries.open_by_host(tx)
    return {
        "engine": engine_view(tx),
        "running": leader is not None,
        "pid": leader.pid if leader else None,
        "here": leader is not None and leases.is_here(leader),
        "since": stamp(leader.at) if leader else None,
        "epoch": leader.epoch if leader else None,
        "version": leader.version if leader else None,
        "hosts": [
            {
                "host": row.incarnation,
                "name": row.token,
                "pid": row.pid if row.token is None else None,
                "here": leases.is_here(row),
                "slots": row.slots,
                "runs": busy.get(row.incarnation, 0),
                "roles": row.roles,
                "draining": bool(row.draining),
                "since": stamp(row.started_at),
                "version": row.version,
            }
            for row in leases.live_hosts(tx)
        ],
    }

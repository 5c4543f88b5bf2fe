"""Moving a project's rows from its SQLite file into a PostgreSQL database, once, while nothing works with them."""

from __future__ import annotations

from orchestrator.domain.errors import NotAllowedNow
from orchestrator.project import Project
from orchestrator.store import copying, leases, queries
from orchestrator.store.store import Store
from orchestrator.store.tables import metadata


def adopt_database(project: Project, source: Store, address: str) -> dict[str, int]:
    """Table -> how many rows were copied into the database at `address`, whose tables are made first.

    What arrived is compared by number and digest. Raises NotAllowedNow while a coordinator, a worker host or a run of the
    project is alive, DatabaseUnusable, StoreError for a database that has rows; then nothing was copied. The file stays.
    """
    from orchestrator.store.backends.postgres_backend import PostgresBackend
    from orchestrator.store.backends.postgres_schema import ensure_schema

    if source.read(lambda tx: leases.leader(tx) or leases.live_hosts(tx) or queries.open_run_ids(tx)):
        raise NotAllowedNow(
            "the project is at work",
            why="what is written while its rows are copied would be missing",
            fix="end the coordinator (`lifecycle daemon stop`) and wait until its hosts have ended",
        )
    ensure_schema(address, metadata)
    target = Store(project.database, backend=PostgresBackend(address))
    try:
        return copying.copy(source, target)
    finally:
        target.close()

"""A project with sessions in every state a command can meet, made without processes, and its logical content."""

from __future__ import annotations

import hashlib
import sqlite3
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from orchestrator.commands import manage
from orchestrator.coordinator.projector import project
from orchestrator.project import Project, prepare
from orchestrator.store.store import Store
from tests import factories
from tests.e2e.support import Lifecycle


@dataclass
class World:
    """`life` runs commands; `store` is the same database, for what only processes would do."""

    life: Lifecycle
    store: Store

    def content(self) -> dict[str, str]:
        """Every row of the database and every other file: what a refused command must leave as it is."""
        connection = sqlite3.connect(f"file:{quote(str(self.life.database))}?mode=ro", uri=True)
        dump = "\n".join(connection.iterdump())
        connection.close()
        found = {"(rows)": hashlib.sha256(dump.encode()).hexdigest()}
        for file in sorted(self.life.folder.rglob("*")):
            if file.is_file() and not file.name.startswith("lifecycle.db"):
                found[str(file.relative_to(self.life.folder))] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found


def make_world(life: Lifecycle) -> World:
    """An empty database in the project."""
    store = factories.make_store(life.folder)
    prepare(Project(life.folder))
    return World(life, store)


def work_off(
    store: Store, session: str, *, until: str | None = None, ratings: int = 4, low: Collection[str] = ()
) -> None:
    """Complete the session's tasks one by one, as a worker host would; stop before the task `until`.

    The discussions of the tasks in `low` end blocked HIGH.
    """
    lead = factories.lead(store)
    host = factories.make_host(store, f"h-{uuid.uuid4().hex}", seconds=3600.0)
    while True:
        factories.one_beat(store, session, lead)
        row = factories.claim(store, host)
        while row is not None:
            if row.key == until:
                break
            gate = None
            if row.prefix == "QUALITY":
                gate = {"gate": "REVIEW", "score": 72.5, "data": {"dimensions": dimensions()}}
            each = 2 if row.key in low else ratings
            found = factories.discussed(row, {"product": each, "quality": each}) if row.round else None
            row = factories.finish(store, row, discussed=found, gate=gate).next
        if row is not None or not factories.keys(store, session) or not _active(store, session):
            break
    end_processes(store)
    project(store, session)


def dimensions() -> dict[str, dict[str, object]]:
    names = ("completeness", "consistency", "traceability", "depth", "coverage")
    return {name: {"score": 60.0 + 5 * n, "weak": []} for n, name in enumerate(names)}


def _active(store: Store, session: str) -> bool:
    from orchestrator.store import sessions

    row = store.read(lambda tx: sessions.get(tx, session))
    return row is not None and row.status == "active"


def end_processes(store: Store) -> None:
    """The coordinator and the host of this test process leave, so that nobody is taken for alive later."""
    connection = sqlite3.connect(store.path)
    connection.execute("DELETE FROM leases")
    connection.execute(
        "UPDATE hosts SET lease_until = 0 WHERE incarnation NOT IN (SELECT host FROM runs WHERE outcome IS NULL)"
    )
    connection.commit()
    connection.close()


def cancelled(store: Store, request: str) -> str:
    session = factories.make_session(store, request)
    manage.cancel(store, session, who="tester")
    project(store, session)
    return session


def note(folder: Path, name: str, body: bytes) -> Path:
    file = folder / name
    file.write_bytes(body)
    return file

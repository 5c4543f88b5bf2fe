"""Sessions and runs made with only what a test is about."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from orchestrator.commands.specification import Specification
from orchestrator.commands.start import start
from orchestrator.config import load_pack, resources
from orchestrator.coordinator.beat import Beat, beat
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.pipelines import Pack
from orchestrator.domain.verdicts import Consequence, Reply, consequence, judge
from orchestrator.lifecycle import finished_run, report
from orchestrator.store import artifacts, claims, leases, tasks
from orchestrator.store.backends.sqlite_migrate import ensure_schema
from orchestrator.store.clock import Clock, process_start
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from orchestrator.views.layout import Plan, StartOptions, plan

ALL_ROLES = ("analyst", "discussant", "executor", "planner", "reviewer", "tester", "writer")
LEASE = 600.0  # seconds; long, so that no lease ends by itself on a busy machine


@cache
def _empty_database() -> bytes:
    """A migrated database's file; migrating once a test run is enough for tests that are not about migrating."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "lifecycle.db"
        ensure_schema(database, resources() / "migrations")
        return database.read_bytes()


@cache
def shipped_pack() -> Pack:
    return load_pack(None, {})


class SetClock:
    """A clock that stands where a test has set it."""

    def __init__(self, micros: int) -> None:
        self.micros = micros

    def wall(self) -> int:
        return self.micros

    def monotonic(self) -> int:
        return self.micros


def make_store(folder: Path, **options: Any) -> Store:
    database = folder / ".workflow" / "lifecycle.db"
    database.parent.mkdir(parents=True, exist_ok=True)
    database.write_bytes(_empty_database())
    return Store(database, **options)


def make_postgres_store(folder: Path, address: str, clock: Clock | None = None) -> Store:
    """A store on the PostgreSQL database at `address`, whose tables are there."""
    from orchestrator.store.backends.postgres_backend import PostgresBackend

    place = folder / ".workflow"
    place.mkdir(parents=True, exist_ok=True)
    return Store(place / "lifecycle.db", backend=PostgresBackend(address, clock=clock))


def execute(store: Store, sql: str) -> None:
    """Change rows behind the product's back, as a person with a database client may."""
    store.write(lambda tx: tx.opened.cursor.execute(sql) and None)


def another(store: Store) -> Store:
    """The same database, as another process would have it."""
    backend = store.backend
    again = getattr(backend, "again", None)
    return Store(store.path) if again is None else Store(store.path, backend=again())


def make_plan(request: str = "Build a URL shortener", pack: Pack | None = None, **wishes: Any) -> Plan:
    return plan(request, StartOptions(**wishes), pack or shipped_pack(), Path("/nonexistent"))


def make_session(
    store: Store,
    request: str = "Build a URL shortener",
    *,
    key: str | None = None,
    budget: dict[str, dict[str, int]] | None = None,
    specification: Specification | None = None,
    **wishes: Any,
) -> str:
    planned = make_plan(request, **wishes)
    return start(
        store,
        planned,
        project=Path("/p"),
        max_attempts=3,
        key=key,
        budget=budget,
        specification=specification,
    ).session


def lead(store: Store, holder: str = "d-test", seconds: float = 3600.0) -> Leadership:
    epoch = store.write(
        lambda tx: leases.take_lead(
            tx, holder, pid=os.getpid(), started=process_start(os.getpid()) or 0, lease_seconds=seconds
        )
    )
    assert epoch is not None
    return Leadership(holder, epoch)


def let_time_pass(store: Store, seconds: float) -> None:
    """Move what sessions and the coordinator noted of their times into the past: nothing is coming up any more."""
    earlier = int(seconds * leases.SECOND)
    connection = sqlite3.connect(store.path)
    connection.execute("UPDATE sessions SET updated_at = updated_at - ?", (earlier,))
    connection.execute("UPDATE leases SET at = at - ?", (earlier,))
    connection.commit()
    connection.close()


def date_back(store: Store, session: str, seconds: float) -> None:
    """What the session notes of its last change, earlier: as if its commit had taken so long."""
    connection = sqlite3.connect(store.path)
    connection.execute(
        "UPDATE sessions SET updated_at = updated_at - ? WHERE id = ?",
        (int(seconds * leases.SECOND), session),
    )
    connection.commit()
    connection.close()


def make_host(
    store: Store,
    name: str = "h-1",
    *,
    roles: Sequence[str] = ALL_ROLES,
    slots: int = 4,
    seconds: float = LEASE,
    pid: int | None = None,
) -> str:
    """A host that is registered; `pid`: of another process than this one."""
    by = os.getpid() if pid is None else pid
    store.write(
        lambda tx: leases.register_host(
            tx,
            name,
            pid=by,
            started=process_start(by) or 0,
            roles=roles,
            slots=slots,
            lease_seconds=seconds,
        )
    )
    return name


def one_beat(store: Store, session: str, by: Leadership) -> Beat:
    return store.write(lambda tx: beat(tx, session, by), about=session)


def a_run(**given: Any) -> Run:
    """A run whose columns matter as little as they are `given`."""
    return Run(**{**dict.fromkeys(Run._fields), "run": "r-1", **given})


def claim(store: Store, host: str, roles: tuple[str, ...] = ALL_ROLES) -> Run | None:
    return store.write(lambda tx: claims.claim(tx, host, roles))


def fail(store: Store, row: Run, error: str = "died", *, counted: bool = True) -> None:
    """Report that the attempt failed, or that it is released."""
    store.write(
        lambda tx: report.fail(tx, row, error, counted=counted, backoff=(), timings={}), about=row.session_id
    )


def discussed(
    row: Run, ratings: dict[str, int], *, threshold: float = 3.0, standalone: bool = False, **extra: Any
) -> finished_run.Discussed:
    """A round's outcome from ratings; `extra` goes to the first reply (risk_level, missing_requirements ...)."""
    replies = [
        Reply(name, rating, **(extra if index == 0 else {}))
        for index, (name, rating) in enumerate(ratings.items())
    ]
    verdict = judge(replies, threshold, standalone)
    follows: Consequence = consequence(
        verdict,
        signs_off=row.round == "DISCUSS-006",
        is_revision=row.revision_of is not None,
        standalone=standalone,
    )
    came_to = finished_run.RoundVerdict(
        row.round,
        verdict.consensus,
        verdict.severity,
        verdict.mean,
        f"discussions/{row.round}-discussion.md",
        {"actions": []},
    )
    found = [
        finished_run.RoundFinding("divergence", d.severity, ",".join(d.perspectives), d.text)
        for d in verdict.divergences
    ]
    return finished_run.Discussed(
        follows, came_to, found, {"feedback": [], "remarks": [d.text for d in verdict.divergences]}
    )


def finish(
    store: Store,
    row: Run,
    *,
    roles: tuple[str, ...] = ALL_ROLES,
    files: dict[str, bytes] | None = None,
    draining: bool = False,
    **given: Any,
) -> finished_run.Reported:
    """Report the run as completed, with an artifact of its own unless `files` says otherwise."""
    made = {f"spec/{row.key}.md": f"# {row.key}\n".encode()} if files is None else files

    def unit(tx: Tx) -> finished_run.Reported:
        claims.note_produced(tx, row.run, row.host, "digest", "builtin", {})
        artifacts.produce(tx, row.run, {path: (body, "document") for path, body in made.items()})
        done = finished_run.Report(
            row=row,
            message_type="draft_ready",
            summary=f"{row.key} complete",
            ref=f"spec/{row.key}.md",
            inner_loop=row.role == "writer",
            accumulator={"task": row.key, "artifact": f"spec/{row.key}.md"},
            timings={},
            **given,
        )
        return report.complete(tx, done, roles, draining=draining)

    return store.write(unit, about=row.session_id)


def keys(store: Store, session: str) -> dict[str, str]:
    """Task key -> status."""
    return {row.key: row.status for row in store.read(lambda tx: tasks.all_tasks(tx, session))}

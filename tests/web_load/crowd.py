"""A project of 10,000 sessions, one of them of 5,000 tasks.

A session of each kind is worked off by the store's own functions; the others are its copies, row by row under other ids,
so that they keep every invariant that it keeps.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.commands.start import start
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.prices import Cost, Usage
from orchestrator.project import Project, prepare
from orchestrator.store import artifacts, decisions, records, sessions
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests.e2e.cli_world import work_off

SESSIONS = 10_000
TASKS = 5_000  # of the large one
DONE = 150  # of its tasks
WAITING = 60  # sessions at a checkpoint
RUNNING = 40
LARGE = "Rewrite every page of a large manual"
WIDTH = 25  # tasks of the large session that can run side by side
APART = 60_000_000  # microseconds between the starts of two sessions
BRIEF = "spec/product-brief.md"
REQUIREMENTS = "spec/requirements.md"
CALLS = 3  # of each run


@dataclass(frozen=True, slots=True)
class Crowd:
    """The names of the sessions that are measured."""

    folder: Path
    sessions: int
    tasks: int  # of the large one
    large: str
    waiting: str
    running: str
    completed: str
    task: str = "DRAFT-001"
    large_task: str = "DRAFT-a-200"


def build(folder: Path, count: int = SESSIONS, tasks: int = TASKS) -> Crowd:
    """Make the project in `folder`; `count` sessions in all."""
    store = make.make_store(folder, synchronous="OFF")
    prepare(Project(folder))
    waiting = _worked(store, "Build a booking service for a clinic", mode="full-lifecycle")
    write_document(store, waiting, BRIEF, _brief(30))
    write_document(store, waiting, REQUIREMENTS, _requirements(77, "90 %"))
    _approve(store, waiting)
    write_document(store, waiting, BRIEF, _brief(45))
    write_document(store, waiting, REQUIREMENTS, _requirements(78, "95 %"))
    completed = _worked(store, "Build a URL shortener with an admin dashboard")
    large = large_session(store, folder, tasks)
    running = make.make_session(store, "Write a log shipper that never loses a line")
    for session in (waiting, completed):
        _calls(store, session)
    store.checkpoint()
    store.close()
    copies = {waiting: WAITING, running: RUNNING}
    copies[completed] = count - 4 - sum(copies.values())
    _copy(folder / ".workflow" / "lifecycle.db", copies)
    return Crowd(folder, count, tasks, large, waiting, running, completed)


def large_session(store: Store, folder: Path, count: int) -> str:
    """A session of many tasks, `WIDTH` of them side by side, some of them done, a third at most."""

    def key(number: int) -> str:
        return f"DRAFT-{chr(ord('a') + number // 900)}-{number % 900 + 1:03d}"

    tasks = tuple(
        TaskDef(key(n), "writer", "DRAFT", blocked_by=(key(n - WIDTH),) if n >= WIDTH else ())
        for n in range(count)
    )
    planned = make.make_plan(LARGE)
    planned = replace(planned, pipeline=replace(planned.pipeline, tasks=tasks))
    session = start(store, planned, project=folder, max_attempts=3).session
    lead, host = make.lead(store), make.make_host(store, "h-large")
    row = None
    for _ in range(min(DONE, count // 3)):
        if row is None:
            make.one_beat(store, session, lead)
            row = make.claim(store, host)
        assert row is not None
        row = make.finish(store, row).next
    return session


def _worked(store: Store, request: str, **wishes: object) -> str:
    session = make.make_session(store, request, **wishes)  # type: ignore[arg-type]
    work_off(store, session)
    return session


def write_document(store: Store, session: str, path: str, text: str) -> None:
    """Another version of a document, by an agent."""

    def unit(tx: Tx) -> None:
        body = text.encode()
        digest = artifacts.put(tx, body)
        artifacts.register(
            tx, session, path, digest, len(body), "document", author="writer", task=None, run=None
        )

    store.write(unit)


def _approve(store: Store, session: str) -> None:
    def unit(tx: Tx) -> None:
        digest = sessions.subject_digest(tx, session, PauseReason.CHECKPOINT)
        decisions.decide(tx, session, "approve_checkpoint QUALITY-001", "ana", "", digest=digest)

    store.write(unit)


def _brief(days: int) -> str:
    parts = (
        f"## Part {n}\n\nLinks expire after {days} days in region {n}, and nobody has to ask.\n"
        for n in range(60)
    )
    return "# Brief\n\n" + "\n".join(parts)


def _requirements(count: int, share: str) -> str:
    return "# Requirements\n\n" + "\n".join(
        f"## REQ-{n:03d}: Appointments of kind {n}\n\n"
        f"The service must confirm {share} of the appointments of kind {n} within a minute.\n\n"
        f"- Given a patient of kind {n}, when they book, then they get a mail.\n"
        for n in range(1, count + 1)
    )


def _calls(store: Store, session: str) -> None:
    """Calls of agents that cost something, for each run."""
    connection = sqlite3.connect(store.path)
    runs = connection.execute("SELECT task_id, id FROM runs WHERE session_id = ?", (session,)).fetchall()
    connection.close()

    def unit(tx: Tx) -> None:
        for number, (task, run) in enumerate(runs * CALLS):
            values = {"session_id": session, "task_id": task, "run_id": run, "perspective": None}
            named = {
                "agent": ("claude", "codex")[number % 2],
                "purpose": "produce",
                "prompt_digest": "d" * 64,
            }
            call = records.begin_call(tx, {**values, **named})
            used = Usage(model="model-1", tokens_in=12_000, tokens_out=900, tokens_cached=8_000)
            records.end_call(tx, call, "ok", used, Cost(41_000, "reported"))

    store.write(unit)


# Copies. A session's rows are found by its id, by that of its runs, or of its verdicts.

OF_SESSION = (
    "sessions", "snapshots", "tasks", "edges", "runs", "messages", "decisions", "memory", "projections", "artifacts",
    "agent_calls", "verdicts",
)  # fmt: skip
OF_RUN = ("critiques", "products")
NUMBERED = {"tasks", "artifacts", "agent_calls", "verdicts", "decisions", "memory"}  # by an `id` of their own
NUMBERS = {"task_id", "blocker_id", "verdict_id"}


def _copy(database: Path, copies: dict[str, int]) -> None:
    """Copy each of these sessions so many times, each copy begun a minute before the one before."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("PRAGMA defer_foreign_keys=ON")
    stride = 1 + max(
        connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0] for table in NUMBERED
    )
    first = 1
    for session, count in copies.items():
        bounds = {
            "session": session,
            "first": first,
            "last": first + count - 1,
            "stride": stride,
            "apart": APART,
        }
        for table in (*OF_SESSION, *OF_RUN, "findings"):
            connection.execute(_copying(connection, table), bounds)
        first += count
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def _copying(connection: sqlite3.Connection, table: str) -> str:
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    where = {
        "sessions": "t.id = :session",
        "findings": "t.verdict_id IN (SELECT id FROM verdicts WHERE session_id = :session)",
        **dict.fromkeys(OF_RUN, "t.run_id IN (SELECT id FROM runs WHERE session_id = :session)"),
    }.get(table, "t.session_id = :session")
    return (
        "WITH RECURSIVE n(i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i < :last) "
        f"INSERT INTO {table} ({', '.join(names)}) "
        f"SELECT {', '.join(_copied(table, name) for name in names)} FROM n, {table} t WHERE {where}"
    )


def _copied(table: str, name: str) -> str:
    """The SQL of a column's value in the copy number `n.i`."""
    column = f"t.{name}"
    if name == "session_id" or (table, name) in (("sessions", "id"), ("runs", "id")) or name == "run_id":
        return f"{column} || '-' || n.i"
    if name in NUMBERS or (name == "id" and table in NUMBERED):
        return f"{column} + n.i * :stride"
    if name == "title":
        return f"{column} || ' ' || n.i"
    return f"{column} - n.i * :apart" if name == "at" or name.endswith("_at") else column

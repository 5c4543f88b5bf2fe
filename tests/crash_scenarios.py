"""What is crashed at every point: each act as its process does it, and how the next process goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from orchestrator.commands import manage, portable, resume, rework
from orchestrator.config import resources
from orchestrator.coordinator import projections, reconcile
from orchestrator.coordinator.leadership import Leadership
from orchestrator.coordinator.projector import project
from orchestrator.store import artifacts, claims, decisions, leases, queries, sessions, transitions
from orchestrator.store.backends.sqlite_migrate import backup, ensure_schema
from orchestrator.store.edits import session_directory
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests import invariants
from tests.crashing import Points

NOON = 1_750_000_000_000_000  # microseconds; a wall clock that begins there gives every attempt the same session id
LARGE = b"0123456789abcdef" * 70_000  # over 1 MiB: kept as a file
ANSWER = resume.Answer(who="ann")


class Noon:
    """Wall time that begins at one noon for all processes; the lease clock is the kernel's."""

    def wall(self) -> int:
        return NOON + self.monotonic()

    def monotonic(self) -> int:
        return time.monotonic_ns() // 1000


def database(folder: Path) -> Path:
    return folder / ".workflow" / "lifecycle.db"


def open_store(folder: Path) -> Store:
    return Store(database(folder), clock=Noon())


def the_session(store: Store) -> str:
    return str(store.read(sessions.all_sessions)[0].id)


# the workers of these sessions


def given(row: Run, large: bool) -> dict[str, Any]:
    """What a worker reports of the task, whichever attempt it is."""
    if row.key == "DRAFT-002":
        verdict = make.discussed(row, {"product": 1, "quality": 2})
        learned = [("learnings", "it is hard"), ("issues", "it is vague")]
        return {"discussed": verdict, "wisdom": learned, "shared": {"requirements": 3}}
    if row.key == "DRAFT-003" and large:
        return {"files": {"architecture/large.md": LARGE, "architecture/small.md": b"# Small\n"}}
    if row.key == "QUALITY-001":
        return {"gate": {"gate": "PASS", "score": 91.0, "data": {}}}
    return {}


def do(store: Store, row: Run) -> Run | None:
    """One run from its product to its report; the run it advanced to."""
    what = given(row, large=(store.workflow / "large").exists())
    for body in what.get("files", {}).values():
        artifacts.keep_large(store.workflow, body)
    return make.finish(store, row, **what).next


def work_off(store: Store, by: Leadership, host: str, until: str | None = None) -> Run | None:
    """Beat and work as long as there is anything to do, or to the open run of `until`."""
    while True:
        for session in store.read(sessions.needing_beat):
            make.one_beat(store, session, by)
        row = make.claim(store, host)
        if row is None:
            return None
        while row is not None:
            if row.key == until:
                return row
            row = do(store, row)


# how it goes on


def go_on(folder: Path, again: Callable[[Store], None]) -> dict[str, Any]:
    """A new process after the death: recover, repeat what was not acknowledged, finish; the story it ends with."""
    if database(folder).exists():
        invariants.check(database(folder))
    else:
        ensure_schema(database(folder), resources() / "migrations")
    store = open_store(folder)
    by = make.lead(store, "d-2")
    reconcile.reap(store, by)
    store.write(queries.mark_idle_sessions)
    again(store)
    make.make_host(store, "h-2")
    work_off(store, by, "h-2")
    for session in projections.unprojected(store):
        project(store, session)
    invariants.check(store.path)
    session = the_session(store)
    check_projection(store, session)
    return story(store, session)


def check_projection(store: Store, session: str) -> None:
    """Every artifact's newest version is shown, whole, and the mirror has every message."""
    root = session_directory(store.workflow, session)
    for row in store.read(lambda tx: artifacts.newest(tx, session)):
        shown = (root / row.path).read_bytes()
        assert artifacts.digest_of(shown) == row.sha256, f"{row.path} shows something else"
        assert store.read(partial(artifacts.body, digest=row.sha256)) == shown
    mirror = (root / ".msg" / "messages.jsonl").read_text().splitlines()
    numbers = [json.loads(line)["id"] for line in mirror]
    assert numbers == [f"MSG-{number:03d}" for number in range(1, len(numbers) + 1)], "the mirror has gaps"
    state = store.read(lambda tx: sessions.get(tx, session))
    assert state is not None and state.messages == state.projected == len(numbers), "the mirror is behind"


STORY = {
    "sessions": "SELECT id, status, pause_reason, gate, score FROM sessions",
    "tasks": "SELECT key, seq, role, status, round, revision_of, made_for, unmet, payload FROM tasks ORDER BY seq",
    "edges": "SELECT t.key, b.key FROM edges e JOIN tasks t ON t.id = task_id JOIN tasks b ON b.id = blocker_id "
    "ORDER BY 1, 2",
    "completed": "SELECT t.key, count(*) FROM runs r JOIN tasks t ON t.id = r.task_id "
    "WHERE outcome = 'completed' GROUP BY t.id ORDER BY 1",
    "artifacts": "SELECT path, version, sha256, author FROM artifacts ORDER BY path, version",
    "verdicts": "SELECT kind, round, consensus, severity, gate FROM verdicts ORDER BY id",
    "findings": "SELECT text FROM findings ORDER BY verdict_id, number",
    "memory": "SELECT kind, name, author, data FROM memory ORDER BY kind, name, author, id",
    "decisions": "SELECT subject, who, words FROM decisions ORDER BY id",
    "commands": "SELECT id, name, answer FROM commands ORDER BY id",
    "messages": "SELECT sender, type, summary FROM messages WHERE kind = 'message' ORDER BY sender, type, summary",
    "rework": "SELECT type, summary FROM messages WHERE type IN ('created', 'revision', 'rework', 'feedback', "
    "'edited', 'imported', 'completed') ORDER BY type, summary",
}


def story(store: Store, session: str) -> dict[str, Any]:
    """What must come out the same whoever died when; attempts, times and ids may differ."""
    import sqlite3

    connection = sqlite3.connect(store.path)
    found: dict[str, Any] = {name: connection.execute(sql).fetchall() for name, sql in STORY.items()}
    connection.close()
    root = session_directory(store.workflow, session)
    found["files"] = {
        row.path: artifacts.digest_of((root / row.path).read_bytes())
        for row in store.read(lambda tx: artifacts.newest(tx, session))
    }
    return dict(json.loads(json.dumps(found)))


def warm(folder: Path) -> None:
    """Read, compile and import here, once, what every child would have to do anew. `folder` is one `prepared_edit` made."""
    import alembic.command
    import alembic.context  # noqa: F401

    def commands(store: Store) -> None:
        start(store)
        feed_back(store)
        pause_and_resume(store, folder)

    go_on(folder, commands)


# the scenarios


@dataclass(frozen=True)
class Scenario:
    """`prepare` makes the folder, `act` is crashed, `again` is what a person or a daemon repeats after the restart."""

    prepare: Callable[[Path], None]
    perform: Callable[[Path, Points], None]
    again: Callable[[Store], None] = lambda store: None
    stride: int = 1  # of several statements of one transaction, how many make a point

    def act(self, folder: Path, points: Points) -> None:
        points.stride = self.stride
        self.perform(folder, points)

    def go_on(self, folder: Path) -> Any:
        return go_on(folder, self.again)


def prepared(folder: Path, until: str | None = None, large: bool = False) -> None:
    """A session whose tasks are done up to the open run of `until`, by a daemon and a host that are dead afterwards."""
    store = make.make_store(folder, clock=Noon())
    if large:
        (store.workflow / "large").touch()
    make.make_session(store)
    make.make_host(store)
    if until is not None:
        row = work_off(store, make.lead(store), "h-1", until)
        (folder / "row.json").write_text(json.dumps(row._asdict()))
    store.close()


def prepared_to_end(folder: Path) -> None:
    """Every task is completed, and the last beat is still to come."""
    prepared(folder, "QUALITY-001")
    store = open_store(folder)
    do(store, the_run(folder))
    store.close()


def prepared_edit(folder: Path) -> None:
    """Projected, one file edited by hand since, another one behind."""
    prepared(folder, "DRAFT-004", large=True)
    store = open_store(folder)
    session = the_session(store)
    project(store, session)
    (session_directory(store.workflow, session) / "spec" / "DRAFT-001.md").write_text("# By hand\n")
    (session_directory(store.workflow, session) / "architecture" / "large.md").write_bytes(LARGE[::-1])
    do(store, the_run(folder))
    store.close()


def prepared_package(folder: Path) -> None:
    """An exported session beside a database that does not know it."""
    elsewhere = folder / "elsewhere"
    prepared(elsewhere, "DRAFT-004")
    store = open_store(elsewhere)
    portable.export(store, the_session(store), folder / "session.zip")
    store.close()
    make.make_store(folder, clock=Noon()).close()


def the_run(folder: Path) -> Run:
    return Run(**json.loads((folder / "row.json").read_text()))


def with_store(act: Callable[[Store, Path], object]) -> Callable[[Path, Points], None]:
    """The process has its database open before the first point."""

    def perform(folder: Path, points: Points) -> None:
        store = open_store(folder)
        store.write(lambda tx: None)
        points.armed = True
        act(store, folder)

    return perform


def start(store: Store) -> None:
    make.make_session(store, key="k-1")


def beat(store: Store, folder: Path) -> None:
    by = make.lead(store, "d-1b")
    for session in store.read(sessions.needing_beat):
        make.one_beat(store, session, by)


def claim(store: Store, folder: Path) -> None:
    beat(store, folder)
    make.claim(store, "h-1")


def renew_and_reap(store: Store, folder: Path) -> None:
    store.write(lambda tx: leases.renew(tx, "h-1", [the_run(folder).run], 30))
    reconcile.reap(store, make.lead(store, "d-1b"))


def revise(store: Store) -> None:
    """A person asks for it again only when it is not there."""
    session = the_session(store)
    if "DRAFT-001-R1" not in make.keys(store, session):
        rework.revise(store, session, "DRAFT-001", "CSV too", force=False, who="ann", max_attempts=3)


def feed_back(store: Store) -> None:
    session = the_session(store)
    if not store.read(lambda tx: decisions.decisions_of(tx, session)):
        rework.feedback(store, session, "the vision needs a price", who="ann", max_attempts=3)


def pause_and_resume(store: Store, folder: Path) -> None:
    manage.pause(store, the_session(store), who="ann")
    resume.resume(store, the_session(store), ANSWER, more_attempts=3)


def resume_if_paused(store: Store) -> None:
    found = store.read(lambda tx: sessions.get(tx, the_session(store)))
    if found is not None and found.status == "paused":
        resume.resume(store, found.id, ANSWER, more_attempts=3)


def cancel(store: Store) -> None:
    found = store.read(lambda tx: sessions.get(tx, the_session(store)))
    if found is not None and found.status != "cancelled":
        manage.cancel(store, found.id, who="ann")


def import_it(store: Store, folder: Path) -> None:
    portable.take_in(store, portable.read(folder / "session.zip"), folder, who="ann")


def import_and_resume(store: Store) -> None:
    if not store.read(sessions.all_sessions):
        import_it(store, store.workflow.parent)
    resume_if_paused(store)


def migrate(folder: Path, points: Points) -> None:
    points.armed = True
    ensure_schema(database(folder), resources() / "migrations")


def back_up(store: Store) -> None:
    fresh = store.workflow / "backups" / "daily.new.db"
    kept = backup(store.path, fresh).replace(fresh.with_name("daily.db"))
    invariants.check(kept)


def report_in_two(store: Store, folder: Path) -> None:
    """The bug that the self-check plants: the run is closed in one transaction, and the rest follows in another."""
    row = the_run(folder)
    whole = transitions.complete

    def only_close(tx: Tx) -> None:
        whole(tx, row.run, row.host, row.id, timings={}, accumulator={"task": row.key})

    store.write(only_close)
    transitions.complete = lambda *given, **options: None
    claims.note_produced = lambda *given: None
    do(store, row)


def doing(key: str, large: bool = False) -> Scenario:
    """The report of a task: its products, its verdict with what follows, and the advance."""
    prepare = partial(prepared, until=key, large=large)
    return Scenario(prepare, with_store(lambda store, folder: do(store, the_run(folder))))


def commanding(until: str, command: Callable[[Store], None]) -> Scenario:
    return Scenario(partial(prepared, until=until), with_store(lambda store, _: command(store)), command)


SCENARIOS = {
    "report with a HIGH verdict, its revision and wisdom": doing("DRAFT-002"),
    "report with a large content and a loop advance": doing("DRAFT-003", large=True),
    "report with a fast advance": doing("RESEARCH-001"),
    "report of the gate": doing("QUALITY-001"),
    "start": Scenario(
        lambda folder: make.make_store(folder).close(), with_store(lambda s, _: start(s)), start
    ),
    "beat that offers": Scenario(prepared, with_store(beat)),
    "beat that ends the session": Scenario(prepared_to_end, with_store(beat)),
    "claim": Scenario(prepared, with_store(claim)),
    "renewal and reaping": Scenario(partial(prepared, until="DRAFT-002"), with_store(renew_and_reap)),
    "revise": commanding("DRAFT-004", revise),
    "feedback": commanding("DRAFT-004", feed_back),
    "cancel": commanding("DRAFT-004", cancel),
    "pause and resume": Scenario(
        partial(prepared, until="DRAFT-004"), with_store(pause_and_resume), resume_if_paused
    ),
    "an edit by hand taken in, and projecting": Scenario(
        prepared_edit, with_store(lambda store, _: project(store, the_session(store)))
    ),
    "import": Scenario(prepared_package, with_store(import_it), import_and_resume, stride=4),
    "first migration": Scenario(lambda folder: folder.mkdir(), migrate, start, stride=12),
    "backup": Scenario(
        partial(prepared, until="DRAFT-001"), with_store(lambda store, _: back_up(store)), back_up
    ),
}
PLANTED = {
    "report in two transactions": Scenario(partial(prepared, until="DRAFT-002"), with_store(report_in_two)),
}

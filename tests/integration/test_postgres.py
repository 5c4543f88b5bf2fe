"""PostgreSQL: what SQLite's one writer gave for nothing, and what only a server can do to us."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog

from orchestrator.commands import manage
from orchestrator.commands.adopt_database import adopt_database
from orchestrator.commands.resume import Answer, resume
from orchestrator.coordinator import projections, projector, reconcile
from orchestrator.coordinator.leadership import Leader, Leadership
from orchestrator.domain.errors import DatabaseUnusable, NotAllowedNow, StoreError
from orchestrator.project import Project, open_for_reading
from orchestrator.store import artifacts, claims, copying, edits, leases, messages, sessions, tasks
from orchestrator.store.backends import postgres_backend, postgres_connection
from orchestrator.store.backends.postgres_backend import WRITERS, PostgresBackend
from orchestrator.store.backends.postgres_dialect import SQL
from orchestrator.store.backends.postgres_schema import ensure_schema
from orchestrator.store.backends.sqlite_file import SCHEMA
from orchestrator.store.clock import SHARED, boot_id, space_of_pids
from orchestrator.store.databases import PostgresDatabase
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from orchestrator.store.tables import metadata
from tests import factories as make
from tests import invariants
from tests.compiled_statements import statements
from tests.integration.test_statements import form_of
from tests.patience import patient
from tests.postgres_proxy import proxy
from tests.postgres_server import Server, name_of

Unit = Callable[[Tx], Any]


@pytest.fixture
def address(postgres: Server) -> str:
    return postgres.database("empty")


@pytest.fixture
def store(address: str, tmp_path: Path) -> Iterator[Store]:
    found = make.make_postgres_store(tmp_path, address)
    yield found
    invariants.check_store(found)
    found.close()


class Held:
    """A unit that has done its work and is not committed before `go_on`."""

    def __init__(self, store: Store, unit: Unit, about: str | tuple[str, ...] = ()) -> None:
        self._go_on, done = threading.Event(), threading.Event()
        self._pool = ThreadPoolExecutor()

        def hold(tx: Tx) -> Any:
            answer = unit(tx)
            tx.flush()
            tx.opened.cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            done.set()
            assert self._go_on.wait(patient(40))
            return answer

        self._held = self._pool.submit(store.write, hold, about=about)
        assert done.wait(patient(10)), self._held.exception()

    def meets(self, other: Callable[[], Any]) -> tuple[bool, Any, Any]:
        """(whether the other one had to wait for this unit, this one's answer, the other's)."""
        theirs: Future[Any] = self._pool.submit(other)
        waited = _waits(theirs)
        self._go_on.set()
        return waited, self._held.result(patient(20)), theirs.result(patient(20))


_watched: dict[str, str] = {}


def _waits(other: Future[Any]) -> bool:
    """Whether the server says that somebody waits for a lock, before `other` has come to its end."""
    with psycopg.connect(_watched["address"], autocommit=True) as connection:
        until = time.monotonic() + patient(20)
        while time.monotonic() < until and not other.done():
            (waiting,) = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            ).fetchone() or (0,)
            if waiting:
                return True
            wait([other], 0.01)
    return False


@pytest.fixture(autouse=True)
def watched(request: pytest.FixtureRequest) -> None:
    if "address" in request.fixturenames:
        _watched["address"] = request.getfixturevalue("address")


def offered(store: Store, *, seconds: float = make.LEASE) -> str:
    """A session whose first task is offered, and a host h-1."""
    session = make.make_session(store)
    make.make_host(store, seconds=seconds)
    by = make.lead(store)
    make.one_beat(store, session, by)
    return session


# rules


def test_a_cancel_waits_for_a_claim_and_ends_its_run(store: Store) -> None:
    session = offered(store)
    claiming = Held(store, lambda tx: claims.claim(tx, "h-1", make.ALL_ROLES))

    waited, run, cancelled = claiming.meets(lambda: manage.cancel(make.another(store), session, who="ann"))

    assert waited and run is not None
    assert cancelled.stopped == (run.run,)
    assert store.read(lambda tx: tasks.open_runs(tx, session)) == []


def test_a_claim_waits_for_nobody_and_takes_what_is_free(store: Store) -> None:
    busy = offered(store)
    free = make.make_session(store, "Build a chat server")
    store.write(
        lambda tx: tasks.task(tx, free, "RESEARCH-001") and sessions.request_beat(tx, free), about=free
    )
    leader = store.read(leases.leader)
    assert leader is not None
    make.one_beat(store, free, make.Leadership(leader.holder, leader.epoch))
    writing = Held(store, lambda tx: sessions.request_beat(tx, busy), about=busy)

    waited, _, run = writing.meets(lambda: make.claim(make.another(store), "h-1"))

    assert not waited and run.session_id == free


def test_a_claim_that_began_before_its_offer_says_a_later_time(store: Store) -> None:
    """Its unit may wait between the two; the run still begins after its task's blockers have ended."""
    session = offered(store)
    first = make.claim(store, "h-1")
    leader = store.read(leases.leader)
    assert first is not None and leader is not None
    by = make.Leadership(leader.holder, leader.epoch)

    def claim(tx: Tx) -> tuple[int, Run | None]:
        begun = tx.now
        make.finish(store, first, roles=())
        make.one_beat(store, session, by)
        return begun, claims.claim(tx, "h-1", make.ALL_ROLES)

    begun, following = store.write(claim)

    blocker = store.read(lambda tx: tasks.task(tx, session, "RESEARCH-001"))
    assert blocker is not None and blocker.finished_at is not None
    assert following is not None and begun < blocker.finished_at <= following.opened_at
    invariants.check_store(store)


def test_a_run_that_was_renewed_meanwhile_is_not_revoked(address: str, tmp_path: Path) -> None:
    clock, later = make.SetClock(1_000_000_000), make.SetClock(1_000_000_000 + 31_000_000)
    store = make.make_postgres_store(tmp_path, address, clock)
    reaping = make.make_postgres_store(tmp_path, address, later)
    session = offered(store, seconds=30)
    run = make.claim(store, "h-1")
    assert run is not None
    clock.micros += 29_000_000
    renewing = Held(store, lambda tx: leases.renew(tx, "h-1", [run.run], 30))

    waited, renewed, lost = renewing.meets(lambda: reconcile.reap(reaping, None))

    assert waited and renewed == (True, []) and lost == []
    assert [row.id for row in store.read(lambda tx: tasks.open_runs(tx, session))] == [run.run]
    store.close()
    reaping.close()


def test_nobody_takes_the_lead_before_a_leaders_act_is_committed(address: str, tmp_path: Path) -> None:
    clock, later = make.SetClock(1_000_000_000), make.SetClock(1_000_000_000 + 31_000_000)
    store = make.make_postgres_store(tmp_path, address, clock)
    session = make.make_session(store)
    old = make.lead(store, "d-old", seconds=30)
    acting = Held(store, lambda tx: make.beat(tx, session, old), about=session)
    successor = make.make_postgres_store(tmp_path, address, later)

    waited, beaten, new = acting.meets(lambda: make.lead(successor, "d-new"))

    assert waited and beaten.offered and new.epoch == old.epoch + 1
    store.close()
    successor.close()


def test_messages_are_numbered_one_unit_after_the_other(store: Store) -> None:
    session = make.make_session(store)

    def say(tx: Tx) -> int:
        return messages.say(tx, session, "writer", "state_update", "done")

    other = make.another(store)
    saying = Held(store, say, about=session)

    waited, first, second = saying.meets(lambda: other.write(say, about=session))

    assert waited and second == first + 1
    assert isinstance(other.backend, PostgresBackend) and other.backend.repeated == 0


def test_a_unit_that_met_another_is_repeated_as_a_whole(store: Store) -> None:
    session = make.make_session(store)
    tried: list[int] = []

    def say(tx: Tx) -> int:
        tried.append(1)
        return messages.say(tx, session, "writer", "state_update", "done")

    other = make.another(store)
    saying = Held(store, say)  # without saying what it is about

    _, first, second = saying.meets(lambda: other.write(say))

    assert second == first + 1 and len(tried) > 2


# connections


def lose_commits(address: str, postgres: Server, tmp_path: Path, how: str, times: int) -> None:
    with proxy(postgres.folder) as (between, folder):
        store = make.make_postgres_store(tmp_path, address.replace(str(postgres.folder), str(folder)))
        session = make.make_session(store)
        before = store.read(lambda tx: messages.last(tx, session, 1))[0].number

        def say(tx: Tx, name: str) -> int:
            number = messages.say(tx, session, "writer", "state_update", name)
            tx.flush()
            if armed.pop() if armed else False:
                between.arm(how)
            return number

        for turn in range(times):
            armed = [True]
            number = store.write(lambda tx, turn=turn: say(tx, str(turn)), about=session)  # type: ignore[misc]
            assert number == before + turn + 1
        said = [row.summary for row in store.read(lambda tx: messages.after(tx, session, before))]

        assert said == [f"[writer] {turn}" for turn in range(times)]  # each once, none missing
        assert between.cuts == times
        assert isinstance(store.backend, PostgresBackend)
        assert how == "late" or store.backend.resolved == (times if how == "answered" else 0)
        store.close()


@pytest.mark.parametrize("how", ["answered", "late", "lost"])
def test_a_commit_whose_answer_was_lost_is_applied_once(
    how: str, address: str, postgres: Server, tmp_path: Path
) -> None:
    lose_commits(address, postgres, tmp_path, how, 5)


@pytest.mark.long
@pytest.mark.parametrize("how", ["answered", "late", "lost"])
def test_hundreds_of_commits_whose_answers_were_lost_are_applied_once(
    how: str, address: str, postgres: Server, tmp_path: Path
) -> None:
    lose_commits(address, postgres, tmp_path, how, 150)


def test_units_go_on_when_the_server_comes_back(store: Store, postgres: Server) -> None:
    session = make.make_session(store)
    postgres.stop("immediate")
    threading.Timer(0.2, postgres.start).start()

    store.write(lambda tx: messages.event(tx, session, "noted", "after the crash"), about=session)

    assert store.read(lambda tx: messages.last(tx, session, 1))[0].summary == "after the crash"


def test_a_server_that_stays_away_is_named_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.store.backends.postgres_backend.OUTAGE_SECONDS", 0.2)
    away = make.make_postgres_store(tmp_path, f"postgresql://ann:hunter2@/shop?host={tmp_path}")

    with pytest.raises(DatabaseUnusable) as caught:
        away.read(leases.leader)

    assert "shop" in caught.value.why and "hunter2" not in f"{caught.value.what}{caught.value.why}"
    assert caught.value.fix


def test_a_unit_that_swallows_the_databases_refusal_is_not_taken_for_committed(store: Store) -> None:
    session = make.make_session(store)

    def swallow(tx: Tx) -> None:
        sessions.archive(tx, session, True)
        try:
            tx.opened.cursor.execute("SELECT 1 / 0")
        except psycopg.Error:
            return

    with pytest.raises(AssertionError, match="refused one of its statements"):
        store.write(swallow, about=session)

    row = store.read(lambda tx: sessions.get(tx, session))
    assert row is not None and not row.archived


def test_the_settings_of_a_connection_are_what_the_server_says(address: str) -> None:
    connection = postgres_connection.connect(address)

    found = {
        name: connection.execute(f"SHOW {name}").fetchone()  # type: ignore[call-overload]
        for name in postgres_connection.SERVER
        if not name.startswith("tcp_")  # a Unix socket has none
    }

    connection.close()
    assert found == {name: (postgres_connection.SERVER[name],) for name in found}


def test_a_watch_tells_of_another_ones_commit_and_of_nothing_else(store: Store) -> None:
    session = make.make_session(store)
    watch = store.watch()

    before = watch.has_changed()
    store.read(lambda tx: sessions.get(tx, session))
    after_a_read = watch.has_changed()
    make.another(store).write(lambda tx: sessions.request_beat(tx, session), about=session)

    assert (before, after_a_read, watch.has_changed(), watch.has_changed()) == (False, False, True, False)
    watch.close()


# schema


def test_every_statement_is_one_that_postgresql_takes(address: str) -> None:
    with psycopg.connect(address, autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        for statement in statements().values():
            form = form_of(statement, SQL)
            connection.execute(f"PREPARE one AS {form.sql}")  # type: ignore[call-overload]
            connection.execute("DEALLOCATE one")


def test_the_catalog_has_what_the_tables_say(address: str) -> None:
    with psycopg.connect(address) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND table_name <> 'alembic_version'"
        ).fetchall()
        rules = {
            (str(table), str(name))
            for table, name in connection.execute(
                "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype IN ('c', 'u', 'f')"
                " AND connamespace = 'public'::regnamespace"
            )
        }
        partial = connection.execute(
            "SELECT indexname FROM pg_indexes WHERE schemaname = 'public' AND indexdef LIKE '% WHERE %'"
        ).fetchall()

    declared = {(table.name, column.name) for table in metadata.sorted_tables for column in table.columns}
    assert {(table, column) for table, column, *_ in columns} == declared
    assert {kind for _, _, kind, *_ in columns} == {"text", "bigint", "double precision", "bytea"}
    assert {collation for _, _, kind, _, collation in columns if kind == "text"} == {"C"}
    nullable = {(table, column) for table, column, _, is_null, _ in columns if is_null == "YES"}
    assert nullable == {
        (table.name, column.name)
        for table in metadata.sorted_tables
        for column in table.columns
        if column.nullable
    }
    kinds = ("CheckConstraint", "UniqueConstraint", "ForeignKeyConstraint")
    wanted = {
        (table.name, SQL.dialect.identifier_preparer.format_constraint(rule))
        for table in metadata.sorted_tables
        for rule in table.constraints
        if type(rule).__name__ in kinds
    }
    assert rules == wanted
    assert {name for (name,) in partial} == {
        index.name
        for table in metadata.sorted_tables
        for index in table.indexes
        if index.dialect_options["postgresql"]["where"] is not None
    }


def test_two_that_make_the_tables_at_once_take_turns(postgres: Server) -> None:
    address = postgres.database()
    with ThreadPoolExecutor() as pool:
        made = [pool.submit(ensure_schema, address, metadata) for _ in range(3)]

    assert sorted(each.result() for each in made) == [False, False, True]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_cannot_hold_every_text_is_refused(postgres: Server, encoding: str) -> None:
    name = f"in_{encoding.lower()}"
    postgres.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'")

    with pytest.raises(DatabaseUnusable, match="is not in UTF8") as caught:
        ensure_schema(postgres.address(name), metadata)

    assert encoding in caught.value.why
    assert "createdb --encoding UTF8 --template template0" in caught.value.fix


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "newer than this program"),
        ("UPDATE alembic_version SET version_num = '0001'", "older than this program"),
        ("DROP TABLE alembic_version", "another program"),
    ],
)
def test_another_schema_is_refused(address: str, change: str, says: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(change)  # type: ignore[call-overload]

    with pytest.raises(DatabaseUnusable, match=says) as caught:
        ensure_schema(address, metadata)

    assert caught.value.fix


def catalog(address: str) -> set[tuple[object, ...]]:
    """Every column, rule and index."""
    with psycopg.connect(address) as connection:
        return {
            *connection.execute(
                "SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default "
                "FROM information_schema.columns WHERE table_schema = 'public'"
            ),
            *connection.execute(
                "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
                "WHERE connamespace = 'public'::regnamespace"
            ),
            *connection.execute("SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'"),
        }


def test_a_database_of_the_first_schema_is_upgraded_to_what_a_new_one_is(address: str) -> None:
    wanted = catalog(address)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "DROP TABLE host_tokens, engines, custody, residents, cells, person_tokens, audit, agent_tokens"
        )
        connection.execute("DROP INDEX ix_messages_edit_conflicts")
        connection.execute("ALTER TABLE hosts DROP COLUMN token")
        connection.execute("ALTER TABLE agent_calls DROP COLUMN call, DROP COLUMN account")
        connection.execute("UPDATE alembic_version SET version_num = '0006'")

    with ThreadPoolExecutor() as pool:
        done = [pool.submit(ensure_schema, address, metadata) for _ in range(2)]
    assert any(each.result() for each in done)

    assert catalog(address) == wanted
    assert not ensure_schema(address, metadata)


def test_a_database_that_others_work_with_is_not_upgraded_under_them(
    postgres: Server, tmp_path: Path
) -> None:
    address = postgres.database("empty")
    (tmp_path / ".workflow").mkdir()
    (tmp_path / ".workflow" / "config.toml").write_text(f"[database]\nurl = {json.dumps(address)}\n")
    space = space_of_pids(SHARED).replace(boot_id(), "another-boot")
    lease = "INSERT INTO leases VALUES ('coordinator', 'd-1', 1, '', %s, 77, 1, 9000000000000000, 1, '0.0.9')"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(lease, [space])
        connection.execute("DROP TABLE audit, agent_tokens")
        connection.execute("UPDATE alembic_version SET version_num = '0009'")
        project = Project(tmp_path)

        with pytest.raises(DatabaseUnusable) as refused:
            open_for_reading(project)

        assert "pid 77: they run on another machine" in refused.value.why
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("0009",)]
        connection.execute("UPDATE leases SET until = 0")
        open_for_reading(project).close()
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(SCHEMA,)]


def test_rows_copied_from_a_file_are_the_same_and_new_ones_follow_them(store: Store, tmp_path: Path) -> None:
    file = make.make_store(tmp_path / "file")
    session = offered(file)
    run = make.claim(file, "h-1")
    assert run is not None
    make.finish(file, run)

    counts = copying.copy(file, store)
    made = make.make_session(store, "Build a chat server")

    assert counts["sessions"] == 1 and counts["runs"] == 2 and counts["messages"] > 2
    assert make.keys(store, session) == make.keys(file, session)
    assert len(make.keys(store, made)) == len(make.keys(file, session))
    with pytest.raises(StoreError, match="not empty"):
        copying.copy(file, store)
    file.close()


def test_a_project_moves_once_nothing_works_with_it(postgres: Server, tmp_path: Path) -> None:
    file = make.make_store(tmp_path / "shop")
    session = offered(file)
    run = make.claim(file, "h-1")
    assert run is not None
    place = Project(tmp_path / "shop")
    address = postgres.database()
    target = PostgresDatabase(place.workflow, address, None, "shop")

    with pytest.raises(NotAllowedNow):
        adopt_database(place, file, target)
    make.finish(file, run, draining=True)
    at_work = file.read(leases.leader)
    assert at_work is not None
    file.write(lambda tx: leases.leave_lead(tx, at_work.holder, at_work.epoch))
    file.write(lambda tx: leases.end_host(tx, "h-1"))
    counts = adopt_database(place, file, target)
    moved = make.make_postgres_store(tmp_path, address)

    assert counts["tasks"] == len(make.keys(file, session))
    assert make.keys(moved, session) == make.keys(file, session)
    moved.close()
    file.close()


def test_a_project_is_copied_though_that_takes_longer_than_a_unit_may(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends a transaction that idles, or a statement that takes long; this one waits for the file it copies."""
    monkeypatch.setitem(postgres_connection.SERVER, "idle_in_transaction_session_timeout", "400ms")
    monkeypatch.setattr(postgres_backend, "OUTAGE_SECONDS", 1.0)
    file = make.make_store(tmp_path / "file")
    bodies = [b"%d" % number for number in range(3)]
    file.write(lambda tx: [artifacts.put(tx, body) for body in bodies])
    store = make.make_postgres_store(tmp_path, address)

    def slowly(given: Tx) -> dict[str, int]:
        """From a disk that takes longer for the contents than the server lets a transaction idle."""
        disk: sqlite3.Connection = given.opened.cursor.connection  # type: ignore[attr-defined]
        disk.set_trace_callback(lambda sql: time.sleep(0.6) if "FROM contents" in sql else None)
        return copying.copy_rows(given, store)

    counts = file.read(slowly)

    assert counts["contents"] == len(bodies)
    store.close()
    file.close()


def test_documents_that_are_being_saved_are_waited_for_in_no_transaction(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends a transaction that idles."""
    store = make.make_postgres_store(tmp_path, address)
    session = make.make_session(store)
    make.make_host(store)
    make.one_beat(store, session, make.lead(store))
    paths = [f"spec/{name}.md" for name in "abc"]
    make.finish(store, make.claim(store, "h-1"), files=dict.fromkeys(paths, b"# A\n"))
    projector.project(store, session, lambda _: None)  # as the leader
    manage.pause(store, session, who="me")
    root = edits.session_directory(store.workflow, session)
    saving = [(root / path).open("wb") for path in paths]
    real = time.sleep
    idle: list[int] = []

    def save(seconds: float) -> None:
        if threading.current_thread() is not threading.main_thread():
            return real(seconds)
        with psycopg.connect(address) as connection:
            found = connection.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
            ).fetchone()
        assert found is not None
        idle.append(found[0])
        if len(idle) == 2:
            for file in saving:
                file.write(b"mine\n")
                file.close()
        return None

    monkeypatch.setattr(time, "sleep", save)

    done = resume(store, session, Answer("me"), more_attempts=3)

    assert idle == [0, 0]
    assert [path for path in paths if any(path in each for each in done.warnings)] == paths
    assert all("is now a new version by user" in each for each in done.warnings)
    store.close()


def test_contents_are_copied_a_few_at_a_time(tmp_path: Path) -> None:
    file, other = make.make_store(tmp_path / "file"), make.make_store(tmp_path / "other")
    size, many = 500_000, 60
    file.write(lambda tx: [artifacts.put(tx, b"%d " % number + b"\xff" * size) for number in range(many)])

    tracemalloc.start()
    counts = copying.copy(file, other)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert counts["contents"] == many
    assert most < many * size, "no more at once than half of what there is, read from both sides"
    file.close()
    other.close()


def test_what_a_command_writes_elsewhere_is_not_taken_for_the_leaders_folder(
    address: str, tmp_path: Path
) -> None:
    """A leads, B's command writes while nobody leads, A leads again: its folder follows."""
    a, b = (make.make_postgres_store(tmp_path / name, address) for name in ("a", "b"))
    session = make.make_session(a)
    make.make_host(a)
    path = "spec/discovery.md"

    def lead(epoch: int) -> bytes:
        by = make.lead(a)
        assert by.epoch == epoch
        projections.take_over(a, epoch)
        make.one_beat(a, session, by)
        for each in projections.unprojected(a):
            projector.project(a, each, lambda tx: leases.must_lead(tx, by.holder, by.epoch))
        a.write(lambda tx: leases.leave_lead(tx, by.holder, by.epoch))
        return (a.workflow / ".team" / session / path).read_bytes()

    by = make.lead(a)
    make.one_beat(a, session, by)
    run = make.claim(a, "h-1")
    assert run is not None
    make.finish(a, run, files={path: b"one\n"})
    a.write(lambda tx: leases.leave_lead(tx, by.holder, by.epoch))
    assert lead(2) == b"one\n"
    assert projections.write_all(b, session) == []
    (b.workflow / ".team" / session / path).write_bytes(b"two\n")
    assert [projections.write_all(b, session) for _ in range(2)] == [[], []]

    assert lead(3) == b"two\n"
    versions = a.read(lambda tx: [row.path for row in artifacts.newest(tx, session) if row.path == path])
    assert versions == [path]
    a.close()
    b.close()


def test_another_machines_leader_writes_the_files_of_sessions_that_have_ended(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest ones, after all others and a few in each step: no work waits for them, nor they for one that fails."""
    a, b = (make.make_postgres_store(tmp_path / name, address) for name in ("a", "b"))
    other, third, second, first = [make.make_session(a, f"A{number}") for number in range(4)]
    for each in (other, third, second, first):
        a.write(lambda tx, each=each: sessions.cancel(tx, each))  # type: ignore[misc]
    active = make.make_session(a, "Z")

    def led(store: Store, epoch: int) -> tuple[Leader, projections.Projections, int]:
        leader = Leader(store, 60, structlog.get_logger(), lambda: None)
        assert leader.take() == Leadership(leader.holder, epoch)
        taken = projections.take_over(store, epoch)
        return leader, projections.Projections(store, leader, structlog.get_logger(), 60), taken

    leader, following, taken = led(a, 1)
    following.finish()
    assert (taken, list(projections.unprojected(b))) == (0, [])
    leader.leave()

    monkeypatch.setattr(projections, "ENDED_SECONDS", 0)
    monkeypatch.setattr(projections, "ENDED_TAKEN_OVER", 3)
    (b.workflow / ".team").mkdir()
    edits.session_directory(b.workflow, first).write_text("mine")
    leader, following, taken = led(b, 2)
    found = [(taken, list(projections.unprojected(b)))]
    found += [(following.follow(), list(projections.unprojected(b))) for _ in range(4)]
    with structlog.testing.capture_logs() as logged:
        again = [following._write(first, 0.0, ended=True) for _ in range(8)]

    assert (again, logged) == ([20, 40, 80, 160, 320, 600, 600, 600], [])
    assert found[:2] == [(4, [active, first, second, third]), (0, [first, second, third])]
    assert found[2:4] == [(0, [first, third]), (0, [first])]
    assert 9 < found[4][0] <= 10 and found[4][1] == [first]
    assert (edits.session_directory(b.workflow, third) / "team-session.json").is_file()
    leader.leave()
    a.close()
    b.close()


def test_a_folder_that_is_put_aside_follows_a_restored_database(postgres: Server, tmp_path: Path) -> None:
    """What docs/operations.md tells to do: what was written after the dump would count as edited by hand."""
    address = postgres.database("empty")
    name = name_of(address)
    store = make.make_postgres_store(tmp_path, address)
    session = make.make_session(store)
    make.make_host(store)
    by = make.lead(store)
    make.one_beat(store, session, by)
    run = make.claim(store, "h-1")
    assert run is not None
    make.finish(store, run, files={"spec/a.md": b"one\n"})
    file = store.workflow / ".team" / session / "spec" / "a.md"

    def follow() -> list[str]:
        """What the leader of the epoch does as it begins: the authors of the document's versions."""
        projections.take_over(store, by.epoch)
        for each in projections.unprojected(store):
            projector.project(store, each, lambda tx: leases.must_lead(tx, by.holder, by.epoch))
        return store.read(lambda tx: [row.author for row in artifacts.versions(tx, session, "spec/a.md")])

    before = follow()
    to = ("-h", str(postgres.folder), "-U", "lifecycle")
    postgres.run("pg_dump", *to, "--format=custom", f"--file={name}.dump", name)
    file.write_bytes(b"two\n")
    store.write(lambda tx: sessions.unproject(tx, ended=0))
    assert follow() == [*before, "user"]
    store.close()
    postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")
    postgres.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    postgres.run("pg_restore", *to, "--exit-on-error", f"--dbname={name}", f"{name}.dump")
    store = make.make_postgres_store(tmp_path, address)

    (store.workflow / ".team").rename(store.workflow / ".team-before")
    (store.workflow / projections.LED).unlink()

    assert follow() == before
    assert file.read_bytes() == b"one\n"
    store.close()


def test_nothing_of_one_machine_imports_the_driver() -> None:
    code = (
        "import sys, orchestrator.project, orchestrator.cli.daemon, orchestrator.coordinator.daemon, workers.host.host;"
        "sys.exit(any(name.split('.')[0] in ('psycopg', 'psycopg_binary') for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", code], timeout=patient(60)).returncode == 0


def test_a_large_content_is_in_the_database_where_machines_share_it(store: Store, tmp_path: Path) -> None:
    file = make.make_store(tmp_path / "file")
    moved, made = b"moved " * artifacts.IN_DATABASE, b"made " * artifacts.IN_DATABASE
    artifacts.keep_large(file.workflow, moved)
    digest = file.write(lambda tx: artifacts.put(tx, moved))

    copying.copy(file, store)
    of_ours = store.write(lambda tx: artifacts.put(tx, made))

    elsewhere = make.make_postgres_store(tmp_path / "elsewhere", store.backend._address)  # type: ignore[attr-defined]
    assert elsewhere.read(lambda tx: artifacts.body(tx, digest)) == moved
    assert elsewhere.read(lambda tx: artifacts.body(tx, of_ours)) == made
    elsewhere.close()
    file.close()


def test_a_project_with_a_content_that_is_gone_is_not_moved(store: Store, tmp_path: Path) -> None:
    file = make.make_store(tmp_path / "file")
    file.write(lambda tx: artifacts.put(tx, b"gone " * artifacts.IN_DATABASE))

    with pytest.raises(StoreError, match="a content's file is missing"):
        copying.copy(file, store)

    assert store.read(copying.count)["contents"] == 0
    file.close()


def test_units_go_on_when_columns_of_their_tables_have_changed_meanwhile(store: Store, address: str) -> None:
    """As a migration beside a server of the version before does it: each connection has plans of the table as it was."""
    session = make.make_session(store)

    def title(tx: Tx) -> str:
        found = sessions.get(tx, session)
        assert found is not None
        return found.title

    def many(act: Callable[[], object]) -> None:
        with ThreadPoolExecutor(WRITERS) as pool:
            for done in [pool.submit(act) for _ in range(4 * WRITERS)]:
                done.result()

    def archive(tx: Tx) -> None:
        assert title(tx)
        sessions.archive(tx, session, True)

    before = store.read(title)
    for kind in ("TEXT", "VARCHAR", "TEXT"):
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f'ALTER TABLE sessions ALTER title TYPE {kind} COLLATE "C"')
        many(lambda: store.write(archive, about=session))
        many(lambda: store.read(title))

    assert store.read(title) == before
    assert store.backend.repeated == 0  # nobody was quicker

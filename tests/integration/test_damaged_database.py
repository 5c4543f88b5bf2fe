"""A command that changes something meets a database with broken pages: refused before anything is written, or done whole."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator import project as app
from orchestrator.config.settings import Settings
from orchestrator.domain.errors import DatabaseDamaged, DatabaseUnusable
from orchestrator.store import sessions
from orchestrator.store.backends import sqlite_integrity
from tests import factories
from tests.e2e.cli_world import work_off
from tests.rows import common

PAGE = 4096
LENGTH = 40  # bytes written over in a page


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with one finished session, everything of it in the main file, and some free pages."""
    store = factories.make_store(tmp_path_factory.mktemp("whole"))
    work_off(store, factories.make_session(store, "Kept work"))
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("CREATE TABLE gone AS SELECT zeroblob(20000) AS x")
    connection.execute("DROP TABLE gone")
    connection.commit()
    assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 2
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    return store.path.read_bytes()


def in_page(page: int, offset: int, fill: bytes) -> Callable[[bytearray], None]:
    """What writes `fill` at that offset of a page, the file's own header excepted."""

    def harm(body: bytearray) -> None:
        at = (page - 1) * PAGE + (max(offset, 100) if page == 1 else offset)
        body[at : at + len(fill)] = fill

    return harm


def lay(folder: Path, body: bytes) -> app.Project:
    folder.mkdir(exist_ok=True)
    project = app.Project(folder)
    app.prepare(project)
    project.file.write_bytes(body)
    return project


def start_and_work_off(project: app.Project) -> str:
    """Begin a session as a command does, and let all its tasks be done. Raises what the command is refused with."""
    with app.changing(project, create=True, settings=Settings()) as (store, _):
        session = factories.make_session(store, "New work")
        work_off(store, session)
        return str(store.read(lambda tx: sessions.get(tx, session)).status)  # type: ignore[union-attr]


FILLS = {"ones": b"\xff" * LENGTH, "zeros": bytes(LENGTH), "noise": random.Random(8).randbytes(LENGTH)}


@pytest.mark.parametrize("fill", common(FILLS.values(), [FILLS["noise"]]), ids=FILLS)
@pytest.mark.parametrize("offset", common([0, PAGE - LENGTH], [0]))
def test_whichever_page_is_damaged_a_session_is_refused_or_completed(
    tmp_path: Path, whole: bytes, offset: int, fill: bytes
) -> None:
    refused = 0

    for page in range(1, len(whole) // PAGE + 1):
        body = bytearray(whole)
        in_page(page, offset, fill)(body)
        project = lay(tmp_path / str(page), body)
        try:
            ended = start_and_work_off(project)
        except DatabaseUnusable as error:
            refused += 1
            assert error.exit_code == 2
            assert project.file.read_bytes() == body, page
            log = project.file.with_name("lifecycle.db-wal")
            assert not log.exists() or log.stat().st_size == 0, page
        else:
            assert ended == "completed", page

    assert refused > 20  # else the test damages nothing that matters


@pytest.mark.parametrize("offset", [0, 8, 500, 2000, 4000])
def test_with_every_page_damaged_a_session_is_refused(tmp_path: Path, whole: bytes, offset: int) -> None:
    body = bytearray(whole)
    for page in range(1, len(whole) // PAGE + 1):
        in_page(page, offset, FILLS["noise"])(body)
    project = lay(tmp_path, body)

    with pytest.raises(DatabaseDamaged) as told:
        start_and_work_off(project)

    assert told.value.exit_code == 2
    assert project.file.read_bytes() == body


def test_of_a_large_database_what_every_process_reads_is_looked_through(
    tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_integrity, "WHOLE_BYTES", PAGE)
    connection = sqlite3.connect(lay(tmp_path, whole).file)
    roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0"))
    connection.close()

    for table in sqlite_integrity.READ_BY_ALL:
        body = bytearray(whole)
        in_page(roots[table], 0, FILLS["ones"])(body)
        project = lay(tmp_path, body)
        with pytest.raises(DatabaseDamaged):
            sqlite_integrity.refuse_damage(project.file)

    sqlite_integrity.refuse_damage(lay(tmp_path, whole).file)


@pytest.mark.parametrize("value", ["CAST(x'ff80' AS TEXT)", "'{'"], ids=["no text", "no JSON"])
def test_a_value_that_cannot_be_read_is_told_as_damage(tmp_path: Path, whole: bytes, value: str) -> None:
    project = lay(tmp_path, whole)
    connection = sqlite3.connect(project.file)
    connection.execute("PRAGMA ignore_check_constraints=ON")
    connection.execute(f"UPDATE sessions SET options = {value}")
    connection.commit()
    connection.close()
    store = app.open_for_reading(project)

    with pytest.raises(DatabaseDamaged):
        store.read(sessions.all_sessions)

    store.close()

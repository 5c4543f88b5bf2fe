"""Moving a project to a server: at every point exactly one of the two databases takes writes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest

from orchestrator.commands import adopt_database as work
from orchestrator.config.settings import Settings
from orchestrator.domain.errors import DatabaseMoved, StoreError
from orchestrator.failpoints import ADOPT_NAMES
from orchestrator.project import Project, open_for_reading, open_for_writing
from orchestrator.store import artifacts, sessions
from orchestrator.store.store import Store
from tests import factories as make
from tests.patience import patient
from tests.postgres_server import Server
from tests.rows import common

LARGE = b"0123456789abcdef" * 70_000  # kept as a file beside SQLite, as a row on a server
ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path: Path) -> Store:
    """The database of a project that is not at work, with a session and a content of each kind."""
    store = make.make_store(tmp_path / "shop")
    make.make_session(store)
    artifacts.keep_large(store.workflow, LARGE)
    store.write(lambda tx: [artifacts.put(tx, body) for body in (b"small", LARGE)])
    store.close()
    return store


def lifecycle(
    project: Project, *command: str, failpoint: str | None = None
) -> subprocess.CompletedProcess[str]:
    code = "import sys; from orchestrator.cli.main import run; sys.exit(run(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, *command],
        cwd=project.root,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            **({"LIFECYCLE_FAILPOINT": f"{failpoint}=kill"} if failpoint else {}),
        },
        capture_output=True,
        text=True,
        timeout=patient(60),
    )


def write_something(store: Store) -> None:
    make.make_session(store, "Build a chat server")


def number(project: Project) -> int:
    """How many sessions the project has, in the database that its settings name."""
    store = open_for_reading(project)
    try:
        return len(store.read(sessions.all_sessions))
    finally:
        store.close()


@pytest.mark.parametrize("name", common(ADOPT_NAMES, ["adopt.copied"]))
def test_a_move_that_is_killed_is_completed_by_its_repetition(
    name: str, file: Store, postgres: Server
) -> None:
    project, address = Project(file.workflow.parent), postgres.database()

    killed = lifecycle(project, "adopt-database", address, failpoint=name)
    between = lifecycle(project, "list")
    again = lifecycle(project, "adopt-database", address)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    if name == "adopt.retired":  # neither takes writes, and every command says how to go on
        assert between.returncode == 2 and f"`lifecycle adopt-database {quote(address)}`" in between.stderr
    else:
        assert between.returncode == 0, between.stderr
    assert again.returncode == (2 if name == "adopt.named" else 0), again.stderr
    assert project.database.name == address and number(project) == 1
    with pytest.raises(DatabaseMoved):
        write_something(file)


def test_a_file_whose_retirement_is_not_committed_stays_the_projects_database(
    file: Store, postgres: Server
) -> None:
    project, address = Project(file.workflow.parent), postgres.database()
    target, wanted = work.prepared(project, address, None, None, {})
    file.write(lambda tx: None)
    connection: sqlite3.Connection = file.backend._connection  # type: ignore[attr-defined]
    connection.set_authorizer(
        lambda action, what, *_: (
            sqlite3.SQLITE_DENY
            if (action, what) == (sqlite3.SQLITE_TRANSACTION, "COMMIT")
            else sqlite3.SQLITE_OK
        )
    )

    with pytest.raises(StoreError, match="not authorized"):
        work.adopt_database(project, file, target, wanted=wanted)

    assert project.database.file is not None
    connection.set_authorizer(None)
    assert work.adopt_database(project, file, target, wanted=wanted)["sessions"] == 1
    assert project.database.name == address and number(project) == 1
    store = open_for_reading(project)
    assert store.read(lambda tx: artifacts.body(tx, artifacts.digest_of(LARGE))) == LARGE
    store.close()
    file.close()


def test_who_has_the_file_open_is_told_where_its_rows_are(file: Store, postgres: Server) -> None:
    project, address = Project(file.workflow.parent), postgres.database()
    other = open_for_writing(project, Settings())

    done = lifecycle(project, "adopt-database", address)

    assert done.returncode == 0, done.stderr
    with pytest.raises(DatabaseMoved) as refused:
        write_something(other)
    assert refused.value.url == address and address in refused.value.fix
    other.close()


def test_a_target_with_other_rows_is_refused_also_after_a_move_that_was_killed(
    file: Store, postgres: Server
) -> None:
    project, address = Project(file.workflow.parent), postgres.database()
    lifecycle(project, "adopt-database", address, failpoint="adopt.copied")
    write_something(file)

    again = lifecycle(project, "adopt-database", address)

    assert again.returncode != 0 and "not empty" in again.stderr
    assert project.database.file is not None and number(project) == 2
    file.close()


def test_a_move_goes_on_only_where_it_has_begun(file: Store, postgres: Server) -> None:
    project, address = Project(file.workflow.parent), postgres.database()
    lifecycle(project, "adopt-database", address, failpoint="adopt.retired")

    elsewhere = lifecycle(project, "adopt-database", postgres.database())

    assert elsewhere.returncode == 2 and address in elsewhere.stderr
    assert lifecycle(project, "adopt-database", address).returncode == 0
    assert number(project) == 1

"""The schema: what the migrations make, equal to the tables' metadata, and refused when it is not ours."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from orchestrator.config import resources
from orchestrator.domain.errors import DatabaseUnusable
from orchestrator.store.backends import sqlite_file as opening
from orchestrator.store.backends.sqlite_migrate import NEW_SCHEMA, backup, ensure_schema, upgrade
from orchestrator.store.tables import metadata
from tests import factories as make
from tests.new_schema import dump, migrated

MIGRATIONS = resources() / "migrations"


def schema(connection: sqlite3.Connection) -> dict[str, set[str]]:
    """Name -> the parts of its definition, but for order, white space and the quotes that a renamed table has."""
    rows = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'"
    )
    an_added_column = r", (?=\w+ (?:TEXT|INTEGER|REAL|BLOB)\b)"  # stands on the line of the column before it
    return {
        name: {
            re.sub(r"\s+", " ", part).strip(" ,")
            for part in re.split(rf"\n|{an_added_column}", sql.replace(f'"{name}"', name))
        }
        for name, sql in rows.fetchall()
    }


def test_the_migrations_make_exactly_the_tables_of_the_metadata(tmp_path: Path) -> None:
    declared = tmp_path / "declared.db"
    engine = create_engine(f"sqlite:///{declared}")
    metadata.create_all(engine)
    engine.dispose()

    found, wanted = schema(sqlite3.connect(migrated(tmp_path))), schema(sqlite3.connect(declared))

    assert found == wanted


def test_a_new_database_is_made_as_all_migrations_make_it(tmp_path: Path) -> None:
    database = tmp_path / "new.db"
    ensure_schema(database, MIGRATIONS)

    script = (MIGRATIONS / NEW_SCHEMA).read_text(encoding="utf-8")

    assert script == dump(migrated(tmp_path)), "`python -m tests.new_schema` writes it again"
    assert script == dump(database)
    assert opening.inspect(database) == opening.SCHEMA


def test_the_newest_migration_is_the_schema_the_code_expects() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))

    assert ScriptDirectory.from_config(config).get_current_head() == opening.SCHEMA


def test_a_database_of_the_first_migration_is_upgraded_with_its_rows(tmp_path: Path) -> None:
    store = make.make_store(tmp_path / "new")
    session = make.make_session(store)
    old = tmp_path / "old.db"
    connection = sqlite3.connect(old)
    connection.execute(f"PRAGMA application_id={opening.APPLICATION_ID}")
    connection.close()
    upgrade(old, MIGRATIONS, "0001")
    connection = sqlite3.connect(old)
    connection.execute("ATTACH ? AS new", (str(store.path),))
    for table, renamed in {"sessions": {"needs_beat": "dirty"}, "tasks": {}}.items():
        columns = [row[1] for row in connection.execute(f"PRAGMA new.table_info({table})")]
        into = ", ".join(renamed.get(column, column) for column in columns)
        connection.execute(f"INSERT INTO {table} ({into}) SELECT {', '.join(columns)} FROM new.{table}")
    connection.execute("INSERT INTO pools VALUES ('told', 2, 1, 0, 'claude', 'a limit')")
    connection.commit()
    connection.close()

    assert ensure_schema(old, MIGRATIONS)

    upgraded = sqlite3.connect(old)
    assert upgraded.execute("SELECT id, needs_beat FROM sessions").fetchall() == [(session, 1)]
    assert upgraded.execute("SELECT limited_until, agent FROM rate_limits").fetchall() == [(2, "claude")]
    with pytest.raises(sqlite3.IntegrityError, match="ck_sessions_needs_beat"):
        upgraded.execute("UPDATE sessions SET needs_beat = 2")
    assert [path.name for path in (tmp_path / "backups").iterdir()]


def test_every_table_is_strict_and_every_constraint_named(tmp_path: Path) -> None:
    database = tmp_path / "a.db"
    ensure_schema(database, MIGRATIONS)
    connection = sqlite3.connect(database)

    strict = dict(
        connection.execute(
            "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        )
    )

    assert {name for name, flag in strict.items() if not flag} <= {"alembic_version", "sqlite_schema"}
    assert all(constraint.name for table in metadata.tables.values() for constraint in table.constraints)


def test_a_second_call_does_nothing(tmp_path: Path) -> None:
    database = tmp_path / "a.db"

    assert [ensure_schema(database, MIGRATIONS), ensure_schema(database, MIGRATIONS)] == [True, False]


def test_two_processes_migrate_at_once_and_both_find_it_done(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from orchestrator.store.backends.sqlite_migrate import ensure_schema;"
        "print(ensure_schema(Path(sys.argv[1]), Path(sys.argv[2])))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "w" / "a.db"), str(MIGRATIONS)]

    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=resources()) for _ in range(2)]
    answers = sorted(process.communicate(timeout=60)[0].strip() for process in both)

    assert answers == ["False", "True"]


NOT_OURS = {
    "empty": lambda path: path.write_bytes(b""),
    "a directory": lambda path: path.mkdir(),
    "a text file": lambda path: path.write_text("hello, this is not a database at all\n" * 50),
    "someone else's database": lambda path: sqlite3.connect(path).executescript(
        "CREATE TABLE t (a); INSERT INTO t VALUES (1);"
    ),
    "truncated": lambda path: path.write_bytes(make._empty_database()[:5000]),
    "a flipped header": lambda path: path.write_bytes(b"X" + make._empty_database()[1:]),
}


@pytest.mark.parametrize("make_file", NOT_OURS.values(), ids=NOT_OURS)
def test_a_file_that_is_not_our_database_is_refused_and_left_as_it_is(
    tmp_path: Path, make_file: object
) -> None:
    database = tmp_path / "lifecycle.db"
    make_file(database)  # type: ignore[operator]
    before = database.read_bytes() if database.is_file() else None

    with pytest.raises(DatabaseUnusable) as caught:
        ensure_schema(database, MIGRATIONS)

    assert caught.value.exit_code == 2 and "backups" in caught.value.fix
    assert before is None or database.read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    connection = sqlite3.connect(store.path)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.close()

    with pytest.raises(DatabaseUnusable, match="newer than this program"):
        ensure_schema(store.path, MIGRATIONS)


def test_a_backup_is_a_whole_database(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    session = make.make_session(store)

    copy = backup(store.path, tmp_path / "copy.db")

    assert sqlite3.connect(copy).execute("SELECT id FROM sessions").fetchall() == [(session,)]
    assert copy.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("version", "risky"),
    [
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), False),
    ],
)
def test_versions_with_the_wal_reset_bug_are_known(
    version: tuple[int, int, int], risky: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)

    assert opening.checkpoint_is_risky() is risky


def test_a_writer_has_every_pragma_of_the_house(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    connection = opening.connect_writer(store.path)

    found = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in (
            "journal_mode",
            "synchronous",
            "foreign_keys",
            "trusted_schema",
            "cell_size_check",
            "wal_autocheckpoint",
        )
    }

    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "trusted_schema": 0,
        "cell_size_check": 1,
        "wal_autocheckpoint": 0,
    }

"""Which database a project has, by its settings, and what is said where it cannot be used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.config.database_table import with_database
from orchestrator.config.settings import Settings
from orchestrator.domain.errors import ConfigError, DatabaseUnusable, LifecycleError, UsageError
from orchestrator.project import Project, open_for_reading, open_for_writing
from orchestrator.store.databases import database_of
from tests import factories as make
from tests.e2e.postgres_project import database_toml
from tests.patience import patient
from tests.postgres_server import Server, server

SECRET = "correct horse"


def project(folder: Path, settings: str) -> Project:
    (folder / ".workflow").mkdir(parents=True)
    (folder / ".workflow" / "config.toml").write_text(settings)
    return Project(folder)


def refusal(made: Project) -> LifecycleError:
    """What opening it raises, for readers and writers alike, with what to do."""
    with pytest.raises(LifecycleError) as reading:
        open_for_reading(made)
    with pytest.raises(LifecycleError) as writing:
        open_for_writing(made, Settings())
    assert reading.value.lines() == writing.value.lines()
    assert reading.value.exit_code == 2 and reading.value.fix
    assert SECRET not in "".join(reading.value.lines())
    return reading.value


def test_a_new_project_begins_in_the_database_that_its_settings_name(
    postgres: Server, tmp_path: Path
) -> None:
    address = postgres.database()
    made = project(tmp_path / "shop", database_toml(address))
    with pytest.raises(UsageError, match="no sessions"):
        open_for_reading(made)

    store = open_for_writing(made, Settings())
    session = make.make_session(store)
    store.close()

    read = open_for_reading(made)
    assert make.keys(read, session)
    assert (made.database.name, made.database.file, made.file.exists()) == (address, None, False)
    read.close()


def test_another_projects_database_is_refused_and_its_clones_is_not(postgres: Server, tmp_path: Path) -> None:
    address = postgres.database()
    open_for_writing(project(tmp_path / "shop", database_toml(address)), Settings()).close()

    refused = refusal(project(tmp_path / "blog", database_toml(address)))

    assert (
        "another project" in refused.what
        and "'shop'" in refused.why
        and 'database.project = "shop"' in refused.fix
    )
    clone = project(tmp_path / "clone", database_toml(address, project="shop"))
    open_for_reading(clone).close()
    assert clone.id == Project(tmp_path / "shop").id


def test_a_server_that_is_away_is_named_at_once(tmp_path: Path) -> None:
    refused = refusal(project(tmp_path / "shop", database_toml("postgresql://ann@127.0.0.1:1/shop")))

    assert isinstance(refused, DatabaseUnusable)
    assert "127.0.0.1" in refused.why and "see that PostgreSQL is up" in refused.fix


def test_a_database_that_is_not_there_is_named(postgres: Server, tmp_path: Path) -> None:
    refused = refusal(project(tmp_path / "shop", database_toml(postgres.address("nowhere"))))

    assert "refuses the connection" in refused.what and '"nowhere" does not exist' in refused.why
    assert "createdb" in refused.fix


def test_the_password_comes_from_where_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server() as running:
        running.execute(f"CREATE ROLE ann LOGIN SUPERUSER PASSWORD '{SECRET}'")
        file = running.folder / "data" / "pg_hba.conf"
        file.write_text("local all ann scram-sha-256\nlocal all all trust\n")
        running.execute("SELECT pg_reload_conf()")
        address = running.database().replace("lifecycle@", "ann@")
        monkeypatch.setenv("SHOP_PASSWORD", SECRET)
        right, wrong = tmp_path / "right", tmp_path / "wrong"
        right.write_text(f"{SECRET}\n")
        wrong.write_text(f"not {SECRET}\n")

        open_for_writing(
            project(tmp_path / "a" / "shop", database_toml(address, password_env="SHOP_PASSWORD")), Settings()
        ).close()
        made = project(tmp_path / "b" / "shop", database_toml(address, password_file="../../right"))
        open_for_reading(made).close()

        for more in ({}, {"password_file": str(wrong)}):
            refused = refusal(project(tmp_path / f"c{len(more)}" / "shop", database_toml(address, **more)))
            assert "password" in refused.why and "PGPASSWORD" in refused.fix
        assert made.database.name == address
        monkeypatch.setenv("PGPASSWORD", SECRET)
        open_for_reading(Project(tmp_path / "c0" / "shop")).close()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"password_env": "SHOP_PASSWORD"}, "SHOP_PASSWORD, which is not set"),
        ({"password_file": "none"}, "there is no file"),
    ],
)
def test_a_password_that_is_not_there_is_named(tmp_path: Path, more: dict[str, str], says: str) -> None:
    refused = refusal(project(tmp_path / "shop", database_toml("postgresql:///shop", **more)))

    assert says in refused.why


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (database_toml(f"postgresql://ann:{SECRET}@h/shop"), "a password does not belong in a file"),
        (database_toml(f"postgresql://h/shop?password={SECRET}"), "a password does not belong in a file"),
        (database_toml("mysql://h/shop"), "expected an address, as in postgresql://USER@HOST/DATABASE"),
        (database_toml("postgresql://h/shop", pasword_file="x"), "did you mean"),
        ("[database\nurl = 'postgresql://h/shop'", ":1: "),
    ],
)
def test_settings_of_the_database_that_are_wrong_are_refused_with_their_line(
    tmp_path: Path, settings: str, says: str
) -> None:
    refused = refusal(project(tmp_path / "shop", settings))

    assert isinstance(refused, ConfigError)
    assert says in refused.faults[0] and "config.toml:" in refused.faults[0]


def test_the_users_own_file_may_name_no_database(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "config.toml").write_text(database_toml("postgresql:///shop"))
    made = project(tmp_path / "shop", "# a word of the database\n")

    with pytest.raises(ConfigError) as caught:
        database_of(made.root, {"LIFECYCLE_CONFIG_DIR": str(own)})

    assert "in the project's .workflow/config.toml" in caught.value.faults[0]


def test_other_faults_of_the_settings_keep_nobody_from_reading(tmp_path: Path) -> None:
    make.make_store(tmp_path / "shop").close()
    (tmp_path / "shop" / ".workflow" / "config.toml").write_text("slots = 0 # of the database\n")

    open_for_reading(Project(tmp_path / "shop")).close()


def test_a_driver_that_is_not_installed_is_named_with_the_extra(tmp_path: Path) -> None:
    made = project(tmp_path / "shop", database_toml("postgresql://h/shop"))
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "import importlib.util as util; real = util.find_spec\n"
        "util.find_spec = lambda name: None if name == 'psycopg' else real(name)\n"
        "from orchestrator.cli.main import run; sys.exit(run(['list']))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=made.root, capture_output=True, text=True, timeout=patient(60)
    )

    assert done.returncode == 2
    assert 'pip install "team-lifecycle[server]"' in done.stderr


VALUES = {"url": "postgresql:///shop", "project": "shop"}
WRITTEN = 'url = "postgresql:///shop"\nproject = "shop"\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"[database]\n{WRITTEN}"),
        ("slots = 2", f"slots = 2\n\n[database]\n{WRITTEN}"),
        ("[work]\nsetup = []\n", f"[work]\nsetup = []\n\n[database]\n{WRITTEN}"),
        (
            "slots = 2\n[database] # ours\npassword_env = 'P'\n[work]\n",
            f"slots = 2\n[database] # ours\n{WRITTEN}password_env = 'P'\n[work]\n",
        ),
    ],
)
def test_the_table_is_written_into_the_settings_and_the_rest_stays(before: str, after: str) -> None:
    assert with_database(before, VALUES) == after


@pytest.mark.parametrize(
    "before",
    ["database.password_env = 'P'\n", "database = { password_env = 'P' }\n", "x = '''\n[database]\n'''\n"],
)
def test_settings_that_the_table_cannot_be_written_into_are_refused(before: str) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        with_database(before, VALUES)

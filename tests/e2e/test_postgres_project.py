"""A project in daily use whose database is on a PostgreSQL server: the real command, coordinator and worker hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.postgres_project import OnPostgres, database_toml, on_postgres
from tests.e2e.support import lifecycle
from tests.e2e.test_kill import check_story, stop_at
from tests.postgres_server import Server

REQUEST = "Build a URL shortener with an admin dashboard"
KILLED = ("report.after_commit", *(pytest.param(name, marks=pytest.mark.long) for name in ("claim.after",)))


@pytest.fixture
def shared(postgres: Server, tmp_path: Path) -> Iterator[OnPostgres]:
    with on_postgres(tmp_path / "p", postgres.database()) as made:
        yield made


def test_a_session_is_done_from_start_to_end(shared: OnPostgres) -> None:
    done = shared.run("start", REQUEST, "--mode", "spec-only")

    assert done.code == 0, done.err
    session = shared.session()
    assert shared.status(session) == ("completed", None)
    check_story(shared, session)
    assert not shared.database.exists()
    assert (shared.directory(session) / "spec" / "readiness-report.md").is_file()
    told = shared.run("daemon", "status", "--json").json()
    assert told["running"] and told["here"] and [each["here"] for each in told["hosts"]] == [True]
    assert told["database"] == {"name": shared.address, "clock": "the database server's"}
    checks = {each["check"]: each for each in shared.run("doctor", "--json").json()}
    assert checks["database"]["state"] == "ok" and shared.address in checks["database"]["says"]
    assert "its clock counts" in checks["database"]["says"]
    assert shared.run("daemon", "stop").code == 0
    assert shared.run("check", session).code == 0


@pytest.mark.scale
@pytest.mark.parametrize("name", KILLED)
def test_kill_everything_then_resume_finishes_every_task_once(shared: OnPostgres, name: str) -> None:
    stop_at(shared, name, "start", REQUEST, "--mode", "spec-only")
    killed = shared.kill_everything()
    shared.check_invariants()

    again = shared.run("resume")

    assert killed
    assert again.code == 0, again.err
    assert shared.status() == ("completed", None)
    check_story(shared, shared.session())
    shared.wait(lambda: not shared.marked(), "no process of a run lives on", 15)


def test_a_project_moves_to_a_server_and_goes_on_there(postgres: Server, tmp_path: Path) -> None:
    address = postgres.database()
    with on_postgres(tmp_path / "p", address, extra="") as moving:
        moving.run("start", REQUEST, "--mode", "spec-only")
        settings = (moving.folder / ".workflow" / "config.toml").read_text()
        at_work = moving.run("adopt-database", address)
        assert (at_work.code, not moving.has_tables()) == (2, True), at_work.err
        assert "lifecycle daemon stop" in at_work.err
        assert moving.run("daemon", "stop").code == 0

        misnamed = moving.run("adopt-database", "shop")
        assert (misnamed.code, "why: expected an address" in misnamed.err) == (2, True), misnamed.err
        planned = moving.run("adopt-database", address, "--dry-run", "--json").json()
        assert not moving.has_tables()
        assert (moving.folder / ".workflow" / "config.toml").read_text() == settings
        moved = moving.run("adopt-database", address, "--json").json()

        assert moved == {**planned, "dry_run": False}
        session = moving.session()
        check_story(moving, session)
        assert (moving.folder / ".workflow" / "config.toml").read_text().startswith(settings)
        assert moving.run("check", session).code == 0
        second = moving.run("start", "Build a chat server", "--mode", "spec-only")
        assert second.code == 0, second.err
        assert moving.session() != session
        again = moving.run("adopt-database", address)
        assert (again.code, "on a server already" in again.err) == (2, True)
        assert moving.run("daemon", "stop").code == 0

        (moving.folder / ".workflow" / "config.toml").write_text(settings)
        back = moving.run("list")
        assert (back.code, "has moved to a server" in back.err) == (2, True)


def test_doctor_tells_once_that_the_server_refuses_the_database(postgres: Server, tmp_path: Path) -> None:
    nowhere = postgres.address("nowhere")
    with lifecycle(tmp_path / "p", extra=database_toml(nowhere)) as life:
        checks = life.run("doctor", "--json").json()

    told = [each["check"] for each in checks if "nowhere" in each["says"]]
    assert told == ["database"], checks
    assert {each["says"] for each in checks if "see database" in each["says"]} == {
        "not looked at: see database"
    }

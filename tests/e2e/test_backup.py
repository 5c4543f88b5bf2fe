"""Backup and restore of a project on PostgreSQL: dumped while it works, wiped, restored, and its session goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.postgres_project import on_postgres
from tests.e2e.test_kill import check_story, stop_at
from tests.postgres_server import Server, name_of

REQUEST = "Build a URL shortener with an admin dashboard"


@pytest.mark.parametrize("folder_lost", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_session_midway_goes_on_from_a_dump(postgres: Server, tmp_path: Path, folder_lost: bool) -> None:
    """`folder_lost`: the sessions' documents are gone too; they are written again from the rows."""
    address = postgres.database()
    name = name_of(address)
    with on_postgres(tmp_path / "p", address) as project:
        stop_at(project, "report.after_commit", "start", REQUEST, "--mode", "spec-only")
        before = project.tasks()
        contents = project.rows("SELECT sha256 FROM contents ORDER BY sha256")

        postgres.run(  # its processes live, and have connections
            "pg_dump",
            "-h",
            str(postgres.folder),
            "-U",
            "lifecycle",
            "--format=custom",
            f"--file={name}.dump",
            name,
        )
        project.kill_everything()
        if folder_lost:
            shutil.rmtree(project.folder / ".workflow" / ".team")
        postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")
        postgres.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        assert not project.has_tables()
        postgres.run(
            *(
                "pg_restore",
                "-h",
                str(postgres.folder),
                "-U",
                "lifecycle",
                "--exit-on-error",
                "--single-transaction",
            ),
            *(f"--dbname={name}", f"{name}.dump"),
        )
        assert project.tasks() == before and "completed" in before.values() and len(set(before.values())) > 1
        assert project.rows("SELECT sha256 FROM contents ORDER BY sha256") == contents
        project.check_invariants()

        again = project.run("resume")

        assert again.code == 0, again.err
        assert project.status() == ("completed", None)
        check_story(project, project.session())
        assert (project.directory() / "spec" / "readiness-report.md").is_file()
        checks = {each["check"]: each for each in project.run("doctor", "--json").json()}
        assert checks["database"]["state"] == "ok"

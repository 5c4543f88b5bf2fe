"""Projects whose files are links, another user's, damaged, or open to all: refused before anything is made, or kept right."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import factories
from tests.e2e.cli_world import make_world, work_off
from tests.e2e.support import Gave, Lifecycle, lifecycle
from tests.rows import common

REQUEST = "Build a URL shortener"
NOBODY = 65534
PAGE = 4096


def refused(gave: Gave) -> None:
    assert gave.code == 2, (gave.code, gave.out, gave.err)
    assert "  try: " in gave.err
    assert "Traceback" not in gave.err


def found_below(folder: Path) -> dict[str, bytes | None]:
    """Every name below a folder, with the bytes of plain files."""
    return {
        str(each.relative_to(folder)): each.read_bytes() if each.is_file() and not each.is_symlink() else None
        for each in sorted(folder.rglob("*"))
    }


# links

WRITTEN = (
    ".team",
    "runs",
    "contents",
    "locks",
    "logs",
    "backups",
    "cache",
    "lifecycle.db",
    "logs/daemon.jsonl",
)


def linked_workflow(life: Lifecycle, elsewhere: Path) -> None:
    shutil.rmtree(life.folder / ".workflow")
    (life.folder / ".workflow").symlink_to(elsewhere)


def linked(name: str) -> Callable[[Lifecycle, Path], None]:
    def lay(life: Lifecycle, elsewhere: Path) -> None:
        link = life.folder / ".workflow" / name
        link.parent.mkdir(exist_ok=True, mode=0o700)
        link.symlink_to(elsewhere)

    return lay


LINKS = {".workflow": linked_workflow, **{name: linked(name) for name in WRITTEN}}


@pytest.mark.parametrize("dangling", [False, True], ids=["to a folder", "to nothing"])
@pytest.mark.parametrize("lay", LINKS.values(), ids=LINKS)
def test_a_link_where_we_write_is_refused_before_anything_is_made(
    tmp_path: Path, lay: Callable[[Lifecycle, Path], None], dangling: bool
) -> None:
    elsewhere = tmp_path / "elsewhere"
    if not dangling:
        elsewhere.mkdir()
    with lifecycle(tmp_path / "p") as life:
        lay(life, elsewhere)
        before = found_below(life.folder)

        gave = [life.run("start", REQUEST), life.run("start", REQUEST), life.run("daemon", "start")]

        for each in gave:
            refused(each)
            assert "is a link" in each.err
            assert str(elsewhere) in each.err
        assert found_below(life.folder) == before
        assert not dangling or not elsewhere.exists()
        assert dangling or list(elsewhere.iterdir()) == []
        life.database.unlink(missing_ok=True)  # no database that could be looked at


def test_settings_may_be_kept_elsewhere(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        settings = life.folder / ".workflow" / "config.toml"
        settings.rename(tmp_path / "config.toml")
        settings.symlink_to(tmp_path / "config.toml")

        gave = life.run("start", REQUEST, "--discuss", "off")

        assert gave.code == 0, gave.err


# rights


def given_to_nobody(life: Lifecycle) -> None:
    for each in [life.folder, *life.folder.rglob("*")]:
        os.chown(each, NOBODY, NOBODY)


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may reach; pytest's own are one user's."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


RIGHTS: dict[str, tuple[str, int, int, str]] = {  # name -> (path, owner, mode, what is told)
    "another's database": ("lifecycle.db", 0, 0o600, "root (uid 0) and has mode 0600"),
    "another's readable database": ("lifecycle.db", 0, 0o644, "root (uid 0) and has mode 0644"),
    "another's log": ("lifecycle.db-wal", 0, 0o600, "root (uid 0) and has mode 0600"),
    "another's folder": (".", 0, 0o755, "root (uid 0) and has mode 0755"),
    "another's closed folder": (".", 0, 0o700, "root (uid 0) and has mode 0700"),
    "another's logs": ("logs", 0, 0o700, "root (uid 0) and has mode 0700"),
    "own read-only database": ("lifecycle.db", NOBODY, 0o400, "chmod u+rw "),
    "own read-only folder": (".", NOBODY, 0o500, "chmod u+rwx "),
    "own closed folder": (".", NOBODY, 0, "chmod u+rwx "),
}
OFTEN = ("another's database", "another's folder", "own read-only folder")  # in each run of the tests


@pytest.mark.parametrize(
    ("path", "owner", "mode", "told"), common(RIGHTS.values(), map(RIGHTS.get, OFTEN)), ids=RIGHTS
)
def test_14_missing_rights_are_told_with_owner_and_mode_and_nothing_is_made(
    public: Path, as_root: None, as_nobody: list[str], path: str, owner: int, mode: int, told: str
) -> None:
    with lifecycle(public / "p") as life:
        made = make_world(life)
        factories.make_session(made.store, "Some work")
        (life.folder / ".workflow" / "logs").mkdir(mode=0o700)
        given_to_nobody(life)
        changed = life.folder / ".workflow" / path
        os.chown(changed, owner, owner)
        changed.chmod(mode)
        before = found_below(life.folder)

        gave = []
        for command in ("start shop", "pause", "daemon start"):
            done = subprocess.run(
                [*as_nobody, *life.command(*command.split())],
                cwd=life.folder,
                env=life.environment,
                capture_output=True,
                text=True,
                timeout=60,
            )
            gave.append(Gave(done.args, done.returncode, done.stdout, done.stderr))

        after = found_below(life.folder)
        (life.folder / ".workflow").chmod(0o700)
        made.store.close()
        for each in gave:
            refused(each)
            assert told in each.err
            assert "move it away" not in each.err
        assert after == before


# who may read what we make

OPEN = 0o077


@pytest.mark.parametrize("umask", common([0, 0o077, 0o777], [0]), ids=["000", "077", "777"])
def test_14_whatever_the_umask_everything_we_make_is_its_owner_s_alone(tmp_path: Path, umask: int) -> None:
    with lifecycle(tmp_path / "p") as life:
        (life.folder / ".workflow").chmod(0o777)
        given = set(life.folder.rglob("*"))

        gave = [
            life.run("start", REQUEST, umask=umask),
            life.run("export", "-o", "session.zip", umask=umask),
            life.run("daemon", "stop", umask=umask),
        ]

        assert [each.code for each in gave] == [0, 0, 0], [each.err for each in gave]
        ours = {each: each.lstat().st_mode for each in set(life.folder.rglob("*")) - given}
        assert len(ours) > 20
        assert {str(each): oct(mode) for each, mode in ours.items() if mode & OPEN} == {}
        assert {str(each) for each, mode in ours.items() if mode & 0o600 != 0o600} == set()


# damage

CHANGES = (
    "start shop",
    "start shop --detach",
    "resume",
    "pause",
    "cancel",
    "revise DRAFT-001 shorter",
    "feedback shorter",
    "recheck",
    "improve depth",
    "repair",
    "archive TLS",
    "delete TLS --yes",
    "msg log --from writer --to coordinator --type draft_ready --summary done",
    "daemon start",
)


def test_50_every_command_that_changes_something_refuses_a_damaged_database(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        work_off(made.store, factories.make_session(made.store, "Some work"))
        made.store.close()
        connection = sqlite3.connect(life.database)
        connection.execute(
            "PRAGMA wal_checkpoint(TRUNCATE)"
        ).fetchall()  # else the log has a sound copy of the page
        connection.close()
        ((page,),) = life.rows(
            "SELECT rootpage FROM sqlite_master WHERE name = 'leases'"
        )  # which few commands read
        shutil.copy(life.database, tmp_path / "whole.db")
        body = bytearray(life.database.read_bytes())
        body[(page - 1) * PAGE : (page - 1) * PAGE + 40] = b"\xff" * 40
        life.database.write_bytes(body)

        gave = {change: life.run(*change.split()) for change in CHANGES}

        left = life.database.read_bytes()
        shutil.copy(tmp_path / "whole.db", life.database)
        for change, each in gave.items():
            assert each.code == 2, (change, each.out, each.err)
            assert "malformed" in each.err or "damaged" in each.err, change
        assert left == body
        assert not life.pids()


# the temporary directory


def test_when_the_coordinator_has_ended_nothing_of_ours_is_left_in_the_temporary_directory(
    tmp_path: Path,
) -> None:
    with tempfile.TemporaryDirectory() as given, lifecycle(tmp_path / "p") as life:
        places = {"XDG_RUNTIME_DIR": given, "TMPDIR": given}
        life.environment.update(places)
        gave = [
            life.run("start", REQUEST),
            life.run("doctor"),
            life.run("daemon", "stop"),
            life.run("list"),
            life.run("archive", "TLS"),
        ]

        assert [each.code for each in gave] == [0] * 5, [each.err for each in gave]
        assert sorted(Path(given).rglob("*")) == []


def test_what_killed_processes_left_in_the_temporary_directory_goes_with_the_next_end(
    tmp_path: Path,
) -> None:
    with tempfile.TemporaryDirectory() as given, lifecycle(tmp_path / "p") as life:
        life.environment.update({"XDG_RUNTIME_DIR": given, "TMPDIR": given})
        assert life.run("start", REQUEST).code == 0
        life.kill_everything()
        left = sorted(Path(given).rglob("*.sock"))

        again = life.run("recheck")
        stopped = life.run("daemon", "stop")

        assert len(left) == 2  # the coordinator's and its host's
        assert (again.code, stopped.code) == (0, 0), (again.err, stopped.err)
        assert sorted(Path(given).rglob("*")) == []

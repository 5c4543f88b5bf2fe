"""Disks that are full, out of names or read-only, and session directories that vanish (bad inputs 52, 54, 62, 63)."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import pytest

from tests import factories, invariants
from tests.e2e.cli_world import make_world, work_off
from tests.e2e.disk import Disk, frozen
from tests.e2e.support import Lifecycle, agent_toml, lifecycle
from tests.rows import common

REQUEST = "Build a URL shortener"
MIB = 1024 * 1024
GATED = """
import pathlib, sys, time
sys.stdin.read()
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.02)
"""


class Gate:
    """An agent that says nothing useful, and that not before the gate is open: a session stands still in its hands."""

    def __init__(self, folder: Path) -> None:
        self._script = folder / "gated.py"
        self._script.write_text(GATED)
        self._file = folder / "gate"

    @property
    def toml(self) -> str:
        return agent_toml("gated", [sys.executable, str(self._script), str(self._file)])

    def start(self, life: Lifecycle) -> str:
        """Begin a session and wait until it stands at the gate."""
        gave = life.run("start", REQUEST, "--detach")
        assert gave.code == 0, gave.err
        life.wait(lambda: len(life.marked()) >= 2, "the agent runs")
        return life.session()

    def open(self) -> None:
        self._file.touch()


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


@pytest.mark.parametrize(
    "left", common([0, 8_192, 100_000], [8_192]), ids=lambda left: f"54 {left} bytes left"
)
def test_a_session_is_not_begun_on_a_full_disk(disk: Disk, left: int) -> None:
    with lifecycle(disk.path / "p") as life:
        disk.fill(leave=left)

        gave = life.run("start", REQUEST)

        assert gave.code == 2, gave.err
        assert "full" in gave.err or "No space" in gave.err
        assert "Traceback" not in gave.err
        assert not list((life.folder / ".workflow").glob("lifecycle.db*"))
        disk.make_room()
        assert life.run("start", REQUEST).code == 0


@pytest.mark.long
def test_54_a_disk_that_fills_up_pauses_the_session_and_it_goes_on_when_there_is_room(
    disk: Disk, gate: Gate, tmp_path: Path
) -> None:
    large = tmp_path / "large.md"
    large.write_text("A word of the request. " * 20_000)
    with lifecycle(disk.path / "p", extra=gate.toml) as life:
        gate.start(life)
        disk.fill()
        gate.open()

        life.wait(lambda: life.status() == ("paused", "disk"), "the session is paused")
        life.wait(lambda: life.story("RESEARCH-001") != [None], "the attempt has ended")
        disk.fill()  # what the ballast gave, too
        refused = life.run("start", f"@{large}")
        looked = [life.run(*look.split()) for look in ("check", "list", "log", "doctor")]
        invariants.check(life.database)
        disk.make_room()
        resumed = life.run("resume")

        assert refused.code == 2, refused.err
        assert "full" in refused.err
        assert [each.code for each in looked[:3]] == [0, 0, 0]
        assert "disk" in looked[0].out
        assert resumed.code == 0, resumed.err
        assert life.status() == ("completed", None)
        *before, last = life.story("RESEARCH-001")
        assert last == "completed"  # anew, or in the room that the ballast gave
        assert set(before) <= {"released"}  # not counted
        life.wait(lambda: (life.folder / ".workflow" / "ballast").exists(), "the ballast is made again")


@pytest.mark.long
def test_54_room_that_comes_as_the_lease_of_a_host_is_nearly_over_loses_no_attempt(
    disk: Disk, gate: Gate
) -> None:
    with lifecycle(disk.path / "p", extra=gate.toml) as life:
        gate.start(life)
        disk.fill()
        gate.open()
        life.wait(lambda: life.status() == ("paused", "disk"), "the session is paused")
        life.wait(lambda: life.story("RESEARCH-001") != [None], "the attempt has ended")
        disk.fill()  # no renewal can be written any more

        life.wait(lambda: _lease_left(life) < 0.9, "less than the watchdog's margin is left")
        disk.make_room()
        resumed = life.run("resume")

        assert resumed.code == 0, resumed.err
        *before, last = life.story("RESEARCH-001")
        assert last == "completed"
        assert set(before) <= {"released"}


def _lease_left(life: Lifecycle) -> float:
    """Seconds."""
    return max(row[0] for row in life.rows("SELECT lease_until FROM hosts")) / 1e6 - time.monotonic()


@pytest.mark.long
def test_63_a_disk_without_names_pauses_the_session_and_it_goes_on_when_there_are_some(
    disk: Disk, gate: Gate
) -> None:
    with lifecycle(disk.path / "p", extra=gate.toml) as life:
        gate.start(life)
        disk.use_up_names()
        gate.open()

        life.wait(lambda: life.status() == ("paused", "disk"), "the session is paused")
        disk.make_room()

        assert life.run("resume").code == 0
        assert life.status() == ("completed", None)


def test_52_on_a_read_only_disk_looks_work_and_changes_are_refused(disk: Disk) -> None:
    with lifecycle(disk.path / "p") as life:
        made = make_world(life)
        session = factories.make_session(made.store, "Some work")
        work_off(made.store, session, until="DRAFT-002")
        made.store.close()
        before = made.content()
        disk.read_only(True)

        looked = [
            life.run(*look.split()) for look in ("check", "list", "show", "tasks", "artifacts", "log", "cost")
        ]
        changed = [
            life.run(*change.split()) for change in ("pause", "start shop", "resume", "repair", "cancel")
        ]

        disk.read_only(False)
        assert [each.code for each in looked] == [0] * 7, [each.err for each in looked]
        assert [each.code for each in changed] == [2] * 5, [(each.out, each.err) for each in changed]
        assert not any("Traceback" in each.err for each in changed)
        assert made.content() == before


def swap_for_link(directory: Path) -> None:
    shutil.rmtree(directory)
    directory.symlink_to(directory.parents[3] / "elsewhere")


def swap_for_file(directory: Path) -> None:
    shutil.rmtree(directory)
    directory.write_text("in the way")


def test_62_a_session_directory_deleted_in_mid_run_is_rebuilt(tmp_path: Path, gate: Gate) -> None:
    with lifecycle(tmp_path / "p", extra=gate.toml) as life:
        gate.start(life)
        life.wait(lambda: life.directory().is_dir(), "its directory is there")
        shutil.rmtree(life.directory())
        gate.open()

        assert life.run("resume", life.session()).code in (0, 2)  # 2: it goes on by itself
        life.wait(lambda: life.status() == ("completed", None), "the session is completed")
        life.wait(
            lambda: (life.directory() / "spec" / "readiness-report.md").is_file(), "its files are rebuilt"
        )


@pytest.mark.parametrize(
    "swap", common([swap_for_link, swap_for_file], [swap_for_link]), ids=["62 link", "62 file"]
)
def test_a_session_directory_replaced_in_mid_run_pauses_the_session(
    tmp_path: Path, gate: Gate, swap: object
) -> None:
    elsewhere = tmp_path / "p" / "elsewhere"
    with lifecycle(tmp_path / "p", extra=gate.toml) as life:
        elsewhere.mkdir()
        gate.start(life)
        directory = life.directory()
        life.wait(lambda: (directory / ".msg").is_dir(), "its directory is there")
        swap(directory)  # type: ignore[operator]
        gate.open()

        life.wait(lambda: life.status() == ("paused", "disk"), "the session is paused")
        told = life.run("check")
        left = list(elsewhere.iterdir())
        directory.unlink()
        life.wait(lambda: life.run("resume").code == 0, "it goes on")

        assert directory.name in told.out
        assert left == []  # nothing was written through the link
        assert life.status() == ("completed", None)
        assert (directory / "spec" / "readiness-report.md").is_file()


@pytest.mark.long
def test_62_a_session_directory_made_read_only_in_mid_run_pauses_the_session(disk: Disk, gate: Gate) -> None:
    with lifecycle(disk.path / "p", extra=gate.toml) as life:
        gate.start(life)
        life.wait(lambda: (life.directory() / ".msg").is_dir(), "its directory is there")
        with frozen(life.directory()):
            gate.open()
            life.wait(lambda: life.status() == ("paused", "disk"), "the session is paused")
            told = life.run("check")

        resumed = life.run("resume")

        assert "Read-only" in told.out
        assert resumed.code == 0, resumed.err
        assert life.status() == ("completed", None)
        assert (life.directory() / "spec" / "readiness-report.md").is_file()

"""A disk that fills up at each point of a run, a projection and a checkpoint, and one that is read-only (docs/faults.md)."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator import failpoints
from orchestrator.commands import resume
from orchestrator.coordinator import projector, reconcile
from orchestrator.domain.errors import DiskFull
from orchestrator.domain.pauses import PauseReason
from orchestrator.lifecycle import report
from orchestrator.store import artifacts, ballast, sessions
from tests import factories, invariants
from tests.e2e.disk import Disk, frozen
from tests.patience import patient
from tests.runtime_harness import RuntimeHarness
from workers.host.live_runs import LiveRun

POINTS = (
    "beat.before_commit",
    "context.loaded",
    "agent.called",
    "produce.done",
    "produced.registered",
    "discuss.reply_stored",
    "discuss.done",
    "report.before_commit",
    "projector.before_rename",
    "projector.before_mark",
)


class Filled:
    """Fills the disk at the n-th visit of a point."""

    def __init__(self, disk: Disk, point: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = False
        self._disk, self._point = disk, point
        monkeypatch.setattr(failpoints, "hit", self)

    def __call__(self, point: str) -> None:
        if point == self._point and not self.done:
            self.done = True
            self._disk.fill()


def paused_for_room(harness: RuntimeHarness, work: Callable[[], object]) -> bool:
    """Do the work; when there was no room, pause the session with the room of the ballast, as the coordinator does."""
    try:
        work()
    except (DiskFull, OSError) as error:
        assert isinstance(error, DiskFull) or error.errno == errno.ENOSPC
        detail = {"error": str(error)}
        harness.store.write(
            lambda tx: sessions.pause(tx, harness.session, PauseReason.DISK, detail),
            use_ballast=True,
        )
    return bool(harness.state().pause_reason == PauseReason.DISK)


@pytest.mark.parametrize("point", POINTS)
def test_a_disk_that_fills_at_any_point_pauses_the_session_and_all_goes_on_when_there_is_room(
    disk: Disk, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    harness = RuntimeHarness(disk.path)
    assert ballast.keep(harness.store.path)
    filled = Filled(disk, point, monkeypatch)

    paused = paused_for_room(harness, lambda: work(harness))
    invariants.check(harness.store.path)
    disk.make_room()
    resume.resume(harness.store, harness.session, resume.Answer("me"), more_attempts=3)
    work(harness)

    assert filled.done
    assert paused
    assert harness.task("RESEARCH-001").status == "completed"
    assert harness.rows("SELECT count(*) FROM runs WHERE counted = 1") == [(0,)]
    root = harness.store.workflow / ".team" / harness.session
    shown = harness.store.read(lambda tx: artifacts.newest(tx, harness.session))
    assert shown
    assert all(artifacts.digest_of((root / row.path).read_bytes()) == row.sha256 for row in shown)
    assert not [file for file in root.rglob("*") if file.name.endswith(".new")]
    invariants.check(harness.store.path)


def work(harness: RuntimeHarness) -> None:
    """Do the first task unless it is done, and write the session's files."""
    if harness.task("RESEARCH-001").status != "completed":
        harness.run()
    projector.project(harness.store, harness.session)


class Log:
    """What the runtime has said: its words, in order."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def bind(self, **_: object) -> Log:
        return self

    def __getattr__(self, _: str) -> Callable[..., None]:
        return lambda word, **more: self.said.append(word)


def fill_up(disk: Disk, harness: RuntimeHarness) -> LiveRun:
    """A run of a host that has no room left, nor a ballast to give up, as soon as it has asked its agent."""
    live = harness.live(harness.claim())
    ballast.give_up(harness.store.path)
    disk.fill()
    return live


def written_in_vain(harness: RuntimeHarness, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the tries to write the end of an attempt."""
    tries: list[int] = []
    fail = report.fail
    monkeypatch.setattr(report, "fail", lambda *a, **b: (tries.append(1), fail(*a, **b))[1])
    return tries


@pytest.mark.parametrize("drained", [False, True], ids=["", "drained"])
def test_a_host_tries_again_to_write_the_end_of_an_attempt_until_there_is_room(
    disk: Disk, monkeypatch: pytest.MonkeyPatch, drained: bool
) -> None:
    harness = RuntimeHarness(disk.path)
    harness.runtime.log = log = Log()
    tries = written_in_vain(harness, monkeypatch)
    live = fill_up(disk, harness)
    if drained:
        harness.lives.stop(live.row.run, "drained")
    host = threading.Thread(target=harness.runtime.execute, args=(live,))
    host.start()

    wait_until(lambda: len(tries) >= 3)
    invariants.check(harness.store.path)
    open_still = harness.rows("SELECT outcome FROM runs")
    disk.make_room()
    host.join(30)

    assert open_still == [(None,)]
    assert harness.rows("SELECT outcome, counted FROM runs") == [("released", 0)]
    assert log.said.count("end_not_written") == 1
    assert drained or harness.state().pause_reason == PauseReason.DISK
    invariants.check(harness.store.path)


def test_a_host_that_finds_no_room_gives_up_when_its_lease_is_about_to_end(disk: Disk) -> None:
    harness = RuntimeHarness(disk.path)
    harness.runtime.log = log = Log()
    live = fill_up(disk, harness)
    live.deadline = time.monotonic() + 0.5

    with pytest.raises(DiskFull):
        harness.runtime.execute(live)
    disk.make_room()

    assert log.said.count("end_not_written") == 1
    assert harness.rows("SELECT outcome FROM runs") == [(None,)]


@pytest.mark.parametrize(
    ("paused", "story"),
    [(PauseReason.DISK, ("released", 0)), (PauseReason.USER, ("lost", 1))],
)
def test_an_attempt_whose_lease_ended_while_its_session_was_paused_for_the_disk_is_not_charged(
    tmp_path: Path, paused: PauseReason, story: tuple[str, int]
) -> None:
    harness = RuntimeHarness(tmp_path)
    harness.claim()
    harness.store.write(lambda tx: sessions.pause(tx, harness.session, paused, {}))
    harness.sql("UPDATE runs SET lease_until = 1")
    harness.sql("UPDATE hosts SET lease_until = 1")

    reconcile.reap(harness.store, None)

    assert harness.rows("SELECT outcome, counted FROM runs") == [story]
    assert harness.task("RESEARCH-001").attempts == story[1]
    invariants.check(harness.store.path)


def wait_until(fact: Callable[[], bool]) -> None:
    deadline = time.monotonic() + patient(30)
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.01)  # between two looks


def test_a_checkpoint_without_room_leaves_everything_in_the_log_and_succeeds_later(disk: Disk) -> None:
    store = factories.make_store(disk.path)
    for number in range(20):
        factories.make_session(store, f"Work {number}: " + "word " * 5_000)
    disk.fill()

    with pytest.raises(DiskFull):
        store.checkpoint()
    kept = len(store.read(sessions.all_sessions))
    disk.make_room()
    store.checkpoint()

    assert kept == 20
    store.close()
    invariants.check(store.path)


LARGE = b"x" * (artifacts.IN_DATABASE + 1)


def test_a_large_content_without_room_leaves_no_draft(disk: Disk) -> None:
    store = factories.make_store(disk.path)
    disk.fill(leave=100_000)

    with pytest.raises(OSError, match="No space"):
        artifacts.keep_large(store.workflow, LARGE)
    left = list((store.workflow / "contents").glob("*/*"))
    disk.make_room()
    artifacts.keep_large(store.workflow, LARGE)

    assert left == []
    assert [file.read_bytes() for file in (store.workflow / "contents").glob("*/*")] == [LARGE]


def test_contents_that_became_read_only_give_the_run_back_uncharged(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = RuntimeHarness(disk.path)
    contents = harness.store.workflow / "contents"
    contents.mkdir()
    keep = artifacts.keep_large
    monkeypatch.setattr(artifacts, "keep_large", lambda database, body: keep(database, LARGE))

    with frozen(contents):
        harness.run()
    told = harness.state()
    resume.resume(harness.store, harness.session, resume.Answer("me"), more_attempts=3)
    harness.run()

    assert (told.status, told.pause_reason) == ("paused", "disk")
    assert "Read-only" in str(told.pause_detail)
    assert harness.task("RESEARCH-001").status == "completed"
    story = harness.rows(
        "SELECT outcome FROM runs WHERE task_id = ? ORDER BY epoch", harness.task("RESEARCH-001").id
    )
    assert story == [("released",), ("completed",)]

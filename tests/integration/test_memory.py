"""What the kernel says of our memory, and that an idle coordinator leaves sooner where it is short."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import structlog

from orchestrator.config.settings import Settings
from orchestrator.coordinator.daemon import Daemon
from orchestrator.coordinator.timers import TimerScheduler
from orchestrator.dispatch.memory import memory
from orchestrator.domain.idleness import SHORT_STAY_SECONDS, Memory
from orchestrator.project import Project
from tests import factories as make

MB = 1024 * 1024
PRESSURE = "some avg10=9.00 avg60={} avg300=9.00 total=1\nfull avg10=9.00 avg60=9.00 avg300=9.00 total=1\n"


def _write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A machine of 1,000 MB, 400 of them available, in the group /team/one."""
    found = tmp_path / "proc"
    _write(found, meminfo=f"MemTotal: {1000 * 1024} kB\nMemFree: 1 kB\nMemAvailable: {400 * 1024} kB\n")
    _write(found / "pressure", memory=PRESSURE.format("1.50"))
    _write(found / "self", cgroup="4:memory:/elsewhere\n0::/team/one\n")
    return found


def test_the_machine_says_what_is_available_and_how_long_others_waited(proc: Path, tmp_path: Path) -> None:
    found = memory(proc, tmp_path / "no groups")

    assert found == [Memory(400 * MB, 1000 * MB, stalled=1.5)]


def test_each_group_around_us_counts_by_its_lower_limit_and_what_it_could_drop(
    proc: Path, tmp_path: Path
) -> None:
    groups = tmp_path / "groups"
    _write(groups, memory_stat="inactive_file 5\n")  # the root has no limit
    _write(groups / "team", memory_max="max\n", memory_high="max\n", memory_current="7\n")
    _write(
        groups / "team" / "one",
        memory_max=f"{300 * MB}\n",
        memory_high=f"{200 * MB}\n",
        memory_current=f"{150 * MB}\n",
        memory_stat=f"anon 1\ninactive_file {20 * MB}\nactive_file 3\n",
        memory_pressure=PRESSURE.format("7.25"),
    )

    found = memory(proc, groups)

    assert found[1:] == [Memory(70 * MB, 200 * MB, stalled=7.25)]


def test_a_group_outside_of_what_is_shown_here_is_not_looked_for(proc: Path, tmp_path: Path) -> None:
    _write(proc / "self", cgroup="0::/../other\n")
    for folder in ("other", "groups"):
        _write(tmp_path / folder, memory_max="10\n", memory_current="10\n")

    assert len(memory(proc, tmp_path / "groups")) == 1


def test_without_these_files_nothing_is_known(tmp_path: Path) -> None:
    assert memory(tmp_path, tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says it")
def test_this_machine_says_something() -> None:
    machine = memory()[0]

    assert 0 < machine.available <= machine.total


def short() -> list[Memory]:
    return [Memory(1, 1000)]


def enough() -> list[Memory]:
    return [Memory(900, 1000)]


@pytest.mark.parametrize(
    ("found", "with_work", "leaves"),
    [(short, False, True), (enough, False, False), (short, True, False)],
    ids=["short of memory", "with enough", "short of memory, with work"],
)
def test_a_coordinator_leaves_sooner_only_where_memory_is_short_and_nothing_is_to_be_done(
    tmp_path: Path, found: Callable[[], list[Memory]], with_work: bool, leaves: bool
) -> None:
    store = make.make_store(tmp_path)
    daemon = Daemon(Project(tmp_path), store, Settings(), structlog.get_logger(), found)
    daemon._supervisor.ensure = lambda *_: None  # type: ignore[method-assign]  # no host is wanted here
    clock = TimerScheduler(structlog.get_logger(), lambda _: None)
    clock.start()
    if with_work:
        make.make_session(store)
    daemon._busy_at = time.monotonic() - SHORT_STAY_SECONDS - 1

    daemon._guarded(clock)

    assert daemon._stopping.is_set() is leaves
    clock.stop()
    store.close()

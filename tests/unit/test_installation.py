"""What counts as a program that was replaced under a process, and what does not."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from orchestrator.cli import daemon
from orchestrator.dispatch.older import was_us
from orchestrator.domain.errors import LifecycleError
from orchestrator.installation import BEGUN_ANEW, INSTALL_SECONDS, Installation, begin_anew, was_begun_anew
from orchestrator.store.clock import boot_id, process_start, space_of_pids
from tests import factories as make


class Row(NamedTuple):
    """What tells a process in the database."""

    boot: str
    pid_space: str
    pid: int
    process_start: int


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages with ours, as an installer leaves it."""
    folder = tmp_path / "site-packages"
    (folder / "orchestrator").mkdir(parents=True)
    (folder / "orchestrator" / "__init__.py").write_text("")
    record(folder, "0.1.0").write_text("orchestrator/__init__.py,,\n")
    return folder


def record(site: Path, version: str) -> Path:
    """The record of this version, whose folder is there afterwards."""
    folder = site / f"team_lifecycle-{version}.dist-info"
    folder.mkdir(exist_ok=True)
    return folder / "RECORD"


def upgrade(site: Path) -> None:
    record(site, "0.1.0").rename(site / "old")
    record(site, "0.1.0").parent.rmdir()
    record(site, "0.2.0").write_text("orchestrator/__init__.py,,\n")


def install_again(site: Path) -> None:
    new = site / "new"
    new.write_bytes(record(site, "0.1.0").read_bytes())
    new.replace(record(site, "0.1.0"))


def install_over(site: Path) -> None:
    """As `pip install --ignore-installed` does, which leaves the record of the one before."""
    record(site, "0.2.0").write_text("orchestrator/__init__.py,,\n")


@pytest.mark.parametrize("replace", [upgrade, install_again, install_over])
def test_another_installation_is_noticed_once_and_for_all(
    replace: Callable[[Path], None], site: Path
) -> None:
    installed = Installation(site)
    assert not installed.is_replaced()

    replace(site)

    assert installed.is_replaced()
    assert installed.is_whole()
    assert not Installation(site).is_replaced()


def test_an_installer_at_work_is_waited_for(site: Path) -> None:
    installed = Installation(site)

    record(site, "0.1.0").unlink()
    assert installed.is_replaced()
    assert not installed.is_whole()
    record(site, "0.1.0").parent.rmdir()
    assert not installed.is_whole()
    record(site, "0.2.0")
    assert not installed.is_whole()
    record(site, "0.2.0").write_text("orchestrator/__init__.py,,\n")
    assert installed.is_whole()


def test_who_was_started_while_an_installer_was_at_work_begins_anew(site: Path) -> None:
    record(site, "0.1.0").unlink()
    installed = Installation(site)
    assert not installed.is_replaced()

    record(site, "0.1.0").write_text("orchestrator/__init__.py,,\n")

    assert installed.is_replaced()


def test_what_else_happens_beside_the_packages_is_no_replacement(site: Path) -> None:
    installed = Installation(site)

    (site / "numbers-1.0.dist-info").mkdir()
    (site / "orchestrator" / "__init__.py").write_text("EDITED = 1\n")
    (site / "orchestrator" / "__pycache__").mkdir()

    assert not installed.is_replaced()
    assert installed.is_whole()


def test_an_edited_checkout_is_not_replaced_until_it_is_installed_again(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "orchestrator").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(site)])
    installed = Installation(checkout)

    (checkout / "orchestrator" / "log.py").write_text("EDITED = 1\n")
    assert not installed.is_replaced()
    install_again(site)
    assert installed.is_replaced()


def test_a_bare_checkout_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path / "nowhere")])
    installed = Installation(tmp_path)

    (tmp_path / "orchestrator").mkdir()

    assert not installed.is_replaced()
    assert installed.is_whole()


def test_a_loaded_file_that_was_edited_counts_where_something_failed(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = site / "orchestrator" / "loaded.py"
    file.write_text("ONE = 1\n")
    loaded = importlib.util.spec_from_file_location("orchestrator.loaded", file)
    assert loaded is not None
    monkeypatch.setitem(sys.modules, "orchestrator.loaded", importlib.util.module_from_spec(loaded))
    installed = Installation(site)
    assert not installed.has_other_files()

    file.write_text("TWO = 2\nTHREE = 3\n")

    assert installed.has_other_files()
    assert not installed.is_replaced()


def test_a_module_that_is_loaded_late_is_watched_from_then_on(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = Installation(site)
    file = site / "orchestrator" / "late.py"
    file.write_text("ONE = 1\n")
    late = importlib.util.spec_from_file_location("orchestrator.late", file)
    assert late is not None
    monkeypatch.setitem(sys.modules, "orchestrator.late", importlib.util.module_from_spec(late))

    installed.note_loaded()
    file.write_text("TWO = 2\nTHREE = 3\n")

    assert installed.has_other_files()


def test_an_installer_that_was_killed_is_not_waited_for(site: Path) -> None:
    installed = Installation(site)
    half = record(site, "0.1.1").parent  # a folder without a record
    record(site, "0.2.0").write_text("orchestrator/__init__.py,,\n")

    assert installed.is_replaced()
    assert not installed.is_whole() and not installed.can_be_left()
    long_ago = time.time() - 2 * INSTALL_SECONDS
    os.utime(half, (long_ago, long_ago))
    assert installed.is_whole() and installed.can_be_left()


def test_one_that_is_gone_is_left_after_a_while(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = Installation(site)
    shutil.rmtree(record(site, "0.1.0").parent)

    before = installed.can_be_left()
    later = time.monotonic() + 2 * INSTALL_SECONDS
    monkeypatch.setattr(time, "monotonic", lambda: later)

    assert (before, installed.can_be_left()) == (False, True)


def test_modules_that_are_loaded_meanwhile_do_not_disturb_a_look(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = Installation(site)
    files = [tmp_path / f"late_{number}.py" for number in range(300)]
    for file in files:
        file.write_text("")
    done = threading.Event()

    def load() -> None:
        for number, file in enumerate(files):
            module = ModuleType(f"workers.late_{number}")
            module.__file__ = str(file)
            monkeypatch.setitem(sys.modules, module.__name__, module)
            installed.note_loaded()
        done.set()

    loading = threading.Thread(target=load)
    loading.start()
    while not done.is_set():
        assert not installed.has_other_files()  # and raises nothing
    loading.join()


@pytest.fixture
def signals() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
def test_an_interpreter_that_is_gone_is_named(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.installation.INSTALL_SECONDS", 0.05)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone" / "python"))

    with pytest.raises(LifecycleError, match="cannot be begun anew") as caught:
        begin_anew(Installation(site), lambda: False)

    assert "gone/python: No such file" in caught.value.why


@pytest.mark.usefixtures("signals")
def test_who_is_told_to_end_begins_nothing_and_hears_no_signal_too_late(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    handlers: list[object] = []
    monkeypatch.setattr("os.execve", lambda *given: begun.append(given))

    def is_told() -> bool:
        handlers.append(signal.getsignal(signal.SIGTERM))
        return True

    begin_anew(Installation(site), is_told)

    assert begun == [] and handlers[-1] is signal.SIG_DFL


@pytest.mark.usefixtures("signals")
def test_who_waits_for_another_coordinator_waits_as_each_later_program_too(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Begun(Exception):
        """The other program is in our place."""

    def begin(_: str, __: Sequence[str], environment: Mapping[str, str]) -> None:
        told.append(environment.get(BEGUN_ANEW))
        raise Begun

    told: list[str | None] = []
    monkeypatch.setattr("os.execve", begin)
    monkeypatch.setenv(BEGUN_ANEW, "1")
    assert was_begun_anew()  # this one is told already
    store, installed = make.make_store(tmp_path), Installation(site)
    make.lead(store)
    upgrade(site)

    with pytest.raises(Begun):
        daemon._await_end(store, installed)

    assert told == ["1"]


def test_a_process_that_began_anew_says_so_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BEGUN_ANEW, "1")

    assert [was_begun_anew(), was_begun_anew()] == [True, False]


@pytest.mark.parametrize(
    ("change", "is_us"), [({}, True), ({"pid_space": "other"}, False), ({"process_start": 7}, False)]
)
def test_a_row_is_of_this_process_by_pid_space_and_start(change: dict[str, object], is_us: bool) -> None:
    row = Row(boot_id(), space_of_pids(boot_id()), os.getpid(), process_start(os.getpid()) or 0)

    assert was_us(row._replace(**change)) is is_us

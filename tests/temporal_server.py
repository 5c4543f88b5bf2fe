"""A Temporal server of the tests' own: from a wheel, on loopback, its data in a folder of its own, gone when they end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from tests.patience import patient

START_SECONDS = 60.0
NAMESPACE = "default"
LOOPBACK = "127.0.0.1"


def program() -> Path | None:
    """The program that the wheel brings, None where it is not installed."""
    beside = Path(sys.executable).parent / "temporal"
    return beside if beside.is_file() else None


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class TemporalServer:
    """`start` begins it on the same port and data as before; `inside`: what to put before each command."""

    def __init__(self, folder: Path, found: Path, ip: str = LOOPBACK, inside: Sequence[str] = ()) -> None:
        self._ip = ip
        # Its parts always speak to each other by 127.0.0.1.
        self._listens = ip if ip == LOOPBACK else "0.0.0.0"
        self._inside = tuple(inside)
        self.folder = folder
        self.port = free_port()
        self._program = found
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"{self._ip}:{self.port}"

    def start(self) -> None:
        """Raises AssertionError with what it printed."""
        with (self.folder / "log").open("ab") as out:
            self._process = subprocess.Popen(
                [
                    *(*self._inside, str(self._program)),
                    *("server", "start-dev", "--headless", "--ip", self._listens, "--port", str(self.port)),
                    *("--http-port", str(free_port()), "--metrics-port", str(free_port())),
                    *("--db-filename", str(self.folder / "engine.db"), "--log-level", "error"),
                    *("--dynamic-config-value", "matching.numTaskqueueReadPartitions=1"),
                    *("--dynamic-config-value", "matching.numTaskqueueWritePartitions=1"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=self.folder,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
            )
        until = time.monotonic() + patient(START_SECONDS)
        while not self._answers():
            said = (self.folder / "log").read_text(errors="replace")[-2_000:]
            assert self._process.poll() is None and time.monotonic() < until, said
            time.sleep(0.05)  # between two looks, not instead of one

    def _answers(self) -> bool:
        done = subprocess.run(
            [
                *(*self._inside, str(self._program)),
                *("operator", "cluster", "health", "--address", self.address, "--command-timeout", "5s"),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
        )
        return done.returncode == 0

    def run(self, *arguments: str) -> str:
        """What a command of Temporal's own prints. Raises AssertionError."""
        done = subprocess.run(
            [*self._inside, str(self._program), *arguments, "--address", self.address],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patient(60),
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """As a crash would."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()


@contextmanager
def temporal_server(ip: str = LOOPBACK, inside: Sequence[str] = ()) -> Iterator[TemporalServer]:
    """Raises AssertionError where it does not start."""
    found = program()
    assert found is not None
    folder = Path(tempfile.mkdtemp(prefix="lifecycle-temporal-", dir="/tmp"))
    running = TemporalServer(folder, found, ip, inside)
    try:
        running.start()
        yield running
    finally:
        running.kill()
        shutil.rmtree(folder)

"""Runs commands without waiting for Python to start: a process that has loaded the product forks for each.

What is saved is a third of a second for each of many hundred commands; everything else is the command's own, as if it had
been started: process, environment, folder, standard streams, exit. Whoever tests the start itself starts it.
"""

from __future__ import annotations

import array
import gc
import json
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from orchestrator.config.shipped import shipped_pack

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "cli",
    "commands",
    "config",
    "coordinator",
    "dispatch",
    "domain",
    "lifecycle",
    "store",
    "store.backends",
    "views",
)
AT_START = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "FAKETIME")  # variables that a program reads when it starts
LARGEST = 1_000_000  # bytes of a request: a command line is shorter


class Ended(Exception):
    """The process that forks is gone."""


def can_run(environment: Mapping[str, str]) -> bool:
    """Whether a command with this environment would be the same if it had been started."""
    return _of_the_start(environment) == _of_the_start(_base())


def run(
    arguments: Iterable[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> tuple[int, str, str]:
    """Exit code (of a signal: minus its number), standard output and standard error. Raises TimeoutExpired."""
    given = {"arguments": list(arguments), "folder": str(folder), "environment": dict(environment)}
    pipes = [os.pipe() for _ in range(3)]  # standard output, standard error, how it ends
    try:
        with Path(os.devnull).open("rb") as nothing:
            theirs = [nothing.fileno(), *(write for _, write in pipes)]
            _send(_forker(), json.dumps(given).encode(), theirs)
    finally:
        for _, write in pipes:
            os.close(write)
    said = [b"", b"", b""]
    until = time.monotonic() + timeout
    with selectors.DefaultSelector() as waiting:
        for number, (read, _) in enumerate(pipes):
            waiting.register(read, selectors.EVENT_READ, number)
        while waiting.get_map():
            for key, _ in waiting.select(max(0.0, until - time.monotonic())):
                if more := os.read(key.fd, 65_536):
                    said[key.data] += more
                else:
                    waiting.unregister(key.fd)
                    os.close(key.fd)
            if time.monotonic() >= until and (open_ones := list(waiting.get_map().values())):
                for key in open_ones:
                    os.close(key.fd)
                for pid in said[2].split()[:1]:
                    os.kill(int(pid), signal.SIGKILL)
                raise subprocess.TimeoutExpired(given["arguments"], timeout)
    assert said[2], "the process that forks is gone"
    _, status = said[2].split()
    return os.waitstatus_to_exitcode(int(status)), said[0].decode(), said[1].decode()


def _of_the_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(AT_START)}


def _base() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}


@cache
def _forker() -> socket.socket:
    """The process that forks; it ends when this one does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * LARGEST)
    with theirs:
        subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.e2e.warm", str(theirs.fileno())],
            cwd="/",
            env=_base(),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
    return ours


def _send(to: socket.socket, message: bytes, descriptors: list[int]) -> None:
    sent = to.sendmsg(
        [message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors).tobytes())]
    )
    assert sent == len(message)


def _serve(asked: socket.socket) -> dict[str, Any]:
    """Fork for each request; returns in the forked process alone, as what it was asked to be. Raises Ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait for the commands
    while True:
        message, descriptors, _, _ = socket.recv_fds(asked, LARGEST, 4)
        if not message:
            raise Ended
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            asked.close()
            *streams, end = descriptors
            if (pid := os.fork()) == 0:
                os.close(end)
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)
                    os.close(stream)
                return dict(json.loads(message))
            for stream in streams:
                os.close(stream)
            os.write(end, f"{pid} ".encode())
            os.write(end, str(os.waitpid(pid, 0)[1]).encode())
            os._exit(0)
        for each in descriptors:
            os.close(each)


def _become(asked: Mapping[str, Any]) -> None:
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = ["lifecycle", *asked["arguments"]]
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        was = getattr(sys, name)  # it knows what its descriptor was
        line = 1 if name == "stderr" else -1
        new = open(number, mode, line, was.encoding, was.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def _load() -> None:
    for room in ROOMS:
        package = import_module(f"orchestrator.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            import_module(f"orchestrator.{room}.{module.name}")
    shipped_pack()  # parsed once for all commands


if __name__ == "__main__":
    _load()
    gc.freeze()  # else each child would look through all of it when it ends
    from orchestrator.__main__ import main

    try:
        asked = _serve(socket.socket(fileno=int(sys.argv[1])))
    except Ended:
        sys.exit(0)
    _become(asked)
    main()

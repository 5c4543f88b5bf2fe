"""Machines in network namespaces of their own: a centre, and others whose link to it can be cut. Nothing leads out of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

CENTRE = "10.99.0.1"
LOOPBACK = "lo"
_numbers = count(1)


def why_not() -> str | None:
    """Why no namespace can be made here; None where one can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    try:
        done = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False)
        tried = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        return f"{error.filename} is missing (Debian packages iproute2 and util-linux)"
    return (done.stderr or tried.stderr).strip() or None


def _ip(*words: str) -> None:
    """Raises AssertionError with what it said."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"


class Network:
    """The centre has a switch, and each other machine a cable to it."""

    def __init__(self, machines: int) -> None:
        self._prefix = f"lc{os.getpid()}x{next(_numbers)}"
        self._made: list[str] = []
        self._machines = machines

    @property
    def centre(self) -> list[str]:
        """What to put before a command that is to run there."""
        return self._inside(0)

    def machine(self, number: int) -> list[str]:
        """The same of the machine with that number, from 1 on."""
        return self._inside(number)

    def make(self) -> None:
        for number in range(self._machines + 1):
            _ip("netns", "add", self._name(number))
            self._made.append(self._name(number))
            _ip("-n", self._name(number), "link", "set", LOOPBACK, "up")
        centre = self._name(0)
        _ip("-n", centre, "link", "add", "switch", "type", "bridge")
        _ip("-n", centre, "addr", "add", f"{CENTRE}/24", "dev", "switch")
        _ip("-n", centre, "link", "set", "switch", "up")
        for number in range(1, self._machines + 1):
            there = ("peer", "name", "cable", "netns", self._name(number))
            _ip("-n", centre, "link", "add", f"port{number}", "type", "veth", *there)
            _ip("-n", centre, "link", "set", f"port{number}", "master", "switch", "up")
            _ip("-n", self._name(number), "addr", "add", f"10.99.0.{10 + number}/24", "dev", "cable")
            _ip("-n", self._name(number), "link", "set", "cable", "up")

    def cut(self, number: int) -> None:
        """Pull the machine's cable: nobody is told."""
        _ip("-n", self._name(0), "link", "set", f"port{number}", "down")

    def mend(self, number: int) -> None:
        _ip("-n", self._name(0), "link", "set", f"port{number}", "up")

    def close(self) -> None:
        for name in reversed(self._made):
            _ip("netns", "del", name)
        self._made.clear()

    def _name(self, number: int) -> str:
        return f"{self._prefix}-{number}"

    def _inside(self, number: int) -> list[str]:
        return ["ip", "netns", "exec", self._name(number)]


@contextmanager
def network(machines: int) -> Iterator[Network]:
    made = Network(machines)
    try:
        made.make()
        yield made
    finally:
        made.close()

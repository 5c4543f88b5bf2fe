"""Wake-ups: datagrams on Unix sockets in a private directory. A lost wake-up costs at most one timer period.

A wake is sent after the commit; sent before, its receiver could poll too early and find nothing.
The sockets lie in a short directory of the user's own, since a socket's path may have 107 bytes and a project's may not.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import SimpleQueue

from orchestrator.domain.errors import StoreError
from orchestrator.domain.identity import ProjectId
from orchestrator.domain.json_types import JsonObject

MOMENT = 0.05  # seconds that a wake may wait for others
BIND_TRIES = 10  # how often the directory may be removed under us by others that leave
MAX_DATAGRAM = 200_000  # bytes; the kernel's default send buffer holds this


def runtime_directory(project: ProjectId) -> Path:
    """The directory of this project's sockets, whether it exists or not. Raises StoreError when it is not safe."""
    name = hashlib.sha256(os.fsencode(project)).hexdigest()[:12]
    candidates = [Path(base) for base in (os.environ.get("XDG_RUNTIME_DIR"),) if base and len(base) < 60]
    base = next((path for path in candidates if path.is_dir() and os.access(path, os.W_OK)), None)
    top = base / "lifecycle" if base else Path("/tmp") / f"lifecycle-{os.getuid()}"  # noqa: S108 - owner and mode are checked
    for directory in (top, top / name):
        _refuse_unsafe(directory)
    return top / name


def _refuse_unsafe(directory: Path) -> None:
    try:
        found = directory.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise StoreError(
            f"{directory} is not safe to use",
            why="it must be a directory that belongs to you and that nobody else can enter",
            fix=f"remove it, or chmod 700 {directory}",
        )


def _made_directory(project: ProjectId) -> Path:
    """The private directory (mode 0700, owned by us) for the sockets of this project. Raises StoreError."""
    directory = runtime_directory(project)
    for each in (directory.parent, directory):
        each.mkdir(mode=0o700, exist_ok=True)
        _refuse_unsafe(each)
    return directory


def _tidy(directory: Path) -> None:
    """Remove the sockets that killed processes have left, and the directory if it is empty."""
    for path in directory.glob("*.sock"):
        if _is_dead(path):
            path.unlink(missing_ok=True)
    with suppress(OSError):  # somebody's socket is in it: who leaves last removes it
        directory.rmdir()
        directory.parent.rmdir()


def _is_dead(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return False


class Waker:
    """A socket for wake-ups; `wait` returns at once when one has arrived."""

    def __init__(
        self, project: ProjectId, name: str, on_message: Callable[[JsonObject], None] | None = None
    ) -> None:
        """`name` is "daemon" or a host's incarnation; messages other than wakes go to `on_message`, in the waiting thread."""
        self._project = project
        self._name = f"{name[:20]}.sock"
        self._on_message = on_message
        self._socket, self.path = self._bind()
        self._inode = self.path.stat().st_ino
        self._pending = threading.Event()

    def _bind(self) -> tuple[socket.socket, Path]:
        """The socket in the directory, which is created again if the last process to leave has just removed it."""
        for left in reversed(range(BIND_TRIES)):
            try:
                path = _made_directory(self._project) / self._name
                path.unlink(missing_ok=True)  # a dead predecessor's; the leader lease says that it is dead
                made = self._bound(path)
            except FileNotFoundError:
                if not left:
                    raise
            else:
                _tidy(path.parent)
                return made, path
        raise AssertionError("the last try raises")

    def _bound(self, path: Path) -> socket.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        try:
            made.bind(str(path))
        except OSError:
            made.close()
            raise
        return made

    def _stay_reachable(self) -> None:
        """Bind again when the socket or its directory was removed: otherwise every later wake would be lost."""
        with suppress(OSError, StoreError):  # not now: it is tried again after the next wait
            path = _made_directory(self._project) / self._name
            if path == self.path and path.exists():  # ours, or a successor's
                return
            fresh = self._bound(path)
            self._socket.close()
            self._socket, self.path, self._inode = fresh, path, path.stat().st_ino

    def wait(self, seconds: float) -> bool:
        """Wait for a wake, at most `seconds`; several that have arrived count as one."""
        if self._pending.is_set():
            self._pending.clear()
            seconds = 0
        self._socket.settimeout(max(seconds, 0.0001))
        woken = False
        while True:
            try:
                raw = self._socket.recv(MAX_DATAGRAM)
            except (TimeoutError, BlockingIOError):
                if not woken:
                    self._stay_reachable()
                return woken
            except OSError:
                if self._socket.fileno() == -1:  # closed while waiting: the process is ending
                    return woken
                raise
            woken = True
            self._deliver(raw)
            self._socket.settimeout(0.0001)

    def _deliver(self, raw: bytes) -> None:
        if self._on_message is None or raw == b"wake":
            return
        try:
            message = json.loads(raw)
        except ValueError:
            return  # not ours; a wake is all that a stranger's datagram can be
        if isinstance(message, dict):
            self._on_message(message)

    def wake_self(self) -> None:
        wake_path(self.path)

    def close(self) -> None:
        with suppress(FileNotFoundError):
            if self.path.stat().st_ino == self._inode:  # else a successor listens there now
                self.path.unlink()
        self._socket.close()
        _tidy(self.path.parent)


def wake_path(path: Path, message: JsonObject | None = None) -> bool:
    """Send a wake (or a message) to a socket; False if no process listens there."""
    raw = b"wake" if message is None else json.dumps(message).encode()
    try:
        _sender().sendto(raw, str(path))
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    except (
        OSError
    ):  # its queue is full, it is another user's, or we have no descriptor left: the timer finds it
        return True
    return True


@cache
def _sender() -> socket.socket:
    """The process's one sending socket: opening one for each wake would slow down the slots."""
    sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    sender.setblocking(False)
    return sender


_reached: dict[ProjectId, Path] = {}  # project -> the socket at which its coordinator was last reached


def wake_daemon(project: ProjectId, message: JsonObject | None = None) -> bool:
    """Wake the coordinator of this project; False when no daemon listens.

    A message may carry secrets, so its directory is checked each time; a wake carries no data.
    """
    known = _reached.get(project)
    if known is not None and message is None and wake_path(known):
        return True
    path = runtime_directory(project) / "daemon.sock"
    heard = wake_path(path, message)
    if heard:
        _reached[project] = path
    return heard


class Bell:
    """Wakes the coordinator from a thread of its own; several requests within a moment make one wake.

    Small things that nobody waits for are done there too.
    """

    def __init__(self, project: ProjectId) -> None:
        self._project = project
        self._rung = threading.Event()
        self._wanted = False  # a wake
        self._closing = False
        self._later: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._keep_waking, name="bell", daemon=True)
        self._thread.start()

    def ring(self) -> None:
        self._wanted = True
        self._rung.set()

    def later(self, work: Callable[[], None]) -> None:
        """Have `work` done a moment later, in order, before `close` returns. It must not raise."""
        self._later.put(work)
        self._rung.set()

    def close(self) -> None:
        """Do what was asked for. To be called when nobody asks any more."""
        self._closing = True
        self._rung.set()
        self._thread.join()

    def _keep_waking(self) -> None:
        closing = False
        while not closing:
            self._rung.wait()
            if not self._closing:
                time.sleep(MOMENT)  # let more rings come
            self._rung.clear()
            closing = self._closing  # asked before the work: all that was wanted before `close` is done below
            if self._wanted:
                self._wanted = False
                with suppress(StoreError):  # a wake that cannot be sent is lost, and the timers find the work
                    wake_daemon(self._project)
            while not self._later.empty():
                self._later.get()()


def host_socket(project: ProjectId, incarnation: str) -> Path:
    """Where a worker host listens."""
    return runtime_directory(project) / f"{incarnation[:20]}.sock"


def wake_host(project: ProjectId, incarnation: str, message: JsonObject | None = None) -> bool:
    """Wake one worker host, or send it a message; False when it does not listen."""
    return wake_path(host_socket(project, incarnation), message)


def wake_hosts(project: ProjectId, message: JsonObject | None = None) -> int:
    """Wake every worker host of this project; returns how many listened."""
    directory = runtime_directory(project)
    return sum(wake_path(path, message) for path in directory.glob("h-*.sock"))

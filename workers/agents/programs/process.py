"""The host's side of an agent process: start it under a guardian, extend its lease, stop it, read its output.

The guardian (workers/host/guardian.py) ends the agent with all its descendants. What is left to do here is the one
thing a guardian cannot do: notice that it is itself dead or wedged, and then clear up by the mark that every
process of a call carries in its environment.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from orchestrator.domain import secrets
from orchestrator.domain.dataclass import asdict, dataclass
from orchestrator.domain.errors import AgentError, AgentUnavailable
from workers.agents.protocol import Timeouts
from workers.host.guardian import KILL_SECONDS, TERM_GRACE, clock
from workers.host.marked_processes import CALL_MARK, RUN_MARK, kill_marked

GUARDIAN = Path(__file__).resolve().parents[2] / "host" / "guardian.py"
# Its folder comes after the standard library, so that nothing there can stand in for a part of it.
_START = (
    "import sys; sys.path.append(sys.argv[1].rpartition('/')[0]); import guardian; sys.exit(guardian.main())"
)
OVERDUE = TERM_GRACE + KILL_SECONDS + 3.0  # seconds after an end was due, until the guardian counts as wedged
EVIDENCE_BYTES = 16 * 1024 * 1024  # of an agent's output that is kept
COMMON = ("PATH", "HOME", "LANG", "LANGUAGE", "USER", "LOGNAME", "SHELL", "TZ")


@dataclass(frozen=True, slots=True)
class Ended:
    """How an agent process ended: exit code or signal, and who or what ended it."""

    # exited, host_gone, lease, start, silence, turn, total, output_limit, stopped, spawn_failed, unconfined,
    # memory, processes, disk, guardian_died
    ended_by: str
    exit: int | None = None
    signal: int | None = None
    seconds: float = 0.0
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    survivors_killed: int = 0
    max_rss_kb: int = 0
    left: bool = False  # something could not be killed
    error: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    text: str
    notes: tuple[str, ...] = ()  # what was replaced or cut


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one process left: how it ended, the ends of what it printed, and why it was stopped early."""

    ended: Ended
    out: Output
    errors: Output
    early: AgentError | None
    changed: Sequence[str] = ()  # in the project meanwhile, as notes


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a process may not write to, and what it may all the same; real paths. Where it cannot be had, nothing runs."""

    read_only: Sequence[str]
    writable: Sequence[str]
    everything: bool = False  # all is read-only; /dev and processes of its own
    hidden: Sequence[str] = ()  # covered by something empty, where it exists
    visible: Sequence[str] = ()  # what stays to be seen below a hidden folder, or below /tmp
    network: bool = True  # False: none but a loopback of its own
    tmp_bytes: int = 0  # of an empty /tmp of its own; 0: the usual one


class GuardedProcess:
    """One agent process; started by the constructor, from any thread. Close it, or use `with`.

    Raises AgentUnavailable when no process can be started at all (no descriptors, no memory).
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes,
        timeouts: Timeouts,
        run: str,
        lease_seconds: float,
        run_dir: Path,
        rlimits: Mapping[str, int] | None = None,
        confine: Confinement | None = None,
        memory_bytes: int | None = None,
        processes: int | None = None,
        free_bytes: Mapping[str, int] | None = None,
    ) -> None:
        self.mark = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        self._ended: Ended | None = None
        self._answer = b""
        self._stopping = False
        self._closed = False
        self._known = secrets.known(env)
        self._started = clock()
        self._due = self._started + lease_seconds  # when the guardian has to end it at the latest
        marks = {RUN_MARK: run, CALL_MARK: self.mark}
        self._files: list[IO[bytes]] = []
        try:
            run_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            with private_folder(run_dir) as own:
                with contextlib.suppress(FileExistsError):
                    os.mkdir("calls", mode=0o700, dir_fd=own)
                with private_folder("calls", own) as calls:
                    for kind in ("in", "out", "err"):
                        self._files.append(_private_file(f"{self.mark}.{kind}", calls))
            prompt, out, err = self._files
            prompt.write(stdin)
            prompt.seek(0)
            self._guardian = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _START, str(GUARDIAN)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=marks,
                cwd="/",
                pass_fds=[file.fileno() for file in self._files],
                start_new_session=True,
            )
        except OSError as error:
            for file in self._files:
                file.close()
            raise AgentUnavailable("no agent process can be started", why=str(error), run=run) from error
        job = {
            "argv": list(argv),
            "cwd": str(cwd),
            "env": {**env, **marks},
            "stdin": prompt.fileno(),
            "stdout": out.fileno(),
            "stderr": err.fileno(),
            "timeouts": {name: getattr(timeouts, name) for name in ("start", "silence", "turn", "total")},
            "output_bytes": timeouts.output_bytes,
            "rlimits": dict(rlimits or {}),
            "memory_bytes": memory_bytes,  # of the agent with all that it started, together
            "processes": processes,
            "free_bytes": dict(free_bytes or {}),  # by folder: what its disk has to keep free
            "confine": None if confine is None else asdict(confine),
            "deadline": lease_seconds,
            "sent": self._started,
        }
        self._send(job)
        assert self._guardian.stdin is not None
        os.set_blocking(
            self._guardian.stdin.fileno(), False
        )  # a wedged guardian must not hold up a heartbeat

    @property
    def pid(self) -> int:
        """The guardian's process id."""
        return self._guardian.pid

    def extend(self, seconds: float) -> None:
        """Let the lease end so many seconds from now, if it has not ended yet."""
        sent = clock()
        if self._send({"deadline": seconds, "sent": sent}) and not self._stopping:
            self._due = max(self._due, sent + seconds)

    def stop(self, reason: str = "stopped") -> None:
        """Ask for the end: SIGTERM, a short grace, then SIGKILL to every descendant; `wait` tells when."""
        self._stopping = True
        self._send({"stop": reason})
        self._due = min(self._due, clock())

    def wait(self, seconds: float | None = None) -> Ended | None:
        """How it ended, or None when it has not within `seconds`. When it returns, no descendant lives."""
        until = None if seconds is None else clock() + seconds
        with self._reading:
            while self._ended is None:
                now = clock()
                if now >= self._due + OVERDUE:
                    self._ended = self._clear_up("the guardian did not answer")
                    break
                ends = [self._due + OVERDUE] + ([until] if until is not None else [])
                if self._more(max(0.0, min(ends) - now)):
                    self._ended = self._report()
                elif until is not None and clock() >= until:
                    return None
            return self._ended

    def stdout(self, limit: int = 10 * 1024 * 1024) -> Output:
        return decode(_read(self._files[1], 0, limit))

    def stdout_size(self) -> int:
        """Bytes printed so far."""
        return os.fstat(self._files[1].fileno()).st_size

    def stdout_tail(self, limit: int) -> Output:
        return _tail(self._files[1], limit)

    def stderr_tail(self, limit: int = 4_000) -> Output:
        return _tail(self._files[2], limit)

    def close(self) -> None:
        """End it if it still runs, and let go of the files: what is kept of them as evidence holds no secret."""
        self.stop("closed")
        self.wait()
        for file in self._files[1:]:
            _mask(file, self._known)
        with self._lock:  # a heartbeat may still know us
            self._closed = True
            for file in self._files:
                file.close()
            for pipe in (self._guardian.stdin, self._guardian.stdout):
                assert pipe is not None
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def __enter__(self) -> GuardedProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, command: Mapping[str, object]) -> bool:
        """False when the guardian is gone or does not read: `wait` finds out which."""
        line = json.dumps(command).encode() + b"\n"
        assert self._guardian.stdin is not None
        with self._lock:
            while line and not self._closed:
                try:
                    line = line[os.write(self._guardian.stdin.fileno(), line) :]
                except (BrokenPipeError, BlockingIOError):
                    return False
            return not self._closed

    def _more(self, seconds: float) -> bool:
        """Read on in the guardian's answer; True at its end."""
        assert self._guardian.stdout is not None
        pipe = self._guardian.stdout.fileno()
        poll = select.poll()  # not select: a host may have more than 1024 descriptors
        poll.register(pipe, select.POLLIN)
        if not poll.poll(min(seconds, 3600.0) * 1000):
            return False
        data = os.read(pipe, 65_536)
        self._answer += data
        return not data

    def _report(self) -> Ended:
        self._guardian.wait()
        try:
            return Ended(**json.loads(self._answer))
        except ValueError:
            return self._clear_up(f"the guardian ended without a report (status {self._guardian.returncode})")

    def _clear_up(self, why: str) -> Ended:
        """Do the guardian's work for it: it is dead or wedged."""
        self._guardian.kill()
        self._guardian.wait()
        killed, left = kill_marked(CALL_MARK, self.mark)
        return Ended(
            ended_by="guardian_died",
            seconds=round(clock() - self._started, 3),
            stdout_bytes=os.fstat(self._files[1].fileno()).st_size,
            stderr_bytes=os.fstat(self._files[2].fileno()).st_size,
            survivors_killed=killed,
            left=left,
            error=why,
        )


def agent_environment(
    environ: Mapping[str, str], allowed: Iterable[str], extra: Mapping[str, str]
) -> dict[str, str]:
    """What an agent may see of our environment: the usual names, locale, the allowed ones, and `extra`."""
    names = {*COMMON, *allowed, *(name for name in environ if name.startswith("LC_"))}
    return {**{name: environ[name] for name in sorted(names) if name in environ}, "TERM": "dumb", **extra}


def decode(data: bytes) -> Output:
    """Bytes of an agent as text that can be stored: never fails, says in notes what it replaced."""
    notes = []
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
        notes.append("a byte order mark was removed")
    text = data.decode("utf-8", errors="replace")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        notes.append("bytes that are not UTF-8 were replaced")
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
        notes.append("NUL characters were replaced")
    return Output(text, tuple(notes))


@contextlib.contextmanager
def private_folder(path: Path | str, inside: int | None = None) -> Iterator[int]:
    """A descriptor of a folder, no link: the agent that was asked before may have put one in its place."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=inside)
    try:
        yield handle
    finally:
        os.close(handle)


def _private_file(name: str, folder: int) -> IO[bytes]:
    """Made by us and held open: an agent that swaps the name for a link or a pipe changes nothing."""
    handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
    return os.fdopen(handle, "r+b", buffering=0)


def _mask(file: IO[bytes], known: secrets.Known) -> None:
    """Write the file anew when there is a secret in it; what is too long to be looked at is cut off."""
    said = _read(file, 0, EVIDENCE_BYTES)
    text = said.decode("utf-8", "surrogateescape")
    masked = secrets.mask(text, known)
    if masked != text or os.fstat(file.fileno()).st_size > len(said):
        body = masked.encode("utf-8", "surrogateescape")
        os.ftruncate(file.fileno(), 0)
        os.pwrite(file.fileno(), body, 0)


def _tail(file: IO[bytes], limit: int) -> Output:
    return decode(_read(file, max(0, os.fstat(file.fileno()).st_size - limit), limit))


def _read(file: IO[bytes], start: int, limit: int) -> bytes:
    return os.pread(file.fileno(), limit, start)

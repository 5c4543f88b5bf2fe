"""Starts one agent process and sees to it that nothing of it lives on.

Killing an agent is not enough: its children survive it, those that called `setsid` survive the killing
of its group, and when the host is killed nobody is left to do even that. So between host and agent
stands this small program. It is a child subreaper (orphans of the agent become its own children), it
holds the read end of a pipe whose write end only the host has (end of file = the host is gone), and it
keeps the lease's end by its own clock, so that it also acts when the host is stopped or wedged.
Whatever ends the agent, all descendants are killed before one JSON line of report goes to the host.
Where the job names folders that the agent may only read, it is not started at all unless that can be had.

It runs under `python -I -S` with the standard library alone, so that it starts at once and nothing in a
user's folder or environment changes it; imported, not as a script, so that it is compiled once. It has one
thread: the agent's parent-death signal fires when the thread that forked it ends. Lines in: the job, then
`{"deadline": seconds, "sent": clock}` and `{"stop": reason}`. Elsewhere than on Linux there is neither
subreaper nor parent-death signal: the pipe and the group kill remain.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from importlib import import_module

TYPE_CHECKING = False  # not from `typing`, which takes as long as everything else here
if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject
if TYPE_CHECKING or __package__:
    from workers.host.process_tree import Family, Process, descendants, die_first, private_bytes, state
else:  # in the guardian's own process, which knows this folder alone
    from process_tree import Family, Process, descendants, die_first, private_bytes, state

LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CHUNK = 65_536
TICK = 1.0  # seconds; a suspended machine wakes us no earlier
COUNT_TICK, COUNT_SHARE = 0.1, 20  # seconds between two counts, at least so many times what one takes
TERM_GRACE = 2.0  # seconds between SIGTERM and SIGKILL
POLITE = (
    "start",
    "silence",
    "turn",
    "total",
    "stopped",
)  # ends that begin with SIGTERM; the others kill at once
STRAGGLER_GRACE = 0.25  # seconds that children of an agent which ended by itself may take to end too
KILL_SECONDS = 10.0  # then what cannot be killed (a setuid program, a dead disk) is reported as left
FREEZE_ROUNDS = 100
NO_GROUP = -1  # of a process that ends just now
UNCONFINED = "\0"  # begins the failure of an agent whose folders could not be made read-only
HANDLED = tuple(getattr(signal, f"SIG{name}") for name in ("PIPE", "XFSZ", "HUP", "INT", "TERM", "CHLD"))


def clock() -> float:
    """Seconds on the clock that host and guardian share; time spent suspended counts too."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if LINUX else time.monotonic()


def prctl(option: int, value: int) -> None:
    if LINUX and ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


class Guardian:
    def __init__(self, job: JsonObject, commands: bytes) -> None:
        self.job = job
        self.timeouts: dict[str, float | None] = job["timeouts"]
        self.output_bytes: int = job["output_bytes"]
        self.lease_end: float = job["sent"] + job["deadline"]
        self.started = self.last_byte = clock()
        self.unread = b""  # of a command whose line is not whole yet
        self.asked: str | None = None  # host_gone or stopped
        self.output: dict[int, int] = {}  # our end of a pipe -> file it goes to
        self.written: dict[int, int] = {}  # file -> bytes
        self.agent = 0
        self.status: int | None = None
        self.max_rss = 0
        self.killed: set[int] = set()
        self.counts = LINUX and any(job.get(name) for name in ("memory_bytes", "processes", "free_bytes"))
        self.next_count = 0.0
        self.error = ""
        self.obey(commands)

    def run(self) -> JsonObject:
        ended_by = "spawn_failed"
        left = False
        self.wake, wake_end = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(wake_end, False)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: setattr(self, "asked", self.asked or "stopped"))
        try:
            if self.spawn():
                while (reason := self.ending()) is None:
                    self.pump(min(self.lease_end, *self.ends().values(), self.next_look()) - clock())
                ended_by = reason
                self.let_go(reason)
        finally:
            left = self.kill_all()
        self.pump(0.0, rounds=64)  # what the dead left in the pipes
        if ended_by == "exited" and self.overflowed():
            ended_by = "output_limit"
        if self.error.startswith(UNCONFINED):
            ended_by, self.error = "unconfined", self.error.removeprefix(UNCONFINED)
        return self.report(ended_by, left)

    def spawn(self) -> bool:
        """Start the agent; False (and `error`) when its program could not be executed."""
        stdout, stdout_end = os.pipe()
        stderr, stderr_end = os.pipe()
        failure, failure_end = os.pipe()  # closed by a successful exec
        guardian = os.getpid()
        try:
            self.agent = os.fork()
        except OSError as error:
            self.error = str(error)
            return False
        if self.agent == 0:
            try:
                self.become_agent(guardian, stdout_end, stderr_end)
            except BaseException as error:
                os.write(failure_end, str(error).encode(errors="replace")[:1000])
            finally:
                os._exit(127)
        for end in (stdout_end, stderr_end, failure_end):
            os.close(end)
        self.error = os.read(failure, 1000).decode(errors="replace")
        os.close(failure)
        for pipe, file in ((stdout, self.job["stdout"]), (stderr, self.job["stderr"])):
            os.set_blocking(pipe, False)
            self.output[pipe] = file
            self.written[file] = 0
        os.set_blocking(0, False)
        return not self.error

    def become_agent(self, guardian: int, stdout: int, stderr: int) -> None:
        if LINUX and self.job["memory_bytes"] is not None:
            die_first()
        parent = guardian if self.job["confine"] is None else confine(self.job["confine"])
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # not before: other credentials may clear it
        if os.getppid() != parent:  # it died before the signal was set
            os._exit(127)
        os.setsid()  # also: no terminal to ask questions on
        for number in HANDLED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name, value in self.job["rlimits"].items():
            kind = getattr(resource, f"RLIMIT_{name}")
            most = resource.getrlimit(kind)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(kind, (value, value))
        os.dup2(self.job["stdin"], 0)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        os.chdir(self.job["cwd"])
        os.execvpe(self.job["argv"][0], self.job["argv"], self.job["env"])  # noqa: S606 - no shell wanted

    def ends(self) -> dict[str, float]:
        """When each limit is reached."""
        since = {"turn": self.started, "total": self.started}
        since["silence" if any(self.written.values()) else "start"] = self.last_byte
        timeouts = ((name, self.timeouts.get(name), begun) for name, begun in since.items())
        return {name: begun + limit for name, limit, begun in timeouts if limit is not None}

    def next_look(self) -> float:
        return min(clock() + TICK, self.next_count) if self.counts else clock() + TICK

    def ending(self) -> str | None:
        """Why the agent has to end now, or has ended. A lease that is over stays over."""
        now = clock()
        if now >= self.lease_end:
            return "lease"
        if self.asked:
            return self.asked
        if self.overflowed():
            return "output_limit"
        if self.status is not None:
            return "exited"
        late = next((name for name, end in self.ends().items() if now >= end), None)
        return late or self.greedy(now)

    def greedy(self, now: float) -> str | None:
        """What all of them together take too much of: memory, processes, disk."""
        memory, processes = self.job["memory_bytes"], self.job["processes"]
        if not self.counts or now < self.next_count:
            return None
        family = self.family()
        used = sum(map(private_bytes, family)) if memory is not None else 0
        self.next_count = now + max(COUNT_TICK, COUNT_SHARE * (clock() - now))
        if processes is not None and len(family) > processes:
            return "processes"
        for folder, least in self.job["free_bytes"].items():
            with contextlib.suppress(FileNotFoundError):  # somebody else has removed it
                disk = os.statvfs(folder)
                if disk.f_bavail * disk.f_frsize < least:
                    return "disk"
        return "memory" if memory is not None and used > memory else None

    def overflowed(self) -> bool:
        return bool(self.error) or max(self.written.values()) >= self.output_bytes

    def pump(self, seconds: float, rounds: int = 1) -> None:
        """Wait at most so long for something to happen, and take note of it: output, commands, the dead."""
        for _ in range(rounds):
            waited = [self.wake, *self.output] + ([0] if self.asked != "host_gone" else [])
            ready, _, _ = select.select(waited, [], [], max(0.0, seconds))
            for pipe in ready:
                if pipe == self.wake:
                    os.read(self.wake, CHUNK)
                elif pipe == 0:
                    self.hear()
                else:
                    self.take(pipe)
            self.reap()
            if not ready:
                return

    def hear(self) -> None:
        data = os.read(0, CHUNK)
        if not data:
            self.asked = "host_gone"
        self.obey(data)

    def obey(self, data: bytes) -> None:
        *lines, self.unread = (self.unread + data).split(b"\n")
        for line in lines:
            command = json.loads(line)
            if "deadline" in command and clock() < self.lease_end:
                self.lease_end = max(self.lease_end, command["sent"] + command["deadline"])
            if "stop" in command:
                self.asked = self.asked or "stopped"

    def take(self, pipe: int) -> None:
        """Move output from a pipe to its file, up to the limit; what comes after it is thrown away."""
        data = os.read(pipe, CHUNK)
        if not data:
            del self.output[pipe]
            os.close(pipe)
            return
        file = self.output[pipe]
        self.last_byte = clock()
        data = data[: self.output_bytes - self.written[file]]
        try:
            while data:
                count = os.write(file, data)
                self.written[file] += count
                data = data[count:]
        except OSError as error:  # a full disk must not keep us from ending the agent
            self.error = self.error or f"output could not be kept: {error}"

    def reap(self) -> bool:
        """Collect the dead; whether any descendant is left (the kernel knows: orphans become ours)."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self.max_rss = max(self.max_rss, usage.ru_maxrss)
            if pid == self.agent:
                self.status = status

    def let_go(self, reason: str) -> None:
        """Give the agent the time to end by itself that `reason` allows."""
        grace = {"exited": STRAGGLER_GRACE}.get(reason, 0.0)
        if reason in POLITE:
            grace = TERM_GRACE
            self.send_groups(signal.SIGTERM, self.family())
            self.send_groups(signal.SIGCONT, self.family())
        until = clock() + grace
        while self.reap() and clock() < min(until, self.lease_end) and self.asked != "host_gone":
            self.pump(until - clock())

    def kill_all(self) -> bool:
        """Kill every descendant; True when some could not be killed.

        All are stopped first, until another scan finds no new one: a stopped process forks no more, so
        that a fork bomb cannot outrun the killing.
        """
        until = clock() + KILL_SECONDS
        while self.reap():
            if clock() >= until:
                return True
            stopped: set[int] = set()
            for _ in range(FREEZE_ROUNDS):
                family = self.family()
                fresh = {pid: about for pid, about in family.items() if pid not in stopped}
                if not fresh:
                    break
                self.send_groups(signal.SIGSTOP, fresh)
                self.send_each(signal.SIGSTOP, fresh)
                stopped.update(fresh)
            family = self.family()
            self.killed.update(pid for pid, process in family.items() if not process.dead)
            self.send_groups(signal.SIGKILL, family)
            self.send_each(signal.SIGKILL, family)
            self.pump(0.02)
        return False

    def family(self) -> Family:
        """All descendants by pid."""
        if not LINUX:
            return {} if self.status is not None else {self.agent: Process(False, os.getpid(), self.agent)}
        return descendants(os.getpid())

    def send_groups(self, number: int, family: Family) -> None:
        for group in {process.group for process in family.values()} - {os.getpgrp(), 0, NO_GROUP}:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # gone, or a setuid program
                os.killpg(group, number)

    def send_each(self, number: int, family: Family) -> None:
        ours = {os.getpid(), *family}
        for pid in family:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if not LINUX:
                    os.kill(pid, number)
                    continue
                handle = os.pidfd_open(pid)
                try:
                    about = state(pid)
                    if about is not None and about.parent in ours:  # else the number has gone to a stranger
                        signal.pidfd_send_signal(handle, number)
                finally:
                    os.close(handle)

    def report(self, ended_by: str, left: bool) -> JsonObject:
        status = self.status
        self.killed.discard(self.agent)
        return {
            "exit": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
            "ended_by": ended_by,
            "seconds": round(clock() - self.started, 3),
            "stdout_bytes": self.written.get(self.job["stdout"], 0),
            "stderr_bytes": self.written.get(self.job["stderr"], 0),
            "survivors_killed": len(self.killed),
            "max_rss_kb": self.max_rss if LINUX else self.max_rss // 1024,
            "left": left,
            "error": self.error,
        }


def confine(job: JsonObject) -> int:
    """Confine this process as the job says; its parent's pid then. Raises OSError that begins with UNCONFINED."""
    try:
        if not LINUX:
            raise OSError("only Linux can do it")
        parent: int = import_module("confinement").confine(**job)  # the file beside this one
    except Exception as error:  # whatever it is, the host gets to know it and decides
        raise OSError(f"{UNCONFINED}{error.args[-1] if error.args else type(error).__name__}") from error
    return parent


def first_line() -> tuple[bytes, bytes] | None:
    """The job's line and what followed it; None when the host went before it was whole."""
    data = b""
    while b"\n" not in data:
        more = os.read(0, CHUNK)
        if not more:
            return None
        data += more
    line, _, rest = data.partition(b"\n")
    return line, rest


def main() -> int:
    os.umask(0o077)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    given = first_line()
    if given is None:
        return 0
    job = json.loads(given[0])
    for file in (job["stdin"], job["stdout"], job["stderr"]):
        os.set_inheritable(file, False)
    answer = json.dumps(Guardian(job, given[1]).run()).encode() + b"\n"
    with contextlib.suppress(BrokenPipeError):  # the host is gone, nobody wants to know
        while answer:
            answer = answer[os.write(1, answer) :]
    return 0

"""One git command: an environment made from nothing, configuration by `-c`, limits on time and output.

Nothing of the caller's environment reaches git but PATH, no configuration but the repository's own, and of that nothing
that starts a program: hooks, fsmonitor, signing, filters of other repositories and helpers are off.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.errors import GitDiskFull, GitError, GitMissing, GitOutputTooLarge, GitTimedOut

Word = str | bytes
OLDEST = (2, 38)  # the first release with `merge-tree --write-tree`
CALL_SECONDS = 600.0
OUTPUT_BYTES = 256 << 20  # of each of a command's two outputs
GRACE_SECONDS = 2.0  # between SIGTERM and SIGKILL
QUOTED_BYTES = 500  # of what git said, in an error
NO_ROOM = re.compile(  # in the locale C
    rb"(?:: (?:No space left on device|Disk quota exceeded)|write error\. Out of diskspace)$", re.MULTILINE
)
NOT_WRITTEN = re.compile(  # and git does not say why
    rb"(?:couldn't|could not|unable to|failed to) (?:write|create directory for)\b"
)
# Others make room as they find none, too (the database's ballast): so much less than this was there a moment ago.
LITTLE_ROOM = 32 << 20  # bytes
FEW_NAMES = 64  # files that can still be made

ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
CONFIG = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.fsync=committed,reference",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "commit.gpgSign=false",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.directory=*",
    "submodule.recurse=false",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command printed, and its exit code."""

    out: bytes
    err: bytes
    code: int

    @property
    def line(self) -> str:
        """Its one line of output."""
        return os.fsdecode(self.out.removesuffix(b"\n"))

    @property
    def fields(self) -> list[bytes]:
        """What `-z` separates."""
        return self.out.split(b"\0")[:-1]


@dataclass(frozen=True, slots=True)
class Git:
    """Git on one repository, with our index and work tree where it needs some."""

    git_dir: Path | None  # None: the repository that holds `cwd`
    cwd: Path
    work_tree: Path | None = None
    index: Path | None = None
    config: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    seconds: float = CALL_SECONDS
    output_bytes: int = OUTPUT_BYTES
    holds: tuple[
        int, ...
    ] = ()  # descriptors that stay open as long as the command runs, whoever dies before it

    def using(
        self,
        *,
        work_tree: Path | None = None,
        index: Path | None = None,
        config: Sequence[str] = (),
        environment: Sequence[tuple[str, str]] = (),
    ) -> Git:
        """The same with these instead of, and the configuration and environment on top of, what it has."""
        return replace(
            self,
            work_tree=work_tree or self.work_tree,
            index=index or self.index,
            cwd=work_tree or self.cwd,
            config=(*self.config, *config),
            environment=(*self.environment, *environment),
        )

    def run(
        self, *words: Word, stdin: bytes = b"", ok: Sequence[int] = (0,), stop: int | None = None
    ) -> Answer:
        """The answer of `git WORDS`. `stop`: a descriptor; once something can be read there, git is ended.

        Raises GitMissing, GitTimedOut, GitOutputTooLarge, GitDiskFull, GitError where it was ended and for other exit codes.
        """
        program: list[Word] = ["git"]
        not_bare = () if self.work_tree is None else ("core.bare=false",)
        for setting in (*CONFIG, *not_bare, *self.config):
            program += ["-c", setting]
        try:
            process = subprocess.Popen(
                [*program, *words],
                cwd=self.cwd,
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=self.holds,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            if not self.cwd.is_dir():
                raise GitError(_called(words), why=f"{self.cwd} is not there") from error
            raise GitMissing(why="no program `git` is found") from error
        except OSError as error:
            raise GitError(_called(words), why=f"it cannot be started: {error}") from error
        with process:
            answer = _Conversation(process, words, self.seconds, self.output_bytes, stop).finish(stdin)
        is_full = answer.code != 0 and self._is_full(answer.err)
        if is_full or answer.code not in ok:
            said = answer.err.decode(errors="replace").strip()[:QUOTED_BYTES]
            fault = GitDiskFull if is_full else GitError
            raise fault(_called(words), why=said or f"exit code {answer.code}", code=answer.code)
        return answer

    def _is_full(self, said: bytes) -> bool:
        """Whether git had no room: it says so, or could not write for no stated reason where next to none is left."""
        if NO_ROOM.search(said) is not None:
            return True
        places = (self.cwd, self.git_dir, self.work_tree, self.index and self.index.parent)
        return NOT_WRITTEN.search(said) is not None and any(
            _has_little_room(place) for place in places if place and place.exists()
        )

    def _environment(self) -> dict[str, str]:
        found = {"PATH": os.environ.get("PATH", os.defpath), **ENVIRONMENT}
        for name, path in (
            ("GIT_DIR", self.git_dir),
            ("GIT_WORK_TREE", self.work_tree),
            ("GIT_INDEX_FILE", self.index),
        ):
            if path is not None:
                found[name] = os.fspath(path)
        return {**found, **dict(self.environment)}


def version(git: Git) -> tuple[int, ...]:
    """Git's version. Raises GitMissing where it is older than `OLDEST`."""
    said = git.run("version").line
    number = said.split()[2] if len(said.split()) > 2 else ""
    found = tuple(int(part) for part in number.split(".") if part.isdigit())
    if found < OLDEST:
        raise GitMissing(why=f"it is `{said}`; {'.'.join(map(str, OLDEST))} or newer is needed")
    return found


def _has_little_room(folder: Path) -> bool:
    disk = os.statvfs(folder)
    no_names = disk.f_files > 0 and disk.f_favail < FEW_NAMES
    return no_names or disk.f_bavail * disk.f_frsize < LITTLE_ROOM


def _called(words: Sequence[Word]) -> str:
    """The command as an error names it, without its long values."""
    shown = [os.fsdecode(word) for word in words[:6]]
    return f"`git {' '.join(shown)}{' ...' if len(words) > 6 else ''}` failed"


@dataclass(slots=True)
class _Conversation:
    """Feeds a process and collects what it prints until both outputs are closed, within the limits."""

    process: subprocess.Popen[bytes]
    words: Sequence[Word]
    seconds: float
    output_bytes: int
    stop: int | None
    printed: dict[str, bytearray] = field(default_factory=lambda: {"out": bytearray(), "err": bytearray()})

    def finish(self, stdin: bytes) -> Answer:
        """Raises GitTimedOut or GitOutputTooLarge; nothing of the process is left then, nor when this is interrupted."""
        try:
            self._talk(memoryview(stdin), time.monotonic() + self.seconds)
            code = self.process.wait(timeout=self.seconds)
        except subprocess.TimeoutExpired as error:
            self._stop()
            raise GitTimedOut(
                _called(self.words), why=f"it did not end {self.seconds:g} s after its output"
            ) from error
        except BaseException:
            self._stop()
            raise
        return Answer(bytes(self.printed["out"]), bytes(self.printed["err"]), code)

    def _talk(self, left: memoryview, until: float) -> None:
        given, out, err = self.process.stdin, self.process.stdout, self.process.stderr
        assert given is not None and out is not None and err is not None
        with selectors.DefaultSelector() as waiting:
            waiting.register(out, selectors.EVENT_READ, "out")
            waiting.register(err, selectors.EVENT_READ, "err")
            os.set_blocking(given.fileno(), False)
            waiting.register(given, selectors.EVENT_WRITE, "in")
            if self.stop is not None:
                waiting.register(self.stop, selectors.EVENT_READ, "stop")
            while len(waiting.get_map()) > (self.stop is not None):
                remaining = until - time.monotonic()
                if remaining <= 0:
                    raise GitTimedOut(_called(self.words), why=f"it took longer than {self.seconds:g} s")
                for key, _ in waiting.select(remaining):
                    if key.data == "stop":
                        raise GitError(_called(self.words), why="it was stopped")
                    if key.data != "in":
                        if not self._take(key.fd, key.data):
                            waiting.unregister(key.fileobj)
                        continue
                    left = _give(given, left)
                    if not left:
                        waiting.unregister(given)
                        given.close()

    def _take(self, descriptor: int, name: str) -> bool:
        """Whether there may be more."""
        body = os.read(descriptor, 1 << 16)
        self.printed[name] += body
        if len(self.printed[name]) > self.output_bytes:
            raise GitOutputTooLarge(
                _called(self.words), why=f"it printed more than {self.output_bytes >> 20} MB"
            )
        return bool(body)

    def _stop(self) -> None:
        """End the process and all of its group: SIGTERM, a short grace, SIGKILL."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(timeout=GRACE_SECONDS)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        self.process.wait()


def _give(pipe: IO[bytes], left: memoryview) -> memoryview:
    """What is left to write; nothing once the process has stopped reading."""
    if not left:
        return left
    try:
        return left[os.write(pipe.fileno(), left[: 1 << 16]) :]
    except BrokenPipeError:
        return left[:0]

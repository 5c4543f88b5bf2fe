"""A user's project with the real command, the real daemon and real worker hosts; nothing of it outlives its test."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from orchestrator import wakeup
from orchestrator.store.backends.sqlite import project_id
from tests.e2e import warm
from tests.patience import patient
from workers.host.process_tree import descendants, state

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 60.0  # seconds a fact may take to come true; more on a busy machine

QUICK = {  # so that a test need not wait out a lease made for people
    "lease_seconds": 4,
    "renew_seconds": 0.5,
    "watchdog_margin_seconds": 1,
    "reconcile_seconds": 0.5,
    "backoff_seconds": [0.05],
    "drain_seconds": 5,
    "idle_exit_seconds": 120,
    "critics": "separate",  # agents of tests answer for one perspective at a time
    "agents_off": [
        "claude",
        "codex",
        "gemini",
        "qwen",
        "opencode",
    ],  # a client of the one who runs the tests is never called
}


class Gave(subprocess.CompletedProcess[str]):
    """What a command gave: `code`, `out`, `err`."""

    @property
    def code(self) -> int:
        return self.returncode

    @property
    def out(self) -> str:
        return self.stdout

    @property
    def err(self) -> str:
        return self.stderr

    def json(self) -> Any:
        return json.loads(self.stdout)


class Lifecycle:
    """One project folder; `run` runs the command in it as a user would."""

    def __init__(self, folder: Path, settings: Mapping[str, Any] | None = None, extra: str = "") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.database = folder / ".workflow" / "lifecycle.db"
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(folder.parent),
            "LANG": "C.UTF-8",
            "LIFECYCLE_CONFIG_DIR": str(folder / ".no-user-config"),
            "PYTHONPATH": str(ROOT),
        }
        self.configure({**QUICK, **(settings or {})}, extra)
        self._spawned: list[subprocess.Popen[str]] = []

    def configure(self, settings: Mapping[str, Any], extra: str = "") -> None:
        file = self.folder / ".workflow" / "config.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items()) + extra)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-P", "-m", "orchestrator", *arguments]

    def run(
        self, *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 120, **options: Any
    ) -> Gave:
        environment = {**self.environment, **(env or {})}
        timeout = patient(timeout)
        if not options and warm.can_run(environment):
            return Gave(self.command(*arguments), *warm.run(arguments, self.folder, environment, timeout))
        done = subprocess.run(
            self.command(*arguments),
            cwd=options.pop("cwd", self.folder),
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=options.pop("stdin", subprocess.DEVNULL if "input" not in options else None),
            **options,
        )
        return Gave(done.args, done.returncode, done.stdout, done.stderr)

    def spawn(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env={**self.environment, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.take_along(process)
        return process

    def take_along(self, process: subprocess.Popen[str]) -> None:
        """End it with the project."""
        self._spawned.append(process)

    # facts

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(f"file:{quote(str(self.database))}?mode=ro", uri=True, timeout=10)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def session(self) -> str:
        """The newest session's id."""
        return str(self.rows("SELECT id FROM sessions ORDER BY created_at DESC LIMIT 1")[0][0])

    def directory(self, session: str | None = None) -> Path:
        return self.folder / ".workflow" / ".team" / (session or self.session())

    def status(self, session: str | None = None) -> tuple[str, str | None]:
        """(status, pause reason)."""
        return self.rows("SELECT status, pause_reason FROM sessions WHERE id = ?", session or self.session())[
            0
        ]  # type: ignore[return-value]

    def tasks(self, session: str | None = None) -> dict[str, str]:
        found = self.rows(
            "SELECT key, status FROM tasks WHERE session_id = ? ORDER BY seq", session or self.session()
        )
        return dict(found)  # type: ignore[arg-type]

    def story(self, key: str, session: str | None = None) -> list[str | None]:
        """The outcomes of a task's runs, in order."""
        return [
            row[0]
            for row in self.rows(
                "SELECT r.outcome FROM runs r JOIN tasks t ON t.id = r.task_id WHERE t.session_id = ? AND t.key = ? "
                "ORDER BY r.epoch",
                session or self.session(),
                key,
            )
        ]

    def wait(self, fact: Callable[[], T], what: str, seconds: float = DEADLINE) -> T:
        """The fact, as soon as it is truthy. Fails when it does not come true in time."""
        seconds = patient(seconds)
        until = time.monotonic() + seconds
        while True:
            found = fact()
            if found:
                return found
            if time.monotonic() > until:
                raise AssertionError(f"not within {seconds:.0f} s: {what}\n{self.logs()[-6_000:]}")
            time.sleep(0.02)  # between two looks, not instead of one

    def logs(self) -> str:
        files = sorted((self.folder / ".workflow" / "logs").glob("*"))
        return "\n".join(f"== {file.name}\n{file.read_text(errors='replace')}" for file in files)

    # processes

    def pids(self) -> set[int]:
        """Daemon, worker hosts, guardians and agents of this project that live now."""
        found = set()
        marker = str(self.folder).encode()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                command = (entry / "cmdline").read_bytes()
                environment = (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
            ours = (
                marker in command or b"LIFECYCLE_CONFIG_DIR=" + marker in environment or marker in environment
            )
            if ours and state not in "ZX":
                found.add(int(entry.name))
        return found

    def marked(self) -> set[int]:
        """Processes of any run of this project (guardians included)."""
        runs = {row[0].encode() for row in self.rows("SELECT id FROM runs")}
        found = set()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
            if any(value.startswith(b"LIFECYCLE_RUN=") and value[14:] in runs for value in environment):
                found.add(int(entry.name))
        return found

    def kill_everything(self) -> set[int]:
        """SIGKILL to our own commands, the daemon and the hosts, by process id; agents are left to their guardians.

        A command that follows would start another daemon, and the daemon another host: hence the order.
        """
        commands = {process.pid for process in self._spawned if process.poll() is None}
        leaders = {row[0] for row in self.rows("SELECT pid FROM leases")} & self.pids()
        hosts = {row[0] for row in self.rows("SELECT pid FROM hosts")} & self.pids()
        victims = commands | leaders | hosts
        for pid in (*commands, *leaders, *hosts):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.wait(lambda: not (victims & self.pids()), "the killed processes are gone", 10)
        return victims

    def _end_all(self) -> None:
        """SIGKILL to every process of the project and to what those have started, until none is left to write a file."""
        named: set[int] = set()

        def none_lives() -> bool:
            ours = self.pids()
            named.update(ours, *(descendants(pid) for pid in ours))
            named.intersection_update(pid for pid in named if (about := state(pid)) and not about.dead)
            for pid in named:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not named

        self.wait(none_lives, "every process of the project has ended")

    def sockets(self) -> Path:
        """Where its processes hear wake-ups."""
        return wakeup.runtime_directory(project_id(self.database))

    def close(self) -> None:
        for process in self._spawned:
            if process.poll() is None:
                process.kill()
            process.communicate()
        self._end_all()
        directory = self.sockets()
        for socket in directory.glob("*.sock"):
            socket.unlink(missing_ok=True)
        if directory.exists():  # whoever ends by itself removes it
            directory.rmdir()


@contextmanager
def lifecycle(
    folder: Path, settings: Mapping[str, Any] | None = None, extra: str = ""
) -> Iterator[Lifecycle]:
    """A project for one test; its invariants are checked when it ends, and every process of it is ended."""
    from tests import invariants

    made = Lifecycle(folder, settings, extra)
    try:
        yield made
        if made.database.exists():
            invariants.check(made.database)
    except Exception as error:
        error.add_note(made.logs()[-6_000:])
        raise
    finally:
        made.close()


def agent_toml(name: str, command: Sequence[str], env: Sequence[str] = ()) -> str:
    """A `command` agent for config.toml."""
    return f'\n[agents.{name}]\nkind = "command"\ncommand = {json.dumps(list(command))}\nenv = {json.dumps(list(env))}\n'

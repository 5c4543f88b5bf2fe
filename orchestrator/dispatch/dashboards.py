"""Servers of the web dashboard on this machine: each notes where it listens, and for which projects.

The notes are files in the user's state folder. One counts as long as the process that wrote it lives, so a server that was
killed leaves nothing that would be believed. Other commands start a server as a process: they do not import the web. Reading
commands look for servers, so what starts and ends processes is imported only where it does.
"""

from __future__ import annotations

import json
import os
import select
import signal
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store.clock import boot_id, pid_space, process_start

STATE_FOLDER = "LIFECYCLE_STATE_DIR"
NAME = "lifecycle.localhost"  # browsers keep its cookies from other ports of 127.0.0.1
UP_SECONDS = 30.0
DOWN_SECONDS = 20.0  # its own grace is 2 s
POLL_SECONDS = 0.05
_FOLDER = "servers"


def state_folder(environ: Mapping[str, str]) -> Path:
    """The user's folder for what a server remembers; `LIFECYCLE_STATE_DIR` names another."""
    named = environ.get(STATE_FOLDER)
    if named:
        return Path(named) / "web"
    import platformdirs

    return platformdirs.user_state_path("team-lifecycle", appauthor=False) / "web"


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A server that listens on this machine."""

    port: int
    pid: int
    process_start: int  # clock ticks since boot
    boot: str
    pid_space: str
    since: float  # seconds since 1970
    read_only: bool
    projects: Mapping[str, str]  # a project's folder -> its name in addresses

    @property
    def address(self) -> str:
        return f"http://{NAME}:{self.port}"

    def page(self, root: Path, session: str) -> str:
        """The path of a session's page."""
        return f"/p/{self.projects[str(root)]}/s/{session}"


@contextmanager
def noted(state: Path, port: int, projects: Mapping[Path, str], *, read_only: bool) -> Iterator[None]:
    """Note this process as a server, as long as it serves. Raises UsageError where others may write such notes."""
    folder = state / _FOLDER
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    _check_private(state)
    pid = os.getpid()
    own = Dashboard(
        port,
        pid,
        process_start(pid) or 0,
        boot_id(),
        pid_space(),
        time.time(),
        read_only,
        {str(root): name for root, name in projects.items()},
    )
    beside, note = folder / f"{pid}.new", folder / f"{pid}.json"
    from orchestrator.domain.dataclass import asdict

    flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW
    with os.fdopen(os.open(beside, flags, 0o600), "w") as file:
        json.dump(asdict(own), file)
    beside.replace(note)
    try:
        yield
    finally:
        note.unlink(missing_ok=True)


def is_private(folder: Path) -> bool:
    """Whether nobody else can have written there; a folder that is not there is."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return True
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _check_private(state: Path) -> None:
    """Raises UsageError."""
    for folder in (state, state / _FOLDER):
        if not is_private(folder):
            raise UsageError(
                "the folder of the web server's notes is not private",
                why=f"others may write in {folder}, or it is a link",
                fix=f"remove it, or name another folder in {STATE_FOLDER}",
            )


def running(state: Path) -> list[Dashboard]:
    """The servers that run, the newest first; notes of dead ones are removed.

    Raises UsageError where somebody else could have written the notes: they say which processes to end.
    """
    _check_private(state)
    found = []
    for note in (state / _FOLDER).glob("*.json"):
        each = _read(note)
        if each is not None and each.boot == boot_id() and each.pid_space != pid_space():
            continue  # of another container: not to be reached from here, and not ours to judge
        if each is None or each.boot != boot_id() or process_start(each.pid) != each.process_start:
            with suppress(OSError):
                note.unlink()
            continue
        found.append(each)
    return sorted(found, key=lambda each: each.since, reverse=True)


def of_project(state: Path, root: Path) -> list[Dashboard]:
    """The servers that show this project; those that take commands come first. Raises as `running`."""
    mine = [each for each in running(state) if str(root.resolve()) in each.projects]
    return sorted(mine, key=lambda each: each.read_only)


def showing(root: Path, session: str) -> JsonObject | None:
    """The server that shows this project, if one runs, with the session's page; its address lets nobody in.

    None as well where nobody can tell: `doctor` says why.
    """
    try:
        found = next(iter(of_project(state_folder(os.environ), root)), None)
    except UsageError:
        return None
    if found is None:
        return None
    page = f"{found.address}{found.page(root.resolve(), session)}"
    return {"address": found.address, "page": page, "read_only": found.read_only, "pid": found.pid}


def start(state: Path, root: Path, log: Path) -> Dashboard:
    """Start a detached server for the project, and wait until it listens. Raises LifecycleError."""
    import subprocess

    from orchestrator.dispatch.local import child_environment, module_command

    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with log.open("ab") as out:
        begun = out.tell()
        process = subprocess.Popen(
            module_command("orchestrator", "serve", str(root), "--detached"),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            cwd=log.parent,
            env=child_environment({STATE_FOLDER: str(state.parent.absolute())}),  # it may be named from here
        )
    deadline = time.monotonic() + UP_SECONDS
    while time.monotonic() < deadline:
        found = next((each for each in running(state) if each.pid == process.pid), None)
        if found is not None:
            return found
        if process.poll() is not None:
            break
        time.sleep(POLL_SECONDS)
    process.terminate()
    said = log.read_bytes()[begun:][-2_000:].decode("utf-8", "replace").strip()
    raise LifecycleError(
        "the dashboard does not start", why=said or "it said nothing", fix="`lifecycle serve` shows more"
    )


def link(found: Dashboard, page: str) -> str:
    """A one-use link to a page of the server, made by the command that may. Raises LifecycleError."""
    import subprocess

    from orchestrator.dispatch.local import child_environment, module_command

    command = module_command("orchestrator", "serve", "--link", "--port", str(found.port), "--page", page)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=UP_SECONDS,
            env=child_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LifecycleError(
            "no link to the dashboard could be made", why=str(error), fix="lifecycle serve --link"
        ) from error
    made = done.stdout.partition("\n")[0].strip()
    if done.returncode or not made:
        raise LifecycleError(
            "no link to the dashboard could be made",
            why=done.stderr.strip()[-2_000:],
            fix="lifecycle serve --link",
        )
    return made


def stop(found: Dashboard) -> bool:
    """Ask exactly this process to end and wait until it has; whether it did within its time."""
    from orchestrator.dispatch.local import end_of, send

    end = end_of(found)
    if end is None:
        return _stop_by_pid(found)
    try:
        send(end, signal.SIGTERM)
        return bool(select.select([end], [], [], DOWN_SECONDS)[0])
    finally:
        os.close(end)


def _stop_by_pid(found: Dashboard) -> bool:
    """As `stop`, where there are no descriptors of processes, or it has ended already."""
    deadline = time.monotonic() + DOWN_SECONDS
    asked = False
    while process_start(found.pid) == found.process_start:
        if not asked:
            os.kill(found.pid, signal.SIGTERM)
            asked = True
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _read(note: Path) -> Dashboard | None:
    """None for a file that no server has written."""
    try:
        given: Json = json.loads(note.read_text())
        return Dashboard(
            int(given["port"]),
            int(given["pid"]),
            int(given["process_start"]),
            str(given["boot"]),
            str(given["pid_space"]),
            float(given["since"]),
            bool(given["read_only"]),
            {str(root): str(name) for root, name in given["projects"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None

"""The composition root: finds the project, opens its store, and passes everything on explicitly."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.config import resources
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.identity import ProjectId
from orchestrator.domain.json_types import Json
from orchestrator.store import rights
from orchestrator.store.backends.sqlite_file import SCHEMA, refuse_network_file_system
from orchestrator.store.databases import SQLITE_NAME, Database, PostgresDatabase, database_of
from orchestrator.store.store import Store

if TYPE_CHECKING:
    import subprocess

    from orchestrator.config.settings import Settings
    from orchestrator.domain.pipelines import Pack
    from orchestrator.store.rows import Leader


LONGEST_PATH = 500  # bytes; SQLite opens at most 512, its log's suffix included


@dataclass(frozen=True, slots=True)
class Project:
    root: Path

    @property
    def workflow(self) -> Path:
        return self.root / ".workflow"

    @property
    def id(self) -> ProjectId:
        """Raises StoreError where a server that has the database cannot be asked."""
        return self.database.identity()

    @property
    def database(self) -> Database:
        """Where its rows are, by its settings now. Raises ConfigError, UsageError."""
        return database_of(self.root)

    @property
    def file(self) -> Path:
        """Where its SQLite file is, or would be."""
        return self.workflow / SQLITE_NAME

    @property
    def logs(self) -> Path:
        return self.workflow / "logs"

    @property
    def runs(self) -> Path:
        """Where each run has its private directory."""
        return self.workflow / "runs"


def find_project(start: Path | None = None) -> Project:
    """The nearest folder upward with `.workflow/`, else the git root, else the folder itself. Raises UsageError."""
    try:
        here = (start or Path.cwd()).resolve(strict=True)
    except OSError as error:
        raise UsageError(
            "the current folder cannot be used", why=str(error), fix="change to a folder that exists"
        ) from error
    if ".git" in here.parts:
        raise UsageError("a project cannot lie inside .git", why=str(here), fix="change to the work tree")
    chain = [here, *here.parents]
    for mark in (".workflow", ".git"):
        for folder in chain:
            found = folder / mark
            if found.exists() if mark == ".git" else found.is_dir() or found.is_symlink():
                return _enterable(Project(folder))
    return Project(here)


def _enterable(project: Project) -> Project:
    """Raises UsageError when we may not look into the project's `.workflow`."""
    if project.workflow.is_dir() and not os.access(project.workflow, os.R_OK | os.X_OK):
        denied = rights.obstacle(project.file, rights.READ)
        raise UsageError(
            "no access to the project's .workflow folder",
            why=denied.why if denied else rights.of(project.workflow),
            fix=denied.fix if denied else f"chmod u+rwx {project.workflow}",
        )
    return project


def prepare(project: Project) -> None:
    """Make `.workflow/` (kept out of git) when it is missing. Raises UsageError."""
    _refuse_path(project)
    refuse_other_owner(project.file)
    rights.refuse_links(project.workflow)
    rights.refuse_denied(project.file)
    try:
        project.workflow.mkdir(exist_ok=True, mode=0o700)
        ignore = project.workflow / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
    except OSError as error:
        denied = rights.obstacle(project.workflow)
        raise UsageError(
            "the project folder cannot be written",
            why=denied.why if denied else str(error),
            fix=denied.fix if denied else "choose a folder of yours, or change its rights",
        ) from error


def _refuse_path(project: Project) -> None:
    """Raises UsageError for a folder whose path SQLite cannot open, or that cannot be written down as text."""
    raw = os.fsencode(project.file)
    if len(raw) > LONGEST_PATH:
        raise UsageError(
            "the project's path is too long",
            why=f"its database's path has {len(raw)} bytes, at most {LONGEST_PATH} can be opened",
            fix="move the project to a shorter path",
        )
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            "the project's path is not UTF-8 text", why=f"byte {error.start} of it", fix="rename the folder"
        ) from error


def open_for_writing(
    project: Project,
    settings: Settings,
    on_wait: Callable[[list[int]], None] | None = None,
    on_upgrade: Callable[[list[int]], None] | None = None,
    *,
    checkpointer: bool = False,
) -> Store:
    """The project's store, its database created or migrated first. Raises DatabaseUnusable, UsageError."""
    from orchestrator.store.backends.sqlite_integrity import refuse_damage

    database = project.database
    prepare(project)
    if database.file is not None:
        refuse_network_file_system(project.workflow)
    if database.schema() != SCHEMA:
        upgrade(project, on_upgrade, database)
    if database.file is not None:
        refuse_damage(database.file)
    return database.store(settings, checkpointer=checkpointer, on_wait=on_wait)


def open_for_reading(project: Project, on_upgrade: Callable[[list[int]], None] | None = None) -> Store:
    """The project's store, read-only. Raises UsageError when there is none yet."""
    database = project.database
    found = database.schema()
    if found is None:
        raise UsageError(
            "there are no sessions here",
            why=f"there is no database in {project.workflow if database.file else database.name}",
            fix='`lifecycle start "..."` starts one',
        )
    if found != SCHEMA:
        upgrade(project, on_upgrade, database)
    return database.store()


def upgrade(
    project: Project,
    on_wait: Callable[[list[int]], None] | None = None,
    database: Database | None = None,
) -> None:
    """Create the database, or bring it to this program's schema once no process of an earlier version works with it.

    A coordinator is started for a file that was upgraded: its own was stopped, now or by an upgrade that failed; for a
    server's database where one was stopped here. `on_wait` gets the pids of those that are stopped. Raises
    DatabaseUnusable, also for processes on other machines, and UsageError for another user's database.
    """
    from orchestrator.dispatch import older
    from orchestrator.dispatch.local import start_daemon
    from orchestrator.store.backends.sqlite_migrate import ensure_schema, processes

    database = database or project.database
    if isinstance(database, PostgresDatabase):
        stopped = older.stop(database.processes(), on_wait, refuse_elsewhere=True)
        database.ensure()
        if stopped:
            start_daemon(project.root, project.logs / "daemon.out")
        return
    file = project.file
    existed = file.exists()
    if existed:
        refuse_other_owner(file)
        older.stop(processes(file), on_wait)
    if ensure_schema(file, resources() / "migrations") and existed:
        start_daemon(project.root, project.logs / "daemon.out")


def has_database(project: Project) -> bool:
    """Whether there is one to read. Raises DatabaseUnusable for one that cannot be asked."""
    database = project.database
    return database.file.exists() if database.file is not None else database.schema() is not None


@contextmanager
def changing(
    project: Project,
    *,
    create: bool = False,
    settings: Settings | None = None,
    on_wait: Callable[[list[int]], None] | None = None,
    on_upgrade: Callable[[list[int]], None] | None = None,
    on_end: Callable[[list[int]], None] | None = None,
) -> Iterator[tuple[Store, Settings]]:
    """The project's store for one command that changes something, and the settings; `create`: also where there is none.

    `on_end` is told the pids of those that hung while they held the database, and were killed.
    """
    check_clock()
    if not create and not has_database(project):
        open_for_reading(project).close()  # raises, and says how to begin
    if settings is None:
        settings = read_settings(project)

    def wait(pids: list[int]) -> None:
        from orchestrator.dispatch.hung import end_hung

        ended = end_hung(store, pids)
        if ended and on_end is not None:
            on_end(ended)
        elif on_wait is not None:
            on_wait(pids)

    store = open_for_writing(project, settings, wait, on_upgrade)
    try:
        yield store, settings
    finally:
        store.close()


def refuse_other_owner(database: Path) -> None:
    """Raises UsageError when the database belongs to another user: its files would become a mix of owners."""
    other = rights.other_owner(database) if database.exists() else None
    if other is not None:
        raise UsageError("the database belongs to another user", why=other.why, fix=other.fix)


def read_settings(project: Project, flags: Mapping[str, Json] | None = None) -> Settings:
    from orchestrator.config import load_settings

    return load_settings(project.root, os.environ, flags or {})


def read_config(project: Project, flags: Mapping[str, Json] | None = None) -> tuple[Pack, Settings]:
    """Pack and settings, by the one check of everything configured. Raises ConfigError with all faults."""
    from orchestrator.config import load_all

    return load_all(project.root, os.environ, flags)


def ensure_daemon(project: Project, store: Store) -> subprocess.Popen[bytes] | None:
    """Wake the daemon, or start one when none leads; the new process when one was started.

    A socket that takes our wake is not enough: a daemon that is stopped or wedged has one too, but its lease ends.
    One of an earlier version is replaced by the new process, which stops it first.
    """
    from orchestrator.dispatch.local import start_daemon

    _remember_path(project)
    if wake(store):
        return None
    return start_daemon(project.root, project.logs / "daemon.out")


def current_leader(store: Store) -> Leader | None:
    """The leader, unless it runs an earlier version of this program on this machine: that one is replaced."""
    from orchestrator.dispatch import older
    from orchestrator.store import leases

    found = store.read(leases.leader)
    return None if found is None or (older.outdated(found.version) and leases.is_here(found)) else found


def _remember_path(project: Project) -> None:
    """Keep this command's PATH, so that hosts find programs where it would: they may come from another shell."""
    from orchestrator.config import PATH_FILE
    from orchestrator.store import files

    path = os.environ.get("PATH", "").encode("utf-8", "surrogateescape")
    with suppress(OSError):  # they keep the old one; a full disk is reported elsewhere
        if path and files.read(project.workflow, PATH_FILE) != path:
            files.write(project.workflow, PATH_FILE, path)


def wake(store: Store, stopped: Sequence[str] = ()) -> bool:
    """Wake the coordinator, and the hosts whose runs (`stopped`) were revoked; whether a coordinator leads.

    To be called after the commit.
    """
    from orchestrator import wakeup
    from orchestrator.store import leases

    if stopped:
        wakeup.wake_hosts(store.project_id, {"type": "runs"})
    heard = wakeup.wake_daemon(store.project_id)
    found = current_leader(store)
    return found is not None and (heard or not leases.is_here(found))  # one elsewhere watches the database


def hand_over_environment(store: Store, settings: Settings) -> bool:
    """Send a running coordinator this command's values of its agents' variables: it would keep its first shell's.

    False when they are too large for a datagram.
    """
    from orchestrator import wakeup
    from orchestrator.config.variables import handed_over

    values = handed_over(settings, os.environ)
    if sum(map(len, values.values())) > wakeup.MAX_DATAGRAM // 4:  # a character can take four bytes and more
        return False
    if values:
        wakeup.wake_daemon(store.project_id, {"type": "environment", "values": values})
    return True


def check_clock() -> None:
    """Session ids carry the date: a clock that cannot be right would write nonsense into the record."""
    year = time.gmtime().tm_year
    if not 1980 <= year <= 9999:
        raise UsageError("the system's clock is wrong", why=f"it shows the year {year}", fix="set the clock")


def person() -> str:
    """The person at the keyboard, for decision rows."""
    import pwd

    named = os.environ.get("LOGNAME") or os.environ.get("USER")
    if named:
        return named[:100]
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


__all__ = [
    "LifecycleError",
    "Project",
    "changing",
    "check_clock",
    "current_leader",
    "ensure_daemon",
    "find_project",
    "hand_over_environment",
    "open_for_reading",
    "open_for_writing",
    "person",
    "prepare",
    "read_settings",
    "wake",
]

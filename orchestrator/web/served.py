"""One project that the server shows, under its name in addresses."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TypeVar

from orchestrator import project as app
from orchestrator.domain.errors import LifecycleError, StoreBroken, StoreError
from orchestrator.store.backends.backend import Watch
from orchestrator.store.store import Store, Tx
from orchestrator.views import stalls
from orchestrator.views.disk_space import room_at
from orchestrator.views.inbox import Inbox, inbox, waiting_count

T = TypeVar("T")
NAME_LIMIT = 60  # characters
ON_SERVER = (0, 0)  # a database that is no file


class ServedProject:
    """Its store is opened when first needed, and again when its file was replaced or the disk had failed."""

    def __init__(self, slug: str, project: app.Project, *, read_only: bool = False) -> None:
        self.slug = slug
        self.project = project
        self._read_only = read_only
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._file: tuple[int, int] | None = None
        self._watch: Watch | None = None
        self._version = 0
        self._processes: Hashable = None

    @property
    def title(self) -> str:
        return self.project.root.name or str(self.project.root)

    def store(self) -> Store:
        """Its store, read-only. Raises UsageError while there is no database, StoreError when it cannot be opened."""
        with self._lock:
            return self._opened()

    def version(self) -> int:
        """Another number after each commit of any process, and when the database is another file. Raises as `store`."""
        with self._lock:
            store = self._opened()
            if self._watch is None:
                self._watch = store.watch()
                self._version += 1
            elif self._has_changed(self._watch):
                self._version += 1
            return self._version

    def note_processes(self) -> bool:
        """Whether a process was killed or came since this was last asked: then there is another version, without a commit.

        Raises as `store`.
        """
        found = self.read(stalls.processes)
        with self._lock:
            is_new, self._processes = found != self._processes, found
            self._version += is_new
        return is_new

    def _has_changed(self, watch: Watch) -> bool:
        try:
            return watch.has_changed()
        except StoreError:
            watch.close()
            self._watch = None
            raise

    def _opened(self) -> Store:
        """The store; its caller has the lock."""
        found = self.file()
        if self._store is not None and (found != self._file or self._store.is_broken):
            self._close()
        if self._store is None:
            if self._read_only and found is not None:
                self.project.database.refuse_other_schema()
            self._store = app.open_for_reading(self.project)
            self._file = self.file()
        return self._store

    def read(self, unit: Callable[[Tx], T]) -> T:
        """The unit's answer, from new handles when the disk has failed under the old ones."""
        try:
            return self.store().read(unit)
        except StoreBroken:
            return self.store().read(unit)

    def inbox(self, limit: int = 100) -> Inbox:
        """What waits in it for a person. Raises LifecycleError when it cannot be read."""
        room = room_at(self.project.root)
        return self.read(lambda tx: inbox(tx, room, limit))

    def waiting(self) -> int:
        """How many things wait in it for a person; none where it cannot be read."""
        if self.file() is None:
            return 0
        try:
            room = room_at(self.project.root)
            return self.read(lambda tx: waiting_count(tx, room))
        except (LifecycleError, OSError):
            return 0

    def file(self) -> tuple[int, int] | None:
        """Which file the database is now: another one after a restore; None where there is none.

        What a server has is always there: whether it can be asked shows when it is read.
        """
        try:
            file = self.project.database.file
            if file is None:
                return ON_SERVER
            found = file.stat()
        except (OSError, LifecycleError):
            return None
        return found.st_dev, found.st_ino

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        if self._store is not None:
            self._store.close()
            self._store = None


def served(folders: Sequence[Path], *, read_only: bool = False) -> list[ServedProject]:
    """These folders' projects, each once, named after their folders; a name that is taken gets a number."""
    found: dict[Path, ServedProject] = {}
    taken: set[str] = set()
    for folder in folders or [Path.cwd()]:
        project = app.find_project(folder)
        root = project.root.resolve()
        if root in found:
            continue
        name = re.sub(r"[^A-Za-z0-9_-]", "-", root.name)[:NAME_LIMIT] or "project"
        slug = name
        number = 2
        while slug in taken:
            slug, number = f"{name}-{number}", number + 1
        taken.add(slug)
        found[root] = ServedProject(slug, project, read_only=read_only)
    return list(found.values())

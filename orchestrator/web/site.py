"""What one server serves: one or more projects, each with its store, and the rules that it was started with."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from orchestrator import project as app
from orchestrator.domain.errors import LifecycleError, StoreBroken, UnknownName
from orchestrator.store.backends.sqlite_file import refuse_other_schema
from orchestrator.store.store import Store, Tx
from orchestrator.web.access import Access

T = TypeVar("T")


class ServedProject:
    """A project under its name in URLs. Its store is opened when first needed, and again when its file was replaced."""

    def __init__(self, slug: str, project: app.Project, *, read_only: bool = False) -> None:
        self.slug = slug
        self.project = project
        self._read_only = read_only
        self._lock = threading.Lock()
        self._store: Store | None = None
        self._file: tuple[int, int] | None = None

    @property
    def title(self) -> str:
        return self.project.root.name or str(self.project.root)

    def store(self) -> Store:
        """Its store, read-only. Raises UsageError while there is no database, StoreError when it cannot be opened."""
        with self._lock:
            found = self._inode()
            if self._store is not None and (found != self._file or self._store.is_broken):
                self._store.close()
                self._store = None
            if self._store is None:
                if self._read_only:
                    refuse_other_schema(self.project.database)
                self._store = app.open_for_reading(self.project)
                self._file = self._inode()
            return self._store

    def read(self, unit: Callable[[Tx], T]) -> T:
        """The unit's answer, from new handles when the disk has failed under the old ones."""
        try:
            return self.store().read(unit)
        except StoreBroken:
            return self.store().read(unit)

    def close(self) -> None:
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None

    def _inode(self) -> tuple[int, int] | None:
        try:
            found = self.project.database.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


@dataclass(frozen=True, slots=True)
class Site:
    projects: Sequence[ServedProject]
    access: Access
    port: int
    read_only: bool = False
    allowed_host: str | None = None  # the name that a TLS proxy on this machine serves
    user_header: str | None = None  # where that proxy names the person
    bearer: str | None = None  # for programs
    boot: str = field(default_factory=lambda: secrets.token_hex(8))  # a new one at each start

    def project(self, slug: str) -> ServedProject:
        """Raises UnknownName."""
        for each in self.projects:
            if each.slug == slug:
                return each
        raise UnknownName("project", slug, [each.slug for each in self.projects])

    def waiting(self) -> int:
        """How many sessions wait for a person; a project that cannot be read counts as none."""
        return sum(_waiting(each) for each in self.projects)


def _waiting(served: ServedProject) -> int:
    from orchestrator.store import sessions

    try:
        return served.read(lambda tx: sum(row.status == "paused" for row in sessions.unfinished(tx)))
    except (LifecycleError, OSError):
        return 0


def served(folders: Sequence[Path], *, read_only: bool = False) -> list[ServedProject]:
    """These folders' projects, each once, named after their folders; a name that is taken gets a number."""
    found: dict[Path, ServedProject] = {}
    taken: set[str] = set()
    for folder in folders or [Path.cwd()]:
        project = app.find_project(folder)
        root = project.root.resolve()
        if root in found:
            continue
        name = re.sub(r"[^A-Za-z0-9_-]", "-", root.name)[:60] or "project"
        slug = name
        number = 2
        while slug in taken:
            slug, number = f"{name}-{number}", number + 1
        taken.add(slug)
        found[root] = ServedProject(slug, project, read_only=read_only)
    return list(found.values())

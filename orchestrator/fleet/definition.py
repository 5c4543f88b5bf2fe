"""fleet.toml: the cells of a fleet by name, each the folder of a project, and the engine that carries operations out."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, StringConstraints, TypeAdapter, ValidationError

from orchestrator.config.settings import TemporalSettings
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.project import Project, open_for_writing, read_settings
from orchestrator.store.store import Store

CellName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")]


@dataclass(frozen=True, slots=True)
class Fleet:
    """`directory`: the cell whose database says which session is where."""

    file: Path
    cells: Mapping[str, Path]
    directory: str
    temporal: TemporalSettings

    def project(self, cell: str) -> Project:
        """Raises UnknownName."""
        if cell not in self.cells:
            raise UnknownName("cell", cell, sorted(self.cells))
        return Project(self.cells[cell])

    @contextmanager
    def opened(self, cell: str) -> Iterator[Store]:
        """The store of a cell. Raises UnknownName, UsageError, StoreError."""
        project = self.project(cell)
        store = open_for_writing(project, read_settings(project))
        try:
            yield store
        finally:
            store.close()

    @property
    def queue(self) -> str:
        return f"{self.temporal.queues}/fleet"


@dataclass(frozen=True, kw_only=True)
class _Written:
    __pydantic_config__ = ConfigDict(extra="forbid")

    cells: dict[CellName, Path]
    directory: str
    temporal: TemporalSettings = field(default_factory=TemporalSettings)


def read_fleet(file: Path) -> Fleet:
    """Raises UsageError."""
    try:
        given = TypeAdapter(_Written).validate_python(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _unusable(file, str(error)) from error
    except ValidationError as error:
        told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise _unusable(file, "; ".join(told)) from error
    if given.directory not in given.cells:
        raise _unusable(file, f"directory: {given.directory!r} is none of the cells")
    cells = {name: (file.parent / folder).resolve() for name, folder in given.cells.items()}
    for name, folder in cells.items():
        if Project(folder).database.file is not None:
            raise _unusable(file, f"cells.{name}: the database of {folder} is no PostgreSQL server's")
    return Fleet(file, cells, given.directory, given.temporal)


def _unusable(file: Path, why: str) -> UsageError:
    return UsageError(f"{file} describes no fleet", why=why, fix="write it as docs/operations.md does")

"""What statements are compiled for: SQLAlchemy's dialect, its INSERT with an upsert, and where a new row's id comes from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from orchestrator.domain.dataclass import dataclass

if TYPE_CHECKING:
    from sqlalchemy import Dialect

    Loaded = tuple[Dialect, Callable[..., Any]]


@dataclass(frozen=True, eq=False)
class SqlDialect:
    """`load`: gives the dialect and its INSERT, when a statement has to be compiled.

    `returns_ids`: a new row's id comes by RETURNING, not from the driver. `compiled`: the file, in this folder, of the
    statements that are compiled ahead of time.
    """

    name: str
    load: Callable[[], Loaded]
    returns_ids: bool
    compiled: str | None = None

    @cached_property
    def _loaded(self) -> Loaded:
        return self.load()

    @property
    def dialect(self) -> Dialect:
        return self._loaded[0]

    @property
    def insert(self) -> Callable[..., Any]:
        return self._loaded[1]

"""What the store asks of a database: one transaction that writes, one snapshot that reads, and word of other commits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.identity import ProjectId
from orchestrator.store.backends.sql_dialect import SqlDialect
from orchestrator.store.clock import Clock

if TYPE_CHECKING:
    from sqlalchemy import MetaData

T = TypeVar("T")


class Cursor(Protocol):
    """The driver's, as far as statements use it."""

    @property
    def rowcount(self) -> int: ...
    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> object: ...
    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> object: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...


class Answer(Protocol):
    """The rows of a statement that was sent ahead; asked for, it runs what waits."""

    def fetchall(self) -> list[Any]: ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A transaction that has just begun.

    `times` says when: microseconds of the wall clock and of the clock that leases count on. `boot` names what lease times
    belong to; those of another one are over. `lock` keeps other writers from a session that the unit did not name; None
    where that is so anyway, and in a snapshot. `later` runs a statement with the next one that is executed, or with the
    commit, and `ahead` one that is answered then; None where each is run at once.
    """

    cursor: Cursor
    times: Callable[[], tuple[int, int]]
    boot: str
    lock: Callable[[str], None] | None = None
    later: Callable[[str, Sequence[Any]], object] | None = None
    ahead: Callable[[str, Sequence[Any]], Answer] | None = None


class Watch(Protocol):
    """Tells whether something was committed since the last time it was asked; it holds no transaction open."""

    def has_changed(self) -> bool:
        """Raises DatabaseUnusable when the database can no longer be read."""

    def close(self) -> None: ...


class Backend(Protocol):
    """One process's access to one database. Safe for threads; no connection crosses a fork.

    `identity`: a name that every process with access to this database gives it. `clock`: the one of `Opened`.
    `repeated`: units that were tried again since others were quicker.
    `file`: where it is one file of this machine, which has to be looked after; None where a server keeps it.
    """

    sql: SqlDialect
    clock: Clock
    repeated: int

    @property
    def file(self) -> Path | None: ...

    @property
    def identity(self) -> ProjectId: ...

    def transact(self, unit: Callable[[Opened], T], about: Sequence[str], *, use_ballast: bool = False) -> T:
        """The answer of `unit` once its transaction is committed. It may run more than once.

        `about`: the sessions whose rows it writes, which nobody else does meanwhile. `use_ballast`: give up what
        reserves room, where there is such a thing. Raises StoreError; whatever the unit raises rolls everything back.
        """

    def snapshot(self, unit: Callable[[Opened], T]) -> T:
        """The answer of `unit` on one consistent snapshot; it cannot write. Raises StoreError."""

    def take_time(self, opened: Opened) -> None:
        """Let this one transaction idle, and its statements take, as long as they need: for a command in the foreground."""

    def number_on(self, opened: Opened, tables: MetaData) -> None:
        """Let new ids follow those of rows that were copied with theirs."""

    def watch(self) -> Watch:
        """What tells of every commit, of any process. Raises StoreError; the caller closes it."""

    def in_units(self, sessions: Sequence[str]) -> list[Sequence[str]]:
        """The sessions in groups, each to be written by one unit: together where one writer has the database anyway."""

    @property
    def is_broken(self) -> bool:
        """Whether nothing is acknowledged any more: what was committed here may be lost."""

    def must_be_whole(self) -> None:
        """Raises StoreBroken where `is_broken`: this process ends, another one begins with new handles."""

    def give_up(self, why: str) -> None:
        """Acknowledge nothing any more: somebody found that what we commit would be lost."""

    def checkpoint(self, *, last: bool = False) -> bool:
        """Move a log into the database, where there is one; whether nothing is left in it. `last`: after `give_up`."""

    def close(self) -> None: ...

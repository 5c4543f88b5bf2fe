"""The store: `write(unit)` for every change, `read(unit)` for every query.

A unit is a function of one transaction. It may run more than once (the whole unit is retried when another process holds
the lock), so it must do nothing but read and write through its `Tx`. What it returns is returned after the commit: an
answer is an acknowledgement that survives a power cut.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from orchestrator.domain.identity import ProjectId
from orchestrator.store.backends.backend import Answer, Backend, Opened, Watch
from orchestrator.store.backends.sql_dialect import SqlDialect
from orchestrator.store.backends.sqlite_backend import SqliteBackend
from orchestrator.store.clock import SHARED, Clock
from orchestrator.store.statements import Change, Insertion, Query

R = TypeVar("R")
T = TypeVar("T")


class Gathered(Protocol):
    def flush(self) -> None: ...


G = TypeVar("G", bound=Gathered)


class _Sent(Exception):
    """What was asked is on its way."""


class Tx:
    """One transaction: the time it happens at, and statements that expect what they change."""

    now: int  # when the unit began, in microseconds of the wall clock
    lease_now: int  # the same on the clock that leases count on

    def __init__(self, opened: Opened, sql: SqlDialect, workflow: Path, *, only_reads: bool = False) -> None:
        self.opened = opened
        self._cursor = opened.cursor
        self._lock = opened.lock
        self._later = opened.later or opened.cursor.execute
        self._ahead = opened.ahead
        self._sql = sql
        self.workflow = workflow
        self.boot = opened.boot
        self._gathered: dict[object, Gathered] = {}
        self._found: dict[Hashable, Any] | None = {} if only_reads else None
        self._foreseen: dict[Hashable, Answer] = {}
        self._foresees = False

    def __getattr__(self, name: str) -> int:
        """The times are asked for once, when somebody needs them; `cached_property` takes a lock for that."""
        if name not in ("now", "lease_now"):
            raise AttributeError(name)
        for kept, time in zip(("now", "lease_now"), self.opened.times(), strict=True):
            self.__dict__.setdefault(kept, time)
        return cast(int, self.__dict__[name])

    @property
    def locks(self) -> bool:
        """Whether this unit locks what it writes: others write beside it."""
        return self._lock is not None

    @property
    def is_shared(self) -> bool:
        """Whether processes of several machines use the database: what it refers to may be no file of one of them."""
        return self.boot == SHARED

    def about(self, session: str) -> bool:
        """This unit writes rows of a session that it has just found: nobody else does from now on.

        True where somebody may have done so since it was found, and it has to be read again.
        """
        if self._lock is None:
            return False
        self._lock(session)
        return True

    def follows(self, at: int) -> None:
        """This unit comes after what it has found, though that was committed when it had begun: so say its times.

        Where one unit writes at a time, its time was taken behind all that it finds.
        """
        if self._lock is not None:
            self.now = max(self.now, at)

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """What `find` returns; in a unit that only reads, the same for each who asks under `key`, who must not change it."""
        if self._found is None:  # what was read may have been changed since
            return find()
        if key not in self._found:
            self._found[key] = find()
        return cast(T, self._found[key])

    def gather(self, key: object, begin: Callable[[], G]) -> G:
        """What collects the unit's changes under `key`, to be written at once when the unit has ended."""
        found = self._gathered.get(key)
        if found is None:
            found = self._gathered[key] = begin()
        return cast(G, found)

    def flush(self) -> None:
        """Write what was gathered."""
        while self._gathered:
            self._gathered.popitem()[1].flush()

    def run_many(self, statement: Insertion, rows: list[dict[str, object]]) -> None:
        """Insert each of these rows; all name the same columns."""
        form = statement.for_values(rows[0], self._sql, returning=False)
        self._cursor.executemany(form.sql, [form.bind(row) for row in rows])

    def insert(self, statement: Insertion, **values: object) -> int:
        """The new row's id; 0 for a row that has none, or was there already."""
        form = statement.for_values(values, self._sql)
        if self._sql.returns_ids and not form.returns_id:
            self._later(form.sql, form.bind(values))
            return 0
        self._cursor.execute(form.sql, form.bind(values))
        if not self._sql.returns_ids:
            return cast(Any, self._cursor).lastrowid or 0
        found = self._cursor.fetchone()
        return found[0] if found else 0

    def send(self, statement: Change, **values: object) -> None:
        """Change rows, however many: nobody waits for it where that takes a round trip."""
        form = statement.form_in(self._sql)
        self._later(form.sql, form.bind(values))

    def run(self, statement: Change, **values: object) -> int:
        """The number of rows changed."""
        form = statement.form_in(self._sql)
        self._cursor.execute(form.sql, form.bind(values))
        return self._cursor.rowcount

    def one(self, statement: Change, **values: object) -> bool:
        """Whether exactly one row was changed. Raises AssertionError for more than one."""
        changed = self.run(statement, **values)
        if changed > 1:
            raise AssertionError(
                f"{changed} rows changed where one was meant: {statement.form_in(self._sql).sql}"
            )
        return changed == 1

    def rows(self, statement: Query[R], **values: object) -> list[R]:
        form, make = statement.compiled_in(self._sql)
        bound = form.bind(values)
        if self._foresees:
            assert self._ahead is not None
            self._foreseen[form.sql, bound] = self._ahead(form.sql, bound)
            raise _Sent
        answer = self._foreseen.pop((form.sql, bound), None) if self._foreseen else None
        if answer is None:
            self._cursor.execute(form.sql, bound)
            answer = self._cursor
        return [make(raw) for raw in answer.fetchall()]

    def foresee(self, *asks: Callable[[], object]) -> None:
        """Ask at once for what each of `asks` reads first, where that saves round trips; who calls them then finds it.

        For a unit that only reads: nothing is changed meanwhile.
        """
        assert self._found is not None
        if self._ahead is None:
            return
        self._foresees = True
        try:
            for ask in asks:
                with suppress(_Sent):
                    ask()
        finally:
            self._foresees = False

    def soon(self, statement: Query[R], **values: object) -> Callable[[], list[R]]:
        """What `rows` returns, once it is called; until then nobody waits for it where that takes a round trip."""
        if self._ahead is None:
            found = self.rows(statement, **values)
            return lambda: found
        form, make = statement.compiled_in(self._sql)
        answer = self._ahead(form.sql, form.bind(values))
        return lambda: [make(raw) for raw in answer.fetchall()]

    def row(self, statement: Query[R], **values: object) -> R | None:
        """The first row, None when there is none."""
        found = self.rows(statement, **values)
        return found[0] if found else None


class Store:
    """One process's access to one project: its database, and the folder of everything that it keeps in files.

    Safe for threads; no connection crosses a fork.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock | None = None,
        synchronous: str = "FULL",
        journal: str = "wal",
        checkpointer: bool = False,
        on_wait: Callable[[list[int]], None] | None = None,
        backend: Backend | None = None,
    ) -> None:
        """On the SQLite file at `path`, unless a `backend` is given: then `path` only says which folder is the project's.

        `on_wait` is told once, with the pids in the way, when a write has to wait for another process.
        """
        self.path = path
        self.workflow = path.parent
        self.backend: Backend = backend or SqliteBackend(
            path,
            clock=clock,
            synchronous=synchronous,
            journal=journal,
            checkpointer=checkpointer,
            on_wait=on_wait,
        )
        self._sql = self.backend.sql
        self._check: Callable[[Tx], None] = lambda _: None

    def after(self, check: Callable[[Tx], None]) -> Store:
        """The same store, where each unit begins with `check`: what that raises is raised, and nothing is done."""
        found = copy.copy(self)
        found._check = check
        return found

    @property
    def project_id(self) -> ProjectId:
        return self.backend.identity

    @property
    def file(self) -> Path | None:
        """The database, where it is a file of this machine; None where a server has it, which looks after it."""
        return self.backend.file

    @property
    def clock(self) -> Clock:
        return self.backend.clock

    def close(self) -> None:
        self.backend.close()

    def write(
        self, unit: Callable[[Tx], T], *, about: str | Sequence[str] = (), use_ballast: bool = False
    ) -> T:
        """Return the answer of `unit` once its transaction, which it may share with others that wait, is committed.

        `about`: the session, or sessions, whose rows it writes; a claim need not name that of the task it finds.
        `use_ballast`: it must be written down though the disk is full, so the ballast is given up for it.
        Raises StoreError; whatever the unit raises rolls everything back.
        """
        sessions = (about,) if isinstance(about, str) else about
        return self.backend.transact(
            lambda opened: self._run(unit, opened), sessions, use_ballast=use_ballast
        )

    def _run(self, unit: Callable[[Tx], T], opened: Opened) -> T:
        tx = Tx(opened, self._sql, self.workflow)
        self._check(tx)
        answer = unit(tx)
        tx.flush()
        return answer

    def read(self, unit: Callable[[Tx], T]) -> T:
        """Return the answer of `unit` on one consistent snapshot; it cannot write."""
        return self.backend.snapshot(lambda opened: self._seen(unit, opened))

    def _seen(self, unit: Callable[[Tx], T], opened: Opened) -> T:
        tx = Tx(opened, self._sql, self.workflow, only_reads=True)
        self._check(tx)
        return unit(tx)

    def watch(self) -> Watch:
        """What tells of every commit, of any process. Raises StoreError; the caller closes it."""
        return self.backend.watch()

    def in_units(self, sessions: Sequence[str]) -> list[Sequence[str]]:
        """The sessions in groups, each to be written by one unit."""
        return self.backend.in_units(sessions)

    def checkpoint(self, *, last: bool = False) -> bool:
        """Move the log into the database as far as no reader is in the way; whether that was all. For the daemon alone.

        `last`: after `give_up`, so that nothing is committed behind it.
        """
        return self.backend.checkpoint(last=last)

    @property
    def is_broken(self) -> bool:
        return self.backend.is_broken

    def must_be_whole(self) -> None:
        """Raises StoreBroken for ever after the disk has failed: this process ends, another one begins with new handles."""
        self.backend.must_be_whole()

    def give_up(self, why: str) -> None:
        """Acknowledge nothing any more: somebody found that what we commit would be lost."""
        self.backend.give_up(why)

"""All rows of one database into another, empty one of the same schema, whatever kind either is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from sqlalchemy import ColumnElement, LargeBinary, Table, bindparam, select, tuple_

from orchestrator.domain.errors import StoreError
from orchestrator.store import artifacts
from orchestrator.store.statements import Insertion, Query, Selection, Values
from orchestrator.store.store import Store, Tx
from orchestrator.store.tables import metadata

PAGE = 500  # rows in memory at a time
PAGE_OF_BYTES = 8  # of a table that has bytes: a content may have a megabyte


class Pages:
    """A table's rows in the order of its key, a page at a time; as they are stored, JSON as its text."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._key = list(table.primary_key.columns)
        has_bytes = any(isinstance(column.type, LargeBinary) for column in table.columns)
        self._rows = PAGE_OF_BYTES if has_bytes else PAGE
        self._insertion = Insertion(table.name)
        self._first: Query[Values] = Query(Values, self._page)
        self._next: Query[Values] = Query(Values, lambda: self._page().where(self._after()))

    def _page(self) -> Selection:
        return select(self.table).order_by(*self._key).limit(self._rows)

    def _after(self) -> ColumnElement[bool]:
        return tuple_(*self._key) > tuple_(*(bindparam(f"after_{c.name}", type_=c.type) for c in self._key))

    def read(self, tx: Tx) -> Iterator[list[Values]]:
        page = tx.rows(self._first)
        while page:
            yield page
            last = page[-1]
            page = tx.rows(self._next, **{f"after_{column.name}": last[column.name] for column in self._key})

    def write(self, tx: Tx, page: list[Values]) -> None:
        tx.run_many(self._insertion, [dict(row) for row in page])


TABLES = [Pages(table) for table in metadata.sorted_tables]  # referred to before referring


def copy(source: Store, target: Store) -> dict[str, int]:
    """Table -> how many rows were copied, all in one transaction; what arrived was compared by number and digest.

    A target that has these very rows, of a copy whose caller was killed, is left as it is. Raises StoreError when it has
    others, or when what arrived differs; then nothing was written.
    """
    return source.read(lambda given: copy_rows(given, target))


def copy_rows(given: Tx, target: Store) -> dict[str, int]:
    """`copy` out of a transaction that the caller has open."""

    def unit(taken: Tx) -> dict[str, int]:
        target.backend.take_time(taken.opened)
        there = _counts_of_same(given, taken)
        if there is not None:
            return there
        refuse_rows(taken)
        for pages in TABLES:
            for page in pages.read(given):
                pages.write(taken, page)
        counts = _counts_of_same(given, taken)
        if counts is None:
            raise StoreError("the rows arrived otherwise than they were")
        if taken.is_shared:
            artifacts.bring_large(given, taken)
        target.backend.number_on(taken.opened, metadata)
        return counts

    return target.write(unit)


def refuse_rows(tx: Tx) -> None:
    """Raises StoreError when a table has rows."""
    for pages in TABLES:
        if any(True for _ in pages.read(tx)):
            raise StoreError(f"the table {pages.table.name} is not empty", fix="copy into a new database")


def count(tx: Tx) -> dict[str, int]:
    """Table -> how many rows it has."""
    return {pages.table.name: sum(len(page) for page in pages.read(tx)) for pages in TABLES}


def _counts_of_same(given: Tx, taken: Tx) -> dict[str, int] | None:
    """Table -> how many rows both have, None where one has others; a page of each in memory at a time."""
    counts: dict[str, int] = {}
    for pages in TABLES:
        counts[pages.table.name] = 0
        for there, here in zip_longest(pages.read(given), pages.read(taken), fillvalue=()):
            if len(here) != len(there) or _digest(_as_given(here, there)) != _digest(there):
                return None
            counts[pages.table.name] += len(here)
    return counts


def _as_given(here: Sequence[Values], there: Sequence[Values]) -> list[Values]:
    """Rows of a target, but for contents that it has whole and the source keeps in files."""
    return [
        Values(row, body=None) if _in_a_file(other) and _is_whole(row) else row
        for row, other in zip(here, there, strict=True)
    ]


def _in_a_file(row: Values) -> bool:
    return row.get("body", b"") is None


def _is_whole(row: Values) -> bool:
    return isinstance(row["body"], bytes) and artifacts.digest_of(row["body"]) == row["sha256"]


def _digest(page: Sequence[Values]) -> str:
    digest = hashlib.sha256()
    for row in page:
        digest.update(repr(sorted(row.items())).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()

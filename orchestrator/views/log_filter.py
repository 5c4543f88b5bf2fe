"""The entries of a log that somebody wants to see: the next or the last ones, without reading all of a long log at once."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.log_levels import Wanted
from orchestrator.store import messages
from orchestrator.store.rows import Message, Session
from orchestrator.store.store import Tx

BATCH = 1_000
MOST_READ = 20_000  # entries that one request reads


@dataclass(frozen=True, slots=True)
class Filtered:
    """`first` and `last` are the ends of what was read; what lies outside of them has not been looked at."""

    rows: list[Message]
    first: int
    last: int


def following(tx: Tx, session: Session, wanted: Wanted, after: int, limit: int) -> Filtered:
    """The first `limit` entries behind `after`."""
    rows: list[Message] = []
    last = after
    while last < session.messages and last - after < MOST_READ:
        batch = messages.after(tx, session.id, last, BATCH)
        if not batch:
            break
        for row in batch:
            last = row.number
            if wanted.takes(row):
                rows.append(row)
                if len(rows) == limit:
                    return Filtered(rows, after + 1, last)
    return Filtered(rows, after + 1, last)


def preceding(tx: Tx, session: Session, wanted: Wanted, before: int, limit: int) -> Filtered:
    """The last `limit` entries before `before`, in the order of the log."""
    rows: list[Message] = []
    first = before
    while first > 1 and before - first < MOST_READ:
        batch = messages.last(tx, session.id, BATCH, first)
        if not batch:
            break
        for row in reversed(batch):
            first = row.number
            if wanted.takes(row):
                rows.append(row)
                if len(rows) == limit:
                    return Filtered(rows[::-1], first, before - 1)
    return Filtered(rows[::-1], first, before - 1)

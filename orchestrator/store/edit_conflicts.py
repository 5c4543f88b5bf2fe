"""Edits that a mirror sent too late: the document had a newer version by then. Each is open until its sender is done with it.

They are events of the session: who reads its history sees them, and they move with it. There are few in a project, and an
index has them alone, so all are read and chosen from.
"""

from __future__ import annotations

from orchestrator.domain.json_types import Json
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store import messages
from orchestrator.store.sql import messages as table
from orchestrator.store.sql import or_, select, sessions
from orchestrator.store.statements import Selection, fixed, query
from orchestrator.store.store import Tx

CONFLICT, SETTLED = "edit_conflict", "edit_conflict_settled"


class EditConflict(NamedTuple):
    """`who` has the text with this digest in a file of theirs; it was based on version `base` of `path`."""

    session: str
    path: str
    digest: str
    who: str
    base: int
    since: int  # microseconds
    number: int  # of the event


class _Said(NamedTuple):
    session_id: str
    number: int
    kind: str
    type: str
    at: int
    data: Json
    archived: int


@query(_Said)
def _said() -> Selection:
    return (
        select(
            table.c.session_id,
            table.c.number,
            table.c.kind,
            table.c.type,
            table.c.at,
            table.c.data,
            sessions.c.archived,
        )
        .join(sessions, sessions.c.id == table.c.session_id)
        .where(or_(table.c.type == fixed(CONFLICT), table.c.type == fixed(SETTLED)))
        .order_by(table.c.session_id, table.c.number)
    )


def _open(rows: list[_Said]) -> list[EditConflict]:
    found: dict[tuple[str, str, str, str], EditConflict] = {}
    for row in rows:
        data = row.data if row.kind == "event" and isinstance(row.data, dict) else None
        if data is None:
            continue  # a message that somebody has sent under that type
        path, digest, who = str(data.get("path")), str(data.get("digest")), str(data.get("who"))
        key = (row.session_id, path, digest, who)
        if row.type == SETTLED:
            found.pop(key, None)
        else:
            found[key] = EditConflict(*key, _number(data.get("base")), row.at, row.number)
    return list(found.values())


def _number(value: Json) -> int:
    return value if isinstance(value, int) else 0  # of an imported session anything may be said


def open_in(tx: Tx, session: str) -> list[EditConflict]:
    """Those of the session that nobody is done with, oldest first."""
    tx.flush()
    return _open([row for row in tx.rows(_said) if row.session_id == session])


def in_all(tx: Tx) -> list[EditConflict]:
    """Those of every session that is not archived, oldest first in each."""
    tx.flush()
    return _open([row for row in tx.rows(_said) if not row.archived])


def in_words(each: EditConflict) -> str:
    return (
        f"{each.who} edited version {each.base} of {each.path} after it had a newer one; that text is beside it in their "
        "folder, and settled when they delete it there"
    )


def note(tx: Tx, session: str, path: str, digest: str, who: str, base: int, newest: int) -> None:
    """Say once that this edit came too late."""
    if not _is_open(tx, session, path, digest, who):
        summary = f"{who} edited version {base} of {path}, which has version {newest} by now: both are kept"
        messages.event(
            tx, session, CONFLICT, summary, path=path, digest=digest, who=who, base=base, newest=newest
        )


def settle(tx: Tx, session: str, path: str, digest: str, who: str) -> bool:
    """Say that who sent it is done with it; False where that was said before."""
    if not _is_open(tx, session, path, digest, who):
        return False
    messages.event(tx, session, SETTLED, f"{who} settled {path}", path=path, digest=digest, who=who)
    return True


def _is_open(tx: Tx, session: str, path: str, digest: str, who: str) -> bool:
    return any((each.path, each.digest, each.who) == (path, digest, who) for each in open_in(tx, session))

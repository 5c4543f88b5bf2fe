"""The team bus and the session's history: one append-only sequence a session, numbered without gap or repeat."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import Json
from orchestrator.domain.message_types import KNOWN_TYPES
from orchestrator.store.rows import EventTime, Message
from orchestrator.store.sql import Update, bindparam, messages, select, sessions, update
from orchestrator.store.statements import Insertion, Selection, change, columns, query
from orchestrator.store.store import Tx


@query(int)
def _last() -> Selection:
    return select(sessions.c.messages).where(sessions.c.id == bindparam("session"))


@change
def _numbered() -> Update:
    return (
        update(sessions)
        .where(sessions.c.id == bindparam("session"))
        .values(messages=bindparam("number"), updated_at=bindparam("now"))
    )


_APPEND = Insertion("messages")


@query(Message)
def _after() -> Selection:
    return (
        select(*columns(messages, Message))
        .where(messages.c.session_id == bindparam("session"), messages.c.number > bindparam("after"))
        .order_by(messages.c.number)
        .limit(bindparam("limit"))
    )


@query(Message)
def _before() -> Selection:
    return (
        select(*columns(messages, Message))
        .where(messages.c.session_id == bindparam("session"), messages.c.number < bindparam("before"))
        .order_by(messages.c.number.desc())
        .limit(bindparam("limit"))
    )


@query(Message)
def _one() -> Selection:
    return select(*columns(messages, Message)).where(
        messages.c.session_id == bindparam("session"), messages.c.number == bindparam("number")
    )


@query(EventTime)
def _newest_event() -> Selection:
    return (
        select(messages.c.number, messages.c.at)
        .where(
            messages.c.session_id == bindparam("session"),
            messages.c.kind == "event",
            messages.c.type == bindparam("event_type"),
        )
        .order_by(messages.c.number.desc())
        .limit(1)
    )


class _New:
    """A session's new messages: numbered at once, written together when the unit ends."""

    def __init__(self, tx: Tx, session: str, last: int) -> None:
        self._tx = tx
        self._session = session
        self._number = last
        self._rows: list[dict[str, object]] = []

    def append(self, kind: str, values: dict[str, object]) -> int:
        self._number += 1
        self._rows.append(
            {
                "session_id": self._session,
                "number": self._number,
                "kind": kind,
                "at": self._tx.now,
                **values,
            }
        )
        return self._number

    def flush(self) -> None:
        self._tx.run_many(_APPEND, self._rows)
        self._tx.send(_numbered, session=self._session, number=self._number, now=self._tx.now)


def _append(tx: Tx, session: str, kind: str, values: dict[str, object]) -> int:
    return _new(tx, session, lambda: _last_number(tx, session)).append(kind, values)


def _new(tx: Tx, session: str, last: Callable[[], int]) -> _New:
    return tx.gather(("messages", session), lambda: _New(tx, session, last()))


def _last_number(tx: Tx, session: str) -> int:
    found = tx.row(_last, session=session)
    if found is None:
        raise UnknownName("session", session, [])
    return found


def go_on(tx: Tx, session: str, last: int) -> None:
    """Number this unit's messages from `last`, which was read in the same transaction, without a second query."""
    _new(tx, session, lambda: last)


def say(
    tx: Tx,
    session: str,
    sender: str,
    type: str,
    summary: str,
    *,
    to: str = "coordinator",
    ref: str | None = None,
    data: Json = None,
) -> int:
    """Append a message of the bus; returns its number. The summary carries the sender's tag."""
    tag = f"[{sender}]"
    return _append(
        tx,
        session,
        "message",
        {
            "sender": sender,
            "recipient": to,
            "type": type,
            "known": int(type in KNOWN_TYPES),
            "summary": summary if summary.startswith(tag) else f"{tag} {summary}",
            "ref": ref,
            "data": data,
        },
    )


def event(tx: Tx, session: str, type: str, summary: str, **data: Json) -> int:
    """Append a fact of the session's history, as the coordinator; returns its number."""
    return _append(
        tx,
        session,
        "event",
        {
            "sender": "coordinator",
            "recipient": "all",
            "type": type,
            "known": 1,
            "summary": summary,
            "ref": None,
            "data": data or None,
        },
    )


def after(tx: Tx, session: str, number: int = 0, limit: int = 1_000) -> list[Message]:
    """What came after `number`, in order; key-set paging, so nothing is skipped or repeated under writes."""
    tx.flush()
    return tx.rows(_after, session=session, after=number, limit=limit)


def last(tx: Tx, session: str, count: int, before: int = 2**62) -> list[Message]:
    """The newest `count` before `before`, oldest first."""
    tx.flush()
    return tx.rows(_before, session=session, before=before, limit=count)[::-1]


def one(tx: Tx, session: str, number: int) -> Message | None:
    tx.flush()
    return tx.row(_one, session=session, number=number)


def newest_event(tx: Tx, session: str, type: str) -> EventTime | None:
    """Number and time of the session's last event of that type."""
    tx.flush()
    return tx.row(_newest_event, session=session, event_type=type)

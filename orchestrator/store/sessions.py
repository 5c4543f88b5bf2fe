"""Every change of a session's state, a person's decisions, and commands that are applied once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from orchestrator.config.snapshots import upgraded
from orchestrator.domain.approvals import digest_of
from orchestrator.domain.errors import UsageError
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.store import artifacts, messages, transitions
from orchestrator.store.prepared import Prepared, PreparedInsert, Row, fixed, one_of
from orchestrator.store.project_tables import commands
from orchestrator.store.store import Tx
from orchestrator.store.tables import decisions, sessions, snapshots

EVERY = 2**31 - 1  # a limit that is none
OWED = "owed"  # in a pause's detail: approvals that were asked for while the session was paused already

_INSERT = PreparedInsert(lambda: insert(sessions))
_GET = Prepared(lambda: select(sessions).where(sessions.c.id == bindparam("session")))
_STANDING = Prepared(
    lambda: select(sessions.c.status, sessions.c.pause_reason, sessions.c.options, sessions.c.messages).where(
        sessions.c.id == bindparam("session")
    )
)
_SNAPSHOT = Prepared(lambda: select(snapshots.c.data).where(snapshots.c.session_id == bindparam("session")))
_KEEP_SNAPSHOT = PreparedInsert(lambda: insert(snapshots))
_ALL = Prepared(lambda: select(sessions).order_by(sessions.c.created_at, sessions.c.id))
_LIKE = Prepared(
    lambda: select(sessions.c.id).where(sessions.c.id >= bindparam("low"), sessions.c.id < bindparam("high"))
)
_UNFINISHED = Prepared(
    lambda: (
        select(sessions)
        .where(one_of(sessions.c.status, [SessionStatus.ACTIVE, SessionStatus.PAUSED]))
        .order_by(sessions.c.created_at, sessions.c.id)
        .limit(bindparam("limit"))
    )
)
_NEWEST_SHOWN = Prepared(
    lambda: (
        select(sessions)
        .where(sessions.c.archived == 0)
        .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
        .limit(1)
    )
)
_DIRTY = Prepared(
    lambda: (
        select(sessions.c.id).where(sessions.c.dirty == fixed(1)).order_by(sessions.c.updated_at).limit(100)
    )
)
_UNPROJECTED = Prepared(
    lambda: select(sessions.c.id).where(sessions.c.projected < sessions.c.messages).limit(100)
)
_MARK = Prepared(lambda: update(sessions).where(sessions.c.id == bindparam("session")).values(dirty=1))
_CLEAR = Prepared(lambda: update(sessions).where(sessions.c.id == bindparam("session")).values(dirty=0))
_PROJECTED = Prepared(
    lambda: (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.projected < bindparam("number"))
        .values(projected=bindparam("number"))
    )
)
# Change a session from active to paused; the first reason stays.
_PAUSE = Prepared(
    lambda: (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status == SessionStatus.ACTIVE)
        .values(
            status=SessionStatus.PAUSED,
            pause_reason=bindparam("reason"),
            pause_detail=bindparam("detail", type_=sessions.c.pause_detail.type),
            updated_at=bindparam("now"),
            dirty=1,
        )
    )
)
# Let a paused session know more about its pause.
_ADD_DETAIL = Prepared(
    lambda: (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status == SessionStatus.PAUSED)
        .values(pause_detail=bindparam("detail", type_=sessions.c.pause_detail.type))
    )
)
# Change a session from paused to active.
_RESUME = Prepared(
    lambda: (
        update(sessions)
        .where(
            sessions.c.id == bindparam("session"),
            sessions.c.status == SessionStatus.PAUSED,
            sessions.c.pause_reason == bindparam("reason"),
        )
        .values(
            status=SessionStatus.ACTIVE,
            pause_reason=None,
            pause_detail=None,
            updated_at=bindparam("now"),
            dirty=1,
        )
    )
)
# Change a session from active to completed.
_COMPLETE = Prepared(
    lambda: (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status == SessionStatus.ACTIVE)
        .values(status=SessionStatus.COMPLETED, finished_at=bindparam("now"), updated_at=bindparam("now"))
    )
)
# Change a session from completed to active: rework was asked for.
_REOPEN = Prepared(
    lambda: (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status == SessionStatus.COMPLETED)
        .values(status=SessionStatus.ACTIVE, finished_at=None, updated_at=bindparam("now"), dirty=1)
    )
)
# Change a session from any state but cancelled to cancelled.
_CANCEL = Prepared(
    lambda: (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status != SessionStatus.CANCELLED)
        .values(
            status=SessionStatus.CANCELLED,
            pause_reason=None,
            pause_detail=None,
            finished_at=bindparam("now"),
            updated_at=bindparam("now"),
            dirty=1,
        )
    )
)
_ARCHIVE = Prepared(
    lambda: update(sessions).where(sessions.c.id == bindparam("session")).values(archived=bindparam("flag"))
)
_SCORE = Prepared(
    lambda: (
        update(sessions)
        .where(sessions.c.id == bindparam("session"))
        .values(gate=bindparam("verdict"), score=bindparam("points"))
    )
)
_DECIDE = PreparedInsert(lambda: insert(decisions))
_DECISIONS = Prepared(
    lambda: select(decisions).where(decisions.c.session_id == bindparam("session")).order_by(decisions.c.id)
)
_COMMAND = Prepared(lambda: select(commands).where(commands.c.id == bindparam("command")))
_ANSWERED = PreparedInsert(lambda: insert(commands))


def create(tx: Tx, values: dict[str, Any], snapshot: Any) -> None:
    """Make an active, dirty session; `values` are its columns but for state and times."""
    tx.run(_INSERT, status=SessionStatus.ACTIVE, created_at=tx.now, updated_at=tx.now, **values)
    tx.run(_KEEP_SNAPSHOT, session_id=values["id"], data=snapshot)


def get(tx: Tx, session: str) -> Row | None:
    return tx.row(_GET, session=session)


def standing(tx: Tx, session: str) -> Row:
    """What a report asks of its session: status, pause_reason, options, messages; not the request, which may be long."""
    row = tx.row(_STANDING, session=session)
    assert row is not None
    return row


def snapshot(tx: Tx, session: str) -> Any:
    """What the session keeps of the pack it was started with, in the form of this version."""
    return upgraded(tx.value(_SNAPSHOT, session=session))


def all_sessions(tx: Tx) -> list[Row]:
    return tx.rows(_ALL)


def unfinished(tx: Tx, limit: int = EVERY) -> list[Row]:
    """Active and paused sessions, the oldest first."""
    return tx.rows(_UNFINISHED, limit=limit)


def newest_shown(tx: Tx) -> Row | None:
    """The newest session that is not archived."""
    return tx.row(_NEWEST_SHOWN)


def with_prefix(tx: Tx, prefix: str) -> list[str]:
    """Ids that begin with `prefix`, in order."""
    return sorted(row.id for row in tx.rows(_LIKE, low=prefix, high=prefix + "\U0010ffff"))


def dirty(tx: Tx) -> list[str]:
    return [row.id for row in tx.rows(_DIRTY)]


def unprojected(tx: Tx) -> list[str]:
    return [row.id for row in tx.rows(_UNPROJECTED)]


def mark_dirty(tx: Tx, session: str) -> None:
    """Ask for a beat. Marks do not count: many coalesce into one beat, and none is lost."""
    tx.run(_MARK, session=session)


def clear_dirty(tx: Tx, session: str) -> None:
    """Only the beat calls this, in the transaction that has looked at everything a mark could mean."""
    tx.run(_CLEAR, session=session)


def mark_projected(tx: Tx, session: str, number: int) -> None:
    tx.run(_PROJECTED, session=session, number=number)


def pause(tx: Tx, session: str, reason: PauseReason, detail: dict[str, Any]) -> bool:
    """Pause an active session and withdraw its offers; False when it was not active, and then the first reason stays."""
    detail = _bound(tx, session, reason, detail)
    if not tx.one(_PAUSE, session=session, reason=reason, detail=detail, now=tx.now):
        return False
    transitions.withdraw_offers(tx, session)
    messages.event(tx, session, "paused", f"paused: {reason}", reason=reason, **detail)
    return True


def owe(tx: Tx, session: str, reason: PauseReason, detail: dict[str, Any]) -> None:
    """Remember an approval that cannot be asked for now, since the session is paused already: `resume` asks for it."""
    row = get(tx, session)
    if row is not None and row.status == SessionStatus.PAUSED:
        held = row.pause_detail or {}
        owed = [*held.get(OWED, ()), {"reason": reason, "detail": _bound(tx, session, reason, detail)}]
        tx.one(_ADD_DETAIL, session=session, detail={**held, OWED: owed})


def _bound(tx: Tx, session: str, reason: PauseReason, detail: dict[str, Any]) -> dict[str, Any]:
    """With the digest of what is shown for approval; one that was owed keeps that of when it fell due."""
    if not PAUSES[reason].approves:
        return detail
    return {"digest": subject_digest(tx, session, reason), "digest_at": tx.now, **detail}


def subject_digest(
    tx: Tx, session: str, reason: PauseReason, edited: Mapping[str, str] | None = None
) -> str | None:
    """Of what `resume` would approve, `edited` (path -> digest) taken in; None when it approves nothing."""
    folders = PAUSES[reason].approves
    if not folders:
        return None
    newest = {row.path: row.sha256 for row in artifacts.newest(tx, session)}
    return digest_of(folders, {**newest, **(edited or {})})


def resume(tx: Tx, session: str, reason: str) -> bool:
    """Make a paused session active, or pause it for the next approval that it owes."""
    row = get(tx, session)
    if not tx.one(_RESUME, session=session, reason=reason, now=tx.now):
        return False
    owed = (row.pause_detail or {}).get(OWED) if row is not None else None
    if owed:
        first, *rest = owed
        detail = {**first["detail"], OWED: rest} if rest else first["detail"]
        pause(tx, session, PauseReason(first["reason"]), detail)
    return True


def complete(tx: Tx, session: str) -> bool:
    return tx.one(_COMPLETE, session=session, now=tx.now)


def reopen(tx: Tx, session: str) -> bool:
    return tx.one(_REOPEN, session=session, now=tx.now)


def cancel(tx: Tx, session: str) -> bool:
    return tx.one(_CANCEL, session=session, now=tx.now)


def archive(tx: Tx, session: str, flag: bool) -> None:
    tx.run(_ARCHIVE, session=session, flag=int(flag))


def set_gate(tx: Tx, session: str, gate: str, score: float) -> None:
    tx.run(_SCORE, session=session, verdict=gate, points=score)


def decide(
    tx: Tx,
    session: str,
    subject: str,
    who: str,
    words: str,
    *,
    digest: str | None = None,
    forced: bool = False,
) -> int:
    """Record a person's decision on `subject`, bound to the digest of what was decided on."""
    return tx.insert(
        _DECIDE,
        session_id=session,
        subject=subject,
        who=who,
        words=words,
        digest=digest,
        forced=int(forced),
        at=tx.now,
    )


def decisions_of(tx: Tx, session: str) -> list[Row]:
    return tx.rows(_DECISIONS, session=session)


def answer_of(tx: Tx, command: str, digest: str) -> Any:
    """The answer this command id got before, None when it is new. Raises UsageError when it named another command."""
    row = tx.row(_COMMAND, command=command)
    if row is None:
        return None
    if row.digest != digest:
        raise UsageError(
            f"key {command!r} was used for another command",
            why=f"it made {row.session_id or row.name}",
            fix="choose another --key",
        )
    return row.answer


def answered(tx: Tx, command: str, name: str, session: str | None, digest: str, answer: Any) -> None:
    tx.run(_ANSWERED, id=command, name=name, session_id=session, digest=digest, answer=answer, at=tx.now)

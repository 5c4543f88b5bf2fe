"""Every change of a session's state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from orchestrator.domain import past
from orchestrator.domain.approvals import digest_of
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.store import artifacts, messages, transitions
from orchestrator.store.rows import EndedSession, Session, SessionState
from orchestrator.store.sql import (
    Update,
    agent_calls,
    and_,
    bindparam,
    case,
    exists,
    or_,
    select,
    sessions,
    snapshots,
    update,
)
from orchestrator.store.statements import Insertion, Selection, change, columns, fixed, one_of, query
from orchestrator.store.store import Tx

if TYPE_CHECKING:
    from orchestrator.domain.pipelines import Pack

UNFINISHED = [SessionStatus.ACTIVE, SessionStatus.PAUSED]
ENDED = [SessionStatus.COMPLETED, SessionStatus.CANCELLED]
EVERY = 2**31 - 1  # a limit that is none
LATEST = 2**62  # microseconds; after every time
DEFERRED = "owed"  # in a pause's detail: approvals that were asked for while the session was paused already

_INSERT = Insertion("sessions")


@query(Session)
def _get() -> Selection:
    return select(*columns(sessions, Session)).where(sessions.c.id == bindparam("session"))


@query(SessionState)
def _session_state() -> Selection:
    calls = exists().where(agent_calls.c.run_id == bindparam("run"), agent_calls.c.finished_at.is_(None))
    return select(
        *columns(sessions, SessionState), case((calls, fixed(1)), else_=fixed(0)).label("open_calls")
    ).where(sessions.c.id == bindparam("session"))


@query(JsonObject)
def _snapshot() -> Selection:
    return select(snapshots.c.data).where(snapshots.c.session_id == bindparam("session"))


_KEEP_SNAPSHOT = Insertion("snapshots")
_CHANGE_SNAPSHOT = Insertion("snapshots", unique=["session_id"], replace=["data"])


@query(Session)
def _all() -> Selection:
    return select(*columns(sessions, Session)).order_by(sessions.c.created_at, sessions.c.id)


@query(str)
def _like() -> Selection:
    return select(sessions.c.id).where(sessions.c.id >= bindparam("low"), sessions.c.id < bindparam("high"))


@query(Session)
def _unfinished() -> Selection:
    return (
        select(*columns(sessions, Session))
        .where(one_of(sessions.c.status, UNFINISHED))
        .order_by(sessions.c.created_at, sessions.c.id)
        .limit(bindparam("limit"))
    )


@query(Session)
def _newest_shown() -> Selection:
    return (
        select(*columns(sessions, Session))
        .where(sessions.c.archived == 0)
        .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
        .limit(1)
    )


@query(str)
def _needing_beat() -> Selection:
    return (
        select(sessions.c.id)
        .where(sessions.c.needs_beat == fixed(1))
        .order_by(sessions.c.updated_at)
        .limit(100)
    )


@query(str)
def _unprojected() -> Selection:
    return (
        select(sessions.c.id)
        .where(
            sessions.c.projected < sessions.c.messages,
            sessions.c.finished_at.is_(None),
            sessions.c.id > bindparam("after"),
        )
        .order_by(sessions.c.id)
        .limit(100)
    )


@query(EndedSession)
def _unprojected_ended() -> Selection:
    earlier = sessions.c.finished_at < bindparam("before")
    beside = and_(sessions.c.finished_at == bindparam("before"), sessions.c.id > bindparam("after"))
    return (
        select(*columns(sessions, EndedSession))
        .where(
            sessions.c.projected < sessions.c.messages,
            sessions.c.finished_at.is_not(None),
            or_(earlier, beside),
        )
        .order_by(sessions.c.finished_at.desc(), sessions.c.id)
        .limit(100)
    )


@change
def _mark() -> Update:
    return update(sessions).where(sessions.c.id == bindparam("session")).values(needs_beat=1)


@change
def _clear() -> Update:
    return update(sessions).where(sessions.c.id == bindparam("session")).values(needs_beat=0)


@change
def _projected() -> Update:
    return (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.projected < bindparam("number"))
        .values(projected=bindparam("number"))
    )


# Change a session from active to paused; the first reason stays.
@change
def _pause() -> Update:
    return (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status == SessionStatus.ACTIVE)
        .values(
            status=SessionStatus.PAUSED,
            pause_reason=bindparam("reason"),
            pause_detail=bindparam("detail", type_=sessions.c.pause_detail.type),
            updated_at=bindparam("now"),
            needs_beat=1,
        )
    )


# Let a paused session know more about its pause.
@change
def _add_detail() -> Update:
    return (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status == SessionStatus.PAUSED)
        .values(pause_detail=bindparam("detail", type_=sessions.c.pause_detail.type))
    )


# Change a session from paused to active.
@change
def _resume() -> Update:
    return (
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
            needs_beat=1,
        )
    )


# Change a session from active to completed.
@change
def _complete() -> Update:
    return (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status == SessionStatus.ACTIVE)
        .values(status=SessionStatus.COMPLETED, finished_at=bindparam("now"), updated_at=bindparam("now"))
    )


# Change a session from completed to active: rework was asked for.
@change
def _reopen() -> Update:
    return (
        update(sessions)
        .where(sessions.c.id == bindparam("session"), sessions.c.status == SessionStatus.COMPLETED)
        .values(status=SessionStatus.ACTIVE, finished_at=None, updated_at=bindparam("now"), needs_beat=1)
    )


# Change a session from any state but cancelled to cancelled.
@change
def _cancel() -> Update:
    return (
        update(sessions)
        .where(
            sessions.c.id == bindparam("session"),
            sessions.c.status != SessionStatus.CANCELLED,
            sessions.c.status != SessionStatus.COMPLETED,
        )
        .values(
            status=SessionStatus.CANCELLED,
            pause_reason=None,
            pause_detail=None,
            finished_at=bindparam("now"),
            updated_at=bindparam("now"),
            needs_beat=1,
        )
    )


@change
def _archive() -> Update:
    return update(sessions).where(sessions.c.id == bindparam("session")).values(archived=bindparam("flag"))


@change
def _score() -> Update:
    return (
        update(sessions)
        .where(sessions.c.id == bindparam("session"))
        .values(gate=bindparam("verdict"), score=bindparam("points"))
    )


def create(tx: Tx, values: Mapping[str, object], snapshot: JsonObject) -> None:
    """Make an active session that needs a beat; `values` are its columns but for state and times."""
    tx.insert(_INSERT, status=SessionStatus.ACTIVE, created_at=tx.now, updated_at=tx.now, **values)
    tx.insert(_KEEP_SNAPSHOT, session_id=values["id"], data=snapshot)


def get(tx: Tx, session: str) -> Session | None:
    return tx.row(_get, session=session)


def session_state(tx: Tx, session: str) -> SessionState:
    """What a report asks of its session: status, pause_reason, options, messages; not the request, which may be long."""
    return session_state_soon(tx, session)()


def session_state_soon(tx: Tx, session: str, run: str | None = None) -> Callable[[], SessionState]:
    """The same, as it is now, for who asks for something else before he reads it; `open_calls` are those of `run`."""
    asked = tx.soon(_session_state, session=session, run=run)

    def found() -> SessionState:
        (row,) = asked()
        return row

    return found


def snapshot(tx: Tx, session: str) -> JsonObject:
    """What the session keeps of the pack it was started with, in the form of this version."""
    from orchestrator.config.snapshots import (
        upgraded,  # the whole pack, which a list of sessions has no use for
    )

    found = tx.row(_snapshot, session=session)
    assert found is not None
    return upgraded(found)


def pack(tx: Tx, session: str) -> Pack:
    """The pack that the session was started with, as the rules take it; it knows no other pipeline."""
    from orchestrator.domain.pipelines import from_snapshot

    return tx.once((pack, session), lambda: from_snapshot(snapshot(tx, session))[0])


def keep_snapshot(tx: Tx, session: str, data: JsonObject) -> None:
    """Change what a session keeps: a role that was made for it while it ran."""
    tx.insert(_CHANGE_SNAPSHOT, session_id=session, data=data)


def all_sessions(tx: Tx) -> list[Session]:
    return tx.rows(_all)


def unfinished(tx: Tx, limit: int = EVERY) -> list[Session]:
    """Active and paused sessions, the oldest first."""
    return tx.rows(_unfinished, limit=limit)


def newest_shown(tx: Tx) -> Session | None:
    """The newest session that is not archived."""
    return tx.row(_newest_shown)


def with_prefix(tx: Tx, prefix: str) -> list[str]:
    """Ids that begin with `prefix`, in order."""
    return sorted(tx.rows(_like, low=prefix, high=prefix + "\U0010ffff"))


def needing_beat(tx: Tx) -> list[str]:
    return tx.rows(_needing_beat)


def unprojected(tx: Tx, after: str = "") -> list[str]:
    """The next unfinished sessions behind this id, in order, whose files are not as their rows are."""
    return tx.rows(_unprojected, after=after)


def unprojected_ended(tx: Tx, last: EndedSession | None = None) -> list[EndedSession]:
    """The next sessions that ended before `last`, the newest first, whose files are not as their rows are."""
    before, after = (last.finished_at, last.id) if last is not None else (LATEST, "")
    return tx.rows(_unprojected_ended, before=before, after=after)


def request_beat(tx: Tx, session: str) -> None:
    """Ask for a beat. Marks do not count: many coalesce into one beat, and none is lost."""
    tx.send(_mark, session=session)


@change
def _unproject() -> Update:
    return (
        update(sessions)
        .where(one_of(sessions.c.status, UNFINISHED), sessions.c.projected > fixed(0))
        .values(projected=0)
    )


@change
def _unproject_newest_ended() -> Update:
    newest = (
        select(sessions.c.id)
        .where(one_of(sessions.c.status, ENDED))
        .order_by(sessions.c.created_at.desc(), sessions.c.id.desc())
        .limit(bindparam("limit"))
    )
    return (
        update(sessions).where(sessions.c.id.in_(newest), sessions.c.projected > fixed(0)).values(projected=0)
    )


def clear_beat_request(tx: Tx, session: str) -> None:
    """Only the beat calls this, in the transaction that has looked at everything a mark could mean."""
    tx.send(_clear, session=session)


def mark_projected(tx: Tx, session: str, number: int) -> None:
    tx.send(_projected, session=session, number=number)


def unproject(tx: Tx, ended: int) -> int:
    """Have files of sessions written anew by whoever leads: those that there are may be on another machine.

    Of all unfinished sessions, and of the newest `ended` others; the number whose files had been written.
    """
    return tx.run(_unproject) + tx.run(_unproject_newest_ended, limit=ended)


def pause(tx: Tx, session: str, reason: PauseReason, detail: JsonObject) -> bool:
    """Pause an active session and withdraw its offers; False when it was not active, and then the first reason stays."""
    detail = _bound(tx, session, reason, detail)
    if not tx.one(_pause, session=session, reason=reason, detail=detail, now=tx.now):
        return False
    transitions.withdraw_offers(tx, session)
    messages.event(tx, session, "paused", f"paused: {reason}", reason=reason, **detail)
    return True


def defer_approval(tx: Tx, session: str, reason: PauseReason, detail: JsonObject) -> None:
    """Remember an approval that cannot be asked for now, since the session is paused already: `resume` asks for it."""
    row = get(tx, session)
    if row is not None and row.status == SessionStatus.PAUSED:
        held = row.pause_detail or {}
        bound = _bound(tx, session, reason, detail)
        deferred = [*held.get(DEFERRED, ()), {"reason": reason, "detail": bound}]
        tx.one(_add_detail, session=session, detail={**held, DEFERRED: deferred})
        said = f"{reason} is asked for when the session goes on"
        messages.event(tx, session, past.DEFERRED, said, reason=reason, **bound)


def _bound(tx: Tx, session: str, reason: PauseReason, detail: JsonObject) -> JsonObject:
    """With the digest of what is shown for approval; one that was deferred keeps that of when it fell due."""
    if not PAUSES[reason].approves:
        return detail
    shown = {"digest": subject_digest(tx, session, reason), "versions": artifacts.count_versions(tx, session)}
    return {**shown, **detail}


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
    """Make a paused session active, or pause it for the next approval that was deferred."""
    row = get(tx, session)
    if not tx.one(_resume, session=session, reason=reason, now=tx.now):
        return False
    deferred = (row.pause_detail or {}).get(DEFERRED) if row is not None else None
    if deferred:
        first, *rest = deferred
        detail = {**first["detail"], DEFERRED: rest} if rest else first["detail"]
        pause(tx, session, PauseReason(first["reason"]), detail)
    return True


def complete(tx: Tx, session: str) -> bool:
    return tx.one(_complete, session=session, now=tx.now)


def reopen(tx: Tx, session: str) -> bool:
    return tx.one(_reopen, session=session, now=tx.now)


def cancel(tx: Tx, session: str) -> bool:
    return tx.one(_cancel, session=session, now=tx.now)


def archive(tx: Tx, session: str, flag: bool) -> None:
    tx.send(_archive, session=session, flag=int(flag))


def set_gate(tx: Tx, session: str, gate: str, score: float) -> None:
    tx.send(_score, session=session, verdict=gate, points=score)

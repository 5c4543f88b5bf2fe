"""pause, cancel, archive and delete."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.model import RunOutcome, SessionStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import decisions, messages, records, retention, sessions, tasks, transitions
from orchestrator.store.edits import session_directory
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup

ENDED = (SessionStatus.COMPLETED, SessionStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class Done:
    session: str
    stopped: tuple[str, ...] = ()  # runs whose agents must stop now


def pause(store: Store, name: str | None, *, who: str, words: str = "") -> Done:
    """Pause a session: open runs finish, no new offers. Raises NotAllowedNow when it is paused already."""

    def unit(tx: Tx) -> Done:
        session = lookup.session(tx, name)
        if session.status != SessionStatus.ACTIVE:
            why = f"the reason remains {session.pause_reason}" if session.pause_reason else ""
            raise NotAllowedNow(
                f"{session.id} is already {session.status}", why=why, fix=f"lifecycle check {session.id}"
            )
        sessions.pause(tx, session.id, PauseReason.USER, {"by": who, "words": words})
        return Done(session.id)

    return store.write(unit)


def cancel(store: Store, name: str | None, *, who: str, words: str = "") -> Done:
    """End the session permanently and stop its runs. Raises NotAllowedNow when it is cancelled already."""

    def unit(tx: Tx) -> Done:
        session = lookup.session(tx, name)
        if not sessions.cancel(tx, session.id):
            raise NotAllowedNow(
                f"{session.id} is already cancelled", fix=f"lifecycle archive {session.id}, or delete"
            )
        stopped = []
        for run in tasks.open_runs(tx, session.id):
            transitions.revoke(
                tx, run.id, run.task_id, RunOutcome.CANCELLED, f"cancelled by {who}", counted=False
            )
            records.cut_off_calls(tx, run.id, "cancelled")
            stopped.append(run.id)
        transitions.cancel_all(tx, session.id)
        decisions.decide(tx, session.id, "cancel", who, words)
        messages.event(tx, session.id, "cancelled", f"cancelled by {who}", stopped=stopped)
        return Done(session.id, tuple(stopped))

    return store.write(unit)


def archive(store: Store, name: str, *, restore: bool = False) -> Done:
    """Hide an ended session from `list`, or show it again. Raises NotAllowedNow for an unfinished one."""

    def unit(tx: Tx) -> Done:
        session = lookup.session(tx, name)
        if session.status not in ENDED:
            raise NotAllowedNow(
                f"{session.id} is {session.status}",
                why="only an ended session can be archived",
                fix="cancel it first",
            )
        sessions.archive(tx, session.id, not restore)
        messages.event(tx, session.id, "archived", "shown again" if restore else "archived")
        return Done(session.id)

    return store.write(unit)


def delete(store: Store, name: str, *, who: str) -> Done:
    """Remove an ended session, its rows and its directory; a record of the removal is kept."""

    def unit(tx: Tx) -> str:
        session = lookup.session(tx, name)
        if session.status not in ENDED:
            raise NotAllowedNow(
                f"{session.id} is {session.status}",
                why="only an ended session can be deleted",
                fix="cancel it first",
            )
        retention.delete_session(tx, session.id, who)
        return str(session.id)

    session_id = store.write(unit)
    directory = session_directory(store.workflow, session_id)
    if directory.is_dir() and not directory.is_symlink():
        shutil.rmtree(directory)
    return Done(session_id)

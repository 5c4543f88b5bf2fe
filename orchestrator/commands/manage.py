"""pause, cancel, archive and delete."""

from __future__ import annotations

from orchestrator import failpoints
from orchestrator.commands import once
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.model import RunOutcome, SessionStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import decisions, edits, messages, records, retention, sessions, tasks, transitions
from orchestrator.store.deletion import remove_folder
from orchestrator.store.edits import session_directory
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup

ENDED = (SessionStatus.COMPLETED, SessionStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class Done:
    session: str
    stopped: tuple[str, ...] = ()  # runs whose agents must stop now
    repeated: bool = False  # it was applied before, under the same key


def pause(store: Store, name: str | None, *, who: str, words: str = "", key: str | None = None) -> Done:
    """Pause a session: open runs finish, no new offers. Raises NotAllowedNow when it is paused already."""
    given = once.command("pause", key, session=name, who=who, words=words)

    def unit(tx: Tx) -> Done:
        session = lookup.session(tx, name)
        if session.status != SessionStatus.ACTIVE:
            why = f"the reason remains {session.pause_reason}" if session.pause_reason else ""
            raise NotAllowedNow(
                f"{session.id} is already {session.status}", why=why, fix=f"lifecycle check {session.id}"
            )
        sessions.pause(tx, session.id, PauseReason.USER, {"by": who, "words": words})
        return Done(session.id)

    return once.apply_once(store, given, Done, unit)


def cancel(store: Store, name: str | None, *, who: str, words: str = "", key: str | None = None) -> Done:
    """End the session permanently and stop its runs. Raises NotAllowedNow when it has ended already."""
    given = once.command("cancel", key, session=name, who=who, words=words)

    def unit(tx: Tx) -> Done:
        session = lookup.session(tx, name)
        if not sessions.cancel(tx, session.id):
            is_done = session.status == SessionStatus.COMPLETED
            raise NotAllowedNow(
                f"{session.id} is completed: nothing is under way"
                if is_done
                else f"{session.id} is already cancelled",
                fix=f"lifecycle archive {session.id}, or delete",
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

    return once.apply_once(store, given, Done, unit)


def archive(store: Store, name: str, *, restore: bool = False, key: str | None = None) -> Done:
    """Hide an ended session from `list`, or show it again. Raises NotAllowedNow for an unfinished one."""
    given = once.command("archive", key, session=name, restore=restore)

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

    return once.apply_once(store, given, Done, unit)


def delete(store: Store, name: str, *, who: str, key: str | None = None) -> Done:
    """Remove an ended session, its rows and its directory; a record of the removal is kept.

    Killed between the two, the same command under the same key removes the directory.
    """
    given = deletion(name, who, key)

    def unit(tx: Tx) -> Done:
        known = given.answer(tx)
        if known is not None:
            return Done(str(known["session"]), repeated=True)
        session = lookup.session(tx, name)
        if session.status not in ENDED:
            raise NotAllowedNow(
                f"{session.id} is {session.status}",
                why="only an ended session can be deleted",
                fix="cancel it first",
            )
        retention.delete_session(tx, session.id, who, given.key, given.digest)
        failpoints.hit("command.before_commit")
        return Done(session.id)

    done = store.write(unit)
    failpoints.hit("command.after_commit")
    remove_files(store, done.session)
    return done


def remove_files(store: Store, session: str) -> None:
    """Remove the folder of a session that was deleted."""
    directory = session_directory(store.workflow, session)
    with edits.alone(store.workflow, session):  # else who writes its files now would leave some
        if directory.is_dir() and not directory.is_symlink() and not _is_there(store, session):
            remove_folder(directory)


def deletion(name: str, who: str, key: str | None) -> once.Command:
    return once.command("delete", key, session=name, who=who)


def _is_there(store: Store, session: str) -> bool:
    """Whether a session has that id again: it was imported after the other one was deleted."""
    return store.read(lambda tx: sessions.get(tx, session)) is not None

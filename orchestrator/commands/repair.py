"""repair: report errors, fix what can be fixed, and rebuild the session's directory from the database."""

from __future__ import annotations

from orchestrator.commands import once
from orchestrator.coordinator import projector, reconcile
from orchestrator.domain.errors import StoreError
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import artifacts, edits, files, integrity, messages, sessions, tasks
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup


def repair(store: Store, name: str | None, key: str | None = None) -> JsonObject:
    """The remaining (`faults`) and fixed errors, and the number of files written. Raises as `lookup.session` does.

    It is several transactions, each of which only puts right what is wrong: the key is stored by the last one, and a
    repair that was killed before is done again under it.
    """
    command = once.command("repair", key, session=name)
    known = store.read(command.answer)
    if known is not None:
        return {**known, "repeated": True}
    session = store.read(lambda tx: lookup.session(tx, name, finished=True))
    faults = integrity.file_faults(store.file) if store.file is not None else []
    if faults:  # in a damaged file nothing is written, and what is read there may be anything
        return {
            "session": session.id,
            "faults": faults,
            "fixed": [],
            "files": 0,
            "edited": [],
            "repeated": False,
        }
    store.write(
        lambda tx: sessions.request_beat(tx, session.id), about=session.id
    )  # where nothing can be written, that is said first
    fixed = [f"{lost.task}: attempt lost, {lost.why}" for lost in reconcile.reap(store, None)]
    fixed += _recount(store, session.id)
    faults = store.read(lambda tx: _cycle(tx, session.id) + _missing(tx, session.id, store))
    edited: list[str] = []
    written = 0
    if not faults:
        _drop_mirror(store, session.id)
        paths = store.read(lambda tx: {row.path for row in artifacts.newest(tx, session.id)})
        written = len(paths)
        try:
            edited = projector.project(store, session.id)
        except (projector.InTheWay, files.BeingWritten) as error:
            faults = error.faults
            written = len(paths.difference(error.paths))
    found: JsonObject = {
        "session": session.id,
        "faults": faults,
        "fixed": fixed,
        "files": written,
        "edited": edited,
    }
    return {**found, "repeated": False} if key is None else _answered(store, command, found)


def _answered(store: Store, command: once.Command, found: JsonObject) -> JsonObject:
    """What was found, or what the same repair found that ended meanwhile."""

    def unit(tx: Tx) -> JsonObject:
        known = command.answer(tx)
        if known is not None:
            return {**known, "repeated": True}
        command.keep(tx, found["session"], found)
        return {**found, "repeated": False}

    return store.write(unit, about=found["session"])


def _recount(store: Store, session: str) -> list[str]:
    """Correct the counters that decide what is ready."""

    def unit(tx: Tx) -> list[str]:
        said = []
        for task, key, stored, right in integrity.wrong_counts(tx, session):
            integrity.recount(tx, task, right)
            said.append(f"{key} waited for {stored} task(s), {right} according to its edges")
        if said:
            messages.event(tx, session, "repaired", "; ".join(said), fixed=said)
            sessions.request_beat(tx, session)
        return said

    return (
        store.write(unit, about=session) if store.read(lambda tx: integrity.wrong_counts(tx, session)) else []
    )


def _cycle(tx: Tx, session: str) -> list[str]:
    """The tasks that wait for each other: those left after removing every task that could run."""
    waits = {row.key: set(row.blocked_by) for row in tasks.all_tasks(tx, session)}
    while free := {key for key, blockers in waits.items() if not blockers & waits.keys()}:
        waits = {key: blockers for key, blockers in waits.items() if key not in free}
    if not waits:
        return []
    return [f"these tasks wait for each other: {', '.join(waits)}; `lifecycle cancel` ends the session"]


def _missing(tx: Tx, session: str, store: Store) -> list[str]:
    """Contents that are missing, or do not match their digest."""
    faults = []
    for row in artifacts.newest(tx, session):
        try:
            body = artifacts.body(tx, row.sha256)
        except StoreError as error:
            faults.append(f"{row.path} version {row.version}: {error.what} ({error.why})")
            continue
        if artifacts.digest_of(body) != row.sha256:
            faults.append(f"{row.path} version {row.version}: its content does not match its digest")
    return faults


def _drop_mirror(store: Store, session: str) -> None:
    """Make the projector rewrite the mirror of the messages, of which it otherwise checks only the length."""
    root = edits.session_directory(store.workflow, session)
    if root.is_dir() and not root.is_symlink() and files.in_the_way(root, projector.LOG) is None:
        files.remove(root, projector.LOG)

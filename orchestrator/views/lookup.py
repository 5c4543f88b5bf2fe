"""Finds the session, task or artifact that a command names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain import ids
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.patterns import expression
from orchestrator.store import artifacts, custody, records, sessions, tasks
from orchestrator.store.rows import Artifact, Session, Task
from orchestrator.store.store import Tx

_NUMBERED = expression(r"(?P<prefix>[a-z]{1,12}(?:-[a-z]{1,12})?)[- ]?0*(?P<number>\d{1,6})", re.IGNORECASE)
ALMOST = 0.85  # likeness of a mistyped key: `ADR-002` is no `DRAFT-002`
DISCUSSANT = "discussant"
SHORTENED = "…"  # stands for the middle of an id
LISTED = 20  # sessions that an error names


class SeveralSessions(UsageError):
    """Several sessions are unfinished."""

    def __init__(self, found: list[Session]) -> None:
        self.sessions = found
        listed = "\n".join(
            f"  {row.id}  {row.mode}  {row.status}  {row.pause_reason or ''}".rstrip()
            for row in found[:LISTED]
        )
        if len(found) > LISTED:
            listed += "\n  and more: `lifecycle list` shows them"
        super().__init__(
            "several sessions are unfinished: name one",
            why=listed,
            fix="add --session and its id, or the first letters of it",
        )


def session(tx: Tx, name: str | None, *, finished: bool = False) -> Session:
    """The session with that id or unambiguous prefix; without a name the unfinished one.

    `finished`: without a name and without an unfinished one, the newest. Raises UnknownName, SeveralSessions, NotAllowedNow.
    A unit that changes something has the session to itself from then on.
    """
    found = _found(tx, name, finished)
    if not tx.about(found.id):
        return found
    custody.refuse_moving(tx, found.id)
    again = sessions.get(tx, found.id)
    if again is None:  # deleted meanwhile
        raise UnknownName("session", found.id, [])
    return again


def _found(tx: Tx, name: str | None, finished: bool) -> Session:
    if name is not None:
        return _named(tx, name)
    found = sessions.unfinished(tx, LISTED + 1)
    if len(found) == 1:
        return found[0]
    if found:
        raise SeveralSessions(found)
    if finished:
        newest = sessions.newest_shown(tx)
        if newest is not None:
            return newest
    raise NotAllowedNow(
        "no session is unfinished",
        why="every session has ended, or none was started",
        fix='`lifecycle list --all` lists them; `lifecycle start "..."`',
    )


def named(tx: Tx, session_id: str) -> str:
    """` --session ID` where a command without a name would mean another session, else nothing."""
    unfinished = sessions.unfinished(tx, 2)
    if unfinished:
        is_default = [row.id for row in unfinished] == [session_id]
    else:
        newest = sessions.newest_shown(tx)
        is_default = newest is not None and newest.id == session_id
    return "" if is_default else f" --session {session_id}"


def _named(tx: Tx, name: str) -> Session:
    if (
        len(name) > ids.ID_LIMIT
        or not name
        or any(not (char.isalnum() or char in f"-_{SHORTENED}") for char in name)
    ):
        raise UsageError(
            f"{ids.shown(name)} is not a session id",
            why="an id consists of letters, digits and hyphens",
            fix="`lifecycle list` shows the sessions of this project",
        )
    exact = sessions.get(tx, name)
    if exact is not None:
        return exact
    head, _, tail = name.partition(SHORTENED)  # as a narrow terminal shows it
    near = [known for known in sessions.with_prefix(tx, head) if known.endswith(tail)]
    if len(near) == 1:
        found = sessions.get(tx, near[0])
        assert found is not None
        return found
    if near:
        raise UsageError(
            f"{name!r} matches several sessions", why=", ".join(near[:20]), fix="give more of the id"
        )
    raise UnknownName(
        "session", name, [row.id for row in sessions.all_sessions(tx)][-20:], fix=_instead(name, ["tasks"])
    )


def _instead(name: str, commands: list[str]) -> str:
    """What shows a task or an item, where one is named instead of something else; nothing for other names."""
    key = name.upper()
    if not ids.is_key(key):
        return ""
    shown = [f"`lifecycle {command} {key}` shows the task" for command in commands]
    return ", ".join([*shown, f"`lifecycle impact {key}` shows what was made of it"])


def _spelt_like(key: str, known: Sequence[str]) -> str:
    """The key that is spelt almost like one, or has zeros besides: `DRFT-002`, `draft2`; empty where none is."""
    from difflib import get_close_matches

    near = [_with_zeros(key)] if _with_zeros(key) in known else []
    near = near or get_close_matches(key[: ids.ID_LIMIT].upper(), known, n=1, cutoff=ALMOST)
    return near[0] if near else ""


def _with_zeros(name: str) -> str:
    """A name as identifiers are written, `REQ-001` for `req-1`; empty for what is none."""
    found = _NUMBERED.fullmatch(name)
    return f"{found['prefix'].upper()}-{int(found['number']):03d}" if found else ""


def task(tx: Tx, session_row: Session, key: str) -> Task:
    """The session's task. Raises UnknownName, which lists the known ones."""
    found = tasks.task(tx, session_row.id, key) or tasks.task(tx, session_row.id, key.upper())
    if found is None:
        known = [row.key for row in tasks.all_tasks(tx, session_row.id)]
        if meant := _spelt_like(key, known):
            raise UnknownName("task", key, known, fix=f"did you mean {meant!r}?")
        prefixes = {each.partition("-")[0] for each in known}
        is_item = key.upper().partition("-")[0] not in prefixes
        if is_item and (fix := _instead(key, [])):
            raise UnknownName("task", key, known, fix=fix)
        raise UnknownName("task", key, known)
    return found


def artifact(tx: Tx, session: str, name: str) -> str:
    """The one path that is `name`, ends with it, or was written by the task `name`.

    Raises UnknownName, NotAllowedNow for a task that has written nothing yet, or UsageError which lists the candidates.
    """
    paths = [row.path for row in artifacts.newest(tx, session)]
    if name in paths:
        return name
    if written := _written_by(tx, session, name.upper()):
        page = f"{written.removesuffix('.json')}.md"  # what people read, where there is one
        return page if page in paths else written
    near = [path for path in paths if path.endswith(f"/{name}")] or [
        path for path in paths if name and name in path
    ]
    if len(near) > 1:
        raise UsageError(
            f"{name!r} matches several artifacts", why=", ".join(near[:20]), fix="give more of the path"
        )
    if not near:
        meant = _with_zeros(name)
        if meant and any(f"/{meant}{mark}" in path for path in paths for mark in ("-", ".")):
            raise UnknownName("artifact", name, paths, fix=f"did you mean {meant!r}?")
        fix = (
            f"`lifecycle artifacts{named(tx, session)}` lists them"
            if paths
            else "no task has written one yet"
        )
        raise UnknownName("artifact", name, paths, fix=fix)
    return near[0]


def _written_by(tx: Tx, session: str, key: str) -> str | None:
    """The main document of a task; None when `key` names no task. Raises NotAllowedNow when it has written none yet."""
    row = tasks.task(tx, session, key)
    if row is None:
        return None
    records_held = [held.record for held in records.verdicts_of(tx, session) if held.task == key]
    if row.role == DISCUSSANT and records_held and records_held[-1]:
        return records_held[-1]  # it makes a record; what it passes on is the document that it was about
    for passed_on in records.accumulator_of(tx, session, row.role):
        if passed_on["task"] == key:
            return str(passed_on["artifact"])
    raise NotAllowedNow(
        f"{key} has written no document yet",
        why=f"it is {row.status}",
        fix=f"`lifecycle why {key}` explains it",
    )


def version(tx: Tx, session: str, name: str, number: int | None = None) -> Artifact:
    """That version of the artifact, or its newest one. Raises UnknownName, UsageError."""
    path = artifact(tx, session, name)
    known = {row.version: row for row in artifacts.versions(tx, session, path)}
    if number is not None and number not in known:
        raise UnknownName(f"version of {path}", str(number), map(str, known))
    return known[number or max(known)]


def alive(session_row: Session) -> Session:
    """Raises NotAllowedNow for a cancelled session."""
    if session_row.status == SessionStatus.CANCELLED:
        raise NotAllowedNow(
            f"{session_row.id} is cancelled",
            why="a cancelled session cannot be continued",
            fix="start a new one",
        )
    return session_row

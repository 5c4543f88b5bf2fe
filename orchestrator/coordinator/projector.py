"""Writing a session's directory from the database, for people and agents (docs/domain.md, section 5).

A projection is a function of the database: it can be deleted and is rebuilt byte for byte. Only a person's edit of an
artifact is not ours to overwrite: a file that differs from what we last wrote is taken in as a new version by `user`.
"""

from __future__ import annotations

import errno
import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from orchestrator import failpoints
from orchestrator.domain.errors import LifecycleError, UnknownName, UsageError
from orchestrator.domain.inert import inert_json, one_line, plain_markdown
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import WISDOM
from orchestrator.store import artifacts, edits, files, messages, records, sessions, tasks
from orchestrator.store.rows import Artifact, MemoryEntry, Message, Session
from orchestrator.store.store import Store, Tx

LOG = ".msg/messages.jsonl"
BATCH = 5_000  # messages read at once


IN_PLACE = (
    errno.EACCES,
    errno.EPERM,
    errno.ELOOP,
    errno.EISDIR,
    errno.ENOTDIR,
    errno.EEXIST,
    errno.ENOTEMPTY,
)


class InTheWay(LifecycleError):
    """Something stands where files of the session belong; the others were written."""

    def __init__(self, root: Path, blocked: dict[str, str]) -> None:
        self.paths = sorted(blocked)
        self.faults = list(dict.fromkeys(_told(root, path, why) for path, why in blocked.items()))
        super().__init__(
            f"something stands in the place of {len(blocked)} of the session's files",
            why="; ".join(self.faults),
            fix="move it away, then `lifecycle repair`, or `lifecycle resume` where the session waits",
        )


def _told(root: Path, path: str, why: str) -> str:
    """One line for what is in the way, however many files it keeps out."""
    found = files.in_the_way(root, path)
    if found is None:
        return f"{path}: {why}"
    where, kind = found
    name, away = where.relative_to(root).as_posix(), where.with_name(f"{where.name}.away")
    return f"{name}: {kind} stands in its place; move it away: mv {shlex.quote(str(where))} {shlex.quote(str(away))}"


def stamp(micros: int | None) -> str | None:
    """ISO 8601, UTC, to the second."""
    return (
        None if micros is None else datetime.fromtimestamp(micros / 1e6, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    )


def project(store: Store, session: str, fence: Callable[[Tx], None] | None = None) -> list[str]:
    """Bring the session's files up to date; the artifact paths that a person had edited. One projector at a time.

    `fence` is called in the unit that notes that they are. Without one nothing is noted where machines share the database:
    the leader has a folder of its own, which is not up to date by what is in ours. Raises what it raises, InTheWay when
    all were written but those whose place is taken, BeingWritten when all were but documents that somebody has open for
    writing, UsageError when the place of the directory itself is taken.
    """
    with edits.alone(store.workflow, session):
        return _project(store, session, fence)


def _project(store: Store, session: str, fence: Callable[[Tx], None] | None) -> list[str]:
    if store.read(lambda tx: sessions.get(tx, session)) is None:
        return []  # it was deleted meanwhile, and its directory must not come back
    root = _root(store.workflow, session)
    edited = edits.adopt_alone(store, session)
    state = store.read(lambda tx: state_of(tx, session))
    replaced: dict[str, bytes] = {}
    blocked: dict[str, str] = {}
    being_written: list[str] = []
    for path, body in state["files"].items():
        with _noting(blocked, path, being_written):
            if files.read(root, path) != body:
                before = files.write(root, path, body, spare=path in state["artifacts"])
                if before is not None and path in state["artifacts"]:
                    replaced[path] = before
    written = {
        path: digest
        for path, digest in state["artifacts"].items()
        if path not in blocked and path not in being_written and state["shown"].get(path) != digest
    }
    with _noting(blocked, LOG, being_written):
        _mirror_messages(store, session, root, state["number"])
    failpoints.hit("projector.before_mark")

    def mark(tx: Tx) -> None:
        if fence is not None:
            fence(tx)
        elif tx.is_shared:
            return
        for path, digest in written.items():
            artifacts.note_shown(tx, session, path, digest)
        if not blocked and not being_written:
            sessions.mark_projected(tx, session, state["number"])

    store.write(mark, about=session)
    late = edits.take_in(
        store, session, replaced, state["shown"], standing=False
    )  # edits made since we looked
    if blocked:
        raise InTheWay(root, blocked)
    if being_written:
        raise files.BeingWritten(being_written)
    return sorted({*edited, *late, *_project(store, session, fence)}) if late else edited


@contextmanager
def _noting(blocked: dict[str, str], path: str, being_written: list[str]) -> Iterator[None]:
    """Go on with the other files when one cannot be written, and note why; a full disk ends it all."""
    try:
        yield
    except files.BeingWritten:
        being_written.append(path)
    except files.UnsafePath as error:
        blocked[path] = error.why
    except OSError as error:
        if error.errno not in IN_PLACE:
            raise
        blocked[path] = str(error)


def _root(workflow: Path, session: str) -> Path:
    root = edits.session_directory(workflow, session)
    root.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if root.is_symlink() or (root.exists() and not root.is_dir()):
        raise UsageError(
            f"{root.name} is no directory of its own",
            why="something else stands in its place",
            fix=f"move {root} away",
        )
    root.mkdir(exist_ok=True, mode=0o700)
    return root


def state_of(tx: Tx, session_id: str) -> JsonObject:
    """All that is written of a session but its log. Raises UnknownName."""
    session = _session(tx, session_id)
    newest = artifacts.newest(tx, session_id)
    bodies = {row.path: artifacts.body(tx, row.sha256) for row in newest}
    return {
        "number": session.messages,
        "files": bodies | rendered(tx, session, newest),
        "artifacts": {row.path: row.sha256 for row in newest},
        "shown": artifacts.shown(tx, session_id),
    }


def listing(tx: Tx, session_id: str) -> tuple[int, Sequence[Artifact], dict[str, bytes]]:
    """The number of its messages, the newest version of each document, and the files that nobody has written.

    Raises UnknownName.
    """
    session = _session(tx, session_id)
    newest = artifacts.newest(tx, session_id)
    return session.messages, newest, rendered(tx, session, newest)


def _session(tx: Tx, session_id: str) -> Session:
    session = sessions.get(tx, session_id)
    if session is None:
        raise UnknownName("session", session_id, [])
    return session


def rendered(tx: Tx, session: Session, newest: Sequence[Artifact]) -> dict[str, bytes]:
    """Path -> bytes of the files that are made from rows, and no versions."""
    return {
        "team-session.json": _json(_team_session(tx, session, newest)),
        "shared-memory.json": _json(_shared_memory(tx, session.id)),
        **_wisdom(records.wisdom_of(tx, session.id)),
    }


def _json(value: Json) -> bytes:
    return (inert_json(json.dumps(value, ensure_ascii=False, indent=2)) + "\n").encode("utf-8", "replace")


def _team_session(tx: Tx, session: Session, newest: Sequence[Artifact]) -> JsonObject:
    return {
        "session_id": session.id,
        "mode": session.mode,
        "title": session.title,
        "request": session.request,
        "language": session.language,
        "status": session.status,
        "pause_reason": session.pause_reason,
        "pause_detail": session.pause_detail,
        "gate": session.gate,
        "score": session.score,
        "created_at": stamp(session.created_at),
        "updated_at": stamp(session.updated_at),
        "finished_at": stamp(session.finished_at),
        "tasks": [
            {
                "id": row.key,
                "role": row.role,
                "status": row.status,
                "blockedBy": list(row.blocked_by),
                "round": row.round,
                "attempts": row.attempts,
                "finished_at": stamp(row.finished_at),
            }
            for row in tasks.all_tasks(tx, session.id)
        ],
        "artifacts": [
            {
                "path": row.path,
                "version": row.version,
                "sha256": row.sha256,
                "by": row.author,
                "task": row.task,
            }
            for row in newest
        ],
    }


def _shared_memory(tx: Tx, session: str) -> JsonObject:
    shared = records.shared_of(tx, session)
    loops = {
        role: found
        for role in sorted({row.role for row in tasks.all_tasks(tx, session)})
        if (found := records.accumulator_of(tx, session, role))
    }
    return {**shared, "context_accumulator": loops}


def _wisdom(rows: list[MemoryEntry]) -> dict[str, bytes]:
    lines: dict[str, list[str]] = {name: [f"# {name.capitalize()}", ""] for name in WISDOM}
    for row in rows:
        about = f" {row.task_key}:" if row.task_key else ""
        lines[row.name].append(f"- {stamp(row.at)} [{row.author}]{about} {plain_markdown(str(row.data))}")
    return {
        f"wisdom/{name}.md": ("\n".join(found) + "\n").encode("utf-8", "replace")
        for name, found in lines.items()
    }


def message_line(row: Message) -> JsonObject:
    """A message as people and agents see it: in the mirror, on the command line and over MCP."""
    return {
        "id": f"MSG-{row.number:03d}",
        "ts": stamp(row.at),
        "kind": row.kind,
        "from": row.sender,
        "to": row.recipient,
        "type": row.type,
        "known_type": bool(row.known),
        "summary": one_line(row.summary),
        "ref": row.ref,
        "data": row.data,
    }


def log_lines(found: Sequence[Message]) -> list[bytes]:
    """What the log has of these messages."""
    return [inert_json(json.dumps(message_line(row), ensure_ascii=False)).encode() + b"\n" for row in found]


def _batch(tx: Tx, session: str, after: int, limit: int) -> list[Message]:
    return messages.after(tx, session, after, limit)


def _mirror_messages(store: Store, session: str, root: Path, upto: int) -> None:
    """Append what the mirror lacks; rebuild it when its last line is not the one we marked."""
    marked = store.read(lambda tx: sessions.get(tx, session)).projected  # type: ignore[union-attr]
    present = files.read(root, LOG)
    whole = (
        present is not None and present.count(b"\n") == marked and (present.endswith(b"\n") or not present)
    )
    start = marked if whole else 0
    number = start
    lines: list[bytes] = []
    while number < upto:
        found = store.read(partial(_batch, session=session, after=number, limit=min(BATCH, upto - number)))
        lines += log_lines(found)
        number = found[-1].number
    if whole:
        if lines:
            files.append(root, LOG, b"".join(lines))
    else:
        files.write(root, LOG, b"".join(lines))

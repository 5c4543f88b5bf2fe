"""A person's edits of projected files: each becomes a new version by `user` (docs/domain.md, section 5).

What was last written under a path is on record, so a file that differs from it was changed by a person. Edits are taken
in when a task loads its context, at `recheck` and `resume`, and before the projector writes: never overwritten silently.

A file that somebody has open for writing is half an edit: it is neither taken in nor overwritten until it is closed. A
transaction never waits for that; who is about to use what was edited waits before (`await_saved`), and not for long.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from orchestrator.domain.errors import StoreError
from orchestrator.domain.json_types import Json
from orchestrator.store import artifacts, files, messages
from orchestrator.store.store import Store, Tx

WRITER_SECONDS = 2.0  # that whoever is saving documents is waited for, all of them together
POLL_SECONDS = 0.01
REBUILT = (".msg/", "wisdom/", "team-session.json", "shared-memory.json")  # nobody's edit of them is kept


def session_directory(workflow: Path, session: str) -> Path:
    """Where a session's files are written for people and agents."""
    return workflow / ".team" / session


@contextmanager
def alone(workflow: Path, session: str) -> Iterator[None]:
    """Be the only one who writes a session's files, or compares them with what was written."""
    locks = workflow / "locks"
    locks.mkdir(exist_ok=True, mode=0o700)
    descriptor = os.open(locks / session, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def is_ours(store: Store, file: Path) -> bool:
    """Whether a file below the sessions' folder is as we wrote it, or one that is written over again."""
    top = store.workflow / ".team"
    if top not in file.parents or ".." in file.parts:
        return False
    session, _, path = file.relative_to(top).as_posix().partition("/")
    if path.startswith(REBUILT) or (file.name.startswith(".") and file.name.endswith(".new")):
        return True
    if file.is_dir() and not file.is_symlink():
        return True
    try:
        body = files.read(top / session, path)
        versions = store.read(lambda tx: artifacts.versions(tx, session, path))
    except (files.UnsafePath, StoreError, OSError, ValueError):
        return False  # a link, a name that is no text, or a content that cannot be read: not known as ours
    digests = {row.sha256 for row in versions if row.author != "user"}
    return body is not None and artifacts.digest_of(body) in digests


def edited(tx: Tx, session: str) -> Mapping[str, bytes]:
    """Path -> bytes of each artifact's file that a person changed since it was written; nothing is taken in."""
    return tx.once((edited, session), lambda: _edited(tx, session))


def _edited(tx: Tx, session: str) -> dict[str, bytes]:
    found = _different(tx, session)
    changed = {path: body for path, body in found.items() if body is not None}
    return _edits(tx, session, changed, artifacts.shown(tx, session)) if changed else {}


def being_written(tx: Tx, session: str) -> list[str]:
    """The artifacts whose files a person is changing: somebody has them open for writing."""
    return [path for path, body in _different(tx, session).items() if body is None]


def open_for_writing(tx: Tx, session: str) -> list[str]:
    """The artifacts whose files somebody has open for writing, changed or not."""
    root = session_directory(tx.workflow, session)
    return [row.path for row in artifacts.newest(tx, session) if files.is_being_written(root, row.path)]


def await_saved(store: Store, session: str) -> list[str]:
    """Wait for whoever is saving a document, outside of any transaction; the paths that are being written still."""
    return _await_closed(store.workflow, session, store.read(lambda tx: being_written(tx, session)))


def _await_closed(workflow: Path, session: str, paths: list[str]) -> list[str]:
    """The same for these. One that stays open and is not changed any more is not being saved: nobody waits for it."""
    root = session_directory(workflow, session)
    until = time.monotonic() + WRITER_SECONDS
    while any(files.is_being_written(root, path, within=WRITER_SECONDS) for path in paths):
        if time.monotonic() >= until:
            break
        time.sleep(POLL_SECONDS)  # the system tells nobody when a file is closed that others may replace
    return [path for path in paths if files.is_being_written(root, path)]


def adopt(store: Store, session: str) -> list[str]:
    """Take in what a person changed; the paths. Waits for a projection under way only when something differs."""
    waiting, found = store.read(lambda tx: (being_written(tx, session), edited(tx, session)))
    still = _await_closed(store.workflow, session, waiting) if waiting else []
    if not found and waiting == still:
        return []
    with alone(store.workflow, session):
        return adopt_alone(store, session)


def adopt_alone(store: Store, session: str) -> list[str]:
    """`adopt` for a caller who is `alone` already."""
    return _take_in(store, session, store.read(lambda tx: edited(tx, session)), standing=True)


def take_in(
    store: Store, session: str, found: Mapping[str, bytes], shown: Mapping[str, str], *, standing: bool
) -> list[str]:
    """Make versions by `user` of what is (`standing`) or was in artifacts' files, where it is none of ours; the paths.

    `shown`: the digests that were last written before these files were looked at.
    """
    changed = store.read(lambda tx: _edits(tx, session, found, shown))
    return _take_in(store, session, changed, standing=standing)


def _take_in(store: Store, session: str, changed: Mapping[str, bytes], *, standing: bool) -> list[str]:
    if not changed:
        return []
    keep_large(store.workflow, changed)
    store.write(lambda tx: register(tx, session, changed, standing=standing), about=session)
    return sorted(changed)


def keep_large(workflow: Path, changed: Mapping[str, bytes]) -> None:
    """Keep the large ones of these bytes. Call before `register`."""
    for body in changed.values():
        artifacts.keep_large(workflow, body)


def register(
    tx: Tx, session: str, changed: Mapping[str, bytes], *, standing: bool = True, who: str | None = None
) -> None:
    """Make versions by `user` of edits that are (`standing`), or were, in their artifacts' files; `who` sent them."""
    kinds = {row.path: row.kind for row in artifacts.newest(tx, session)}
    for path, body in changed.items():
        digest = artifacts.put(tx, body)
        version = artifacts.register(
            tx, session, path, digest, len(body), kinds[path], author="user", task=None, run=None
        )
        if standing:
            artifacts.note_shown(tx, session, path, digest)
        if version is not None:
            summary = f"{path} was edited by hand: version {version}"
            by: dict[str, Json] = {} if who is None else {"who": who}
            messages.event(tx, session, "edited", summary, path=path, digest=digest, **by)


def _different(tx: Tx, session: str) -> Mapping[str, bytes | None]:
    """Path -> bytes of each file that differs from what was written last; None while somebody has it open for writing."""

    def find() -> dict[str, bytes | None]:
        root = session_directory(tx.workflow, session)
        if not root.is_dir():
            return {}
        return dict(_read_different(root, artifacts.shown(tx, session)))

    return tx.once((_different, session), find)


def _read_different(root: Path, shown: Mapping[str, str]) -> Iterator[tuple[str, bytes | None]]:
    for path, digest in shown.items():
        try:
            body = files.read(root, path)
            if body is None or artifacts.digest_of(body) == digest:
                continue
            body = files.read_saved(root, path)
        except files.UnsafePath:
            continue  # not a file any more; the projector puts ours in its place or says why it cannot
        except files.BeingWritten:
            yield path, None
            continue
        if body is not None and artifacts.digest_of(body) != digest:
            yield path, body


def _edits(tx: Tx, session: str, found: Mapping[str, bytes], shown: Mapping[str, str]) -> dict[str, bytes]:
    """Of `found`, what a person wrote: neither what was shown, nor a later version that a projector wrote unrecorded.

    Where several machines share the database, no earlier version either: it may be what a folder has had since another
    machine's coordinator leads.
    """
    edits: dict[str, bytes] = {}
    for path, body in found.items():
        digests = [row.sha256 for row in artifacts.versions(tx, session, path)]
        last = shown.get(path)
        known = last in digests and not tx.is_shared
        since = len(digests) - 1 - digests[::-1].index(last) if known and last is not None else 0
        if artifacts.digest_of(body) not in digests[since:]:
            edits[path] = body
    return edits

"""A person's edits of projected files: each becomes a new version by `user` (domain, section 5).

What was last written under a path is on record, so a file that differs from it was changed by a person. Edits are taken
in when a task loads its context, at `recheck` and `resume`, and before the projector writes: never overwritten silently.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.store import artifacts, files, messages
from orchestrator.store.store import Store, Tx


def session_directory(database: Path, session: str) -> Path:
    """Where a session's files are written for people and agents."""
    return database.parent / ".team" / session


@contextmanager
def alone(database: Path, session: str) -> Iterator[None]:
    """Be the only one who writes a session's files, or compares them with what was written."""
    locks = database.parent / "locks"
    locks.mkdir(exist_ok=True, mode=0o700)
    descriptor = os.open(locks / session, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def adopt(store: Store, session: str) -> list[str]:
    """Take in what a person changed; the paths. Waits for a projection under way only when something differs."""
    if not _changed(store, session):
        return []
    with alone(store.path, session):
        return adopt_alone(store, session)


def adopt_alone(store: Store, session: str) -> list[str]:
    """`adopt` for a caller who is `alone` already."""
    changed = _changed(store, session)
    if not changed:
        return []
    for body in changed.values():
        artifacts.keep_large(store.path, body)

    def unit(tx: Tx) -> None:
        kinds = {row.path: row.kind for row in artifacts.newest(tx, session)}
        for path, body in changed.items():
            digest = artifacts.put(tx, body)
            version = artifacts.register(
                tx, session, path, digest, len(body), kinds[path], author="user", task=None, run=None
            )
            artifacts.note_shown(tx, session, path, digest)
            if version is not None:
                summary = f"{path} was edited by hand: version {version}"
                messages.event(tx, session, "edited", summary, path=path, digest=digest)

    store.write(unit)
    return sorted(changed)


def _changed(store: Store, session: str) -> dict[str, bytes]:
    """Path -> bytes of each file that is neither what was written last nor the newest version."""
    root = session_directory(store.path, session)
    if not root.is_dir():
        return {}
    shown, current = store.read(
        lambda tx: (
            artifacts.shown(tx, session),
            {row.path: row.sha256 for row in artifacts.newest(tx, session)},
        )
    )
    changed: dict[str, bytes] = {}
    for path, digest in shown.items():
        try:
            body = files.read(root, path)
        except files.UnsafePath:
            continue  # not a file any more; the projector puts ours in its place or says why it cannot
        if body is not None and artifacts.digest_of(body) not in (digest, current[path]):
            changed[path] = body
    return changed

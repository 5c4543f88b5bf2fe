"""A person's edits of projected files: each becomes a new version by `user` (domain, section 5).

What was last written under a path is on record, so a file that differs from it was changed by a person. Edits are taken
in when a task loads its context, at `recheck` and `resume`, and before the projector writes: never overwritten silently.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from orchestrator.domain.errors import StoreError
from orchestrator.store import artifacts, files, messages
from orchestrator.store.store import Store, Tx

REBUILT = (".msg/", "wisdom/", "team-session.json", "shared-memory.json")  # nobody's edit of them is kept


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


def is_ours(store: Store, file: Path) -> bool:
    """Whether a file below the sessions' folder is as we wrote it, or one that is written over again."""
    top = store.path.parent / ".team"
    if top not in file.parents:
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


def adopt(store: Store, session: str) -> list[str]:
    """Take in what a person changed; the paths. Waits for a projection under way only when something differs."""
    shown = _shown(store, session)
    if not _edits(store, session, _different(store, session, shown), shown):
        return []
    with alone(store.path, session):
        return adopt_alone(store, session)


def adopt_alone(store: Store, session: str) -> list[str]:
    """`adopt` for a caller who is `alone` already."""
    shown = _shown(store, session)
    return take_in(store, session, _different(store, session, shown), shown, standing=True)


def take_in(
    store: Store, session: str, found: Mapping[str, bytes], shown: Mapping[str, str], *, standing: bool
) -> list[str]:
    """Make versions by `user` of what is (`standing`) or was in artifacts' files, where it is none of ours; the paths.

    `shown`: the digests that were last written before these files were looked at.
    """
    changed = _edits(store, session, found, shown)
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
            if standing:
                artifacts.note_shown(tx, session, path, digest)
            if version is not None:
                summary = f"{path} was edited by hand: version {version}"
                messages.event(tx, session, "edited", summary, path=path, digest=digest)

    store.write(unit)
    return sorted(changed)


def _shown(store: Store, session: str) -> dict[str, str]:
    return store.read(lambda tx: artifacts.shown(tx, session))


def _different(store: Store, session: str, shown: Mapping[str, str]) -> dict[str, bytes]:
    """Path -> bytes of each file that differs from what was written last."""
    root = session_directory(store.path, session)
    if not root.is_dir():
        return {}
    different: dict[str, bytes] = {}
    for path, digest in shown.items():
        try:
            body = files.read(root, path)
        except files.UnsafePath:
            continue  # not a file any more; the projector puts ours in its place or says why it cannot
        if body is not None and artifacts.digest_of(body) != digest:
            different[path] = body
    return different


def _edits(
    store: Store, session: str, found: Mapping[str, bytes], shown: Mapping[str, str]
) -> dict[str, bytes]:
    """Of `found`, what a person wrote: neither what was shown, nor a later version that a projector wrote unrecorded."""
    edits: dict[str, bytes] = {}
    for path, body in found.items():
        digests = store.read(
            lambda tx, path=path: [row.sha256 for row in artifacts.versions(tx, session, path)]  # type: ignore[misc]
        )
        last = shown.get(path)
        since = len(digests) - 1 - digests[::-1].index(last) if last in digests else 0
        if artifacts.digest_of(body) not in digests[since:]:
            edits[path] = body
    return edits

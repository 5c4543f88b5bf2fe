"""Where the private store of a fork lies until its session is there, and how it gets its place.

The place is taken inside the transaction that makes the session. A kill between the two leaves a store that says whose it
was to be (`MARK`) and no session; it is thrown away by whoever wants the place next.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MARK = "forked"  # a file in such a store, until the session is there


def staging(workflow: Path) -> Path:
    return workflow / "work" / "forks"


def place(workflow: Path, session: str) -> Path:
    return workflow / "work" / f"{session}.git"


@contextmanager
def forking(workflow: Path) -> Iterator[None]:
    """Be the only one who makes a fork with code: nobody else removes what lies there meanwhile."""
    staging(workflow).mkdir(mode=0o700, parents=True, exist_ok=True)
    locked = _opened(workflow)
    try:
        fcntl.flock(locked, fcntl.LOCK_EX)
        yield
    finally:
        os.close(locked)


@contextmanager
def while_nobody_forks(workflow: Path) -> Iterator[bool]:
    """Whether nobody makes a fork with code; nobody begins one meanwhile."""
    if not staging(workflow).is_dir():
        yield False  # nobody ever did
        return
    locked = _opened(workflow)
    try:
        fcntl.flock(locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_ours = True
    except BlockingIOError:
        is_ours = False
    try:
        yield is_ours
    finally:
        os.close(locked)


def _opened(workflow: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(staging(workflow) / "forking", flags, 0o600)


def take_place(workflow: Path, session: str, staged: Path) -> None:
    """Move the store to where its session looks for it; call it in the transaction that makes the session."""
    if not staged.is_dir() and (place(workflow, session) / MARK).is_file():
        return  # the transaction is tried again
    drop_orphan(workflow, session)
    staged.rename(place(workflow, session))


def drop_orphan(workflow: Path, session: str) -> None:
    """Remove a store that a killed fork left in the place of a session that has not begun to work."""
    left = place(workflow, session)
    if (left / MARK).is_file():
        shutil.rmtree(left)


def confirm(workflow: Path, session: str) -> None:
    """The session is there: the store is its own for good."""
    (place(workflow, session) / MARK).unlink(missing_ok=True)

"""Who may write refs: one of our processes at a time for a session, so that what a killed git left can be told and removed.

Git makes `REF.lock` while it writes a ref, and one that is killed leaves it, which stops every later write. All our writes
of refs hold a lock of the session, and their git commands inherit it: who gets it knows that none of them is still running.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

STALE_SECONDS = 10.0  # a git of the user's holds the lock of one of our refs for milliseconds
OUR_REFS = ("refs/lifecycle", "refs/heads/lifecycle")

LOCKS = (".lock", ".saving", ".tidying", ".testing", ".publishing", ".base")  # beside a store


@contextmanager
def writing_refs(store: Path, common_dir: Path | None) -> Iterator[int]:
    """Be the only one of ours who writes refs of the store and of the user's repository; the descriptor to inherit."""
    locked = os.open(store.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(locked, fcntl.LOCK_EX)
        for left in (*store.glob("*.lock"), *(store / "refs").rglob("*.lock")):
            left.unlink(missing_ok=True)
        if common_dir is not None:
            _remove_stale(common_dir)
        yield locked
    finally:
        os.close(locked)


@contextmanager
def saving_trees(store: Path) -> Iterator[None]:
    """Be the only one of ours who saves and retires the session's trees."""
    with _locked(store.with_suffix(".saving"), fcntl.LOCK_EX):
        yield


@contextmanager
def tidying(store: Path) -> Iterator[bool]:
    """Whether we are the one who tidies the session up; False where another process does."""
    with _tried(store.with_suffix(".tidying")) as is_ours:
        yield is_ours


@contextmanager
def testing_base(store: Path) -> Iterator[bool]:
    """Whether we are the one who tests what the session's work is based on; False where another lane does."""
    with _tried(store.with_suffix(".testing")) as is_ours:
        yield is_ours


@contextmanager
def publishing(store: Path) -> Iterator[None]:
    """Be the only one of ours who brings the session's branch to its head."""
    with _locked(store.with_suffix(".publishing"), fcntl.LOCK_EX):
        yield


@contextmanager
def fixing_base(store: Path) -> Iterator[None]:
    """Be the only one of ours who chooses what the session's work starts from."""
    with _locked(store.with_suffix(".base"), fcntl.LOCK_EX):
        yield


@contextmanager
def building_forks(folder: Path) -> Iterator[None]:
    """Be the only one of ours who makes the store of a fork in `folder`, whoever asked for it."""
    with _locked(folder / "building", fcntl.LOCK_EX):
        yield


@contextmanager
def _tried(file: Path) -> Iterator[bool]:
    with ExitStack() as held:
        try:
            held.enter_context(_locked(file, fcntl.LOCK_EX | fcntl.LOCK_NB))
            is_ours = True
        except BlockingIOError:
            is_ours = False
        yield is_ours


@contextmanager
def _locked(file: Path, how: int) -> Iterator[None]:
    """Raises BlockingIOError where `how` does not wait and another process has the lock."""
    locked = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(locked, how)
        yield
    finally:
        os.close(locked)


def lock_files(store: Path) -> list[Path]:
    """Where the locks of a session's store are."""
    return [store.with_suffix(suffix) for suffix in LOCKS]


def _remove_stale(common_dir: Path) -> None:
    """Remove locks of our refs in the user's repository, unless they are so young that they may be the user's."""
    for refs in OUR_REFS:
        for left in (common_dir / refs).rglob("*.lock"):
            try:
                age = time.time() - left.stat().st_mtime
            except FileNotFoundError:
                continue  # its git has just finished
            if age > STALE_SECONDS:
                left.unlink(missing_ok=True)

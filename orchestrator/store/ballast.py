"""A file that reserves room on the disk: it is removed so that "the disk is full" can still be written down.

The coordinator makes it. Who cannot commit for want of room removes it and commits the pause; the coordinator finds it
gone, and makes it again when there is room.
"""

from __future__ import annotations

import os
from pathlib import Path

NAME = "ballast"
BYTES = 16 * 1024 * 1024
LEAST = 256 * 1024  # less than this would not hold one commit with its log
SHARE = 32  # the ballast takes at most one part in so many of the disk
SPARE = 2  # and is made only where so many of it would fit: never from the room that giving it up has made


def _file(database: Path) -> Path:
    return database.with_name(NAME)


def free_bytes(database: Path) -> int:
    """Room that is left where the database lies; 0 when no further file can be made there."""
    found = os.statvfs(database.parent)
    return 0 if found.f_files and not found.f_favail else found.f_bavail * found.f_frsize


def is_there(database: Path) -> bool:
    return _file(database).exists()


def keep(database: Path) -> bool:
    """Make the ballast unless it is there; False when there is no room for it."""
    if is_there(database):
        return True
    disk = os.statvfs(database.parent)
    size = min(BYTES, disk.f_blocks * disk.f_frsize // SHARE)
    if size < LEAST or free_bytes(database) < SPARE * size:
        return False
    draft = database.with_name(f"{NAME}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size)  # a sparse file would keep no room
    except OSError:
        draft.unlink()
        return False
    finally:
        os.close(descriptor)
    draft.rename(_file(database))
    return True


def give_up(database: Path) -> bool:
    """Remove the ballast; False when there was none."""
    try:
        _file(database).unlink()
    except FileNotFoundError:
        return False
    return True

"""Deleting folders that others have filled: agents, tests, clients."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

# Errors of going down: a descriptor is open for each folder on the way.
TOO_DEEP = (errno.ENAMETOOLONG, errno.EMFILE, errno.ENFILE)


def untouched_folders(parent: Path, seconds: float) -> Iterator[Path]:
    """Folders in `parent` that nothing was written to for so long. Others may remove theirs meanwhile."""
    before = time.time() - seconds
    for name in os.listdir(parent) if parent.is_dir() else ():  # noqa: PTH208 - all names before the first is removed
        folder = parent / name
        try:
            found = folder.lstat()
        except FileNotFoundError:
            continue
        if stat.S_ISDIR(found.st_mode) and found.st_mtime < before:
            yield folder


def remove_folder(folder: Path) -> None:
    """Delete a folder with all in it, folders that forbid it too; links are removed, never followed. Raises OSError.

    Folders nested deeper than Python and a path can follow are left to programs that go down step by step.
    """
    try:
        for inner, names, _ in os.walk(folder):
            for name in names:
                path = Path(inner, name)
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(folder)
    except RecursionError:
        _by_programs(folder)
    except OSError as error:
        if error.errno not in TOO_DEEP:
            raise
        _by_programs(folder)


def _by_programs(folder: Path) -> None:
    for words in (("chmod", "-R", "u+rwx"), ("rm", "-rf")):
        done = subprocess.run([*words, "--", folder], capture_output=True, check=False)
        if done.returncode != 0:
            why = done.stderr[-300:].decode("utf-8", "replace").strip()
            raise OSError(errno.EIO, f"{words[0]} failed: {why}", str(folder))

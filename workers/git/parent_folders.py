"""The folder that a path lies in, held open: whoever puts a link in its place meanwhile leads nobody elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def parent_folder(top: Path, path: bytes, *, umask: int | None = None) -> Iterator[int]:
    """The folder of a path, reached without links; made if `umask` is given. Raises OSError."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    held = os.open(top, flags)
    try:
        for part in path.split(b"/")[:-1]:
            if umask is not None:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o700, dir_fd=held)
                    os.chmod(part, 0o777 & ~umask, dir_fd=held)
            inner = os.open(part, flags, dir_fd=held)
            os.close(held)
            held = inner
        yield held
    finally:
        os.close(held)

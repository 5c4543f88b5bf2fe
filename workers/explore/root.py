"""Reading below one directory and nowhere else: no link is followed, no FIFO or device is opened for waiting."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_SNIFF = 8192


class Root:
    """An open directory; paths are relative to it, with `/`, as the file system gives them (surrogateescape)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Root:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    @contextmanager
    def opened(self, path: str, flags: int) -> Iterator[int]:
        """Each step is opened by itself: a directory swapped for a link in between is refused, not followed."""
        at = os.dup(self._fd)
        try:
            parts = path.split("/") if path else []
            for i, part in enumerate(parts):
                if part == "..":
                    raise PermissionError(f"{path!r} leaves the directory")
                step = flags if i == len(parts) - 1 else _DIRECTORY
                try:
                    below = os.open(part, step, dir_fd=at)
                except ValueError as problem:  # a zero byte, or what no file name can hold
                    raise PermissionError(f"{path!r} names no file") from problem
                os.close(at)
                at = below
            yield at
        finally:
            os.close(at)

    @contextmanager
    def scan(self, path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        with self.opened(path, _DIRECTORY) as fd, os.scandir(fd) as entries:
            yield entries

    def exists(self, path: str) -> bool:
        """Whether there is a regular file or a directory, reached without a link."""
        with suppress(OSError), self.opened(path, _FILE) as fd:
            mode = os.fstat(fd).st_mode
            return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
        return False

    def read(self, path: str, limit: int) -> bytes | None:
        """The first `limit` bytes, or None when it is not a regular file (any more) or may not be read."""
        with suppress(OSError), self.opened(path, _FILE) as fd:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                return None
            chunks, left = [], limit
            while left > 0 and (chunk := os.read(fd, min(left, 1 << 20))):
                chunks.append(chunk)
                left -= len(chunk)
            return b"".join(chunks)
        return None

    def text(self, path: str, limit: int) -> str | None:
        """The first `limit` bytes as text, or None when binary or unreadable. Broken UTF-8 is replaced."""
        data = self.read(path, limit)
        if data is None:
            return None
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return data.decode("utf-16", "replace")
        if b"\0" in data[:_SNIFF]:
            return None
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def shown(name: str) -> str:
    """A name fit for records and terminals: bytes that are no UTF-8 and control characters as escapes."""
    if name.isascii() and name.isprintable():
        return name
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(
        c if unicodedata.category(c)[0] != "C" else c.encode("unicode_escape").decode() for c in text
    )

"""Small disks of a test's own, to be filled and made read-only: memory mounted as a file system, which root may do."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path


@cache
def may_mount() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(
            ["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False
        ).returncode:
            return False
        subprocess.run(["umount", folder], check=True)
        return True


class Disk:
    """16 MiB with room for some thousand files; `size` as mount takes it."""

    def __init__(self, path: Path, size: str = "16m") -> None:
        self.path = path
        self._filler = path / "filler"
        path.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size},nr_inodes=2000", "tmpfs", str(path)], check=True
        )

    def fill(self, leave: int = 0) -> None:
        """Use up all room but `leave` bytes."""
        descriptor = os.open(self._filler, os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(descriptor, bytes(65_536)):
                pass
        except OSError:
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - leave)
        finally:
            os.close(descriptor)

    def use_up_names(self) -> None:
        """No further file can be made."""
        folder = self.path / "names"
        folder.mkdir()
        number = 0
        while os.statvfs(self.path).f_favail:
            (folder / str(number)).touch()
            number += 1

    def make_room(self) -> None:
        self._filler.unlink(missing_ok=True)
        for file in (self.path / "names").glob("*"):
            file.unlink()

    def read_only(self, on: bool) -> None:
        subprocess.run(["mount", "-o", f"remount,{'ro' if on else 'rw'}", str(self.path)], check=True)

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.path)], check=True)


@contextmanager
def frozen(folder: Path) -> Iterator[None]:
    """Nobody, not even root, can write below the folder."""
    subprocess.run(["mount", "--bind", str(folder), str(folder)], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)

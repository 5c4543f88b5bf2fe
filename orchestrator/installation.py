"""The program as it is installed, and whether it was replaced under this process.

A process keeps the modules it has loaded and loads others late. Once an installer has put another program into the same
folder, these are of another program than those: a name is missing, or means something else. So a long-lived process asks
now and then whether it is still the one that is installed, ends its work where it is not, and begins anew.

What counts is the installed distribution: the record of files that each installer writes last, beside the packages. An
editable installation has its record elsewhere and keeps it while its files are edited: they restart nobody. That a
loaded file has changed is asked only once something has failed that no other reason explains.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from orchestrator import umask
from orchestrator.domain.errors import LifecycleError

DISTRIBUTIONS = "team_lifecycle-*.dist-info"  # what installers call the folder of one
PACKAGES = ("orchestrator", "workers")
INSTALL_SECONDS = 60.0  # in which an installer that is at work ends
POLL_SECONDS = 0.1
BEGUN_ANEW = "LIFECYCLE_BEGUN_ANEW"

Stamp = tuple[int, int]  # time of the last change in nanoseconds, size; an inode is not kept everywhere


class Installation:
    """What this process was started from. A bare checkout, with no distribution anywhere, is never replaced."""

    def __init__(self, code: Path | None = None) -> None:
        """`code`: the folder that the packages are in."""
        self._folder = _folder_of_records(code or Path(__file__).parents[1])
        self._changed_at = _stamp(self._folder) if self._folder else None
        self._records = _records(self._folder)
        self._replaced = False
        self._since: float | None = None  # when it was found to be replaced, monotonic
        self._looking = threading.RLock()
        self._loaded: dict[Path, Stamp | None] = {}
        self._modules = 0  # that there were
        self.note_loaded()

    def note_loaded(self) -> None:
        """Note the files of modules that were loaded since; what is noted first counts."""
        with self._looking:
            if len(sys.modules) == self._modules:
                return
            self._modules = len(sys.modules)
            for name, module in list(sys.modules.items()):
                file = getattr(module, "__file__", None)
                if file is not None and name.partition(".")[0] in PACKAGES:
                    path = Path(file)
                    if path not in self._loaded:
                        self._loaded[path] = _stamp(path)

    def is_replaced(self) -> bool:
        """Whether another one was installed since, or none is there any more; at most times two looks at files."""
        with self._looking:
            if self._replaced or self._folder is None:
                return self._replaced
            changed_at = _stamp(self._folder)
            if changed_at != self._changed_at or any(
                _stamp(file) != stamp for file, stamp in self._records.items()
            ):
                with suppress(OSError):  # the folder cannot be read now: nothing is known
                    self._replaced = _records(self._folder) != self._records
                    self._changed_at = changed_at
            if self._replaced:
                self._since = time.monotonic()
            return self._replaced

    def has_other_files(self) -> bool:
        """Whether it is replaced, or one of the files that were loaded is another one now, as in an edited checkout."""
        with self._looking:
            return self.is_replaced() or any(_stamp(file) != stamp for file, stamp in self._loaded.items())

    def is_whole(self) -> bool:
        """Whether there is one, and no installer is at work, as far as that can be seen: they write the record last."""
        if self._folder is None:
            return True
        try:
            found = _records(self._folder)
        except OSError:  # it cannot be read now
            return False
        there = [file for file, stamp in found.items() if stamp is not None]
        return bool(there) and not any(_is_being_written(file) for file in found.keys() - set(there))

    def can_be_left(self) -> bool:
        """Whether it is replaced, and the other one is whole or was waited for long enough."""
        return self.is_replaced() and (self.is_whole() or self._was_waited_for())

    def _was_waited_for(self) -> bool:
        return self._since is not None and time.monotonic() - self._since > INSTALL_SECONDS


def begin_anew(
    installed: Installation,
    is_told: Callable[[], bool],
    more: Mapping[str, str] | None = None,
    arguments: Sequence[str] | None = None,
) -> None:
    """Put the program that is installed now in the place of this process, its arguments as they were.

    `more`: of its environment, beside what this process was started with; `arguments`: others than it had. An installer at
    work is waited for. Returns where `is_told` says meanwhile that the process shall end. Raises LifecycleError where there
    is no such program.
    """
    until = time.monotonic() + INSTALL_SECONDS
    while not (installed.is_whole() and os.access(sys.executable, os.X_OK)):
        if time.monotonic() >= until or is_told():
            break
        time.sleep(POLL_SECONDS)
    for number in (signal.SIGTERM, signal.SIGINT):  # whoever asks from now on ends the process at once
        signal.signal(number, signal.SIG_DFL)
    if is_told():
        return
    os.umask(umask.of_user())
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError):  # nobody reads it
            stream.flush()
    command = [sys.executable, *(sys.orig_argv[1:] if arguments is None else arguments)]
    try:
        os.execve(sys.executable, command, {**os.environ, **(more or {})})  # noqa: S606 - our own interpreter and arguments
    except OSError as error:
        raise LifecycleError(
            "the program that was replaced cannot be begun anew",
            why=f"{sys.executable}: {error.strerror}",
            fix="start it again where it is installed now",
        ) from error


def was_begun_anew() -> bool:
    """Whether this process was another program before, and said so. What it starts is not told."""
    return os.environ.pop(BEGUN_ANEW, None) is not None


def _folder_of_records(code: Path) -> Path | None:
    """Where the record of the packages in `code` is: beside them, or where an editable installation has it."""
    places = [code, *map(Path, filter(None, sys.path))]
    return next((each for each in places if _records(each)), None)


def _records(folder: Path | None) -> dict[Path, Stamp | None]:
    """The record of each distribution of ours in the folder, None for one that has none yet."""
    if folder is None:
        return {}
    return {file: _stamp(file) for each in folder.glob(DISTRIBUTIONS) if (file := each / "RECORD")}


def _stamp(file: Path) -> Stamp | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _is_being_written(record: Path) -> bool:
    """Whether an installer may be about to write it; what one has left behind that was killed stays as it is."""
    folder = _stamp(record.parent)
    return folder is not None and time.time() - folder[0] / 1e9 < INSTALL_SECONDS

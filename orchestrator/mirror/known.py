"""What a mirror knows, in `.mirror` of its folder: what it wrote last, what it is about to write, and what it is sending.

It is written before and after each step that shows, so that a mirror that was killed knows what it did. Where it is missing
or cannot be read, nothing is known, and whatever stands in the folder counts as a person's.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import Field

from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.door import mirror_wire
from orchestrator.door.mirror_wire import Message
from orchestrator.door.wire import NotReadable
from orchestrator.store import files

OWN = ".mirror"
UNKNOWN = -1  # the number of a session that has to be asked for


class Shown(Message):
    """What a file has, or is to have. `version`: None for one that is no document."""

    version: int | None
    sha256: str
    of: str | None = None  # the digest of that version, where the file has a text that came too late

    @property
    def version_sha256(self) -> str:
        return self.of or self.sha256


class Clash(Message):
    """A person's text that came too late, in a file of its own. `base`: the version it was made from, None: unknown."""

    path: str
    base: Shown | None
    sha256: str
    told: bool


class SessionState(Message):
    number: int = UNKNOWN  # of the newest message when the files were last brought up to date
    lines: int = 0  # of the log
    log_sha256: str = ""
    files: dict[str, Shown] = Field(default_factory=dict)
    pending: dict[str, Shown] = Field(default_factory=dict)  # about to be written
    sending: dict[str, str] = Field(
        default_factory=dict
    )  # path -> digest of a text whose answer has not come
    clashes: dict[str, Clash] = Field(default_factory=dict)  # by the path of the file that has the text


class Whose(Message):
    """Which project the folder mirrors."""

    identity: str
    project: str


class Known:
    """The mirror's own folder below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def sessions(self) -> list[str]:
        """Those that something is known of."""
        folder = self.root / OWN / "sessions"
        found = folder.iterdir() if folder.is_dir() else ()
        return sorted(each.name.removesuffix(".json") for each in found if each.name.endswith(".json"))

    def load(self, session: str) -> SessionState:
        try:
            body = files.read(self.root, _file(session))
            return SessionState() if body is None else mirror_wire.read(SessionState, body)
        except (NotReadable, files.UnsafePath):
            return SessionState()

    def save(self, session: str, state: SessionState) -> None:
        """Raises OSError, UnsafePath."""
        files.write(self.root, _file(session), state.written())

    def forget(self, session: str) -> None:
        files.remove(self.root, _file(session))

    def must_be_of(self, whose: Whose) -> None:
        """Note whose folder it is. Raises UsageError where it is another project's, or has files of somebody else."""
        body = files.read(self.root, f"{OWN}/project.json")
        if body is not None:
            before = mirror_wire.read(Whose, body)
            if before.identity != whose.identity:
                raise UsageError(
                    f"{self.root} mirrors another project",
                    why=f"it is {before.project!r}, and the server has {whose.project!r}, or a copy of it in another place",
                    fix="name an empty folder with --folder",
                )
            return
        if any(each.name != OWN for each in self.root.iterdir()):
            raise UsageError(
                f"{self.root} is not empty",
                why="files of yours could be in the way",
                fix="name an empty folder",
            )
        files.write(self.root, f"{OWN}/project.json", whose.written())


def _file(session: str) -> str:
    return f"{OWN}/sessions/{session}.json"


@contextmanager
def alone(root: Path) -> Iterator[None]:
    """Keep the folder to this process; makes it where there is none. Raises UsageError where another one has it."""
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        own = root / OWN
        with suppress(FileExistsError):
            own.mkdir(mode=0o700)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with files.parent(root, files.clean(f"{OWN}/lock"), create=False) as directory:
            descriptor = os.open("lock", flags, 0o600, dir_fd=directory)
    except OSError as error:
        raise UsageError(f"{root} cannot be used", why=str(error), fix="name a folder of yours") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LifecycleError(
                "a mirror keeps this folder already",
                why=str(root),
                fix="end it first, or name another folder",
            ) from error
        yield
    finally:
        os.close(descriptor)

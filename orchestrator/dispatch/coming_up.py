"""The coordinator that was started last, as its starter noted it: until it leads, nothing else tells that it is coming."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.store import files
from orchestrator.store.clock import boot_id, pid_space, process_start

NOTE = "coordinator.json"  # in `.workflow`
OUTPUT = "daemon.out"  # in the folder of logs: what coordinators print
START_SECONDS = 30.0  # a process that lives and does not lead after this is not on its way any more
MOST_BYTES = 4_000  # of what it printed that are read


@dataclass(frozen=True, slots=True)
class Start:
    """`seconds` since it was started; `lives`: its process does, on this machine; `printed`: bytes others printed before.

    `printed` is None where that was not noted.
    """

    pid: int
    seconds: float
    lives: bool
    printed: int | None

    @property
    def is_on_its_way(self) -> bool:
        return self.lives and self.seconds < START_SECONDS


def note_start(workflow: Path, pid: int, now: int, printed: int = 0) -> None:
    """Note that this process is going to lead; `now` in microseconds, `printed`: how long the file of its output was."""
    said = {
        "pid": pid,
        "process_start": process_start(pid),
        "boot": boot_id(),
        "pid_space": pid_space(),
        "at": now,
        "printed": printed,
    }
    with suppress(
        OSError, files.UnsafePath
    ):  # it comes up without the note; what is wrong is reported elsewhere
        files.write(workflow, NOTE, json.dumps(said).encode())


def last_start(workflow: Path, now: int) -> Start | None:
    """What was noted of the coordinator that was started last; None where nothing can be known. `now` in microseconds."""
    try:
        noted = json.loads((workflow / NOTE).read_text())
        age = (now - int(noted["at"])) / 1e6
        here = (noted["boot"], noted["pid_space"]) == (boot_id(), pid_space())
        pid, printed = int(noted["pid"]), noted.get("printed")
        noted_start, started = noted["process_start"], process_start(pid)
    except (OSError, ValueError, OverflowError, KeyError, TypeError, AttributeError):
        return None
    lives = here and started is not None and started == noted_start
    known = printed if isinstance(printed, int) and printed >= 0 else None
    return Start(pid, age, lives, known) if age >= 0 else None


def is_starting(workflow: Path, now: int) -> bool:
    """Whether the coordinator that was started last lives and has had no time to lead yet; `now` in microseconds."""
    found = last_start(workflow, now)
    return found is not None and found.is_on_its_way


def fault_of(workflow: Path, start: Start) -> tuple[str, str]:
    """What the error was with which it ended, and how to go on; empty where it printed none."""
    if start.printed is None:
        return "", ""
    try:
        with (workflow / "logs" / OUTPUT).open("rb") as file:
            file.seek(max(start.printed, file.seek(0, os.SEEK_END) - MOST_BYTES))
            lines = file.read(MOST_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return "", ""
    errors = [number for number, line in enumerate(lines) if line.startswith("Error: ")]
    if not errors:
        return "", ""
    fixes = [line.strip().removeprefix("try: ") for line in lines[errors[-1] :] if line.startswith("  try: ")]
    return lines[errors[-1]].removeprefix("Error: "), next(iter(fixes), "")

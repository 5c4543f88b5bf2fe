"""The coordinator that was started last, as its starter noted it: until it leads, nothing else tells that it is coming."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from orchestrator.store import files
from orchestrator.store.clock import boot_id, pid_space, process_start

NOTE = "coordinator.json"  # in `.workflow`
START_SECONDS = 30.0  # a process that lives and does not lead after this is not on its way any more


def note_start(workflow: Path, pid: int, now: int) -> None:
    """Note that this process is going to lead; `now` in microseconds."""
    said = {
        "pid": pid,
        "process_start": process_start(pid),
        "boot": boot_id(),
        "pid_space": pid_space(),
        "at": now,
    }
    with suppress(
        OSError, files.UnsafePath
    ):  # it comes up without the note; what is wrong is reported elsewhere
        files.write(workflow, NOTE, json.dumps(said).encode())


def is_starting(workflow: Path, now: int) -> bool:
    """Whether the coordinator that was started last lives and has had no time to lead yet; `now` in microseconds."""
    try:
        noted = json.loads((workflow / NOTE).read_text())
        age = (now - int(noted["at"])) / 1e6
        here = (noted["boot"], noted["pid_space"]) == (boot_id(), pid_space())
        noted_start, started = noted["process_start"], process_start(int(noted["pid"]))
    except (OSError, ValueError, OverflowError, KeyError, TypeError):
        return False
    return 0 <= age < START_SECONDS and here and started is not None and started == noted_start

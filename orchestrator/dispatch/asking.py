"""Asks the workers' program, which the orchestrator never imports, and reads its JSON."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.dispatch.local import child_environment, module_command
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.interrupts import EXIT_INTERRUPTED


def ask_workers(verb: str, project: Path, *arguments: str, seconds: float) -> Json:
    """The output of `python -P -m workers VERB --json`. Raises LifecycleError with its last line of errors as `why`."""
    command = module_command("workers", verb, "--project", str(project), "--json", *arguments)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            env=child_environment(),
            check=False,
        )
        if done.returncode == 0:
            return json.loads(done.stdout)
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1] if lines else f"it exited with code {done.returncode}"
    except subprocess.TimeoutExpired:
        why = f"no answer within {seconds:.0f} s"
    except (OSError, ValueError) as error:
        why = str(error)
    raise LifecycleError(f"`workers {verb}` gave no answer", why=why, fix="lifecycle doctor")


def have_done(verb: str, project: Path, *arguments: str, given: str | None = None) -> JsonObject:
    """What `python -P -m workers VERB --json` says of what it did, however long it takes; it has the terminal meanwhile.

    `given`: its standard input. An interrupt reaches it too: it undoes what it has begun, and we wait for that. Raises
    LifecycleError as it does.
    """
    command = module_command("workers", verb, "--project", str(project), "--json", *arguments)
    source = None if given is None else subprocess.PIPE
    process = subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, env=child_environment())
    with process, _interrupts_left_to_it():
        out, _ = process.communicate(None if given is None else given.encode())
    if process.returncode == EXIT_INTERRUPTED:
        raise KeyboardInterrupt
    try:
        found = json.loads(out)
    except ValueError as error:
        why = f"it exited with code {process.returncode}"
        raise LifecycleError(f"`workers {verb}` gave no answer", why=why, fix="lifecycle doctor") from error
    refused = found.get("error")
    if refused is not None:
        kind = UsageError if refused["exit_code"] == UsageError.exit_code else LifecycleError
        raise kind(refused["what"], why=refused["why"], fix=refused["fix"])
    return dict(found)


@contextmanager
def _interrupts_left_to_it() -> Iterator[None]:
    """To be entered once the process runs: it would inherit that interrupts are ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

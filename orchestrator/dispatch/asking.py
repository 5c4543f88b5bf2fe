"""Asks the workers' program, which the orchestrator never imports, and reads its JSON."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from orchestrator.dispatch.local import child_environment, module_command
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.json_types import Json


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

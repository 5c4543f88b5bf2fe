"""Runs the real command on a pseudo-terminal, as a person would."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from collections.abc import Sequence

from tests.e2e.support import Lifecycle
from tests.patience import patient


def on_a_terminal(
    life: Lifecycle, *arguments: str, dialogue: Sequence[tuple[bytes, bytes]] = (), seconds: float = 90
) -> tuple[str, int]:
    """What a person would see on an xterm, and the exit code; of `dialogue`, each prompt is answered when it is shown."""
    left = list(dialogue)
    answered = 0
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(life.folder)
        command = life.command(*arguments)
        os.execve(command[0], command, {**life.environment, "TERM": "xterm"})
    shown = b""
    until = time.monotonic() + patient(seconds)
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            shown += os.read(terminal, 65_536)
        except OSError:  # the other end is closed
            break
        if left and (at := shown.find(left[0][0], answered)) >= 0:
            answered = at + len(left[0][0])
            os.write(terminal, left.pop(0)[1])
    else:
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return shown.decode(errors="replace"), code

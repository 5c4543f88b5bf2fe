"""The `command` agent: any program. It gets the prompt on standard input and answers on standard output.

What it used it may tell in a last line on standard error (workers/agents/programs/reported_usage.py).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from workers.agents.programs.dialect import Call, Said
from workers.agents.programs.external import ExternalAgent
from workers.agents.programs.process import Ended
from workers.agents.programs.reported_usage import usage_in
from workers.agents.protocol import AgentRequest, Limits


class Plain:
    """Its whole output is the answer."""

    env: Sequence[str] = ()
    speaks = False
    goes_on = False

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv = list(argv)

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        return Call(self._argv)

    def said(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> Said:
        usage, fault = usage_in(errors)
        return Said(out, usage=usage, notes=() if fault is None else (fault,))


class CommandAgent(ExternalAgent):
    """Runs `argv`."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str],
        *,
        environ: Mapping[str, str],
        env: Sequence[str] = (),
        limits: Limits | None = None,
        edits_files: bool = False,
        confine: bool = True,
        slots: threading.Semaphore | None = None,
    ) -> None:
        super().__init__(
            name,
            argv[0],
            Plain(argv),
            environ=environ,
            env=env,
            limits=limits,
            edits_files=edits_files,
            confine=confine,
            slots=slots,
        )

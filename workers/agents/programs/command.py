"""The `command` agent: any program. It gets the prompt on standard input and answers on standard output.

What it used it may tell in a last line on standard error (workers/agents/programs/reported_usage.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.config.settings import AgentSettings
from workers.agents.programs.dialect import Call, ParsedOutput
from workers.agents.programs.process import Ended
from workers.agents.programs.reported_usage import usage_in
from workers.agents.protocol import AgentRequest


class Plain:
    """Its whole output is the answer."""

    streams = False
    can_resume = False

    def __init__(self, program: str, given: AgentSettings, environ: Mapping[str, str]) -> None:
        self._argv = given.command

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        return Call(self._argv)

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        usage, fault = usage_in(errors)
        return ParsedOutput(out, usage=usage, notes=() if fault is None else (fault,))


DIALECT = Plain

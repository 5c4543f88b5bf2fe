"""Robo, a made-up coding agent: `robo --ask` prints one JSON object a line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.config.settings import AgentSettings
from workers.agents.programs.dialect import Call, ParsedOutput
from workers.agents.programs.process import Ended
from workers.agents.programs.stream import count, lines, text
from workers.agents.protocol import AgentRequest, Usage


class Robo:
    streams = True
    can_resume = False

    def __init__(self, program: str, given: AgentSettings, environ: Mapping[str, str]) -> None:
        self._argv = [program, "--ask", *(["--model", given.model] if given.model else [])]

    def call(self, request: AgentRequest, prompt: str, resume: str | None, folder: Path) -> Call:
        return Call(self._argv)

    def parse_output(self, out: str, errors: str, ended: Ended | None, resume: str | None) -> ParsedOutput:
        last = list(lines(out))[-1:]
        if not last:
            return ParsedOutput()
        used = Usage(
            "robo-1", count(last[0].get("read")), count(last[0].get("written")), cost_usd=last[0].get("usd")
        )
        return ParsedOutput(text(last[0].get("answer")), usage=used)


DIALECT = Robo

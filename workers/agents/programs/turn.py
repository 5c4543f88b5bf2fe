"""A turn of a program: what it said, read as an answer, and what all turns of a call used."""

from __future__ import annotations

from functools import reduce
from operator import add

from pydantic import BaseModel

from orchestrator.domain.dataclass import dataclass, field, replace
from workers.agents.extraction import extract
from workers.agents.programs.dialect import ParsedOutput
from workers.agents.protocol import AgentRequest, Exit, Usage
from workers.agents.replies import Parsed, parse, parse_value


@dataclass(slots=True)
class Turns:
    """What the turns of one call came to, whatever becomes of the call."""

    used: list[Usage] = field(default_factory=list)
    exit: Exit | None = None  # of the last one

    @property
    def total(self) -> Usage:
        return reduce(add, self.used) if self.used else Usage()


@dataclass(frozen=True, slots=True)
class Turn:
    output: ParsedOutput
    notes: tuple[str, ...]
    parsed: Parsed

    @property
    def good(self) -> bool:
        return self.parsed.good or (self.parsed.model is None and not self.parsed.error)

    def readable(self, schema: type[BaseModel] | None) -> BaseModel | None:
        """What it said, as far as it can be used."""
        return self.parsed.model or (extract(self.output.text, schema) if schema else None)

    def noted(self, note: str) -> Turn:
        return replace(self, notes=(*self.notes, note))


def parsed(output: ParsedOutput, request: AgentRequest) -> Parsed:
    """The answer in what a program said: its structured output, else what its text holds."""
    if request.schema is None:
        return Parsed(None, (), "" if output.text.strip() else "the answer is empty")
    if output.data is not None:
        given = parse_value(output.data, request.schema)
        if given.model is not None:
            return given
    return parse(output.text, request.schema)

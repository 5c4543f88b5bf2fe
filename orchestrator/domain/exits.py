"""How the process of an agent that is a program came to its end."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Exit:
    """`by`: `exited` when it ended by itself, else what ended it: a limit, a stop, its lease."""

    by: str
    code: int | None = None
    signal: int | None = None

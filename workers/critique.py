"""The discuss of a run: which perspectives, over which artifact, with whom; and what its verdict means for the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.domain.consensus import Consequence
from orchestrator.store.report import Discussed
from workers.context import Context
from workers.roles import Produced


@dataclass(frozen=True, slots=True)
class Critiqued:
    """What the runtime needs of a discussion."""

    consequence: Consequence
    stored: Discussed
    record: tuple[str, bytes] | None  # None: it could not be written, the verdict stands all the same
    summary: str  # the report's fixed form
    words: str  # consensus_reached, consensus_blocked (severity=...)
    mean: float | None
    wisdom: Sequence[tuple[str, str]]
    options: Sequence[Mapping[str, Any]] = ()


def critique(context: Context, produced: Produced) -> Critiqued | None:
    raise NotImplementedError

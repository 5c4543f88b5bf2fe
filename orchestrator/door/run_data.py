"""What goes through the door that is no row and no report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import JsonObject
from orchestrator.store.rows import Artifact, Decision, MemoryEntry, Run, Session, Verdict

Files: TypeAlias = Mapping[str, tuple[bytes, str]]  # path below the session's directory -> (bytes, kind)


@dataclass(frozen=True, slots=True)
class Renewed:
    """`alive`: the host's lease has not ended; `gone`: of the runs that it named, those that are not its own any more."""

    alive: bool
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What every task reads of its session."""

    session: Session
    snapshot: JsonObject  # of the configuration that the session began with
    artifacts: Mapping[str, Artifact]  # newest version of each path
    wisdom: Sequence[MemoryEntry]
    accumulator: Sequence[JsonObject]  # of the run's role
    verdicts: Sequence[Verdict]
    decisions: Sequence[Decision]


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of taking an offer: its run, or whether it still `stands` for another host."""

    run: Run | None
    stands: bool = False


@dataclass(frozen=True, slots=True)
class RunProducts:
    """What a run made, and says of it. `earlier`: the run that had made it before, whose critiques count for this one too."""

    input_digest: str
    agent: str
    note: JsonObject
    files: Files
    earlier: str | None = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier run of the same task had made from the same input."""

    run: str
    note: JsonObject
    files: Files


@dataclass(frozen=True, slots=True)
class GivenCritique:
    """A perspective's reply."""

    perspective: str
    agent: str
    reply: JsonObject
    notes: tuple[str, ...] = ()

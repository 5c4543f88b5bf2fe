"""The words of the product as types (docs/domain.md, sections 1 to 4). Values only.

Task states:

    pending --claim--> in_progress --report--> completed
       ^  ^                 |  \\--> failed --skip--> skipped
       |  \\----retry--------|------/    ^
       \\---- lost, retryable failure, released; `cancelled` from any unfinished state
"""

from __future__ import annotations

from enum import StrEnum
from typing import NoReturn

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import UnknownName

WISDOM = ("learnings", "decisions", "conventions", "issues")  # the files of what a session has learned


class State(StrEnum):
    """Raises UnknownName for a value that is none: the database was edited by hand."""

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise UnknownName(cls.__name__, str(value), cls, fix="`lifecycle repair` names the row that holds it")


class TaskStatus(State):
    PENDING = "pending"  # waits for its blockers or for an offer
    IN_PROGRESS = "in_progress"  # exactly one open run
    COMPLETED = "completed"  # final: rework is a new -R<n> task
    FAILED = "failed"  # the third counted run ended badly
    SKIPPED = "skipped"  # a person said so; satisfies its successors
    CANCELLED = "cancelled"  # a person said so


SATISFIED = (TaskStatus.COMPLETED, TaskStatus.SKIPPED)
UNFINISHED = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.FAILED)


class SessionStatus(State):
    ACTIVE = "active"
    PAUSED = "paused"  # always with a reason and a way on
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class RunOutcome(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"  # counted
    LOST = "lost"  # counted: its host died or its lease ran out
    RELEASED = "released"  # released on purpose; does not count as an attempt
    CANCELLED = "cancelled"  # a person said so, not counted


class Consensus(StrEnum):
    REACHED = "reached"
    BLOCKED = "blocked"


class Severity(StrEnum):
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Gate(StrEnum):
    PASS = "PASS"  # noqa: S105 - a gate, not a password
    REVIEW = "REVIEW"
    FAIL = "FAIL"


class AdvanceKind(StrEnum):
    LOOP = "loop"  # the worker continues with its role's serial successor
    FAST = "fast"  # the worker starts the one simple successor itself
    YIELD = "yield"  # the successor is offered, the slot goes to an older offer
    REPORT = "report"  # left to a beat


@dataclass(frozen=True, slots=True)
class TaskDef:
    """One task of a pipeline, before it belongs to a session."""

    key: str
    role: str
    prefix: str
    blocked_by: tuple[str, ...] = ()
    round: str | None = None  # DISCUSS-001 ... when the task is critiqued inline
    phase: str = "spec"
    checkpoint_after: bool = False  # the session pauses when this task completes
    payload: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task as the rules see it: one row of a session's graph."""

    key: str
    role: str
    prefix: str
    status: TaskStatus
    blocked_by: tuple[str, ...] = ()
    round: str | None = None
    phase: str = "spec"
    revision_of: str | None = None  # the task's original key, None for originals
    revision_no: int = 0
    made_for: bool = False  # revision asked for this very task (counts to its limit), not cascaded
    checkpoint_after: bool = False
    offered: bool = False
    not_before: int | None = None  # microseconds, UTC
    attempts: int = 0
    seq: int = 0  # order of creation

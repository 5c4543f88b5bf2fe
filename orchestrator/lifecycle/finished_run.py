"""What a worker reports about a finished run, and the outcome of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.scheduling import Advance
from orchestrator.domain.verdicts import Consequence
from orchestrator.store.checks import Link
from orchestrator.store.rows import Run


@dataclass(frozen=True, slots=True)
class Discussed:
    """A round's outcome, as it is stored."""

    consequence: Consequence
    verdict: Mapping[str, Json]  # columns of verdicts
    findings: Sequence[Mapping[str, Json]]
    revision_input: Mapping[str, Json]  # payload of T-R1 when the verdict asks for one


@dataclass(frozen=True, slots=True)
class Landing:
    """The commit that becomes the session's head with the report, on top of the head that was seen."""

    candidate: int
    seen: str
    commit: str
    tree: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a test run or a review came to: `test` or `review`, its word, and the evidence."""

    kind: str
    data: Mapping[str, Json]  # with the key `verdict`


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker reports of a completed task."""

    row: Run
    message_type: str
    summary: str
    ref: str | None
    inner_loop: bool
    accumulator: Mapping[str, Json]
    timings: Mapping[str, Json]
    data: Mapping[str, Json] = field(default_factory=dict)
    discussed: Discussed | None = None
    gate: Mapping[str, Json] | None = None  # gate, score, data
    wisdom: Sequence[tuple[str, str]] = ()  # (file, text)
    unmet: Sequence[
        str
    ] = ()  # words of a person that the agent could not act on: said in messages of their own
    shared: Json = None
    landing: Landing | None = None
    links: Sequence[Link] = ()  # noted with the report
    verdict: Verdict | None = None  # of a test run or a review
    blocked: JsonObject | None = None  # the failures for which a supervision has a person decide
    fan_out: JsonObject | None = None  # the tasks of a plan (lifecycle/fan_out.py)
    gaps: Sequence[JsonObject] = ()  # work that is nobody's yet (lifecycle/gap_tasks.py)
    can_code: bool = True  # an agent that edits files is there for it
    max_attempts: int = 3


@dataclass(frozen=True, slots=True)
class Reported:
    """The outcome of a report; `next` is the run that this slot continues with: the successor's or the oldest offer's."""

    advance: Advance
    next: Run | None
    paused: str | None

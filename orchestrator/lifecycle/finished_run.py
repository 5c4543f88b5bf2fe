"""What a worker reports about a finished run, and the outcome of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import Consensus, Severity
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.scheduling import Advance
from orchestrator.domain.verdicts import Consequence
from orchestrator.store.checks import Link
from orchestrator.store.rows import Run
from orchestrator.store.run_ids import new_run_id


@dataclass(frozen=True, slots=True)
class RoundVerdict:
    """What a round of critiques came to."""

    round: str | None
    consensus: Consensus
    severity: Severity | None
    mean: float  # of the ratings, 1 to 5
    record: str | None  # the path of the discussion's record
    data: JsonObject


@dataclass(frozen=True, slots=True)
class RoundFinding:
    """`kind`: divergence, missing or action; `perspective`: those who found it, by commas."""

    kind: str
    severity: Severity | None
    perspective: str
    text: str


@dataclass(frozen=True, slots=True)
class Discussed:
    """A round's outcome, as it is stored."""

    consequence: Consequence
    verdict: RoundVerdict
    findings: Sequence[RoundFinding]
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
    changed: Sequence[str] | None = (
        None  # what a revision changed, a line each: said in a message of its own; None for a first version
    )
    shared: Json = None
    landing: Landing | None = None
    links: Sequence[Link] = ()  # noted with the report
    verdict: Verdict | None = None  # of a test run or a review
    blocked: JsonObject | None = None  # the failures for which a supervision has a person decide
    fan_out: JsonObject | None = None  # the tasks of a plan (lifecycle/fan_out.py)
    gaps: Sequence[JsonObject] = ()  # work that is nobody's yet (lifecycle/gap_tasks.py)
    can_code: bool = True  # an agent that edits files is there for it
    max_attempts: int = 3
    own_session: bool = (
        False  # the slot goes on with a task of this session alone: the engine delivers others
    )
    next: str = field(
        default_factory=new_run_id
    )  # the id of the run that this slot goes on with, if there is one


@dataclass(frozen=True, slots=True)
class Reported:
    """The outcome of a report; `next` is the run that this slot continues with: the successor's or the oldest offer's."""

    advance: Advance
    next: Run | None
    paused: str | None


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attempt ended that completed nothing: it failed, or is released (not `counted`).

    The next one waits for its backoff (seconds, by counted attempts so far) or for `wait` (for the limit of the account
    `limited_by`); `pause` stops the session with a reason.
    """

    row: Run
    error: str
    counted: bool
    timings: Mapping[str, Json]
    backoff: Sequence[float] = ()
    pause: PauseReason | None = None
    detail: Mapping[str, Json] = field(default_factory=dict)  # of the pause
    wait: float | None = None
    limited_by: str | None = None
    by_agent: bool = False  # an agent's error: no other attempt where all that were asked answer by rule
    asks: tuple[str, Sequence[Mapping[str, Json]]] | None = (
        None  # what a discussion asks a person, and the options
    )

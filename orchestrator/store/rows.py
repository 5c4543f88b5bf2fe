"""What the store's queries return: one named tuple for each kind of row.

The fields of a row are the columns of its query, in their order; a statement that is compiled checks it. Named tuples,
since they are made three times as fast as frozen dataclasses. States are plain text here: a row that was edited by hand
can still be shown, and the rules refuse what they do not know (`task_states`).
"""

from __future__ import annotations

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.pauses import PauseReason


class Session(NamedTuple):
    id: str
    mode: str
    title: str
    language: str
    workspace: str
    status: str
    pause_reason: str | None
    gate: str | None
    score: float | None
    needs_beat: int
    messages: int
    projected: int
    archived: int
    created_at: int
    updated_at: int
    finished_at: int | None
    options: JsonObject
    pause_detail: JsonObject | None
    budget: JsonObject | None
    request: str

    @property
    def paused_for(self) -> PauseReason:
        """Raises UnknownName for a session that is not paused, or was edited by hand."""
        return PauseReason(str(self.pause_reason))


class SessionState(NamedTuple):
    """What a report asks of its session; not the request, which may be long."""

    status: str
    pause_reason: str | None
    options: JsonObject
    messages: int
    open_calls: int  # of agents, by the run that reports: whether there are any


class EndedSession(NamedTuple):
    id: str
    finished_at: int  # microseconds


class Task(NamedTuple):
    id: int
    session_id: str
    key: str
    seq: int
    role: str
    prefix: str
    phase: str
    round: str | None
    revision_of: str | None
    revision_no: int
    made_for: int
    checkpoint_after: int
    payload: JsonObject
    status: str
    unmet: int
    attempts: int
    max_attempts: int
    epoch: int
    priority: int
    not_before: int | None
    limited_by: str | None
    error: str | None
    created_at: int
    offered_at: int | None
    started_at: int | None
    finished_at: int | None
    blocked_by: tuple[str, ...] = ()  # keys of its blockers, where the query reads the edges


class Blocker(NamedTuple):
    """A task that another one waits for."""

    id: int
    key: str
    status: str
    revision_of: str | None


class Ready(NamedTuple):
    """A ready task, and what decides whether a report may start it."""

    task: Task
    sole_blocker: int | None  # the task that it waited for; None where there were several
    older_offer: bool  # another session's offer waits for a host of these roles
    lease_until: int | None  # of the host that reports; None where it takes nothing


class Run(NamedTuple):
    """A run as its worker got it, with the columns of its task: `id` is the task's, `run` its own."""

    id: int
    session_id: str
    key: str
    role: str
    prefix: str
    phase: str
    round: str | None
    revision_of: str | None
    revision_no: int
    checkpoint_after: int
    payload: JsonObject
    attempts: int
    max_attempts: int
    run: str
    epoch: int
    loop: str  # id of the inner loop's first run
    opened_by: str
    host: str
    lease_until: int
    opened_at: int

    @property
    def discussed_in(self) -> str:
        """The round of a task that is discussed. Raises AssertionError for one that is not."""
        assert self.round is not None
        return self.round


class OpenRun(NamedTuple):
    """A run under way, with its task's key, role and prefix."""

    id: str
    task_id: int
    host: str
    loop: str
    epoch: int
    opened_at: int
    phase: str
    key: str
    role: str
    prefix: str


class RunOwner(NamedTuple):
    """Whose a run is: its session and host, its task's key and role, the boot of the machine its host lives in."""

    id: str
    session_id: str
    host: str
    outcome: str | None
    boot: str
    key: str
    role: str


class Attempt(NamedTuple):
    """A run in the history of its session, with its task's key and its host's pid."""

    id: str
    epoch: int
    host: str
    opened_by: str
    opened_at: int
    closed_at: int | None
    outcome: str | None
    counted: int
    phase: str
    agent: str | None
    error: str | None
    timings: JsonObject | None
    loop: str
    pid: int
    task: str
    role: str


class EarlierRun(NamedTuple):
    """An ended run that had produced from the same input."""

    id: str
    agent: str
    produced: JsonObject


class OverdueRun(NamedTuple):
    """An open run with the process that its host is."""

    id: str
    session_id: str
    task_id: int
    lease_until: int
    host: str
    key: str
    role: str
    boot: str
    pid_space: str
    pid: int
    process_start: int


class Host(NamedTuple):
    incarnation: str
    boot: str
    pid_space: str
    pid: int
    process_start: int
    roles: list[str]
    slots: int
    lease_until: int
    draining: int
    started_at: int
    version: str = ""
    token: str | None = None  # of a host on another machine


class Engine(NamedTuple):
    """What delivers offers; `version` is None while it cannot be reached, and `since_at` since when it can, or cannot."""

    address: str
    queues: str
    version: str | None
    since_at: int
    why: str


class Custody(NamedTuple):
    """Where a session is that has ever moved between cells of a fleet."""

    session_id: str
    epoch: int
    state: str  # here, leaving, coming, gone
    peer: str
    messages: int
    at: int


class Resident(NamedTuple):
    """In which cell of a fleet a session is, since the move of that epoch."""

    session_id: str
    cell: str
    epoch: int


class Offer(NamedTuple):
    """An offer that waits for a host."""

    task: int
    epoch: int
    session_id: str
    role: str
    prefix: str
    priority: int


class HostToken(NamedTuple):
    """What a host on another machine may ask with; the token itself is kept nowhere."""

    name: str
    sha256: str
    roles: list[str]
    slots: int
    created_at: int
    revoked_at: int | None


class PersonToken(NamedTuple):
    """What a person's mirror may ask with; the token itself is kept nowhere."""

    name: str
    sha256: str
    created_at: int
    revoked_at: int | None


class Leader(NamedTuple):
    """The lease of the daemon that leads."""

    name: str
    holder: str
    epoch: int
    boot: str
    pid_space: str
    pid: int
    process_start: int
    until: int
    at: int
    version: str = ""


class Message(NamedTuple):
    number: int
    kind: str
    at: int
    sender: str
    recipient: str
    type: str
    known: int
    summary: str
    ref: str | None
    data: Json


class EventTime(NamedTuple):
    number: int
    at: int


class Artifact(NamedTuple):
    """One version of an artifact, with the key of the task that made it."""

    path: str
    version: int
    sha256: str
    size: int
    kind: str
    author: str
    created_at: int
    run_id: str | None
    task: str | None


class Product(NamedTuple):
    """What a run has produced and not yet reported."""

    path: str
    sha256: str
    kind: str
    size: int


class Verdict(NamedTuple):
    """Of a discussion or of the quality gate, with its task's key."""

    id: int
    session_id: str
    task_id: int
    run_id: str
    kind: str
    round: str | None
    consensus: str | None
    severity: str | None
    mean: float | None
    gate: str | None
    score: float | None
    record: str | None
    data: JsonObject
    created_at: int
    task: str


class Finding(NamedTuple):
    verdict_id: int
    number: int
    kind: str
    severity: str | None
    perspective: str | None
    text: str


class StoredCritique(NamedTuple):
    """A perspective's reply as it came."""

    run_id: str
    perspective: str
    agent: str
    reply: JsonObject
    notes: list[str]
    created_at: int


class Decision(NamedTuple):
    """What a person decided, in their words."""

    id: int
    session_id: str
    subject: str
    digest: str | None
    who: str
    words: str
    forced: int
    at: int


class MemoryEntry(NamedTuple):
    """One entry of the wisdom, or a role's field of the shared memory."""

    id: int
    session_id: str
    kind: str
    name: str
    author: str
    task_key: str | None
    data: Json
    at: int


class BegunCall(NamedTuple):
    """A call as it was begun."""

    id: int
    agent: str
    metered: int
    started_at: int
    account: str | None


class AgentCall(NamedTuple):
    """One call of an agent, with its task's key and role."""

    id: int
    session_id: str
    task_id: int
    run_id: str
    agent: str
    purpose: str
    perspective: str | None
    prompt_digest: str
    started_at: int
    finished_at: int | None
    outcome: str | None
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    cost_micros: int | None
    cost_source: str
    prices_of: str | None
    metered: int
    reserved_micros: int | None
    reserved_tokens: int | None
    retries: int
    error: str | None
    task: str
    role: str


class CallOutcome(NamedTuple):
    """How many calls of an agent ended in that way."""

    agent: str
    outcome: str
    calls: int


class CallSums(NamedTuple):
    """`priced`: of how many calls the price is known; `unpriced`: of how many that ended it is not.

    `tokens_cached` are among `tokens_in`.
    Summed by the columns that are not None; `session` is one of them unless one session's calls are summed.
    """

    cost_micros: int
    calls: int
    priced: int
    unpriced: int
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    session: str | None = None
    task: str | None = None
    role: str | None = None
    agent: str | None = None
    model: str | None = None
    perspective: str | None = None


class RateLimit(NamedTuple):
    """What an account's limit was last said to be."""

    name: str
    limited_until: int
    since_at: int
    guesses: int
    agent: str
    why: str

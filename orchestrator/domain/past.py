"""What a session was at an earlier time, as far as its log tells: where a state ends, and what it waited for then.

The log is the only record that is never changed, so whatever asks about the past replays it. A message or event is numbered
in the transaction that it belongs to; those of one transaction have one time.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SATISFIED, TaskStatus
from orchestrator.domain.pauses import PAUSES, PauseReason

DEFERRED = "deferred"  # the event of an approval that could not be asked for at once
FORKED = "forked"  # the event that ends the part of a log that a fork took over
PAID = (
    "calls",
    "unpriced",
    "usd",
    "tokens_in",
    "tokens_out",
    "seconds",
)  # told of work that a fork took over
NEXT = ("advance", "fast_advance")  # what comes after a report in its transaction: the next run
_ANSWERS = ("resumed", "rework")  # events that end a pause


class Entry(Protocol):
    """A message or event of a log."""

    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def at(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def data(self) -> Json: ...


@dataclass(frozen=True, slots=True)
class Paused:
    """A pause at some time: its reason, what it said, and the number of its event."""

    reason: PauseReason
    detail: JsonObject
    number: int

    @property
    def asks(self) -> bool:
        """Whether a person is asked about what was made; the other pauses are of the attempt, not of the work."""
        pause = PAUSES[self.reason]
        return bool(pause.approves) or self.reason is PauseReason.DISCUSSION_FEEDBACK


def last_of_report(log: Sequence[Entry], task: str, finished_at: int) -> int | None:
    """The number of the last entry that belongs to the completion of `task`, the start of the next task left out.

    None where the log does not have the report.
    """
    report = next(
        (
            place
            for place, each in enumerate(log)
            if each.kind == "message" and each.at == finished_at and _task(each) == task
        ),
        None,
    )
    if report is None:
        return None
    last = log[report].number
    for each in log[report + 1 :]:
        if each.at != finished_at or each.type in NEXT:
            break
        last = each.number
    return last


def pause_after(log: Iterable[Entry]) -> tuple[Paused | None, tuple[Paused, ...]]:
    """The pause that the log ends in, None where the session ran, and the approvals that were deferred until then."""
    now: Paused | None = None
    deferred: list[Paused] = []
    for each in log:
        if each.kind != "event":
            continue
        if each.type == "paused":
            now = _pause(each)
            deferred = [waiting for waiting in deferred if waiting.reason is not now.reason]
        elif each.type == DEFERRED:
            deferred.append(_pause(each))
        elif each.type in _ANSWERS:
            now = None
    return now, tuple(deferred)


def asked_after(log: Sequence[Entry]) -> tuple[Paused, ...]:
    """What a person had to answer about the work when the log ended, whatever else kept the session from going on."""
    now, deferred = pause_after(log)
    return tuple(each for each in ((now,) if now else ()) + deferred if each.asks)


def _pause(each: Entry) -> Paused:
    said = dict(each.data) if isinstance(each.data, Mapping) else {}
    return Paused(PauseReason(str(said.pop("reason", ""))), said, each.number)


def _task(each: Entry) -> str | None:
    return each.data.get("task") if isinstance(each.data, Mapping) else None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a task."""

    opened_at: int
    closed_at: int | None
    opened_by: str


class Then(StrEnum):
    """What a task was at some time."""

    NOT_MADE = "not_made"
    BLOCKED = "blocked"
    PAUSED = "paused"
    DELAYED = "delayed"
    OFFERED = "offered"
    READY = "ready"
    RUNNING = "running"
    FAILED = "failed"
    COMPLETED = "completed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Known:
    """What the rows tell of a task for all times: when it was made and ended, and its attempts, oldest first."""

    key: str
    seq: int
    blocked_by: tuple[str, ...]
    created_at: int
    ended: TaskStatus | None  # completed, skipped or cancelled
    ended_at: int | None
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """A task at a time: its state, when that began, and why, as far as the log says."""

    key: str
    state: Then
    since: int | None = None
    unmet: tuple[str, ...] = ()
    until: int | None = None  # a retry
    said: Entry | None = None  # the entry that tells of it


def moments(tasks: Sequence[Known], log: Sequence[Entry], at: int) -> dict[str, Moment]:
    """Every task of a session as it was at `at`; `log`: what had been said by then."""
    paused, _ = pause_after(log)
    ended = {
        each.key: each.ended
        for each in tasks
        if each.ended is not None and each.ended_at is not None and each.ended_at <= at
    }
    later = {each.key for each in tasks if each.created_at > at}
    return {each.key: _moment(each, log, at, ended, later, paused) for each in tasks}


def _moment(
    task: Known,
    log: Sequence[Entry],
    at: int,
    ended: Mapping[str, TaskStatus],
    later: Container[str],
    paused: Paused | None,
) -> Moment:
    if task.created_at > at:
        return Moment(task.key, Then.NOT_MADE)
    if task.key in ended:
        return Moment(task.key, Then(ended[task.key].value), task.ended_at, said=_last_about(log, task.key))
    begun = [each for each in task.attempts if each.opened_at <= at]
    if begun and (begun[-1].closed_at is None or begun[-1].closed_at > at):
        return Moment(task.key, Then.RUNNING, begun[-1].opened_at, said=_start_of(log, task.key))
    bad = _failure_after(log, task.key, begun[-1].opened_at if begun else 0)
    if bad is not None and _is_final(bad, paused, task.key):
        return Moment(task.key, Then.FAILED, bad.at, said=bad)
    unmet = tuple(key for key in task.blocked_by if key not in later and ended.get(key) not in SATISFIED)
    if unmet:
        return Moment(task.key, Then.BLOCKED, unmet=unmet)
    if paused is not None:
        return Moment(task.key, Then.PAUSED, said=_entry(log, paused.number))
    until = None if bad is None else _retry_at(bad)
    if until is not None and until > at:
        return Moment(task.key, Then.DELAYED, bad.at if bad else None, until=until, said=bad)
    offer = _offer_of(log, task.key, begun[-1].opened_at if begun else 0)
    if offer is not None:
        return Moment(task.key, Then.OFFERED, offer.at, said=offer)
    return Moment(task.key, Then.READY)


def about(each: Entry, task: str) -> bool:
    """Whether an entry tells of the task."""
    if not isinstance(each.data, Mapping):
        return False
    named = [each.data.get(name) for name in ("task", "made", "tasks", "offered", "after")]
    return any(task == name or (isinstance(name, list | dict) and task in name) for name in named)


def _last_about(log: Sequence[Entry], task: str) -> Entry | None:
    return next((each for each in reversed(log) if each.kind == "message" and _task(each) == task), None)


def _entry(log: Sequence[Entry], number: int) -> Entry | None:
    return next((each for each in log if each.number == number), None)


def _start_of(log: Sequence[Entry], task: str) -> Entry | None:
    """The decision that started the run: an offer, or the worker before it going on."""
    return next(
        (
            each
            for each in reversed(log)
            if (each.type == "advance" and _task(each) == task) or (each.type == "beat" and about(each, task))
        ),
        None,
    )


def _failure_after(log: Sequence[Entry], task: str, since: int) -> Entry | None:
    """How the last attempt ended, when it ended badly."""
    return next(
        (
            each
            for each in reversed(log)
            if each.at >= since and each.type in ("error", "lost", "given_back") and _task(each) == task
        ),
        None,
    )


def _is_final(bad: Entry, paused: Paused | None, task: str) -> bool:
    """Whether no other attempt followed by itself: the session was stopped for it, and nobody has answered."""
    return (
        paused is not None
        and paused.reason is PauseReason.TASK_FAILED
        and paused.detail.get("task") == task
        and paused.number > bad.number
    )


def _retry_at(bad: Entry) -> int | None:
    wait = bad.data.get("retry_in_seconds") if isinstance(bad.data, Mapping) else None
    return None if not wait else bad.at + int(wait * 1_000_000)


def _offer_of(log: Sequence[Entry], task: str, since: int) -> Entry | None:
    """The offer that stood: a pause withdraws it, and a run takes it."""
    for each in reversed(log):
        if each.at < since or (each.kind == "event" and each.type == "paused"):
            return None
        if (
            each.type == "beat"
            and isinstance(each.data, Mapping)
            and task in (each.data.get("offered") or ())
        ):
            return each
        if each.type == "advance" and _task(each) == task and each.data.get("kind") == "yield":
            return each
    return None

"""Explains the state of a task at an earlier time: what the scheduler knew then, by its log, and what it decided."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError
from orchestrator.domain.ids import shown
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.past import Attempt, Known, Moment, Then, about, moments, pause_after
from orchestrator.domain.scheduling import offers
from orchestrator.store import messages, queries, sessions, tasks
from orchestrator.store.rows import Message, Session, Task
from orchestrator.store.store import Tx

MICROS = 1_000_000
_NUMBER = re.compile(r"(?:MSG-)?([0-9]{1,15})", re.IGNORECASE)
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
_ENDED = (TaskStatus.COMPLETED, TaskStatus.SKIPPED, TaskStatus.CANCELLED)
EXAMPLES = "for example 2026-11-22T14:05:00Z, 14:05:00 (of this machine's clock) or MSG-012"


def why_then(tx: Tx, session: Session, task: Task, given: str) -> JsonObject:
    """As `why`, at a time or message of the past, with what the scheduler knew (`knew`) and its decisions around then.

    Raises UsageError for a time or message that the session does not have.
    """
    log = messages.after(tx, session.id, 0, sessions.EVERY)
    at, number = _point(tx, session, log, given)
    before = [each for each in log if each.number <= number]
    rows = tasks.all_tasks(tx, session.id)
    known = _known(tx, session.id, rows)
    then = moments(known, before, at)
    mine = then[task.key]
    return {
        "session": session.id,
        "task": task.key,
        "at": stamp(at),
        "message": number,
        "state": mine.state.value,
        "because": _because(session, mine, then, before, at),
        "knew": _knew(session, rows, then, before, at),
        "decided": _decided(log, task.key, number),
    }


def _point(tx: Tx, session: Session, log: Sequence[Message], given: str) -> tuple[int, int]:
    """The time, and the number of the last entry of then. Raises UsageError, UnknownName, NotAllowedNow."""
    found = _NUMBER.fullmatch(given.strip())
    if found is not None:
        number = int(found[1])
        if not 1 <= number <= len(log):
            raise UnknownName(
                "message",
                given,
                [f"MSG-001 to MSG-{len(log):03d}"],
                fix=f"`lifecycle log {session.id}` shows them",
            )
        at = log[number - 1].at
        return at, max(each.number for each in log[number - 1 :] if each.at == at)
    at = _time(given, log, tx.now)
    if at // MICROS > tx.now // MICROS:
        raise NotAllowedNow(
            f"{shown(given)} is in the future",
            why=f"it is {stamp(tx.now)}",
            fix="leave --at out: `why` explains the state of now",
        )
    earlier = [each.number for each in log if each.at <= at]
    if not earlier:
        raise NotAllowedNow(
            f"{session.id} did not exist at {shown(given)}",
            why=f"it began at {stamp(log[0].at)}" if log else "it has no log",
            fix="name a later time, or a message: --at MSG-001",
        )
    return min(at, tx.now), max(earlier)


def _time(given: str, log: Sequence[Message], now: int) -> int:
    """A time in microseconds; to the second, it is the end of that second. Raises UsageError."""
    text = given.strip()
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        return _on_a_day(clock, log, now)
    try:
        read = datetime.fromisoformat(text)
    except ValueError as error:
        raise _unreadable(given) from error
    try:
        moment = read if read.tzinfo is not None else read.astimezone()  # as `log` shows it
        whole = int(moment.timestamp()) * MICROS + moment.microsecond
    except (OverflowError, ValueError) as error:
        raise _unreadable(given) from error
    return whole if moment.microsecond else whole + MICROS - 1


def _on_a_day(clock: re.Match[str], log: Sequence[Message], now: int) -> int:
    """That time on the last day of the session on which it had begun and is not in the future, else of today."""
    hour, minute, second = int(clock[1]), int(clock[2]), clock[3]
    today = (
        datetime.fromtimestamp(now // MICROS, UTC)
        .astimezone()
        .replace(hour=hour, minute=minute, second=int(second or 0))
    )
    length = MICROS if second else 60 * MICROS
    first = log[0].at if log else now
    day = today
    while True:
        at = int(day.timestamp()) * MICROS + length - 1
        if at - length < now:
            return min(at, now) if at >= first else int(today.timestamp()) * MICROS + length - 1
        if at < first:
            return int(today.timestamp()) * MICROS + length - 1
        day -= timedelta(days=1)


def _unreadable(given: str) -> UsageError:
    return UsageError(
        f"{shown(given)} is no time and no message", why=EXAMPLES, fix="`lifecycle log` shows both"
    )


def _known(tx: Tx, session: str, rows: Sequence[Task]) -> list[Known]:
    attempts: dict[str, list[Attempt]] = {}
    for run in queries.runs_of(tx, session):
        attempts.setdefault(run.task, []).append(Attempt(run.opened_at, run.closed_at, run.opened_by))
    return [
        Known(
            row.key,
            row.seq,
            row.blocked_by,
            row.created_at,
            TaskStatus(row.status) if row.status in _ENDED else None,
            row.finished_at if row.status in _ENDED else None,
            tuple(sorted(attempts.get(row.key, ()), key=lambda each: each.opened_at)),
        )
        for row in rows
    ]


def _because(
    session: Session, mine: Moment, then: Mapping[str, Moment], log: Sequence[Message], at: int
) -> list[str]:
    """The first thing that kept the task from running then, in the coordinator's order, or what it did."""
    if mine.state is Then.NOT_MADE:
        return ["it had not been made yet"]
    if mine.state is Then.BLOCKED:
        paused, _ = pause_after(log)
        also = [f"and the session was paused ({paused.reason})"] if paused else []
        return [f"waited for {key}, which was {_said(then, key)}" for key in mine.unmet] + also
    if mine.state is Then.PAUSED:
        paused, _ = pause_after(log)
        assert paused is not None
        said = f"MSG-{paused.number:03d}"
        return [f"the session was paused ({paused.reason}) until a person answered ({said})"]
    if mine.state is Then.DELAYED:
        return [f"an attempt had ended badly; the next one was due at {stamp(mine.until)}", *_summary(mine)]
    if mine.state is Then.OFFERED:
        offered = f"it was offered at {stamp(mine.since)}, and waited for a free slot of a worker host"
        return [offered, *_summary(mine)]
    if mine.state is Then.READY:
        if session.options.get("execution") == "sequential":
            first = [key for key, each in then.items() if each.state in (Then.RUNNING, Then.OFFERED)]
            if first:
                return [f"one task at a time (--execution sequential): {', '.join(first)} came first"]
        return ["everything that it waits for was done; the coordinator had not offered it yet"]
    words = {
        Then.RUNNING: f"it had been running for {(at - (mine.since or at)) // MICROS} s",
        Then.FAILED: f"its last attempt failed at {stamp(mine.since)}",
        Then.COMPLETED: f"it was completed at {stamp(mine.since)}",
        Then.SKIPPED: f"it was skipped at {stamp(mine.since)}",
        Then.CANCELLED: f"the session was cancelled at {stamp(mine.since)}",
    }
    return [words[mine.state], *_summary(mine)]


def _said(then: Mapping[str, Moment], key: str) -> str:
    return then[key].state.value.replace("_", " ")


def _summary(mine: Moment) -> list[str]:
    said = mine.said
    return [] if not isinstance(said, Message) else [f"MSG-{said.number:03d}: {first_line(said.summary)}"]


def _knew(
    session: Session, rows: Sequence[Task], then: Mapping[str, Moment], log: Sequence[Message], at: int
) -> JsonObject:
    """The scheduler's inputs then, and by its rule what a beat would have offered."""

    def of(*states: Then) -> list[str]:
        return [key for key, each in then.items() if each.state in states]

    paused, _ = pause_after(log)
    ready = [
        TaskState(
            row.key,
            row.role,
            row.prefix,
            TaskStatus.PENDING,
            row.blocked_by,
            offered=then[row.key].state is Then.OFFERED,
            not_before=then[row.key].until,
            seq=row.seq,
        )
        for row in rows
        if then[row.key].state in (Then.READY, Then.OFFERED, Then.DELAYED)
    ]
    running = of(Then.RUNNING)
    execution = str(session.options.get("execution", "parallel"))
    would = (
        [] if paused else offers(ready, open_runs=len(running), sequential=execution == "sequential", now=at)
    )
    return {
        "execution": execution,
        "paused": None if paused is None else paused.reason.value,
        "done": of(Then.COMPLETED, Then.SKIPPED),
        "running": running,
        "offered": of(Then.OFFERED),
        "ready": of(Then.READY),
        "delayed": of(Then.DELAYED),
        "blocked": of(Then.BLOCKED),
        "would_offer": would,
    }


def _decided(log: Sequence[Message], task: str, number: int) -> JsonObject:
    """The last entry about the task until then, and the next one."""
    mine = [each for each in log if about(each, task)]
    last = next((each for each in reversed(mine) if each.number <= number), None)
    following = next((each for each in mine if each.number > number), None)
    return {"last": _entry(last), "next": _entry(following)}


def _entry(each: Message | None) -> JsonObject | None:
    if each is None:
        return None
    return {
        "number": each.number,
        "at": stamp(each.at),
        "type": each.type,
        "summary": first_line(each.summary),
    }


def first_line(text: str) -> str:
    return next(iter(text.splitlines()), "")

"""Explains the state of a task at an earlier time: what the scheduler knew then, by its log, and what it decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.past import Attempt, Known, Moment, Then, about, moments, pause_after
from orchestrator.domain.scheduling import offers
from orchestrator.store import messages, queries, sessions, tasks
from orchestrator.store.rows import Message, Session, Task
from orchestrator.store.store import Tx
from orchestrator.views.named_moment import MICROS, point_of

_ENDED = (TaskStatus.COMPLETED, TaskStatus.SKIPPED, TaskStatus.CANCELLED)


def why_then(tx: Tx, session: Session, task: Task, given: str) -> JsonObject:
    """As `why`, at a time or message of the past, with what the scheduler knew (`knew`) and its decisions around then.

    Raises UsageError for a time or message that the session does not have.
    """
    log = messages.after(tx, session.id, 0, sessions.EVERY)
    at, number = point_of(tx, session, log, given)
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

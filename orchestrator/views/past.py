"""A session as it was at an earlier message or time: the slider's view, from rows alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SATISFIED, TaskStatus
from orchestrator.domain.past import DEFERRED
from orchestrator.domain.past_state import Lived, session_then, status_then
from orchestrator.domain.prices import MICROS
from orchestrator.store import artifacts, messages, queries, records, sessions, tasks
from orchestrator.store.rows import Attempt, Message, Session, Task, Verdict
from orchestrator.store.store import Tx
from orchestrator.store.task_states import status_of
from orchestrator.views import check, cost, discuss, session_line
from orchestrator.views.named_moment import point_of

MARKED = ("paused", DEFERRED, "resumed", "rework", "completed", "cancelled")  # events that a slider marks
WORDS = 120  # characters of what a mark says


def state_at(tx: Tx, session: Session, given: str) -> JsonObject:
    """The session as it was at a time or message; at its last message as it is now.

    The messages of one commit have one time, so a message stands for the last of its commit. A failure that was retried
    later is pending. Raises UsageError, UnknownName or NotAllowedNow for a time or message that the session does not have.
    """
    log = messages.after(tx, session.id, 0, sessions.EVERY)
    at, number = point_of(tx, session, log, given)
    is_now = number == log[-1].number
    at = tx.now if is_now else at
    then = session_then(log[:number])
    every_verdict = records.verdicts_of(tx, session.id)
    verdicts = [row for row in every_verdict if row.created_at <= at]
    rows = tasks.all_tasks(tx, session.id)
    runs = _runs(tx, session.id, at)
    states = _states(rows, runs, at)
    held = {row.task: row for row in verdicts if row.kind == "discuss"}  # of each task the newest
    gate = next((row for row in reversed(verdicts) if row.kind == "gate"), None)
    counts: dict[str, int] = {}
    for status in states.values():
        counts[status] = counts.get(status, 0) + 1
    return {
        "session": session.id,
        "title": session.title,
        "mode": session.mode,
        "at": stamp(at),
        "message": number,
        "messages": log[-1].number,
        "is_now": is_now,
        "status": then.status,
        "pause_reason": then.reason,
        "paused_by": then.number,
        "progress": session_line.progress(counts),
        "elapsed_seconds": cost.seconds(session.created_at, min(at, session.finished_at or at)),
        "gate": None if gate is None else gate.gate,
        "score": None if gate is None else gate.score,
        "cost": _cost(tx, session.id, at),
        "tasks": [
            _task(row, states, runs.get(row.key, ()), held.get(row.key), at)
            for row in rows
            if row.key in states
        ],
        "artifacts": _artifacts(tx, session.id, at),
        "marks": _marks(log, every_verdict),
    }


def _runs(tx: Tx, session: str, at: int) -> dict[str, list[Attempt]]:
    """Task -> its runs that had begun by then, oldest first."""
    found: dict[str, list[Attempt]] = {}
    for run in queries.runs_of(tx, session):
        if run.opened_at <= at:
            found.setdefault(run.task, []).append(run)
    return found


def _states(rows: Sequence[Task], runs: Mapping[str, Sequence[Attempt]], at: int) -> dict[str, TaskStatus]:
    """The status of each task that had been made."""
    found = {}
    for row in rows:
        begun = runs.get(row.key)
        spans = tuple([(run.opened_at, run.closed_at) for run in begun]) if begun else ()
        lived = Lived(row.key, row.created_at, status_of(row), row.finished_at, spans)
        status = status_then(lived, at)
        if status is not None:
            found[row.key] = status
    return found


def _task(
    row: Task,
    states: Mapping[str, TaskStatus],
    begun: Sequence[Attempt],
    held: Verdict | None,
    at: int,
) -> JsonObject:
    """A task with the keys of `tasks` that are known of the past."""
    status = states[row.key]
    ended = row.finished_at is not None and row.finished_at <= at and status == row.status
    blockers = [key for key in row.blocked_by if key in states]
    return {
        "task": row.key,
        "role": row.role,
        "phase": row.phase,
        "status": status,
        "mark": check.MARKS[status],
        "round": row.round,
        "revision_of": row.revision_of,
        "blocked_by": blockers,
        "waits_for": [key for key in blockers if states[key] not in SATISFIED],
        "checkpoint_after": bool(row.checkpoint_after),
        "attempts": len(begun),
        "agent": begun[-1].agent if begun else None,
        "seconds": sum(cost.seconds(run.opened_at, min(at, run.closed_at or at)) for run in begun),
        "verdict": None if held is None else discuss.verdict(held),
        "started_at": stamp(begun[0].opened_at) if begun else None,
        "finished_at": stamp(row.finished_at) if ended else None,
    }


def _cost(tx: Tx, session: str, at: int) -> JsonObject:
    """Of the calls that had ended by then."""
    calls = [
        row for row in records.calls_of(tx, session) if row.finished_at is not None and row.finished_at <= at
    ]
    return {
        "usd": sum(row.cost_micros or 0 for row in calls) / MICROS,
        "calls": len(calls),
        "priced": sum(row.cost_micros is not None for row in calls),
        "unpriced": sum(bool(row.metered) and row.cost_micros is None for row in calls),
        "tokens_in": sum(row.tokens_in or 0 for row in calls),
        "tokens_cached": sum(row.tokens_cached or 0 for row in calls),
        "tokens_out": sum(row.tokens_out or 0 for row in calls),
    }


def _artifacts(tx: Tx, session: str, at: int) -> list[JsonObject]:
    newest = {row.path: row for row in artifacts.every_version(tx, session) if row.created_at <= at}
    return [{"path": path, "version": row.version} for path, row in sorted(newest.items())]


def _marks(log: Sequence[Message], verdicts: Sequence[Verdict]) -> list[JsonObject]:
    """Pauses, answers and ends, and the last entry of each commit that had a verdict, in the order of the log."""
    found = [
        {
            "number": row.number,
            "at": stamp(row.at),
            "type": row.type,
            "says": one_line(row.summary, WORDS),
        }
        for row in log
        if row.kind == "event" and row.type in MARKED
    ]
    last = {row.at: row.number for row in log}
    found += [
        {
            "number": last[row.created_at],
            "at": stamp(row.created_at),
            "type": "verdict",
            "says": _verdict_in_words(row),
        }
        for row in verdicts
        if row.created_at in last
    ]
    return sorted(found, key=lambda each: int(each["number"]))


def _verdict_in_words(row: Verdict) -> str:
    score = row.mean if row.score is None else row.score
    said = [row.gate or row.consensus or row.kind, row.severity, None if score is None else f"{score:g}"]
    return one_line(f"{row.task} {row.round or row.kind}: {' '.join(filter(None, said))}", WORDS)

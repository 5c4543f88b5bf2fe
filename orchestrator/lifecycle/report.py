"""The completing transaction: everything a finished run leaves, the consequences of its verdict, and the next run.

Close the run (its id is the fence), complete the task, make artifacts, verdict, wisdom and message count, apply the
verdict's consequences, decide the advance: one commit. A crash before it leaves nothing, after it everything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orchestrator import failpoints
from orchestrator.domain.errors import HeadMoved, LeaseLost
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json
from orchestrator.domain.model import AdvanceKind, RunOutcome, SessionStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.scheduling import Advance, advance
from orchestrator.domain.text_diff import in_short
from orchestrator.lifecycle.advance import apply_advance, situation_of
from orchestrator.lifecycle.consequences import apply_consequences
from orchestrator.lifecycle.finished_run import Ended, Report, Reported
from orchestrator.lifecycle.left_out import left_out
from orchestrator.store import (
    artifacts,
    checks,
    claims,
    messages,
    records,
    sessions,
    tasks,
    transitions,
    work,
)
from orchestrator.store.rows import Run
from orchestrator.store.statements import compile_all
from orchestrator.store.store import Tx

LONGEST_CHANGE = 300  # characters
MOST_RELEASES = 4  # of attempts at a task for one cause; the next one counts


def prepare() -> None:
    """Compile the statements of a report ahead of the first one."""
    for module in (artifacts, claims, messages, records, sessions, tasks, transitions):
        compile_all(vars(module).values())


def complete(tx: Tx, report: Report, roles: tuple[str, ...], *, draining: bool) -> Reported:
    """Complete the run and decide what runs next. Raises LeaseLost, HeadMoved, and then has written nothing."""
    row = report.row
    session = row.session_id
    _land(tx, report)
    transitions.complete(
        tx, row.run, row.host, row.id, timings=report.timings, accumulator=report.accumulator
    )
    asked = sessions.session_state_soon(tx, session, row.run)
    products, state = artifacts.products_of(tx, row.run), asked()
    if state.open_calls:  # a perspective that was too late
        records.cut_off_calls(tx, row.run, "the run was reported without it")
    for product in products:
        artifacts.register(
            tx,
            session,
            product.path,
            product.sha256,
            product.size,
            product.kind,
            author=row.role,
            task=row.id,
            run=row.run,
        )
    for file, text in report.wisdom:
        records.add_wisdom(tx, session, file, row.role, text, row.key)
    if report.shared is not None:
        records.share(tx, session, row.role, report.shared, row.key)
    messages.go_on(tx, session, state.messages)
    messages.say(
        tx,
        session,
        row.role,
        report.message_type,
        report.summary,
        ref=report.ref,
        data={"task": row.key, **report.data},
    )
    if report.changed is not None:
        _tell_changes(tx, row, [one_line(line, LONGEST_CHANGE) for line in report.changed])
    for text in report.unmet:
        said = {"task": row.key, "unmet": text}
        messages.say(tx, session, row.role, "state_update", f"{row.key}: {one_line(text)}", data=said)
    paused = apply_consequences(tx, report, state.options)
    failpoints.hit("report.before_commit")
    situation, near = situation_of(tx, report, roles, state, paused, draining)
    decided = advance(situation)
    following = apply_advance(tx, report, decided, near)
    if following is None and not draining:
        following = claims.claim(
            tx, row.host, roles, report.next, session=session if report.own_session else None
        )  # the slot is free: for the oldest offer, if there is one
    return Reported(decided, following, paused)


def _tell_changes(tx: Tx, row: Run, changed: list[str]) -> None:
    """Say what a revision changed, in items."""
    told = f" changed: {in_short(changed)}" if changed else ": nothing changed"
    data = {"task": row.key, "revised": changed}
    messages.say(tx, row.session_id, row.role, "state_update", f"{row.key}{told}", data=data)


def complete_once(tx: Tx, report: Report, roles: tuple[str, ...], *, draining: bool) -> Reported:
    """`complete`; of a report that was committed before, what it came to. Raises as that."""
    try:
        return complete(tx, report, roles, draining=draining)
    except LeaseLost:
        row = report.row
        if claims.owner(tx, row.run) != (row.host, RunOutcome.COMPLETED):
            raise
        return _reported(tx, report)


def _reported(tx: Tx, report: Report) -> Reported:
    """What a report came to whose answer was lost: its successor is known by its id. A beat may have been wanted."""
    following = claims.open_run(tx, report.next, report.row.host)
    kind, task = AdvanceKind.REPORT, None
    if following is not None and following.opened_by in (AdvanceKind.LOOP, AdvanceKind.FAST):
        kind, task = AdvanceKind(following.opened_by), following.key
    paused = sessions.session_state(tx, report.row.session_id).pause_reason
    return Reported(Advance(kind, task, "it was reported before", wake=True), following, paused)


def _land(tx: Tx, report: Report) -> None:
    """Make the candidate the head while the run is still open, and note what belongs to it."""
    landing = report.landing
    if landing is not None and not work.land(
        tx, report.row, landing.candidate, landing.seen, landing.commit, landing.tree
    ):
        raise HeadMoved(why=f"it is not {landing.seen[:12]} any more")
    for link in report.links:
        checks.add_link(tx, report.row.session_id, link._replace(run_id=report.row.run))


def end_once(tx: Tx, ended: Ended) -> None:
    """Report how an attempt ended; one that its host has reported as failed or released stays so. Raises LeaseLost."""
    row = ended.row
    try:
        claims.assert_lease(tx, row.run, row.host)
    except LeaseLost:
        if claims.owner(tx, row.run) in ((row.host, RunOutcome.FAILED), (row.host, RunOutcome.RELEASED)):
            return
        raise
    if ended.asks is not None:
        summary, options = ended.asks
        data = {"options": list(options)}
        messages.say(tx, row.session_id, row.role, "discussion_blocked", summary, data=data)
    fail(
        tx,
        row,
        ended.error,
        counted=ended.counted,
        backoff=ended.backoff,
        timings=ended.timings,
        pause=ended.pause,
        detail=ended.detail,
        wait=ended.wait,
        limited_by=ended.limited_by,
        by_agent=ended.by_agent,
        final=ended.by_agent and records.asked_rules_alone(tx, row.run),
    )


def _cause(error: str) -> str:
    """Its first words: what follows is of this time alone."""
    return re.split("[:;]", error, maxsplit=1)[0]


def _is_released_too_often(tx: Tx, row: Run, error: str) -> bool:
    """Whether nothing else would end a task whose attempts, which may be paid for, come to the same each time."""
    before = [_cause(each) for each in tasks.released_since_counted(tx, row.id, row.epoch)]
    if before.count(_cause(error)) < MOST_RELEASES:
        return False
    session = sessions.get(tx, row.session_id)
    return session is not None and session.status == SessionStatus.ACTIVE  # else a person has to act first


def fail(
    tx: Tx,
    row: Run,
    error: str,
    *,
    counted: bool,
    backoff: Sequence[float],
    timings: Mapping[str, Json],
    pause: PauseReason | None = None,
    detail: Mapping[str, Json] | None = None,
    wait: float | None = None,
    limited_by: str | None = None,
    by_agent: bool = False,
    final: bool = False,
) -> str:
    """Report that the attempt failed, or is released (not `counted`); return the task's new state. Raises LeaseLost.

    The next attempt waits for its backoff (seconds, by counted attempts so far) or for `wait` (for
    the limit of the account `limited_by`); `pause` stops the session with a reason; `final`: no other attempt is made.
    Released again and again for one cause, the attempt counts after all, unless the agent was the cause (`by_agent`).
    """
    session = row.session_id
    if not counted and pause is None and not by_agent and _is_released_too_often(tx, row, error):
        counted, wait = True, None
        error += f"; released {MOST_RELEASES} times for that, so this attempt counts"
    waits = backoff[min(row.attempts, len(backoff) - 1)] if counted and backoff else 0
    delay = waits if wait is None else wait
    retry_at = tx.now + int(delay * 1_000_000) if delay else None
    status = transitions.fail(
        tx,
        row.run,
        row.host,
        row.id,
        error,
        counted=counted,
        retry_at=retry_at,
        limited_by=limited_by if retry_at else None,
        timings=timings,
        final=final,
    )
    records.cut_off_calls(tx, row.run, error)
    words = "attempt failed" if counted else "attempt given back"
    messages.say(
        tx,
        session,
        row.role,
        "error",
        f"{row.key}: {words}: {error.splitlines()[0] if error else ''}",
        data={
            "task": row.key,
            "counted": counted,
            "retry_in_seconds": delay if status == "pending" else None,
        },
    )
    if pause is not None:
        sessions.pause(tx, session, pause, dict(detail or {}))
    elif status == "failed" and not left_out(tx, session, row.id, row.key, error):
        sessions.pause(tx, session, PauseReason.TASK_FAILED, {"task": row.key, "error": error})
    sessions.request_beat(tx, session)
    return str(status)

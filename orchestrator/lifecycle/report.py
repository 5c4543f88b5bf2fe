"""The completing transaction: all that a finished run leaves, what follows from its verdict, and who goes on.

Close the run (its id is the fence), complete the task, make artifacts, verdict, wisdom and message count, apply the
verdict's consequences, decide the advance: one commit. A crash before it leaves nothing, after it everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator import failpoints
from orchestrator.domain.consensus import Consequence
from orchestrator.domain.inert import one_line
from orchestrator.domain.model import AdvanceKind, PauseReason, SessionStatus
from orchestrator.domain.revisions import plan_high
from orchestrator.domain.scheduling import Advance, Candidate, Situation, advance
from orchestrator.lifecycle import rework
from orchestrator.store import artifacts, claims, messages, records, sessions, tasks, transitions
from orchestrator.store.prepared import Row, compile_all
from orchestrator.store.rows import graph
from orchestrator.store.store import Tx


@dataclass(frozen=True, slots=True)
class Discussed:
    """A round's outcome, as it is stored."""

    consequence: Consequence
    verdict: Mapping[str, Any]  # columns of verdicts
    findings: Sequence[Mapping[str, Any]]
    revision_input: Mapping[str, Any]  # payload of T-R1 when the verdict asks for one


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker reports of a completed task."""

    row: Row  # the run's row as claimed: task columns, run, host, loop
    message_type: str
    summary: str
    ref: str | None
    inner_loop: bool
    accumulator: Mapping[str, Any]
    timings: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict)
    discussed: Discussed | None = None
    gate: Mapping[str, Any] | None = None  # gate, score, data
    wisdom: Sequence[tuple[str, str]] = ()  # (file, text)
    unmet: Sequence[
        str
    ] = ()  # words of a person that the agent could not act on: said in messages of their own
    shared: Any = None
    max_attempts: int = 3


@dataclass(frozen=True, slots=True)
class Reported:
    """What the report led to; `next` is the run this slot goes on with: the successor's, or the oldest offer's."""

    advance: Advance
    next: Row | None
    paused: str | None


def prepare() -> None:
    """Compile the statements of a report, so that the first one need not wait for it."""
    for module in (artifacts, claims, messages, records, sessions, tasks, transitions):
        compile_all(vars(module).values())


def complete(tx: Tx, report: Report, roles: tuple[str, ...], *, draining: bool) -> Reported:
    """Raises LeaseLost, and then wrote nothing."""
    row = report.row
    session = row.session_id
    transitions.complete(
        tx, row.run, row.host, row.id, timings=report.timings, accumulator=report.accumulator
    )
    standing = sessions.standing(tx, session)
    records.cut_off_calls(tx, row.run, "the run was reported without it")  # a perspective that was too late
    for product in artifacts.products_of(tx, row.run):
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
    messages.go_on(tx, session, standing.messages)
    messages.say(
        tx,
        session,
        row.role,
        report.message_type,
        report.summary,
        ref=report.ref,
        data={"task": row.key, **report.data},
    )
    for text in report.unmet:
        messages.say(tx, session, row.role, "state_update", f"{row.key}: {one_line(text)}")
    paused = _consequences(tx, report)
    failpoints.hit("report.before_commit")
    situation, near = _situation(tx, report, roles, standing, paused, draining)
    decided = advance(situation)
    following = _apply(tx, row, decided, near)
    if following is None and not draining:
        following = claims.claim(
            tx, row.host, roles
        )  # the slot is free: for the oldest offer, if there is one
    return Reported(decided, following, paused)


def _consequences(tx: Tx, report: Report) -> str | None:
    """What must not be overtaken: verdict rows, a revision with its edges, a pause. The pause's reason, if any."""
    row = report.row
    session = row.session_id
    if report.gate is not None:
        records.add_verdict(
            tx,
            {
                "session_id": session,
                "task_id": row.id,
                "run_id": row.run,
                "kind": "gate",
                "gate": report.gate["gate"],
                "score": report.gate["score"],
                "data": report.gate["data"],
            },
            (),
        )
        sessions.set_gate(tx, session, report.gate["gate"], report.gate["score"])
    reason: PauseReason | None = None
    detail: dict[str, Any] = {"task": row.key}
    if report.discussed is not None:
        records.add_verdict(
            tx,
            {
                "session_id": session,
                "task_id": row.id,
                "run_id": row.run,
                "kind": "discuss",
                **report.discussed.verdict,
            },
            [dict(finding) for finding in report.discussed.findings],
        )
        if report.discussed.consequence.kind == "revise":
            _revise(tx, report)
        reason = report.discussed.consequence.pause
        detail["round"] = row.round
    if reason is None and row.checkpoint_after:
        reason = PauseReason.CHECKPOINT
    if reason is None:
        return None
    detail["ref"] = report.ref
    if sessions.pause(tx, session, reason, detail):
        return reason
    sessions.owe(tx, session, reason, detail)  # paused already: nobody has approved this yet
    return None


def _revise(tx: Tx, report: Report) -> None:
    assert report.discussed is not None
    row = report.row
    plan = plan_high(graph(tasks.all_tasks(tx, row.session_id)), row.key)
    payload = {**row.payload, **report.discussed.revision_input}
    rework.apply(tx, row.session_id, plan, report.max_attempts, lambda _: payload, "waits for a revision")
    made = ", ".join(task.key for task in plan.tasks)
    messages.event(
        tx,
        row.session_id,
        "revision",
        f"{row.key} was blocked HIGH: {made} revises it",
        task=row.key,
        made=made,
    )


def _situation(
    tx: Tx, report: Report, roles: tuple[str, ...], standing: Row, paused: str | None, draining: bool
) -> tuple[Situation, dict[str, Row]]:
    """What the advance is decided on, and the rows of the tasks it may name."""
    row = report.row
    halted = None
    if report.discussed is not None and report.discussed.consequence.ends_loop:
        halted = "the verdict is HIGH"
    elif paused or standing.status != SessionStatus.ACTIVE:
        halted = f"the session is {paused or standing.pause_reason or standing.status}"
    elif draining:
        halted = "this host is draining"
    if halted:
        return Situation(row.key, frozenset(), halted, False, None, (), 0, False, frozenset(), False), {}
    ready = tasks.ready_first(tx, row.session_id)
    alone = {found.key for found in tasks.blockers(tx, ready[0].id)} if len(ready) == 1 else set()
    looped = _in_loop(tx, row, ready, row.key in alone) if report.inner_loop else None
    sequential = standing.options.get("execution") == "sequential"
    situation = Situation(
        done=row.key,
        originals=_originals(row),
        halted=None,
        inner_loop=report.inner_loop,
        in_loop=_candidate(tx, looped) if looped else None,
        ready=tuple(_candidate(tx, found, alone) for found in ready),
        other_open_runs=tasks.count_open(tx, row.session_id) if sequential or not ready else 0,
        sequential=sequential,
        host_roles=frozenset(roles),
        older_offer=tasks.offer_waits_elsewhere(tx, row.session_id, roles),
    )
    return situation, {found.key: found for found in (*ready, looped) if found is not None}


def _in_loop(tx: Tx, row: Row, ready: Sequence[Row], waited: bool) -> Row | None:
    """The inner loop's next task: the lowest ready one of the same role and prefix that waited for this one."""
    if len(ready) > 1:
        return tasks.next_in_loop(tx, row)
    return next(
        (found for found in ready if waited and (found.role, found.prefix) == (row.role, row.prefix)), None
    )


def _originals(row: Row) -> frozenset[str]:
    if row.revision_of is None:
        return frozenset()
    earlier = [f"{row.revision_of}-R{number}" for number in range(1, row.revision_no)]
    return frozenset([row.revision_of, *earlier])


def _candidate(tx: Tx, row: Row, blockers: Iterable[str] = ()) -> Candidate:
    due = row.not_before is None or row.not_before <= tx.now
    return Candidate(row.key, row.role, frozenset(blockers), row.offered_at is not None, due)


def _apply(tx: Tx, row: Row, decided: Advance, near: Mapping[str, Row]) -> Row | None:
    """Carry out the advance; the run of the successor, when it was started."""
    session = row.session_id
    if decided.wake:
        sessions.mark_dirty(tx, session)
    if decided.task is None:
        return None
    successor = near[decided.task]
    if decided.kind is AdvanceKind.YIELD:
        transitions.offer(tx, successor.id)
        messages.event(
            tx,
            session,
            "advance",
            f"advance kind=yield: {successor.key} is offered, {decided.why}",
            kind="yield",
            task=successor.key,
            after=row.key,
        )
        return None
    loop = row.loop if decided.kind is AdvanceKind.LOOP else None
    started = claims.start_directly(tx, successor, row.host, decided.kind, loop)
    if started is None:  # our host's lease is over or it drains: a beat offers the successor
        sessions.mark_dirty(tx, session)
        return None
    if decided.kind is AdvanceKind.FAST:
        messages.say(
            tx,
            session,
            row.role,
            "fast_advance",
            f"{row.key} done, {successor.key} started",
            data={"task": successor.key},
        )
    messages.event(
        tx,
        session,
        "advance",
        f"advance kind={decided.kind}: {successor.key} after {row.key}, {decided.why}",
        kind=str(decided.kind),
        task=successor.key,
        after=row.key,
        run=started.run,
    )
    return started


def fail(
    tx: Tx,
    row: Row,
    error: str,
    *,
    charged: bool,
    backoff: Sequence[float],
    timings: Mapping[str, Any],
    pause: PauseReason | None = None,
    detail: Mapping[str, Any] | None = None,
    wait: float | None = None,
    limited_by: str | None = None,
) -> str:
    """Report that the attempt failed (charged) or is given back; the task's new state. Raises LeaseLost.

    The next attempt waits for its backoff (seconds, by charged attempts so far) or for `wait` (for
    the limit of the account `limited_by`); `pause` stops the session with a reason.
    """
    session = row.session_id
    delay = wait or (backoff[min(row.attempts, len(backoff) - 1)] if charged and backoff else 0)
    retry_at = tx.now + int(delay * 1_000_000) if delay else None
    status = transitions.fail(
        tx,
        row.run,
        row.host,
        row.id,
        error,
        charged=charged,
        retry_at=retry_at,
        limited_by=limited_by if retry_at else None,
        timings=timings,
    )
    records.cut_off_calls(tx, row.run, error)
    words = "attempt failed" if charged else "attempt given back"
    messages.say(
        tx,
        session,
        row.role,
        "error",
        f"{row.key}: {words}: {error.splitlines()[0] if error else ''}",
        data={
            "task": row.key,
            "charged": charged,
            "retry_in_seconds": delay if status == "pending" else None,
        },
    )
    if pause is not None:
        sessions.pause(tx, session, pause, dict(detail or {}))
    elif status == "failed":
        sessions.pause(tx, session, PauseReason.TASK_FAILED, {"task": row.key, "error": error})
    sessions.mark_dirty(tx, session)
    return str(status)

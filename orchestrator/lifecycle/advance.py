"""What runs next after a report: reads the situation, and carries out the decision (orchestrator.domain.scheduling)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.model import AdvanceKind, SessionStatus
from orchestrator.domain.scheduling import Advance, Candidate, Situation
from orchestrator.lifecycle.finished_run import Report
from orchestrator.store import claims, messages, sessions, tasks, transitions
from orchestrator.store.rows import Ready, Run, SessionState, Task
from orchestrator.store.store import Tx

Near = Mapping[str, tuple[Task, int | None]]


def situation_of(
    tx: Tx, report: Report, roles: tuple[str, ...], state: SessionState, paused: str | None, draining: bool
) -> tuple[Situation, Near]:
    """What the advance is decided on, and the rows of the tasks it may name, with the end of our host's lease."""
    row = report.row
    halted = None
    if report.discussed is not None and report.discussed.consequence.ends_loop:
        halted = "the verdict is HIGH"
    elif paused or state.status != SessionStatus.ACTIVE:
        halted = f"the session is {paused or state.pause_reason or state.status}"
    elif draining:
        halted = "this host is draining"
    if halted:
        return Situation(row.key, frozenset(), halted, False, None, (), 0, False, frozenset(), False), {}
    found = tasks.ready_first(tx, row.session_id, row.host, roles)
    first = found[0] if found else None
    ready = [each.task for each in found]
    alone = _blockers(tx, row, first) if first is not None and len(found) == 1 else frozenset()
    looped = _in_loop(tx, row, ready, row.key in alone) if report.inner_loop else None
    sequential = state.options.get("execution") == "sequential"
    situation = Situation(
        done=row.key,
        originals=_originals(row),
        halted=None,
        inner_loop=report.inner_loop,
        in_loop=_candidate(tx, looped) if looped else None,
        ready=tuple(_candidate(tx, each, alone) for each in ready),
        other_open_runs=tasks.count_open(tx, row.session_id) if sequential or not ready else 0,
        sequential=sequential,
        host_roles=frozenset(roles),
        older_offer=first is not None and first.older_offer,
    )
    until = None if first is None else first.lease_until
    return situation, {each.key: (each, until) for each in (*ready, looped) if each is not None}


def _blockers(tx: Tx, row: Run, ready: Ready) -> frozenset[str]:
    if ready.sole_blocker == row.id:  # as in a chain: nothing else is to be asked
        return frozenset([row.key])
    return frozenset(each.key for each in tasks.blockers(tx, ready.task.id))


def _in_loop(tx: Tx, row: Run, ready: Sequence[Task], waited: bool) -> Task | None:
    """The inner loop's next task: the lowest ready one of the same role and prefix that waited for this one."""
    if len(ready) > 1:
        return tasks.next_in_loop(tx, row)
    return next(
        (found for found in ready if waited and (found.role, found.prefix) == (row.role, row.prefix)), None
    )


def _originals(row: Run) -> frozenset[str]:
    if row.revision_of is None:
        return frozenset()
    earlier = [f"{row.revision_of}-R{number}" for number in range(1, row.revision_no)]
    return frozenset([row.revision_of, *earlier])


def _candidate(tx: Tx, row: Task, blockers: Iterable[str] = ()) -> Candidate:
    due = row.not_before is None or row.not_before <= tx.now
    return Candidate(row.key, row.role, frozenset(blockers), row.offered_at is not None, due)


def apply_advance(tx: Tx, report: Report, decided: Advance, near: Near) -> Run | None:
    """Carry out the advance; return the run of the successor if one was started."""
    row = report.row
    session = row.session_id
    if decided.wake:
        sessions.request_beat(tx, session)
    if decided.task is None:
        return None
    successor, until = near[decided.task]
    if decided.kind is AdvanceKind.YIELD:
        transitions.send_offer(tx, successor.id)
        messages.event(
            tx,
            session,
            "advance",
            f"{successor.key} is offered: {decided.why}",
            kind="yield",
            task=successor.key,
            after=row.key,
        )
        return None
    loop = row.loop if decided.kind is AdvanceKind.LOOP else None
    started = claims.start_directly(tx, successor, row.host, decided.kind, loop, report.next, until)
    if started is None:  # our host's lease is over or it drains: a beat offers the successor
        sessions.request_beat(tx, session)
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
        f"{successor.key} follows {row.key} at once: {decided.why}",
        kind=str(decided.kind),
        task=successor.key,
        after=row.key,
        run=started.run,
    )
    return started

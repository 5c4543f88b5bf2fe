"""Putting right what a death left behind: runs whose time is over end `lost` and their tasks go back to pending."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator import failpoints
from orchestrator.coordinator.beat import Leadership
from orchestrator.domain.model import PauseReason, RunOutcome, SessionStatus, TaskStatus
from orchestrator.domain.readiness import topological
from orchestrator.store import leases, messages, records, sessions, tasks, transitions
from orchestrator.store.store import Store, Tx
from orchestrator.store.views import graph


@dataclass(frozen=True, slots=True)
class Lost:
    session: str
    task: str
    run: str
    why: str


def reap(store: Store, lead: Leadership | None) -> list[Lost]:
    """End every run whose lease is over or whose host is dead. Looks first, and writes only when there is something."""
    if not store.read(leases.overdue_runs):
        return []
    return store.write(lambda tx: _reap(tx, lead))


def _reap(tx: Tx, lead: Leadership | None) -> list[Lost]:
    if lead is not None:
        leases.must_lead(tx, lead.holder, lead.epoch)
    found: list[Lost] = []
    for run, why in leases.overdue_runs(tx):
        status = transitions.take_away(tx, run.id, run.task_id, RunOutcome.LOST, why, charged=True)
        if status is None:
            continue
        records.cut_off_calls(tx, run.id, why)
        messages.event(
            tx, run.session_id, "lost", f"{run.key}: attempt lost, {why}", task=run.key, run=run.id
        )
        if status is TaskStatus.FAILED:
            sessions.pause(
                tx,
                run.session_id,
                PauseReason.TASK_FAILED,
                {"task": run.key, "error": f"attempt lost: {why}"},
            )
        sessions.mark_dirty(tx, run.session_id)
        found.append(Lost(run.session_id, run.key, run.id, why))
    failpoints.hit("reap.before_commit")
    return found


def check_graphs(store: Store, lead: Leadership) -> list[str]:
    """Halt each active session whose graph has a cycle; the ids of those halted. Others are never held up."""

    def broken(tx: Tx) -> list[str]:
        active = [row.id for row in sessions.unfinished(tx) if row.status == SessionStatus.ACTIVE]
        return [session for session in active if topological(graph(tasks.all_tasks(tx, session))) is None]

    def halt(tx: Tx, session: str) -> None:
        leases.must_lead(tx, lead.holder, lead.epoch)
        sessions.pause(
            tx, session, PauseReason.STALLED, {"unmet": ["the graph has a cycle: run `lifecycle repair`"]}
        )

    found = store.read(broken)
    for session in found:
        store.write(lambda tx, session=session: halt(tx, session))  # type: ignore[misc]
    return found

"""Putting right what a death left behind: runs whose time is over end `lost` and their tasks go back to pending."""

from __future__ import annotations

from collections.abc import Collection

from orchestrator import failpoints
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.model import RunOutcome, SessionStatus, TaskStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.scheduling import topological
from orchestrator.lifecycle.left_out import left_out
from orchestrator.store import leases, messages, records, sessions, tasks, transitions
from orchestrator.store.rows import OverdueRun
from orchestrator.store.store import Store, Tx
from orchestrator.store.task_states import graph


@dataclass(frozen=True, slots=True)
class Lost:
    session: str
    task: str
    run: str
    why: str


def reap(store: Store, lead: Leadership | None) -> list[Lost]:
    """End every run whose lease is over or whose host is dead. Queries first, and writes only when a run is found."""
    overdue = {run.session_id for run, _ in store.read(leases.overdue_runs)}
    found: list[Lost] = []
    for few in store.in_units(sorted(overdue)):
        found += store.write(lambda tx, few=few: reap_within(tx, lead, few), about=few)  # type: ignore[misc]
    return found


def reap_within(tx: Tx, lead: Leadership | None, of: Collection[str]) -> list[Lost]:
    """`reap` the runs of these sessions as a part of a larger unit."""
    if lead is not None:
        leases.must_lead(tx, lead.holder, lead.epoch)
    found: list[Lost] = []
    for run, why in leases.overdue_runs(tx):
        if run.session_id not in of:
            continue
        spared = why != leases.HOST_GONE and _paused_for_disk(tx, run)
        outcome = RunOutcome.RELEASED if spared else RunOutcome.LOST
        by_lease = why != leases.HOST_GONE
        status = transitions.revoke(
            tx, run.id, run.task_id, outcome, why, counted=not spared, overdue=by_lease
        )
        if status is None:
            continue
        records.cut_off_calls(tx, run.id, why)
        words = f"attempt given back, {why} while the disk was full" if spared else f"attempt lost, {why}"
        kind = "given_back" if spared else "lost"
        messages.event(tx, run.session_id, kind, f"{run.key}: {words}", task=run.key, run=run.id)
        if status is TaskStatus.FAILED and not left_out(tx, run.session_id, run.task_id, run.key, why):
            sessions.pause(
                tx,
                run.session_id,
                PauseReason.TASK_FAILED,
                {"task": run.key, "error": f"attempt lost: {why}"},
            )
        sessions.request_beat(tx, run.session_id)
        found.append(Lost(run.session_id, run.key, run.id, why))
    failpoints.hit("reap.before_commit")
    return found


def _paused_for_disk(tx: Tx, run: OverdueRun) -> bool:
    """Whether its session was paused for the disk while it was open: of a host that lives, no renewal and no end went in."""
    session = sessions.get(tx, run.session_id)
    return session is not None and session.pause_reason == PauseReason.DISK


def check_graphs(store: Store, lead: Leadership) -> list[str]:
    """Halt each active session whose graph cannot be worked off; the ids of those halted. Others are never held up."""

    def faults(tx: Tx) -> dict[str, str]:
        active = [row.id for row in sessions.unfinished(tx) if row.status == SessionStatus.ACTIVE]
        return {session: fault for session in active if (fault := _graph_fault(tx, session))}

    def halt(tx: Tx, session: str, fault: str) -> None:
        leases.must_lead(tx, lead.holder, lead.epoch)
        sessions.pause(tx, session, PauseReason.STALLED, {"unmet": [f"{fault}: run `lifecycle repair`"]})

    found = store.read(faults)
    for session, fault in found.items():
        store.write(lambda tx, session=session, fault=fault: halt(tx, session, fault), about=session)  # type: ignore[misc]
    return list(found)


def _graph_fault(tx: Tx, session: str) -> str | None:
    try:
        order = topological(graph(tasks.all_tasks(tx, session)))
    except UnknownName as error:  # a row was edited by hand
        return error.what
    return "the graph has a cycle" if order is None else None

"""Applies a rework plan to a session: new tasks, new edges, released runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import RunOutcome, TaskState
from orchestrator.domain.revisions import RevisionPlan
from orchestrator.store import records, tasks, transitions
from orchestrator.store.store import Tx


def add_tasks(
    tx: Tx,
    session: str,
    new: tuple[TaskState, ...],
    max_attempts: int,
    payload: Callable[[TaskState], JsonObject],
) -> dict[str, int]:
    """Make the tasks, blockers first, with their edges; key -> id of the new ones. Blockers may be older tasks."""
    seq = tasks.last_seq(tx, session)
    made: dict[str, int] = {}
    for offset, state in enumerate(new, 1):
        made[state.key] = transitions.add_task(
            tx,
            session,
            {
                "key": state.key,
                "seq": seq + offset,
                "role": state.role,
                "prefix": state.prefix,
                "phase": state.phase,
                "round": state.round,
                "revision_of": state.revision_of,
                "revision_no": state.revision_no,
                "made_for": int(state.made_for),
                "checkpoint_after": int(state.checkpoint_after),
                "payload": payload(state),
                "max_attempts": max_attempts,
            },
        )
        for blocker in state.blocked_by:
            transitions.add_edge(tx, session, made[state.key], made.get(blocker) or _id(tx, session, blocker))
    return made


def apply(
    tx: Tx,
    session: str,
    plan: RevisionPlan,
    max_attempts: int,
    payload: Callable[[TaskState], JsonObject],
    why: str,
) -> list[str]:
    """Carry out the plan inside the caller's transaction; return the ids of the released runs."""
    made = add_tasks(tx, session, plan.tasks, max_attempts, payload)
    released = release(tx, session, plan.release, why)
    for key, blocker in plan.extra_edges:
        add_edge(tx, session, key, blocker, made)
    return released


def add_edge(tx: Tx, session: str, key: str, blocker: str, made: Mapping[str, int]) -> None:
    """Let an existing task wait for `blocker`; `made`: the ids of tasks that were made just now."""
    transitions.add_edge(tx, session, _id(tx, session, key), made.get(blocker) or _id(tx, session, blocker))


def release(tx: Tx, session: str, keys: tuple[str, ...], why: str) -> list[str]:
    """Release the runs of tasks in progress, not counted as attempts; return their ids."""
    released = []
    for run in tasks.open_runs(tx, session):
        if run.key in keys and transitions.revoke(
            tx, run.id, run.task_id, RunOutcome.RELEASED, why, counted=False
        ):
            records.cut_off_calls(tx, run.id, why)
            released.append(run.id)
    return released


def _id(tx: Tx, session: str, key: str) -> int:
    row = tasks.task(tx, session, key)
    if row is None:
        raise AssertionError(f"the plan names {key}, which {session} does not have")
    return int(row.id)

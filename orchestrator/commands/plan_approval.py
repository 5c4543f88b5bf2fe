"""Approving a plan: it is read and checked as it is now, and its tasks are made in the transaction that approves it."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.plan_marks import DELTA
from orchestrator.lifecycle import delta_plan, fan_out
from orchestrator.store import messages
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import lookup
from orchestrator.views.session_plan import SessionPlan, session_plan

SHOWN = 10  # faults that a refusal names


def checked(tx: Tx, session: Session, edited: Mapping[str, bytes], force: bool) -> SessionPlan:
    """The plan that would be approved, `edited` taken in. Raises NotAllowedNow with every fault, its file and line."""
    found = session_plan(tx, session.id, edited)
    suffix = lookup.named(tx, session.id)
    if found is None:
        raise NotAllowedNow(
            f"{session.id} has no plan", fix=f'lifecycle feedback "make a plan"{suffix} asks for one'
        )
    if found.faults:
        more = len(found.faults) - SHOWN
        raise NotAllowedNow(
            f"the plan has {len(found.faults)} fault(s), and nothing was changed",
            why="\n".join([*found.faults[:SHOWN], *([f"and {more} more"] if more > 0 else [])]),
            fix=f"correct them in .workflow/.team/{session.id}/, or `lifecycle feedback` has it planned again",
        )
    if found.outdated and not force:
        raise NotAllowedNow(
            "the specification has changed since the plan was made",
            why="the plan follows an older version of it",
            fix=f'lifecycle feedback "follow the specification as it is now"{suffix}\n'
            f"lifecycle resume --force{suffix} approves the plan all the same",
        )
    return found


def make_tasks(tx: Tx, session: Session, approved: SessionPlan, who: str, max_attempts: int) -> None:
    """Make the tasks of the approved plan; its files must be registered. It says so as `plan_approved`."""
    plan = approved.plan
    detail = session.pause_detail or {}
    after = str(detail.get("task", ""))
    agents = {task.executor for task in plan.tasks} | {plan.executor}
    made = delta_plan.make_tasks(
        tx,
        session.id,
        fan_out.reported(plan, {name for name in agents if name}, detail.get(DELTA)),
        after,
        max_attempts,
    )
    messages.say(
        tx,
        session.id,
        "coordinator",
        "plan_approved",
        f"{who} approved the plan of {after}: {', '.join(made)}",
        to="all",
        data={"task": after, "tasks": list(made)},
    )

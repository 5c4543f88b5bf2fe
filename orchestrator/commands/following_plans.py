"""A plan that is carried out is revised by one that follows what has changed in the specification, or a person's words."""

from __future__ import annotations

from contextlib import suppress

from orchestrator.domain.errors import LifecycleError, NotAllowedNow
from orchestrator.domain.model import SessionStatus, TaskState
from orchestrator.domain.plan_marks import PLANS
from orchestrator.domain.revisions import BUILDS, JUDGES
from orchestrator.lifecycle import delta_plan
from orchestrator.lifecycle.checkpoints import CHECKPOINTS
from orchestrator.lifecycle.specified import specified
from orchestrator.store import decisions, edits, messages
from orchestrator.store.rows import Session
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup


def refuse_before_approval(tx: Tx, session: Session, task: TaskState) -> None:
    """Raise NotAllowedNow for work on code while its specification waits for an approval."""
    if session.status != SessionStatus.PAUSED or session.paused_for not in CHECKPOINTS:
        return
    if task.prefix in (*BUILDS, *JUDGES, PLANS):
        suffix = lookup.named(tx, session.id)
        raise NotAllowedNow(
            f"{task.key} cannot be revised while {session.id} is paused: {session.pause_reason}",
            why="the specification waits for your approval, and the work follows what is approved",
            fix=f"lifecycle resume{suffix} approves it, and has the plan follow it\n"
            f"lifecycle impact{suffix} shows what that runs again",
        )


def await_edits(store: Store, name: str | None) -> None:
    """Before a unit that may `follow`: wait for whoever is saving a document of the session."""
    with suppress(LifecycleError):  # the unit raises it, or knows the answer already
        edits.await_saved(store, store.read(lambda tx: lookup.session(tx, name, finished=True)).id)


def follow(
    tx: Tx, session: Session, words: str, who: str, max_attempts: int, *, forced: bool = False
) -> delta_plan.Begun:
    """Ask for a plan that follows the one that is carried out. Raises NotAllowedNow where there is nothing to follow.

    Edits of the specification by hand are taken in as its task loads its context.
    """
    found = specified(tx, session.id, edits.edited(tx, session.id))
    if found is None or not (words or found.to_plan):
        raise NotAllowedNow(
            "the plan has nothing to follow",
            why="no item of the specification has changed since it was made",
            fix='say what to change: lifecycle revise PLAN-001 "..."; or revise a document, or one of its tasks',
        )
    decisions.decide(tx, session.id, "revise PLAN-001", who, words or "(no words)", forced=forced)
    said = (words,) if words else ()
    begun = delta_plan.begin(tx, session.id, found, max_attempts, words=said, who=who, made_for=bool(words))
    made = {"made": [begun.key], "released": list(begun.released)}
    messages.event(tx, session.id, "rework", f"the plan is to follow: {begun.key}", **made)
    return begun

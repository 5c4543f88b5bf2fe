"""apply: which session's work may be brought into the user's branch, and the record that it was."""

from __future__ import annotations

from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SessionStatus
from orchestrator.store import decisions, messages, sessions, work_state
from orchestrator.store.rows import Session
from orchestrator.store.store import Store, Tx
from orchestrator.store.work_state import WorkState
from orchestrator.views import lookup, next_steps, reviews

SUBJECT = "apply"  # of the decision
ALREADY = "already"  # nothing had to be done


def applicable(tx: Tx, name: str | None, *, force: bool = True) -> WorkState:
    """The work of the session; without a name of the one unfinished, else the newest.

    Raises NotAllowedNow where there is none, and without `force` where it is known not to work.
    """
    session = lookup.session(tx, name, finished=True)
    found = work_state.state_of(tx, session.id)
    if found is None or found.head == found.base:
        raise _nothing(
            tx,
            session,
            "it has changed no code" if found is None else "none of its tasks has landed a commit",
        )
    if not force and (why := reviews.faulty(tx, session.id)) is not None:
        raise NotAllowedNow(
            f"{session.id} is known not to work; nothing was changed",
            why=why,
            fix=f"`{reviews.report_command(tx, session.id)}` shows what is open; "
            f"`lifecycle apply {session.id} --force` merges it",
        )
    return found


def _nothing(tx: Tx, session: Session, why: str) -> NotAllowedNow:
    """What to do where a session has no work to apply: a paused one is continued."""
    if session.status == SessionStatus.PAUSED:
        action = next_steps.actions(tx, session)[0]
        return NotAllowedNow(
            f"{session.id} is paused before any code was written",
            why=f"{why}; it waits for you: {session.pause_reason}",
            fix=f"`{action['command']}` {action['does']}",
        )
    over = session.status in (SessionStatus.COMPLETED, SessionStatus.CANCELLED)
    return NotAllowedNow(
        f"{session.id} has no work to apply",
        why=why,
        fix="`lifecycle list` shows the other sessions"
        if over
        else f"`lifecycle check {session.id}` shows how far it is",
    )


def record(store: Store, session: str, done: JsonObject, *, who: str) -> None:
    """Note what was applied as a person's decision, bound to the commit; a second time of the same is not one more.

    That it was there already is noted as well, but does not stand for a merge into another branch.
    """
    head, what = str(done["head"]), str(done["what"])

    def unit(tx: Tx) -> None:
        known = decisions.decisions_of(tx, session)
        if sessions.get(tx, session) is None or any(
            each.subject == SUBJECT and each.digest == head and (what == ALREADY or each.words != ALREADY)
            for each in known
        ):
            return
        decisions.decide(tx, session, SUBJECT, who, what, digest=head)
        facts = {name: done[name] for name in ("what", "head", "before", "commit")}
        messages.event(
            tx, session, "applied", f"{len(done['paths'])} file(s) applied by {who}: {what}", **facts
        )

    store.write(unit, about=session)

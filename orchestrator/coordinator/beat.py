"""One beat: read what happened -> update the session -> offer what is ready -> stop.

A beat is one transaction on one session. It clears `needs_beat` first, and reads everything after that, so a wake that
comes meanwhile sets it again and none is lost.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from orchestrator import failpoints
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.concerns import ARCH
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SATISFIED, SessionStatus, TaskStatus
from orchestrator.domain.pauses import ADVISED, PauseReason
from orchestrator.domain.plan_marks import PLANS
from orchestrator.domain.scheduling import offers
from orchestrator.lifecycle.checkpoints import WORK, changed_since_approval, changed_work
from orchestrator.lifecycle.fix_rounds import unaccepted
from orchestrator.store import edits, leases, messages, sessions, tasks, transitions
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.store.task_states import task_state


@dataclass(frozen=True, slots=True)
class Beat:
    """What a beat did; `retry_at` is when (microseconds, UTC) the next delayed task falls due."""

    session: str
    offered: tuple[str, ...] = ()
    ended: str | None = None  # completed, or the pause reason
    retry_at: int | None = None


def beat(tx: Tx, session_id: str, lead: Leadership) -> Beat:
    """Raises NotLeader, and then did nothing."""
    leases.must_lead(tx, lead.holder, lead.epoch)
    sessions.clear_beat_request(tx, session_id)
    session = sessions.get(tx, session_id)
    if session is not None and session.pause_reason in ADVISED:
        return _advise(tx, session_id)
    if session is None or session.status != SessionStatus.ACTIVE:
        return Beat(session_id)
    ready = tasks.ready(tx, session_id)
    changed = _changed(tx, session_id, {row.prefix for row in ready if row.offered_at is None})
    if changed is not None:
        sessions.pause(tx, session_id, PauseReason.CHECKPOINT, changed)
        return Beat(session_id, ended=PauseReason.CHECKPOINT)
    running = tasks.open_runs(tx, session_id)
    sequential = session.options.get("execution") == "sequential"
    chosen = set(
        offers([task_state(row) for row in ready], open_runs=len(running), sequential=sequential, now=tx.now)
    )
    offered = tuple(row.key for row in ready if row.key in chosen and transitions.offer(tx, row.id))
    ended = None
    if not ready and not running:
        ended = _end(tx, session)
    if offered or ended:
        words = [f"offered {', '.join(offered)}"] if offered else []
        words += [f"nothing is left to offer: {ended}"] if ended else []
        messages.event(tx, session_id, "beat", "; ".join(words), offered=list(offered), ended=ended)
    failpoints.hit("beat.before_commit")
    due = [row.not_before for row in ready if row.not_before is not None and row.not_before > tx.now]
    return Beat(session_id, offered, ended, min(due, default=None))


def _advise(tx: Tx, session: str) -> Beat:
    """A person decides: nothing is offered but advice, which they may want to read first."""
    ready = [row for row in tasks.ready(tx, session) if row.prefix == ARCH]
    chosen = offers([task_state(row) for row in ready], open_runs=0, sequential=False, now=tx.now)
    offered = tuple(row.key for row in ready if row.key in chosen and transitions.offer(tx, row.id))
    if offered:
        messages.event(
            tx, session, "beat", f"offered {', '.join(offered)}", offered=list(offered), ended=None
        )
    failpoints.hit("beat.before_commit")
    due = [row.not_before for row in ready if row.not_before is not None and row.not_before > tx.now]
    return Beat(session, offered, None, min(due, default=None))


def _changed(tx: Tx, session: str, prefixes: AbstractSet[str]) -> JsonObject | None:
    """The detail of a pause where what is ready would be made of a specification that nobody approved."""
    if PLANS in prefixes:
        return changed_since_approval(tx, session, edits.edited(tx, session))
    if prefixes & set(WORK):
        return changed_work(tx, session, edits.edited(tx, session))
    return None


def _end(tx: Tx, session: Session) -> str:
    """Nothing is ready and nothing runs: the session is completed, or it is stalled and says on what."""
    found = tasks.all_tasks(tx, session.id)
    failed = [row for row in found if row.status == TaskStatus.FAILED]
    if failed:
        sessions.pause(
            tx, session.id, PauseReason.TASK_FAILED, {"task": failed[0].key, "error": failed[0].error}
        )
        return PauseReason.TASK_FAILED
    status = {row.key: row.status for row in found}
    waiting = {
        row.key: [key for key in row.blocked_by if status[key] not in SATISFIED]
        for row in found
        if row.status == TaskStatus.PENDING
    }
    if waiting:
        unmet = [
            f"{key} waits for {', '.join(keys) or 'nothing that can happen'}" for key, keys in waiting.items()
        ]
        sessions.pause(tx, session.id, PauseReason.STALLED, {"unmet": unmet[:20]})
        return PauseReason.STALLED
    if (found_bad := unaccepted(tx, session.id)) is not None:
        sessions.pause(tx, session.id, PauseReason.REVISION_EXHAUSTED, found_bad)
        return PauseReason.REVISION_EXHAUSTED
    sessions.complete(tx, session.id)
    messages.event(tx, session.id, "completed", "every task is completed, skipped or cancelled by a person")
    return "completed"

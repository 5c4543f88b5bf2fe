"""What resuming a paused session does."""

from __future__ import annotations

from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.store import tasks
from orchestrator.store.store import Tx

NAMED = 3  # tasks


def meaning(tx: Tx, session: str, reason: PauseReason) -> str:
    """What `resume` would do, in words; for a checkpoint with the tasks that start then."""
    means = PAUSES[reason].resume
    if reason is not PauseReason.CHECKPOINT:
        return means
    ready = tasks.ready(tx, session)
    if not ready:
        return means
    more = f" and {len(ready) - NAMED} more" if len(ready) > NAMED else ""
    return f"{means}, then start {', '.join(task.key for task in ready[:NAMED])}{more}"

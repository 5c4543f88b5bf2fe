"""Advice that could not be given is left out: it never stops those who may go on without it."""

from __future__ import annotations

from orchestrator.domain.concerns import ARCH
from orchestrator.domain.inert import one_line
from orchestrator.store import messages, transitions
from orchestrator.store.store import Tx


def left_out(tx: Tx, session: str, task: int, key: str, error: str) -> bool:
    """Skip a failed task of advice and say so; False for any other task, over which a person decides."""
    if not key.startswith(f"{ARCH}-") or not transitions.skip(tx, task):
        return False
    messages.event(
        tx,
        session,
        "skipped",
        f"{key}: no advice, and nothing waits for it: {one_line(error, 300)}",
        task=key,
    )
    return True

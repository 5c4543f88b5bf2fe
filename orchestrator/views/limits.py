"""Accounts at their rate limit as users see them, and the end of a limit on request."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import UnknownName
from orchestrator.store import messages, rate_limits, sessions
from orchestrator.store.prepared import Row
from orchestrator.store.store import Store, Tx


def limit_views(tx: Tx) -> list[dict[str, Any]]:
    """The accounts of the project that are at their limit now."""
    return [
        {
            "account": row.name,
            "agent": row.agent,
            "until": stamp(row.paused_until),
            "since": stamp(row.since_at),
            "guesses": row.guesses,
            "why": row.why,
        }
        for row in rate_limits.held(tx)
    ]


def in_words(limit: dict[str, Any]) -> str:
    """A limit in one sentence."""
    how = " (estimated: the end is unknown)" if limit["guesses"] else ""
    why = limit["why"] or f"{limit['agent']} reached its limit"
    return f"account {limit['account']} is not used before {limit['until']}{how}: {why}"


def way_on(account: str) -> str:
    return f"lifecycle agents --release {shlex.quote(account)}"


def release(store: Store, account: str, who: str) -> list[dict[str, str]]:
    """Use an account again at once; return the tasks that waited for a limit. Raises UnknownName."""

    def unit(tx: Tx) -> Sequence[Row]:
        held = [row.name for row in rate_limits.held(tx)]
        if account not in held:
            raise UnknownName("limited account", account, held, fix="lifecycle agents")
        waiting = rate_limits.release(tx, account)
        for session in dict.fromkeys(row.session_id for row in waiting):
            keys = [row.key for row in waiting if row.session_id == session]
            words = f"{who} released account {account}; the waiting tasks are tried again: "
            words += ", ".join(keys)
            messages.event(tx, session, "limit_released", words, account=account, tasks=keys)
            sessions.mark_dirty(tx, session)
        return waiting

    return [{"session": row.session_id, "task": row.key} for row in store.write(unit)]

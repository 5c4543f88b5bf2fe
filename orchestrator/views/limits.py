"""Accounts at their rate limit as users see them, and the end of a limit on request."""

from __future__ import annotations

import shlex

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import messages, rate_limits, sessions
from orchestrator.store.rows import RateLimit
from orchestrator.store.store import Store, Tx


def limit_views(tx: Tx) -> list[JsonObject]:
    """The accounts of the project that are at their limit now."""
    return [limit_view(row) for row in rate_limits.limited_now(tx)]


def limit_view(row: RateLimit) -> JsonObject:
    return {
        "account": row.name,
        "agent": row.agent,
        "until": stamp(row.limited_until),
        "since": stamp(row.since_at),
        "guesses": row.guesses,
        "why": row.why,
    }


def in_words(limit: JsonObject) -> str:
    """A limit in one sentence."""
    how = " (estimated: the end is unknown)" if limit["guesses"] else ""
    why = limit["why"] or f"{limit['agent']} reached its limit"
    return f"account {limit['account']} is not used before {limit['until']}{how}: {why}"


def way_on(account: str) -> str:
    return f"lifecycle agents --release {shlex.quote(account)}"


def release(store: Store, account: str, who: str) -> list[dict[str, str]]:
    """Use an account again at once; return the tasks that waited for a limit. Raises UnknownName."""

    def unit(tx: Tx) -> list[tuple[str, str]]:
        held = [row.name for row in rate_limits.limited_now(tx)]
        if account not in held:
            raise UnknownName("limited account", account, held, fix="lifecycle agents")
        waiting = rate_limits.release(tx, account)
        for session in dict.fromkeys(session for session, _ in waiting):
            keys = [key for waits, key in waiting if waits == session]
            words = f"{who} released account {account}; the waiting tasks are tried again: "
            words += ", ".join(keys)
            messages.event(tx, session, "limit_released", words, account=account, tasks=keys)
            sessions.request_beat(tx, session)
        return waiting

    return [{"session": session, "task": key} for session, key in store.write(unit)]

"""Accounts whose limit is reached, as people see them, and a person's word that one can be asked again."""

from __future__ import annotations

import shlex

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import messages, rate_limits, sessions
from orchestrator.store.store import Store, Tx


def limit_views(tx: Tx) -> list[JsonObject]:
    """The accounts of the project that are not asked now."""
    return [
        {
            "account": row.name,
            "agent": row.agent,
            "until": stamp(row.paused_until),
            "since": stamp(row.since_at),
            "guesses": row.guesses,
            "why": row.why,
        }
        for row in rate_limits.limited_now(tx)
    ]


def in_words(limit: JsonObject) -> str:
    """One of them in a sentence."""
    how = " (a guess: it was not told)" if limit["guesses"] else ""
    why = limit["why"] or f"{limit['agent']} met its limit"
    return f"account {limit['account']} is not asked before {limit['until']}{how}: {why}"


def way_on(account: str) -> str:
    return f"lifecycle agents --release {shlex.quote(account)}"


def release(store: Store, account: str, who: str) -> list[dict[str, str]]:
    """Let an account be asked again at once; the tasks that waited for a limit. Raises UnknownName."""

    def unit(tx: Tx) -> list[tuple[str, str]]:
        held = [row.name for row in rate_limits.limited_now(tx)]
        if account not in held:
            raise UnknownName("held account", account, held, fix="lifecycle agents")
        waiting = rate_limits.release(tx, account)
        for session in dict.fromkeys(session for session, _ in waiting):
            keys = [key for waits, key in waiting if waits == session]
            words = f"{who} says that account {account} can be asked again; all that waits is tried: "
            words += ", ".join(keys)
            messages.event(tx, session, "limit_released", words, account=account, tasks=keys)
            sessions.request_beat(tx, session)
        return waiting

    return [{"session": session, "task": key} for session, key in store.write(unit)]

"""A call in the books: its row in agent_calls, what it cost, and what it tells of its account's limit.

Budget and limit are asked in the transaction that notes its begin, and told in the one that notes its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from orchestrator.domain.account_pause import SECOND
from orchestrator.domain.errors import AccountHeld, AgentError, AgentLimited, BudgetReached
from orchestrator.domain.prices import Prices, Usage
from orchestrator.store import budgets, rate_limits, records
from orchestrator.store.rows import RateLimit, Run
from orchestrator.store.store import Store, Tx
from workers.agents.protocol import Agent, is_metered


class Caller(Protocol):
    """The run that asks: its row, its fence, and what its calls are priced and limited by."""

    store: Store
    settings: Any
    prices: Prices
    router: Any
    log: Any

    @property
    def row(self) -> Run: ...

    @property
    def replays(self) -> bool: ...

    def write(self, unit: Callable[[Tx], Any]) -> Any: ...


LATEST = 1e11  # seconds of Unix time; what an agent says may be any number


@dataclass(frozen=True, slots=True)
class Begun:
    call: int
    at: int  # microseconds of the wall clock
    pool: str | None  # the account it is charged to; None: it has none, or is only replayed
    was_limited: bool  # the account's last limit is over, and nobody knows yet whether it answers again


def begin(context: Caller, agent: Agent, values: Mapping[str, Any]) -> Begun:
    """Note the call, if its account is not held and the budget has room for it; the built-in agent's are free.

    Raises AccountHeld, BudgetReached, and what the run's fence raises; then nothing was noted.
    """
    if not is_metered(agent):
        call = context.write(lambda tx: records.begin_call(tx, dict(values)))
        return Begun(call, 0, None, False)
    pool = None if context.replays else context.router.pool(agent.name)

    def unit(tx: Tx) -> Begun | RateLimit | budgets.Refused:
        limit = None if pool is None else rate_limits.known(tx, pool)
        if limit is not None and rate_limits.holds(tx, limit):
            return limit
        call = budgets.begin_call(tx, context.row.key, values)
        if isinstance(call, budgets.Refused):
            return call
        return Begun(call, tx.now, pool, limit is not None)

    begun = context.write(unit)
    if isinstance(begun, budgets.Refused):
        raise BudgetReached(begun.words, fix="`lifecycle check` says how to go on")
    if isinstance(begun, RateLimit):
        raise _held(agent, begun)
    assert isinstance(begun, Begun)
    return begun


def _held(agent: Agent, limit: RateLimit) -> AccountHeld:
    until = limit.paused_until / SECOND
    told = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(until))
    return AccountHeld(f"{agent.name}: not asked before {told}", until=until, pool=limit.name, why=limit.why)


def answered(context: Caller, agent: Agent, begun: Begun, outcome: str, told: Usage, retries: int) -> None:
    """The call ended with an answer."""
    _end(context, agent, begun, outcome, told, retries, None, None)


def failed(context: Caller, agent: Agent, begun: Begun, error: AgentError, fault: str) -> None:
    """The call failed; of a limit, `error` says afterwards when it ends."""
    limited = error if isinstance(error, AgentLimited) else None
    _end(context, agent, begun, error.kind, error.usage or Usage(), error.retries, fault, limited)


def _end(
    context: Caller,
    agent: Agent,
    begun: Begun,
    outcome: str,
    told: Usage,
    retries: int,
    fault: str | None,
    limited: AgentLimited | None,
) -> None:
    """Note how the call ended and what it cost; it happened, so this is not fenced."""
    given = context.settings.agents.get(agent.name)
    used, cost = context.prices.of_call(told, given and given.model, elsewhere=bool(given and given.base_url))

    def unit(tx: Tx) -> tuple[list[str], int | None]:
        if not is_metered(agent):
            records.end_call(tx, begun.call, outcome, used, cost, retries=retries, error=fault)
            return [], None
        until = _note_limit(tx, agent, begun, limited, fault)
        return (
            budgets.end_call(tx, context.row, begun.call, outcome, used, cost, retries=retries, error=fault),
            until,
        )

    warnings, until = context.store.write(unit)
    for words in warnings:
        context.log.warning("budget_nearly_used", says=words)
    if limited is not None and until is not None:
        limited.until, limited.pool = until / SECOND, begun.pool


def _note_limit(
    tx: Tx, agent: Agent, begun: Begun, limited: AgentLimited | None, fault: str | None
) -> int | None:
    """Hold the account that has met a limit, until when; one that answered again is held no more."""
    if begun.pool is None:
        return None
    if limited is not None:
        ends = limited.until if limited.until and limited.until > 0 else None
        told = None if ends is None else int(min(ends, LATEST) * SECOND)
        return rate_limits.hold(tx, begun.pool, agent.name, began=begun.at, told=told, why=fault or "")
    if fault is None and begun.was_limited:
        rate_limits.clear(tx, begun.pool, began=begun.at)
    return None

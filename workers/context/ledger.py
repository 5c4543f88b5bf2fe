"""A call in the books: its row in agent_calls, what it cost, and what it tells of its account's limit.

Budget and limit are asked in the transaction that notes its begin, and told in the one that notes its end.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.domain.account_pause import SECOND
from orchestrator.domain.errors import AccountHeld, AgentError, AgentLimited, BudgetReached
from orchestrator.domain.json_types import Json
from orchestrator.domain.prices import Prices, Usage
from orchestrator.store import budgets, rate_limits, records
from orchestrator.store.rows import RateLimit
from orchestrator.store.store import Tx
from workers.agents.protocol import Agent, AgentReply, is_metered
from workers.agents.routing import Router
from workers.context.run_context import RunContext

LATEST = 1e11  # seconds of Unix time; what an agent says may be any number


@dataclass(frozen=True, slots=True)
class CallHandle:
    """A call that was noted as begun."""

    call: int
    at: int  # microseconds of the wall clock
    account: str | None  # that it is charged to; None: it has none, or is only replayed
    was_limited: bool  # the account's last limit is over, and nobody knows yet whether it answers again


@dataclass(frozen=True, slots=True)
class CallLedger:
    """Notes the calls of one run. `asks_accounts` is false where a cassette answers: then no limit is asked or learned."""

    run: RunContext
    prices: Prices
    router: Router
    asks_accounts: bool

    def begin(self, agent: Agent, values: Mapping[str, Json]) -> CallHandle:
        """Note the call, if its account is not held and the budget has room for it; the built-in agent's are free.

        Raises AccountHeld, BudgetReached, and what the run's fence raises; then nothing was noted.
        """
        if not is_metered(agent):
            call = self.run.write(lambda tx: records.begin_call(tx, dict(values)))
            return CallHandle(call, 0, None, False)
        account = self.router.account(agent.name) if self.asks_accounts else None

        def unit(tx: Tx) -> CallHandle | RateLimit | budgets.Refused:
            limit = None if account is None else rate_limits.known(tx, account)
            if limit is not None and rate_limits.is_limited(tx, limit):
                return limit
            call = budgets.begin_call(tx, self.run.row.key, values)
            if isinstance(call, budgets.Refused):
                return call
            return CallHandle(call, tx.now, account, limit is not None)

        begun = self.run.write(unit)
        if isinstance(begun, budgets.Refused):
            raise BudgetReached(begun.words, fix="`lifecycle check` says how to go on")
        if isinstance(begun, RateLimit):
            raise _held(agent, begun)
        return begun

    def answered(self, agent: Agent, call: CallHandle, reply: AgentReply) -> None:
        """Note that the call ended with an answer."""
        outcome = "mined" if reply.extracted else "answered"
        self._end(agent, call, outcome, reply.usage, reply.retries, None, None)

    def failed(self, agent: Agent, call: CallHandle, error: AgentError, fault: str) -> None:
        """Note that the call failed; of a limit, `error` says afterwards when it ends."""
        limited = error if isinstance(error, AgentLimited) else None
        self._end(agent, call, error.kind, error.usage or Usage(), error.retries, fault, limited)

    def _end(
        self,
        agent: Agent,
        call: CallHandle,
        outcome: str,
        used: Usage,
        retries: int,
        fault: str | None,
        limited: AgentLimited | None,
    ) -> None:
        """Note how the call ended and what it cost; it happened, so this is not fenced."""
        given = self.run.settings.agents.get(agent.name)
        usage, cost = self.prices.of_call(
            used, given.model if given else None, elsewhere=given is not None and given.base_url is not None
        )

        def unit(tx: Tx) -> tuple[list[str], int | None]:
            if not is_metered(agent):
                records.end_call(tx, call.call, outcome, usage, cost, retries=retries, error=fault)
                return [], None
            until = _note_limit(tx, agent, call, limited, fault)
            warnings = budgets.end_call(
                tx, self.run.row, call.call, outcome, usage, cost, retries=retries, error=fault
            )
            return warnings, until

        warnings, until = self.run.store.write(unit, about=self.run.row.session_id)
        for words in warnings:
            self.run.log.warning("budget_nearly_used", says=words)
        if limited is not None and until is not None:
            limited.until, limited.account = until / SECOND, call.account


def _held(agent: Agent, limit: RateLimit) -> AccountHeld:
    until = limit.limited_until / SECOND
    told = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(until))
    return AccountHeld(
        f"{agent.name}: not asked before {told}", until=until, account=limit.name, why=limit.why
    )


def _note_limit(
    tx: Tx, agent: Agent, call: CallHandle, limited: AgentLimited | None, fault: str | None
) -> int | None:
    """Hold the account that has met a limit, until when; one that answered again is held no more."""
    if call.account is None:
        return None
    if limited is not None:
        ends = limited.until if limited.until and limited.until > 0 else None
        told = None if ends is None else int(min(ends, LATEST) * SECOND)
        return rate_limits.limit(tx, call.account, agent.name, began=call.at, told=told, why=fault or "")
    if fault is None and call.was_limited:
        rate_limits.clear(tx, call.account, began=call.at)
    return None

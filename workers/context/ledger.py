"""A call in the books: its row in agent_calls, what it cost, and what it tells of its account's limit.

Budget and limit are asked as its begin is noted, and told as its end is.
"""

from __future__ import annotations

import time

from orchestrator.domain.account_pause import SECOND
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import AccountHeld, AgentError, AgentLimited, BudgetReached
from orchestrator.domain.prices import Prices, Usage
from orchestrator.door.desk import CallBegin, CallEnd, CallHandle, NoBudget, RateLimit
from workers.agents.protocol import Agent, AgentReply, is_metered
from workers.agents.routing import Router
from workers.context.run_context import RunContext


@dataclass(frozen=True, slots=True)
class CallLedger:
    """Notes the calls of one run. `asks_accounts` is false where a cassette answers: then no limit is asked or learned."""

    run: RunContext
    prices: Prices
    router: Router
    asks_accounts: bool

    def begin(self, agent: Agent, purpose: str, perspective: str | None, prompt_digest: str) -> CallHandle:
        """Note the call, if its account is not held and the budget has room for it; the built-in agent's are free.

        Raises AccountHeld, BudgetReached, and what the run's fence raises; then nothing was noted.
        """
        self.run.check()
        metered = is_metered(agent)
        account = self.router.account(agent.name) if metered and self.asks_accounts else None
        call = CallBegin(agent.name, purpose, perspective, prompt_digest, metered, account)
        begun = self.run.desk.begin_call(self.run.row, call)
        if isinstance(begun, NoBudget):
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
        given = self.run.settings.agents.get(agent.name)
        usage, cost = self.prices.of_call(
            used, given.model if given else None, elsewhere=given is not None and given.base_url is not None
        )
        told = None if limited is None else limited.until
        how = CallEnd(outcome, usage, cost, retries, fault, limited is not None, told)
        ended = self.run.desk.end_call(self.run.row, call, how)
        for words in ended.warnings:
            self.run.log.warning("budget_nearly_used", says=words)
        if limited is not None and ended.until is not None:
            limited.until, limited.account = ended.until / SECOND, call.account


def _held(agent: Agent, limit: RateLimit) -> AccountHeld:
    until = limit.limited_until / SECOND
    told = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(until))
    return AccountHeld(
        f"{agent.name}: not asked before {told}", until=until, account=limit.name, why=limit.why
    )

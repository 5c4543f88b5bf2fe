"""A call of an agent in the books: budget and limit are asked as its begin is noted, and told as its end is."""

from __future__ import annotations

from orchestrator.domain.account_pause import SECOND
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import LeaseLost
from orchestrator.domain.prices import Cost, Usage
from orchestrator.store import budgets, rate_limits, records
from orchestrator.store.rows import BegunCall, RateLimit, Run
from orchestrator.store.run_ids import new_call_id
from orchestrator.store.store import Tx

LATEST = 1e11  # seconds of Unix time; what an agent says may be any number


@dataclass(frozen=True, slots=True)
class CallBegin:
    """A call that is to begin. `account`: whose limit is asked first; None: it has none, or is only replayed."""

    agent: str
    purpose: str
    perspective: str | None
    prompt_digest: str
    metered: bool  # an agent that is free asks neither limit nor budget
    account: str | None = None
    id: str = field(default_factory=new_call_id)  # by which it is known when it is asked for again


@dataclass(frozen=True, slots=True)
class CallHandle:
    """A call that was noted as begun."""

    call: int
    account: str | None  # that it is charged to
    was_limited: bool  # the account's last limit is over, and nobody knows yet whether it answers again


@dataclass(frozen=True, slots=True)
class NoBudget:
    """The call has no room in a budget; the session is paused for it."""

    words: str


@dataclass(frozen=True, slots=True)
class CallEnd:
    """How a call ended. `limited`: by its account's limit; `until`: when that ends, in seconds, as far as it was told."""

    outcome: str
    usage: Usage
    cost: Cost
    retries: int = 0
    fault: str | None = None
    limited: bool = False
    until: float | None = None


@dataclass(frozen=True, slots=True)
class CallEnded:
    """`warnings`: of budgets that are nearly used; `until`: when the account may be asked again, in microseconds."""

    warnings: tuple[str, ...] = ()
    until: int | None = None


def begin(tx: Tx, run: Run, call: CallBegin) -> CallHandle | RateLimit | NoBudget:
    """Note the call, if its account is not held and the budget has room for it; else nothing of it is noted.

    A call of that id that the run has begun already is answered from its row.
    """
    again = records.begun_call(tx, run.run, call.id)
    if again is not None:
        was_limited = again.account is not None and rate_limits.known(tx, again.account) is not None
        return CallHandle(again.id, again.account, was_limited)
    values: dict[str, object] = {
        "session_id": run.session_id,
        "task_id": run.id,
        "run_id": run.run,
        "agent": call.agent,
        "purpose": call.purpose,
        "perspective": call.perspective,
        "prompt_digest": call.prompt_digest,
        "metered": int(call.metered),
        "call": call.id,
        "account": call.account if call.metered else None,
    }
    if not call.metered:
        return CallHandle(records.begin_call(tx, values), None, False)
    limit = None if call.account is None else rate_limits.known(tx, call.account)
    if limit is not None and rate_limits.is_limited(tx, limit):
        return limit
    begun = budgets.begin_call(tx, run.key, values)
    if isinstance(begun, budgets.Refused):
        return NoBudget(begun.words)
    return CallHandle(begun, call.account, limit is not None)


def end(tx: Tx, run: Run, call: CallHandle, how: CallEnd) -> CallEnded:
    """Note how the call ended and what it cost. What stands already, as of a call that was cut off, stays.

    Raises LeaseLost for another host's run, or a call that is not the run's.
    """
    begun = records.own_call(tx, call.call, run.run, run.host)
    if begun is None:
        raise LeaseLost(run=run.run)
    if not begun.metered:
        records.end_call(
            tx, call.call, how.outcome, how.usage, how.cost, retries=how.retries, error=how.fault
        )
        return CallEnded()
    until = _note_limit(tx, begun, how, was_limited=call.was_limited)
    warnings = budgets.end_call(
        tx, run, call.call, how.outcome, how.usage, how.cost, retries=how.retries, error=how.fault
    )
    return CallEnded(tuple(warnings), until)


def _note_limit(tx: Tx, call: BegunCall, how: CallEnd, *, was_limited: bool) -> int | None:
    """Hold the account that has met a limit, until when; one that answered again is held no more."""
    if call.account is None:
        return None
    if how.limited:
        ends = how.until if how.until and how.until > 0 else None  # it may be no number at all
        told = None if ends is None else int(min(ends, LATEST) * SECOND)
        return rate_limits.limit(
            tx, call.account, call.agent, began=call.started_at, told=told, why=how.fault or ""
        )
    if how.fault is None and was_limited:
        rate_limits.clear(tx, call.account, began=call.started_at)
    return None

"""Evidence as rows: verdicts and findings, perspectives' replies, agent calls, wisdom and shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.agent_kinds import BUILTIN
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import RunOutcome
from orchestrator.domain.prices import UNKNOWN, Cost, Usage
from orchestrator.store.rows import (
    AgentCall,
    BegunCall,
    CallOutcome,
    CallSums,
    Finding,
    MemoryEntry,
    StoredCritique,
    Verdict,
)
from orchestrator.store.sql import (
    Update,
    agent_calls,
    and_,
    bindparam,
    case,
    critiques,
    findings,
    func,
    memory,
    runs,
    select,
    tasks,
    update,
    verdicts,
)
from orchestrator.store.statements import Insertion, Selection, Sql, change, columns, fixed, query
from orchestrator.store.store import Tx

NO_USAGE = Usage()

_VERDICT = Insertion("verdicts")
_FINDING = Insertion("findings")


@query(Verdict)
def _verdicts() -> Selection:
    return (
        select(*columns(verdicts, Verdict), tasks.c.key.label("task"))
        .join(tasks, tasks.c.id == verdicts.c.task_id)
        .where(verdicts.c.session_id == bindparam("session"))
        .order_by(verdicts.c.id)
    )


@query(Finding)
def _findings() -> Selection:
    return (
        select(*columns(findings, Finding))
        .where(findings.c.verdict_id == bindparam("verdict"))
        .order_by(findings.c.number)
    )


_CRITIQUE = Insertion("critiques", unique=["run_id", "perspective"])


@query(StoredCritique)
def _critiques() -> Selection:
    return (
        select(*columns(critiques, StoredCritique))
        .where(critiques.c.run_id == bindparam("run"))
        .order_by(critiques.c.perspective)
    )


_CALL = Insertion("agent_calls")


@query(BegunCall)
def _begun() -> Selection:
    return select(*columns(agent_calls, BegunCall)).where(
        agent_calls.c.run_id == bindparam("run"), agent_calls.c.call == bindparam("named")
    )


@query(BegunCall)
def _own_call() -> Selection:
    return (
        select(*columns(agent_calls, BegunCall))
        .join(runs, runs.c.id == agent_calls.c.run_id)
        .where(
            agent_calls.c.id == bindparam("call"),
            runs.c.id == bindparam("run"),
            runs.c.host == bindparam("by"),
        )
    )


@change
def _called() -> Update:
    return (
        update(agent_calls)
        .where(agent_calls.c.id == bindparam("call"), agent_calls.c.finished_at.is_(None))
        .values(
            finished_at=bindparam("now"),
            outcome=bindparam("result"),
            model=bindparam("with_model"),
            tokens_in=bindparam("used_in"),
            tokens_out=bindparam("used_out"),
            tokens_cached=bindparam("used_cached"),
            cost_micros=bindparam("cost"),
            cost_source=bindparam("source"),
            prices_of=bindparam("listed"),
            retries=bindparam("repairs"),
            error=bindparam("fault"),
        )
    )


@change
def _cut_off() -> Update:
    return (
        update(agent_calls)
        .where(agent_calls.c.run_id == bindparam("run"), agent_calls.c.finished_at.is_(None))
        .values(finished_at=bindparam("now"), outcome="cut_off", error=bindparam("fault"))
    )


@query(str)
def _agents_asked() -> Selection:
    return select(agent_calls.c.agent).where(agent_calls.c.run_id == bindparam("run"))


@query(AgentCall)
def _calls() -> Selection:
    return (
        select(*columns(agent_calls, AgentCall), tasks.c.key.label("task"), tasks.c.role)
        .join(tasks, tasks.c.id == agent_calls.c.task_id)
        .where(agent_calls.c.session_id == bindparam("session"))
        .order_by(agent_calls.c.id)
    )


def cost_sums() -> list[Sql]:
    """What calls cost together, as columns of `CallSums`."""
    ended = agent_calls.c.finished_at.is_not(None)
    unpriced = and_(agent_calls.c.metered == 1, ended, agent_calls.c.cost_micros.is_(None))
    return [
        func.coalesce(func.sum(agent_calls.c.cost_micros), 0).label("cost_micros"),
        func.count(agent_calls.c.id).label("calls"),
        func.count(agent_calls.c.cost_micros).label("priced"),
        func.coalesce(func.sum(case((unpriced, 1), else_=0)), 0).label("unpriced"),
        func.coalesce(func.sum(agent_calls.c.tokens_in), 0).label("tokens_in"),
        func.coalesce(func.sum(agent_calls.c.tokens_cached), 0).label("tokens_cached"),
        func.coalesce(func.sum(agent_calls.c.tokens_out), 0).label("tokens_out"),
    ]


@query(CallSums)
def _cost() -> Selection:
    return select(*cost_sums()).where(agent_calls.c.session_id == bindparam("session"))


@query(CallOutcome)
def _outcomes() -> Selection:
    return (
        select(agent_calls.c.agent, agent_calls.c.outcome, func.count().label("calls"))
        .where(agent_calls.c.session_id == bindparam("session"), agent_calls.c.outcome.is_not(None))
        .group_by(agent_calls.c.agent, agent_calls.c.outcome)
        .order_by(agent_calls.c.agent, agent_calls.c.outcome)
    )


_REMEMBER = Insertion("memory")
_SHARE = Insertion(
    "memory", unique=["session_id", "name"], where="kind = 'shared'", replace=["data", "at", "task_key"]
)


@query(MemoryEntry)
def _wisdom() -> Selection:
    return (
        select(*columns(memory, MemoryEntry))
        .where(memory.c.session_id == bindparam("session"), memory.c.kind == "wisdom")
        .order_by(memory.c.id)
    )


@query(MemoryEntry)
def _shared() -> Selection:
    return (
        select(*columns(memory, MemoryEntry))
        .where(memory.c.session_id == bindparam("session"), memory.c.kind == "shared")
        .order_by(memory.c.name)
    )


@query(JsonObject)
def _accumulator() -> Selection:
    return (
        select(runs.c.accumulator)
        .join(tasks, tasks.c.id == runs.c.task_id)
        .where(
            tasks.c.session_id == bindparam("session"),
            tasks.c.role == bindparam("of_role"),
            runs.c.outcome == fixed(RunOutcome.COMPLETED),
        )
        .order_by(runs.c.closed_at)
    )


def add_verdict(tx: Tx, values: Mapping[str, object], found: Iterable[Mapping[str, object]]) -> int:
    """A verdict's row and its findings ({kind, severity, perspective, text}); its id."""
    verdict = tx.insert(_VERDICT, created_at=tx.now, **values)
    for number, finding in enumerate(found, 1):
        tx.insert(_FINDING, verdict_id=verdict, number=number, **finding)
    return verdict


def verdicts_of(tx: Tx, session: str) -> Sequence[Verdict]:
    """All verdicts of the session, oldest first, each with its task's key."""
    return tx.once((verdicts_of, session), lambda: tx.rows(_verdicts, session=session))


def findings_of(tx: Tx, verdict: int) -> list[Finding]:
    return tx.rows(_findings, verdict=verdict)


def add_critique(tx: Tx, run: str, perspective: str, agent: str, reply: JsonObject, notes: list[str]) -> None:
    """Store a perspective's reply; the first one stays."""
    tx.insert(
        _CRITIQUE,
        run_id=run,
        perspective=perspective,
        agent=agent,
        reply=reply,
        notes=notes,
        created_at=tx.now,
    )


def critiques_of(tx: Tx, run: str) -> list[StoredCritique]:
    return tx.rows(_critiques, run=run)


def begin_call(tx: Tx, values: Mapping[str, object]) -> int:
    """Note that an agent is about to be called, so that a call leaves its row whatever is killed; its id.

    Agents that are not free go through `budgets.begin_call`, which asks the caps first.
    """
    return tx.insert(_CALL, started_at=tx.now, **values)


def begun_call(tx: Tx, run: str, named: str) -> BegunCall | None:
    """The run's call of that id, as it was begun."""
    return tx.row(_begun, run=run, named=named)


def own_call(tx: Tx, call: int, run: str, host: str) -> BegunCall | None:
    """The call, if it was begun for the run, and that is the host's, open or not."""
    return tx.row(_own_call, call=call, run=run, by=host)


def end_call(
    tx: Tx,
    call: int,
    outcome: str,
    usage: Usage = NO_USAGE,
    cost: Cost = UNKNOWN,
    *,
    retries: int = 0,
    error: str | None = None,
) -> bool:
    """Note how a call ended; False when it was cut off before, and then that stands."""
    return tx.one(
        _called,
        call=call,
        now=tx.now,
        result=outcome,
        with_model=usage.model,
        used_in=usage.tokens_in,
        used_out=usage.tokens_out,
        used_cached=usage.tokens_cached,
        cost=cost.micros,
        source=cost.source,
        listed=cost.prices_of,
        repairs=retries,
        fault=error,
    )


def cut_off_calls(tx: Tx, run: str, why: str) -> None:
    """Close the calls that were under way when their run was revoked."""
    tx.send(_cut_off, run=run, now=tx.now, fault=why)


def asked_rules_alone(tx: Tx, run: str) -> bool:
    """Whether the run has asked agents, and each of them answers by rule: the same question has the same answer."""
    return set(tx.rows(_agents_asked, run=run)) == {BUILTIN}


def calls_of(tx: Tx, session: str) -> list[AgentCall]:
    return tx.rows(_calls, session=session)


def cost_of(tx: Tx, session: str) -> CallSums:
    """Sums over all calls: `priced` is of how many the price is known, `unpriced` of how many that ended it is not."""
    row = tx.row(_cost, session=session)
    assert row is not None
    return row


def outcomes(tx: Tx, session: str) -> list[CallOutcome]:
    """How the calls of each agent ended: `agent`, `outcome`, `calls`."""
    return tx.rows(_outcomes, session=session)


def add_wisdom(tx: Tx, session: str, file: str, author: str, words: str, task: str | None = None) -> None:
    """Append one entry to learnings, decisions, conventions or issues."""
    tx.insert(
        _REMEMBER,
        session_id=session,
        kind="wisdom",
        name=file,
        author=author,
        task_key=task,
        data=words,
        at=tx.now,
    )


def wisdom_of(tx: Tx, session: str) -> list[MemoryEntry]:
    return tx.rows(_wisdom, session=session)


def share(tx: Tx, session: str, role: str, data: Json, task: str | None = None) -> None:
    """Write the role's own field of the shared memory."""
    tx.insert(
        _SHARE, session_id=session, kind="shared", name=role, author=role, task_key=task, data=data, at=tx.now
    )


def shared_of(tx: Tx, session: str) -> JsonObject:
    return {row.name: row.data for row in tx.rows(_shared, session=session)}


def accumulator_of(tx: Tx, session: str, role: str) -> list[JsonObject]:
    """What the role's completed tasks passed on, oldest first."""
    return [found for found in tx.rows(_accumulator, session=session, of_role=role) if found]

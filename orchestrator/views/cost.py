"""How long attempts took and what agents cost, as plain values."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.agent_kinds import RULES
from orchestrator.domain.evidence import REFUSED_TURN
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.past import FORKED, PAID
from orchestrator.store import checks, messages, queries, records
from orchestrator.store.rows import AgentCall, CallSums
from orchestrator.store.store import Tx

MICROS = 1_000_000
COUNTS = ("calls", "priced", "unpriced", "tokens_in", "tokens_cached", "tokens_out")
ANSWERS = ("answered", "mined")


def unanswering(tx: Tx, session: str) -> list[JsonObject]:
    """The agents that failed most of their calls, so that others answered for them; interrupted calls do not count."""
    ended: dict[str, dict[str, int]] = {}
    for row in records.outcomes(tx, session):
        if row.outcome != "cut_off":
            ended.setdefault(row.agent, {})[row.outcome] = row.calls
    found = []
    for agent, by in ended.items():
        failed = {outcome: calls for outcome, calls in by.items() if outcome not in ANSWERS}
        calls, answered = sum(by.values()), sum(by.values()) - sum(failed.values())
        if 2 * answered < calls:
            found.append({"agent": agent, "calls": calls, "answered": answered, "failed": failed})
    return found


def run_views(tx: Tx, session: str, task: str | None) -> list[JsonObject]:
    """The attempts at a task, or at all tasks of the session, oldest first, each with its calls to agents.

    Also each with its turns that were refused, and what refused them.
    """
    calls: dict[str, list[AgentCall]] = {}
    for call in records.calls_of(tx, session):
        calls.setdefault(call.run_id, []).append(call)
    refused: dict[str, list[JsonObject]] = {}
    for check in checks.checks_of_kind(tx, session, REFUSED_TURN):
        refused.setdefault(check.run_id, []).append(check.data)
    return [
        {
            "run": row.id,
            "task": row.task,
            "epoch": row.epoch,
            "opened_by": row.opened_by,
            "outcome": row.outcome or "open",
            "counted": bool(row.counted),
            "phase": row.phase,
            "agent": row.agent or next((call.agent for call in reversed(calls.get(row.id, ()))), None),
            "error": row.error,
            "host": row.host,
            "pid": row.pid or None,  # a host on another machine has none here
            "opened_at": stamp(row.opened_at),
            "closed_at": stamp(row.closed_at),
            "seconds": seconds(row.opened_at, row.closed_at or tx.now),
            "timings": row.timings,
            "calls": [_call(call, tx.now) for call in calls.get(row.id, ())],
            "refused": refused.get(row.id, []),
        }
        for row in queries.runs_of(tx, session)
        if task in (None, row.task)
    ]


def by(agent: str | None) -> str:
    """Who did a run's work, in words."""
    return "no agent, by rules" if agent == RULES else agent or ""


def cost_view(tx: Tx, session: str | None) -> JsonObject:
    """What the agents of one session, or of all, cost: in total, and by role, task (or session), agent and model."""
    groups = queries.cost_groups(tx, session)
    whole = _grouped(groups, [])
    return {
        "session": session,
        **(whole[0] if whole else cost(None)),
        **({} if session is None else {"inherited": inherited(tx, session)}),
        ("by_session" if session is None else "by_task"): _grouped(
            groups, ["session"] if session is None else ["task"]
        ),
        "by_role": _grouped(groups, ["role"]),
        "by_agent": _grouped(groups, ["agent"]),
        "by_model": _grouped(groups, ["agent", "model"]),
    }


def inherited(tx: Tx, session: str) -> JsonObject | None:
    """What the work had cost that a fork took over, in all and by task: its source paid for it. None for no fork."""
    event = messages.newest_event(tx, session, FORKED)
    said = None if event is None else messages.one(tx, session, event.number)
    if said is None:
        return None
    by_task = said.data["inherited"]
    whole = {name: sum(each[name] for each in by_task) for name in PAID}
    return {"source": said.data["source"], "task": said.data["task"], **whole, "by_task": by_task}


def cost(row: CallSums | None) -> JsonObject:
    """The cost from sums over calls; `row` is None when there were none."""
    return {
        "usd": row.cost_micros / MICROS if row else 0.0,
        **{name: getattr(row, name) if row else 0 for name in COUNTS},
    }


def _call(row: AgentCall, now: int) -> JsonObject:
    return {
        "agent": row.agent,
        "purpose": row.purpose,
        "perspective": row.perspective,
        "outcome": row.outcome or "under way",
        "model": row.model,
        "tokens_in": row.tokens_in,
        "tokens_out": row.tokens_out,
        "tokens_cached": row.tokens_cached,
        "usd": None if row.cost_micros is None else row.cost_micros / MICROS,
        "cost_source": row.cost_source,
        "prices_of": row.prices_of,
        "retries": row.retries,
        "error": row.error,
        "seconds": seconds(row.started_at, row.finished_at or now),
    }


def _grouped(groups: Sequence[CallSums], by: Sequence[str]) -> list[JsonObject]:
    """The sums over groups that agree in the columns `by`, in the order in which they first appear."""
    found: dict[tuple[object, ...], list[CallSums]] = {}
    for row in groups:
        found.setdefault(tuple(getattr(row, name) for name in by), []).append(row)
    return [
        {
            **dict(zip(by, values, strict=True)),
            "usd": sum(row.cost_micros for row in rows) / MICROS,
            **{name: sum(getattr(row, name) for row in rows) for name in COUNTS},
        }
        for values, rows in found.items()
    ]


def seconds(begin: int, end: int) -> float:
    return round(max(0, end - begin) / MICROS, 3)

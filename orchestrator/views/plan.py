"""The plan that `start` shows before it starts: mode, tasks, agents, estimated cost and caps."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from orchestrator.domain import secrets
from orchestrator.domain.agent_kinds import BUILTIN, CLIENTS, KINDS, with_own
from orchestrator.domain.analysis import ANALYZE, DISCUSS, ROUND
from orchestrator.domain.budget import needs_editing
from orchestrator.domain.estimate import Past, estimate
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pipelines import Pack, Role
from orchestrator.domain.prices import MICROS, Prices
from orchestrator.domain.request_forms import NAMES, form_of_text
from orchestrator.domain.review_verdicts import MODE
from orchestrator.domain.shared_calls import apart, part
from orchestrator.domain.tongues import NAMES as LANGUAGES
from orchestrator.domain.tongues import tongue
from orchestrator.store import queries
from orchestrator.store.store import Tx
from orchestrator.views.budget import budget_of, cap_lines
from orchestrator.views.layout import Plan
from orchestrator.views.sending import sending

if TYPE_CHECKING:
    from orchestrator.config.settings import AgentSettings, Settings


def past(tx: Tx, agents: Collection[str]) -> dict[tuple[str, str], list[int]]:
    """What these agents' calls for tasks and perspectives have cost in this project, where every price is known."""
    found: dict[tuple[str, str], list[int]] = {}
    for agent in agents:
        for row in queries.history(tx, agent):
            if row.priced < row.calls:
                continue
            if row.perspective is None:
                found.setdefault((row.kind, agent), []).append(row.micros)
                continue
            for name in apart(row.perspective):
                each = part(row.micros // row.calls, row.perspective)
                found.setdefault((name, agent), []).extend([each] * row.calls)
    return found


def plan_view(
    planned: Plan, settings: Settings, before: Past | None = None, prices: Prices | None = None
) -> JsonObject:
    """The plan as plain values; `agents` are those configured here, in the order in which they are tried."""
    replays = planned.options.cassette is not None and planned.options.cassette["does"] == "replay"
    agents = {} if replays else agents_of(planned, settings)
    sends = None if replays else _sends(planned, settings, agents)
    budget = budget_of(settings, [task.key for task in planned.pipeline.tasks], planned.choice.mode)
    return {
        "title": planned.title,
        "masked": secrets.MASK in planned.request,
        "reads_like": NAMES.get(form_of_text(planned.request)) if planned.choice.mode != MODE else None,
        "little_known": _little_known(planned, settings, agents),
        "mode": planned.choice.mode,
        "why": planned.choice.why,
        "analysis": None if planned.analysis is None else planned.analysis.as_json(),
        "language": planned.language,
        "discuss": planned.options.discuss,
        "critics": planned.options.critics or settings.critics,
        "execution": planned.options.execution,
        "tasks": [
            {
                "task": task.key,
                "role": task.role,
                "phase": task.phase,
                "blocked_by": list(task.blocked_by),
                "round": task.round,
                "perspectives": list(_perspectives(planned, task.round)),
                "checkpoint_after": task.checkpoint_after,
            }
            for task in planned.pipeline.tasks
        ],
        "agents": agents,
        "cassette": planned.options.cassette,
        "sends": sends,
        "cost": _replayed(planned)
        if sends is None
        else _cost(planned, settings, agents, before or {}, int(sends["calls"])),
        "budget": {
            "caps": cap_lines(budget),
            "warnings": _unheld(planned, settings, before or {}, prices or Prices())
            if _caps_money(budget) and not replays
            else [],
        },
    }


def _little_known(planned: Plan, settings: Settings, agents: dict[str, list[str]]) -> str | None:
    """The language of a request that the built-in agent would read, of which its rules know little."""
    reads = any(order and _is_builtin(order[0], settings) for order in agents.values())
    return LANGUAGES.get(tongue(planned.request)) if reads and planned.choice.mode != MODE else None


def paid_agents(planned: Plan, settings: Settings) -> list[str]:
    """The agents that would be asked first, without the built-in one."""
    return list(dict.fromkeys(agent for _, agent in _parts(planned, settings, agents_of(planned, settings))))


def has_coding_agent(settings: Settings) -> bool:
    """Whether an agent that edits files is configured, or a coding agent is installed."""
    return any(_edits(name, settings.agents.get(name)) for name in _known(settings))


def _edits(name: str, given: AgentSettings | None) -> bool:
    if given is None:
        return name in CLIENTS
    if given.edits_files:
        return True
    program = given.command[0] if given.command else given.kind
    return KINDS[given.kind].is_client and shutil.which(program) is not None


def agents_of(planned: Plan, settings: Settings) -> dict[str, list[str]]:
    """The agents that each role of the plan asks, in their order."""
    known, pack = _known(settings), planned.pack
    names = {task.role: _asked(task, pack) for task in planned.pipeline.tasks}
    orders = {
        name: _order(role.agents, role.order_in(settings.roles), settings, known)
        for name, role in names.items()
        if role is not None
    }
    if planned.choice.mode == MODE:
        orders.pop("tester", None)  # it runs the tests, and mends nothing of commits that are there already
    asked = {
        role: [name for name in order if _edits(name, settings.agents.get(name))]
        if needs_editing(pack.roles[role])
        else order
        for role, order in orders.items()
    }
    return {name: asked.get(name, []) for name, role in names.items() if role is not None}


def _asked(task: TaskDef, pack: Pack) -> Role | None:
    """Whose order holds: for a round of an analysis its analysts', for one of a document that of each perspective."""
    if task.prefix != DISCUSS:
        return pack.roles[task.role]
    return pack.role_of(ANALYZE) if ROUND in task.payload else None


def _order(
    named: Iterable[str], own: Iterable[str] | None, settings: Settings, known: Collection[str]
) -> list[str]:
    """The order of the worker host: the user's, else the pack's with the user's agents before the built-in one."""
    order = list(own or ())
    if not order:
        mine = [name for name in settings.agents if name not in (*CLIENTS, BUILTIN)]
        order = list(with_own(named, mine))
    return [name for name in dict.fromkeys(order) if name in known]


def _known(settings: Settings) -> set[str]:
    """The agents that are available here, including installed programs."""
    return {BUILTIN, *settings.agents, *filter(shutil.which, CLIENTS)} - set(settings.agents_off)


def _parts(planned: Plan, settings: Settings, agents: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The (task or perspective, agent) pairs that cost something."""
    known = _known(settings)
    orders = [(task.key, agents[task.role]) for task in planned.pipeline.tasks if not _by_rule(planned, task)]
    for task in planned.pipeline.tasks:
        for name in _perspectives(planned, task.round):
            view = planned.pack.perspectives[name]
            orders.append((name, _order(view.agents, settings.perspectives.get(name), settings, known)))
    return [(work, order[0]) for work, order in orders if order and not _is_builtin(order[0], settings)]


def _sends(planned: Plan, settings: Settings, agents: dict[str, list[str]]) -> JsonObject:
    """What goes to agents that are asked first, the built-in one left out."""
    known = _known(settings)

    def paid(order: list[str]) -> str | None:
        return order[0] if order and not _is_builtin(order[0], settings) else None

    writers = {
        task.key: paid(agents[task.role]) for task in planned.pipeline.tasks if not _by_rule(planned, task)
    }
    speakers = {
        name: paid(_order(view.agents, settings.perspectives.get(name), settings, known))
        for name, view in planned.pack.perspectives.items()
    }
    return sending(planned, writers, speakers)


def _by_rule(planned: Plan, task: TaskDef) -> bool:
    """Whether the task's own work asks no agent, only the perspectives of its round do."""
    return _asked(task, planned.pack) is None or planned.pack.documents.is_report(task.key)


def _replayed(planned: Plan) -> JsonObject:
    return {"usd": 0.0, "at_least_usd": 0.0, "calls": _calls(planned), "why": "a replay uses no agent"}


def _calls(planned: Plan) -> int:
    tasks = planned.pipeline.tasks
    return len(tasks) + sum(len(_perspectives(planned, task.round)) for task in tasks)


def _cost(
    planned: Plan, settings: Settings, agents: dict[str, list[str]], before: Past, calls: int
) -> JsonObject:
    parts = _parts(planned, settings, agents)
    found = estimate(parts, before)
    if not parts:
        why = "the built-in agent needs no key and no network"
    elif found.missing:
        who = ", ".join(dict.fromkeys(agent for _, agent in found.missing))
        why = f"no history of what {who} costs for {len(found.missing)} of {len(set(parts))} kinds of work"
    else:
        why = f"median of this project's history, {found.times} times the same work"
    return {
        "usd": None if found.missing else found.micros / MICROS,
        "at_least_usd": found.micros / MICROS,
        "calls": calls,
        "why": why,
    }


def _caps_money(budget: dict[str, dict[str, int]] | None) -> bool:
    """Whether somebody chose a cap on money: that of tasks that edit code is there by default."""
    return any("usd" in (budget or {}).get(scope, {}) for scope in ("session", "task"))


def _unheld(planned: Plan, settings: Settings, before: Past, prices: Prices) -> list[str]:
    """Warnings that the cap on money may not hold, because the price of some agents is unknown."""
    seen = {agent for _, agent in before}
    unknown = [
        name
        for name in paid_agents(planned, settings)
        if name not in seen and not _has_price(name, settings.agents.get(name), prices)
    ]
    if not unknown:
        return []
    return [
        f"the price of {', '.join(unknown)} is unknown: a cap on money counts only calls whose cost is reported; "
        "caps on tokens and turns count all"
    ]


def _has_price(name: str, agent: AgentSettings | None, prices: Prices) -> bool:
    """Whether the price of its calls will be known; a user's own program may report nothing."""
    if agent is None:  # a client that needs no configuration, with a model of its own choice
        return KINDS[name].reports == "cost"
    reports = KINDS[agent.kind].reports
    if reports == "maybe":
        return False
    return reports == "cost" or prices.of(agent.model, elsewhere=bool(agent.base_url)) is not None


def _perspectives(planned: Plan, round_key: str | None) -> tuple[str, ...]:
    return planned.pack.rounds[round_key].perspectives if round_key else ()


def _is_builtin(name: str, settings: Settings) -> bool:
    given = settings.agents.get(name)
    return name == BUILTIN or (given is not None and given.kind == BUILTIN)

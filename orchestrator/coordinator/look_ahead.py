"""What `start` says before it starts: mode, tasks, agents and what they may cost."""

from __future__ import annotations

from typing import Any

from orchestrator.coordinator.start import Plan

BUILTIN = "builtin"


def plan_view(planned: Plan, settings: Any) -> dict[str, Any]:
    """The plan as plain values; `agents` are those configured here, in the order they are tried."""
    pack = planned.pack
    usable = {BUILTIN, *settings.agents}
    roles = dict.fromkeys(task.role for task in planned.pipeline.tasks)
    agents = {role: [name for name in pack.roles[role].agents if name in usable] for role in roles}
    critics = [
        pack.perspectives[name]
        for task in planned.pipeline.tasks
        for name in _perspectives(planned, task.round)
    ]
    first = {names[0] if names else None for names in agents.values()}
    first |= {next((name for name in critic.agents if name in usable), None) for critic in critics}
    free = all(name is None or _is_builtin(name, settings) for name in first)
    replays = planned.wishes.cassette is not None and planned.wishes.cassette["does"] == "replay"
    why = (
        "a replay asks no agent"
        if replays
        else "the built-in agent needs no key and no network"
        if free
        else "the configured agents say what each call cost"
    )
    return {
        "title": planned.title,
        "mode": planned.choice.mode,
        "why": planned.choice.why,
        "language": planned.language,
        "discuss": planned.wishes.discuss,
        "execution": planned.wishes.execution,
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
        "agents": {} if replays else agents,
        "cassette": planned.wishes.cassette,
        "cost": {
            "usd": 0.0 if free or replays else None,
            "calls": len(planned.pipeline.tasks) + len(critics),
            "why": why,
        },
    }


def _perspectives(planned: Plan, round_key: str | None) -> tuple[str, ...]:
    return planned.pack.rounds[round_key].perspectives if round_key else ()


def _is_builtin(name: str, settings: Any) -> bool:
    return name == BUILTIN or settings.agents[name].kind == BUILTIN
